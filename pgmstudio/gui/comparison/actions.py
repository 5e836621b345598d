"""Comparing languages and models, why (not) an edge, edge widths, and bootstraps."""

from __future__ import annotations

from functools import partial
from typing import cast

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.kinds import a_kind
from pgmstudio.core.model import DirectedModel
from pgmstudio.gui.canvas.edge_strengths import KINDS
from pgmstudio.gui.project.opening import close_welcome
from pgmstudio.gui.runs.artifact_source import KeptSource, has_source, source_in_view
from pgmstudio.gui.runs.learning_run import RunRequest
from pgmstudio.gui.window.action_conditions import NO_MODEL
from pgmstudio.gui.window.actions import ActionSpec
from pgmstudio.gui.window.app_context import Shell, model_page_in_front
from pgmstudio.gui.window.page import Page


def open_difference(shell: Shell, first: str | None = None, second: str | None = None) -> Page:
    """The page of two structures; without names, the model in view and the newest other one."""
    from pgmstudio.gui.comparison.structure_diff_page import DifferencePage

    close_welcome(shell)
    in_view = shell.bench.model_id
    page = cast(DifferencePage, shell.open_page("difference", lambda: DifferencePage(shell)))
    if second is None and in_view is not None:
        others = [key for key in _with_edges(shell) if key != in_view]
        if others and in_view in _with_edges(shell):
            first, second = in_view, others[-1]
    if first is not None and second is not None:
        page.choose(first, second)
    return page


def _with_edges(shell: Shell) -> list[str]:
    models = shell.project.models
    return [key for key, entry in models.items() if isinstance(entry.model, DirectedModel)]


def pair_in_view(shell: Shell) -> tuple[str, str] | None:
    """The ends of the one selected edge, or the two selected nodes."""
    selection = shell.bench.selection
    if shell.bench.model_id is None:
        return None
    if len(selection.nodes) == 2:
        return selection.nodes[0], selection.nodes[1]
    return selection.edges[0] if len(selection.edges) == 1 and not selection.nodes else None


def show_why(shell: Shell) -> None:
    """The inspector, scrolled to why there is an edge between the selected two, or none."""
    from PySide6.QtCore import QTimer

    if pair_in_view(shell) is not None:
        shell.reveal("inspectorPanel")
        QTimer.singleShot(0, shell, partial(_scroll_to_why, shell))


def _scroll_to_why(shell: Shell) -> None:
    from PySide6.QtWidgets import QScrollArea

    from pgmstudio.gui.inspector.edge_explanation import WhySection

    for section in shell.window.findChildren(WhySection):
        if not section.isVisible():
            continue
        at = section.parentWidget()
        while at is not None and not isinstance(at, QScrollArea):
            at = at.parentWidget()
        content = at.widget() if isinstance(at, QScrollArea) else None
        if isinstance(at, QScrollArea) and content is not None:
            top = section.mapTo(content, section.rect().topLeft()).y()
            at.verticalScrollBar().setValue(top)


def begin_bootstrap(shell: Shell) -> None:
    """The run sheet with replicates switched on, set as the run that made the model in view."""
    from PySide6.QtWidgets import QScrollArea

    from pgmstudio.gui.learning.actions import open_learn_page
    from pgmstudio.gui.model_page.model_data import sources_of

    sources, model_id = sources_of(shell), shell.bench.model_id or ""
    run, params = sources.run(model_id), sources.params(model_id)
    page = open_learn_page(shell)
    if run is not None and params is not None and run.data_id in shell.project.data:
        page.fill(RunRequest("", run.learner, params, run.seed, run.data_id or ""))
    page.bootstrap.switch_on()
    area = page.findChild(QScrollArea, "learnScroll")
    if area is not None:
        area.ensureWidgetVisible(page.bootstrap)
        page.bootstrap.replicates.setFocus()


def show_frequencies(shell: Shell) -> None:
    """What the bootstrap of the model in view, or else the newest one, counted."""
    from pgmstudio.gui.model_page.model_data import sources_of
    from pgmstudio.gui.runs.results.bootstrap_page import open_bootstrap

    own = sources_of(shell).bootstrap_runs(shell.bench.model_id or "")
    if own:
        open_bootstrap(shell, KeptSource(shell, EdgeFrequencies.kind, own[0]))
        return
    source = source_in_view(shell, EdgeFrequencies.kind)
    if source is not None:
        open_bootstrap(shell, source)


def open_languages(shell: Shell) -> Page:
    """The page of the comparison of languages, about the data in view."""
    from pgmstudio.gui.comparison.languages_page import open_comparison

    return open_comparison(shell)


def open_same_evidence(shell: Shell) -> Page:
    """The page of the same evidence in all models, with the evidence of the model in view."""
    from pgmstudio.gui.evidence.shared_evidence_page import open_same_evidence

    return open_same_evidence(shell)


def compare_actions(shell: Shell) -> list[ActionSpec]:
    def too_few() -> str | None:
        if len(_with_edges(shell)) < 2:
            return "two models with edges are needed; learn or open another one."
        return None

    def no_pair() -> str | None:
        entry = shell.project.models.get(shell.bench.model_id or "")
        if entry is not None and not isinstance(entry.model, DirectedModel):
            return f"the edges of {a_kind(entry.model.kind)} are not judged one by one."
        return None if pair_in_view(shell) else "select an edge, or two nodes."

    def no_page() -> str | None:
        page = model_page_in_front(shell)
        return "open a model first." if page is None else page.why_not_measured()

    def choose(kind: str) -> None:
        page = model_page_in_front(shell)
        if page is not None:
            page.strengths.choose(kind)

    def is_chosen(kind: str) -> bool:
        page = model_page_in_front(shell)
        return page is not None and page.strengths.kind == kind

    def no_bootstrap() -> str | None:
        if has_source(shell, EdgeFrequencies.kind):
            return None
        return "no bootstrap was made yet; Learn ▸ Bootstrap… makes one."

    def no_rows() -> str | None:
        return None if shell.project.data else "import data first (Ctrl+I)."

    def too_alone() -> str | None:
        if not shell.project.models:
            return NO_MODEL
        from pgmstudio.gui.evidence.shared_evidence import askable

        found = len(askable(shell.project))
        if found < 2:
            return "two models are needed; learn or open another one." if found else NO_MODEL
        return None

    return [
        ActionSpec(
            "evaluate.compare-languages",
            "Compare languages…",
            "Evaluate",
            "One model of each language on the same rows in a time budget: bits, sizes and times.",
            lambda: open_languages(shell),
            icon="scales",
            why_not=no_rows,
            separator_before=True,
        ),
        ActionSpec(
            "evidence.same",
            "Same evidence in all models…",
            "Evidence",
            "Evidence entered once goes to every model; where they disagree most comes first.",
            lambda: open_same_evidence(shell),
            icon="scales",
            why_not=too_alone,
            separator_before=True,
        ),
        ActionSpec(
            "learn.bootstrap",
            "Bootstrap…",
            "Learn",
            "Learn again and again from rows drawn with replacement, and count the edges.",
            lambda: begin_bootstrap(shell),
            why_not=lambda: None if shell.project.data else "import data first (Ctrl+I).",
            separator_before=True,
        ),
        ActionSpec(
            "learn.frequencies",
            "Bootstrap frequencies…",
            "Learn",
            "How often each edge was found, and the network of those above a threshold.",
            lambda: show_frequencies(shell),
            why_not=no_bootstrap,
        ),
        ActionSpec(
            "model.why",
            "Why (not) this edge?",
            "Model",
            "What speaks for and against an edge between the selected two: scores, tests, rules.",
            lambda: show_why(shell),
            icon="question",
            why_not=no_pair,
            separator_before=True,
        ),
        ActionSpec(
            "model.difference",
            "Structure difference…",
            "Model/Compare",
            "Two models in one picture: edges added, missing and reversed.",
            lambda: open_difference(shell),
            icon="scales",
            why_not=too_few,
        ),
        *(
            ActionSpec(
                f"view.strength.{key}",
                kind.words.removeprefix("Edge width: ").capitalize()
                if key == "none"
                else kind.words.removeprefix("Edge width: "),
                "View/Edge width",
                kind.tip,
                partial(choose, key),
                why_not=no_page,
                is_checked=partial(is_chosen, key),
            )
            for key, kind in KINDS.items()
        ),
    ]
