"""Actions of the Knowledge menu: the editor, and constraints on the selected edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.run_checks import broken_rules
from pgmstudio.core.model import edge_text
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.navigation import close_welcome
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.page import Page

if TYPE_CHECKING:
    from pgmstudio.gui.knowledge.page import KnowledgePage


def subject_of(page: Page | None) -> str | None:
    """The model or data set of a page, as the knowledge page calls it."""
    if page is None:
        return None
    if page.model_id is not None:
        return f"model:{page.model_id}"
    return None if page.about_data() is None else f"data:{page.about_data()}"


def knowledge_actions(app: AppContext) -> list[ActionSpec]:
    def opened() -> KnowledgePage:
        from pgmstudio.gui.knowledge.page import KnowledgePage

        current = app.center.current
        about = subject_of(current)
        close_welcome(app)
        page = app.open_page("knowledge", lambda: KnowledgePage(app))
        assert isinstance(page, KnowledgePage)
        if about is not None and page is not current:
            page.show_about(about)
        return page

    def open_editor() -> None:
        opened()

    def price_edge() -> None:
        pair = edges()[0]  # the page has no selection
        opened().choose_price(*pair)

    def nothing() -> str | None:
        project = app.project
        return None if project.data or project.models else "import data or open a model first."

    def edges() -> list[tuple[str, str]]:
        """The selected edges, or the one from the first to the second of two selected nodes."""
        chosen = app.workspace.selection
        if chosen.edges or len(chosen.nodes) != 2:
            return list(chosen.edges)
        return [(chosen.nodes[0], chosen.nodes[1])]

    def no_edges() -> str | None:
        return None if edges() else "select an edge, or two nodes in order."

    def rule(edit: Callable[..., Project], verb: str) -> Callable[[], None]:
        def apply() -> None:
            entry = app.project.models.get(app.workspace.model_id or "")
            for source, target in edges():
                if entry is None:
                    text, model = f"{source} → {target}", None
                else:
                    text, model = edge_text(entry.model, source, target), entry.model
                app.change(f"{verb} {text}", edits.rule_edit(edit, model, source, target))

        return apply

    def check() -> None:
        entry = app.project.models[app.workspace.model_id or ""]
        broken = broken_rules(entry.model, app.project.knowledge)
        count = app.project.knowledge.rule_count()
        app.notify(" ".join(broken) if broken else f"All {count} constraints hold.")

    def constraints() -> str | None:
        return "there are no constraints." if app.project.knowledge.is_empty else None

    return [
        ActionSpec(
            "knowledge.edit",
            "Edit knowledge…",
            "Knowledge",
            "Edit tiers, required and forbidden edges.",
            open_editor,
            keys=("Ctrl+Shift+K",),
            icon="checks",
            needs=[nothing],
        ),
        ActionSpec(
            "knowledge.require",
            "Require this edge",
            "Knowledge",
            "Require the selected edge, or the edge between two selected nodes, in learned models.",
            rule(edits.require_edge, "Require"),
            icon="lock-simple",
            needs=[no_edges],
            separator_before=True,
        ),
        ActionSpec(
            "knowledge.forbid",
            "Forbid this edge",
            "Knowledge",
            "Forbid the selected edge, or the edge between two selected nodes, in learned models.",
            rule(edits.forbid_edge, "Forbid"),
            icon="prohibit",
            needs=[no_edges],
        ),
        ActionSpec(
            "knowledge.free",
            "Remove edge constraint",
            "Knowledge",
            "Remove the constraint on the selected edge.",
            rule(edits.forget_edge_rule, "Free"),
            needs=[no_edges],
        ),
        ActionSpec(
            "knowledge.price",
            "Price of this edge…",
            "Knowledge",
            "The price in nats that the selected edge, or an edge between two selected nodes, must "
            "gain; drawn as a soft edge.",
            price_edge,
            needs=[no_edges],
        ),
        ActionSpec(
            "knowledge.check",
            "Check the active model",
            "Knowledge",
            "Check whether its edges satisfy every constraint.",
            check,
            needs=[Conditions(app).model_with_edges, constraints],
            separator_before=True,
        ),
        ActionSpec(
            "knowledge.clear",
            "Clear all constraints",
            "Knowledge",
            "Remove all tiers, required and forbidden edges; can be undone.",
            lambda: app.change(
                "Clear all constraints", partial(edits.set_knowledge, knowledge=Knowledge())
            ),
            needs=[constraints],
        ),
    ]
