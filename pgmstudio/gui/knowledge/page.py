"""The background knowledge page: tiers, required and forbidden edges, and conflicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QFileDialog, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.io.background_knowledge import read_knowledge, write_knowledge
from pgmstudio.core.number_format import counted
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.knowledge.edge_matrix import MATRIX_HINT, EdgeMatrix
from pgmstudio.gui.knowledge.tier_lanes import TierLanes
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    button,
    empty,
    label,
    row,
    scrolled,
    text_width,
    tool_button,
)
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.page import EmbeddedPage

_WIDEST_TIER = 480  # px of a tier's text
ENDINGS = "Knowledge (*.json *.txt *.csv);;All files (*)"
_EDITS = {
    "required": (edits.require_edge, "Require"),
    "forbidden": (edits.forbid_edge, "Forbid"),
    "": (edits.forget_edge_rule, "Free"),
}


def _under(hint: str, content: QWidget) -> QWidget:
    """`content` with a hint above it."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(label(hint, "secondary", wrap=True))
    layout.addWidget(content, 1)
    return made


class KnowledgePage(EmbeddedPage):
    """Tiers, matrix and list of the same constraints."""

    def __init__(
        self, app: AppContext, names_of: Callable[[Project], list[str]] | None = None
    ) -> None:
        """`names_of`: the variables to show, if not all of the project."""
        super().__init__("knowledge")
        self._app = app
        self._names_of = names_of or variables_of
        self._lanes = TierLanes()
        self._lanes.changed.connect(self._on_tiers)
        self._matrix = EdgeMatrix()
        self._matrix.rule_requested.connect(self.set_rule)
        self._list = QWidget()
        self._list_layout = QVBoxLayout(self._list)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._lanes)
        self._stack.addWidget(_under(MATRIX_HINT, self._matrix))
        self._stack.addWidget(scrolled(self._list, "ruleList"))
        self._segments = Segments(
            [
                ("tiers", "Tiers", "Tiers of variables, earlier to later."),
                ("matrix", "Matrix", "Required and forbidden edges, row → column."),
                ("rules", "Rules", "List of all constraints."),
            ],
            "knowledgeLook",
        )
        self._segments.chosen.connect(self._on_look)
        self._source = self._combo("ruleSource", "Source of the edge.")
        self._target = self._combo("ruleTarget", "Target of the edge.")
        self._count = label("", "secondary")
        self._count.setObjectName("ruleCount")
        self._clash = Note(level="warning", name="clashNote")
        self._clash.add_button(
            button(
                "View of the constraints",
                lambda: self._segments.button("rules").click(),
                role="link",
                name="clashRules",
                tip="All constraints, each with a button to remove it.",
            )
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*([theme().space(5)] * 4))
        layout.setSpacing(theme().space(3))
        layout.addWidget(
            row(
                self._segments,
                self._count,
                None,
                button(
                    "Import…",
                    self._on_import,
                    name="knowledgeImport",
                    tip="Read constraints from a JSON, Tetrad, two-column or arrow file.",
                ),
                button(
                    "Export…",
                    self._on_export,
                    name="knowledgeExport",
                    tip="Write the constraints to a file.",
                ),
            )
        )
        layout.addWidget(
            row(
                self._source,
                label("→", "secondary"),
                self._target,
                button(
                    "Require",
                    lambda: self._rule_from_combos("required"),
                    name="ruleRequire",
                    tip="Require this edge in learned models.",
                ),
                button(
                    "Forbid",
                    lambda: self._rule_from_combos("forbidden"),
                    name="ruleForbid",
                    tip="Forbid this edge in learned models.",
                ),
                None,
            )
        )
        layout.addWidget(self._stack, 1)
        # Below the matrix, so that no cell moves under the pointer when a click causes a conflict.
        layout.addWidget(self._clash)
        app.document.changed.connect(self._on_changed)
        theme().changed.connect(self.refresh)
        self.refresh()

    @property
    def title(self) -> str:
        return "Knowledge"

    def page_icon(self) -> QIcon:
        return icon("checks")

    def _combo(self, name: str, tip: str) -> QComboBox:
        combo = Combo()
        combo.setObjectName(name)
        combo.setToolTip(tip)
        combo.setAccessibleName(tip)
        combo.setMinimumWidth(theme().px("left_min") - 40)
        return combo

    # -- showing

    def _on_changed(self, before: Project, after: Project) -> None:
        known = (self._names_of(after), after.knowledge)
        if known != (self._names_of(before), before.knowledge):
            self.refresh()

    def refresh(self) -> None:
        """Show the current constraints and variables."""
        project = self._app.project
        names, rules = self._names_of(project), project.knowledge
        self._lanes.show_tiers(names, rules.tiers, rules.closed_tiers)
        self._matrix.rules.show(names, rules)
        for index, combo in enumerate((self._source, self._target)):
            chosen = combo.currentText()
            combo.clear()
            combo.addItems(names)
            combo.setCurrentIndex(names.index(chosen) if chosen in names else index)
        if len(names) > 1 and self._source.currentText() == self._target.currentText():
            self._target.setCurrentIndex((self._source.currentIndex() + 1) % len(names))
        self._count.setText(counted(rules.rule_count(), "rule"))
        clashes = rules.contradictions(variables_of(project))
        self._clash.show_text(" ".join(clashes[:6]))
        self._list_rules(rules)

    def _list_rules(self, rules: Knowledge) -> None:
        empty(self._list_layout)
        for kind, chosen in (("required", rules.required), ("forbidden", rules.forbidden)):
            for edge in sorted(chosen):
                self._list_layout.addWidget(self._rule_row(kind, edge))
        for number, tier in enumerate(rules.tiers):
            closed = ", no edges within" if number in rules.closed_tiers else ""
            text = f"Tier {number + 1}: {', '.join(tier) or 'empty'}{closed}"
            go = partial(self._lanes.remove, number)
            remove = tool_button("x", f"Remove constraint: tier {number + 1}", go)
            text_label = label(text, wrap=True)
            # A wrapping label has a small size hint; up to this width it stays on one line.
            whole = text_width(text_label, text) + 2
            text_label.setMinimumWidth(min(whole, round(_WIDEST_TIER * theme().scale)))
            self._list_layout.addWidget(row(text_label, remove, None))
        if rules.is_empty:
            self._list_layout.addWidget(
                label("No constraints. Draw tiers, or require and forbid edges above.", "secondary")
            )
        self._list_layout.addStretch(1)

    def _rule_row(self, kind: str, edge: Edge) -> QWidget:
        source, target = edge
        chip = label(kind, "chip-do" if kind == "required" else "chip-evidence", size="caption")
        remove = tool_button(
            "x",
            f"Remove constraint: {source} → {target}",
            partial(self.set_rule, source, target, ""),
        )
        return row(chip, label(f"{source} → {target}"), remove, None)

    def _on_look(self, key: str) -> None:
        self._stack.setCurrentIndex(["tiers", "matrix", "rules"].index(key))

    # -- edits

    def set_rule(self, source: str, target: str, rule: str) -> None:
        """Set the constraint of an edge as an undoable change; "" removes it."""
        edit, verb = _EDITS[rule]
        self._app.change(f"{verb} {source} → {target}", partial(edit, source=source, target=target))

    def _rule_from_combos(self, rule: str) -> None:
        self.set_rule(self._source.currentText(), self._target.currentText(), rule)

    def _on_tiers(self, tiers: Iterable[Iterable[str]], closed: Iterable[int]) -> None:
        self._app.change("Change tiers", partial(edits.set_tiers, tiers=tiers, closed_tiers=closed))

    def _on_import(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Import knowledge", "", ENDINGS)
        if chosen:
            self.import_file(Path(chosen))

    def import_file(self, path: Path) -> None:
        def show(knowledge: Knowledge) -> None:
            edit = partial(edits.set_knowledge, knowledge=knowledge)
            self._app.change(f"Import knowledge from {path.name}", edit)

        def work(*_: object) -> Knowledge:
            return read_knowledge(path)

        run_with_progress(self, f"Opening {path.name}", work, show, self._app.errors.report)

    def _on_export(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, "Export knowledge", "knowledge.json", ENDINGS)
        if not chosen:
            return
        try:
            lossy = write_knowledge(Path(chosen), self._app.project.knowledge)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(" ".join([f"Saved {Path(chosen).name}.", *lossy]))


def variables_of(project: Project) -> list[str]:
    """All variables of the project, in the order of its data sets and models."""
    domains = [entry.data.domain for entry in project.data.values()]
    domains += [entry.model.domain for entry in project.models.values()]
    return list(dict.fromkeys(name for domain in domains for name in domain.names))
