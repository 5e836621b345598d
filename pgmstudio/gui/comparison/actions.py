"""Actions that compare languages and models, explain edges, and run a bootstrap."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QScrollArea

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import has_edges
from pgmstudio.core.project.project import ModelEntry, most_similar_model
from pgmstudio.gui.canvas.edge_strengths import KINDS, other_edges_reason
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import NO_MODEL
from pgmstudio.gui.model_page.action_conditions import PageConditions
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import close_welcome, open_learn_page, open_run_result
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.runs.results.run_result import BOOTSTRAP, result_action
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.page import Page


def open_difference(app: AppContext, first: str | None = None, second: str | None = None) -> Page:
    """Open the structure difference of two models, by default the active and the most similar."""
    from pgmstudio.gui.comparison.structure_diff_page import DifferencePage

    close_welcome(app)
    in_view = app.workspace.model_id
    page = cast(DifferencePage, app.open_page("difference", lambda: DifferencePage(app)))
    usable = _with_edges(app)
    if second is None and in_view in usable:
        first, second = in_view, most_similar_model(usable, in_view)
    if first is not None and second is not None:
        page.choose(first, second)
    return page


def _with_edges(app: AppContext) -> dict[str, ModelEntry]:
    return {key: entry for key, entry in app.project.models.items() if has_edges(entry.model)}


def active_pair(app: AppContext) -> tuple[str, str] | None:
    """The ends of the selected edge, or the two selected nodes."""
    selection = app.workspace.selection
    if app.workspace.model_id is None:
        return None
    if len(selection.nodes) == 2:
        return selection.nodes[0], selection.nodes[1]
    return selection.edges[0] if len(selection.edges) == 1 and not selection.nodes else None


def show_why(app: AppContext) -> None:
    """Show the explanation of the selected edge in the inspector."""
    if active_pair(app) is not None:
        app.reveal("inspectorPanel")
        QTimer.singleShot(0, app.window, partial(_scroll_to_why, app))


def _scroll_to_why(app: AppContext) -> None:
    from pgmstudio.gui.inspector.edge_explanation import EdgeExplanationSection

    for section in app.window.findChildren(EdgeExplanationSection):
        if not section.isVisible():
            continue
        at = section.parentWidget()
        while at is not None and not isinstance(at, QScrollArea):
            at = at.parentWidget()
        content = at.widget() if isinstance(at, QScrollArea) else None
        if isinstance(at, QScrollArea) and content is not None:
            top = section.mapTo(content, section.rect().topLeft()).y()
            at.verticalScrollBar().setValue(top)


def begin_bootstrap(app: AppContext) -> None:
    """Open the learning page with a bootstrap and the parameters of the active model's run."""

    sources, model_id = model_sources(app), app.workspace.model_id or ""
    run, params = sources.run(model_id), sources.params(model_id)
    page = open_learn_page(app)
    if run is not None and params is not None and run.data_id in app.project.data:
        page.fill(RunRequest("", run.learner, params, run.seed, run.data_id or ""))
    page.show_bootstrap()


def show_frequencies(app: AppContext) -> None:
    """Open the edge frequencies of the active model's bootstrap, or of the newest one."""
    own = model_sources(app).bootstrap_runs(app.workspace.model_id or "")
    source = ArtifactSource(app, EdgeFrequencies.kind, own[0]) if own else None
    open_run_result(app, BOOTSTRAP.key, source)


def open_languages(app: AppContext) -> Page:
    """Open the comparison of languages for the current data set."""
    from pgmstudio.gui.comparison.languages_page import open_comparison

    return open_comparison(app)


def open_same_evidence(app: AppContext) -> Page:
    """Open the page of shared evidence with the evidence of the active model."""
    from pgmstudio.gui.evidence.shared_evidence_page import open_same_evidence

    return open_same_evidence(app)


def _other_edges(kind: str, page: ModelPage) -> str | None:
    return other_edges_reason(kind, page.entry.model)


def compare_actions(app: AppContext) -> list[ActionSpec]:
    on = PageConditions(app)

    def too_few() -> str | None:
        if len(_with_edges(app)) < 2:
            return "two models with edges are needed. Learn or open another one."
        return None

    def no_pair() -> str | None:
        entry = on.entry
        if entry is not None and not has_edges(entry.model):
            return f"edges of {a_kind(entry.model.kind)} have no separate scores."
        return None if active_pair(app) else "select an edge, or two nodes."

    def choose(kind: str) -> None:
        if on.page is not None:
            on.page.strengths.choose(kind)

    def is_chosen(kind: str) -> bool:
        return on.page is not None and on.page.strengths.kind == kind

    def too_alone() -> str | None:
        if not app.project.models:
            return NO_MODEL
        from pgmstudio.gui.evidence.shared_evidence import askable

        count = len(askable(app.project))
        if count < 2:
            what = "two models" if count else "two models with probabilities"
            return f"{what} are needed. Learn or open another one."
        return None

    return [
        ActionSpec(
            "evaluate.compare-languages",
            "Compare languages…",
            "Evaluate",
            "Learn one model of each language within a time budget and compare them.",
            lambda: open_languages(app),
            icon="scales",
            needs=[on.data],
            separator_before=True,
        ),
        ActionSpec(
            "evidence.same",
            "Shared evidence…",
            "Evidence",
            "Enter evidence in all models at once and list where their beliefs differ most.",
            lambda: open_same_evidence(app),
            icon="scales",
            needs=[too_alone],
            separator_before=True,
        ),
        ActionSpec(
            "learn.bootstrap",
            "Bootstrap…",
            "Learn",
            "Learn from bootstrap samples of the data and count the edges.",
            lambda: begin_bootstrap(app),
            needs=[on.data],
            separator_before=True,
        ),
        replace(result_action(app, BOOTSTRAP), run=lambda: show_frequencies(app)),
        ActionSpec(
            "model.why",
            "Explain edge…",
            "Model",
            "Show scores, tests and constraints for an edge between the two selected nodes.",
            lambda: show_why(app),
            icon="question",
            needs=[no_pair],
            separator_before=True,
        ),
        ActionSpec(
            "model.difference",
            "Structure difference…",
            "Model/Compare",
            "Show two models in one diagram: edges added, missing and reversed.",
            lambda: open_difference(app),
            icon="scales",
            needs=[too_few],
        ),
        *(
            ActionSpec(
                f"view.strength.{key}",
                kind.choice.removeprefix("Edge width: ").capitalize()
                if key == "none"
                else kind.choice.removeprefix("Edge width: "),
                "View/Edge width",
                kind.tip,
                partial(choose, key),
                needs=[
                    on.page_reason(lambda page: page.not_measured_reason()),
                    on.page_reason(partial(_other_edges, key)),
                ],
                is_checked=partial(is_chosen, key),
            )
            for key, kind in KINDS.items()
        ),
    ]
