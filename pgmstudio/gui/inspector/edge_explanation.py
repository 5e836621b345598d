"""The explanation of an edge: scores, tests, constraints, bootstrap replicates and searches."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from pgmstudio.core.analysis.edge_explanation import (
    OptimaTask,
    PcTask,
    frequency_line,
    optima_share,
    score_lines,
    test_line,
    warm_up,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.base import EdgeAnalysis, EdgeExplainer
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import PcParams
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import TestLog
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import KesParams
from pgmstudio.core.languages.registry import edge_analysis, language_of
from pgmstudio.core.model import DirectedModel, Model, ProbabilisticModel, has_edges
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.model_rows import no_rows_reason
from pgmstudio.core.scores.edge_reports import EdgeWhy
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.basic import Section, button, label, row
from pgmstudio.gui.widgets.debounce import one_shot

REST_MS = 60
WARM_UP_AFTER_MS = 700  # the diagram and its beliefs come first
MAX_TESTS = 8
Pair = tuple[str, str]


class _Explainers:
    """The explainer of the last data set, used by one query at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[DataSet, EdgeAnalysis, Any] | None = None
        self._explainer: EdgeExplainer | None = None

    def explain(
        self,
        data: DataSet,
        model: Model,
        params: Any,
        pair: Pair,
        knowledge: Knowledge,
        cancel: CancelToken,
    ) -> EdgeWhy:
        with self._lock:
            cancel.raise_if_cancelled()
            analysis, key = edge_analysis(model.kind), self._key
            if (
                self._explainer is None
                or key is None
                or key[0] is not data
                or (key[1:] != (analysis, params))
            ):
                self._key = (data, analysis, params)
                self._explainer = analysis.explainer(data, params)
            return self._explainer.explain(model, *pair, knowledge=knowledge, cancel=cancel)


class EdgeExplanationSection(Section):
    """Explains the edge, or its absence, between two variables of the active model."""

    def __init__(self, app: AppContext, name: str) -> None:
        super().__init__("Why this edge?")
        self.setObjectName(name)
        self._app = app
        self._subject: ActiveModel | None = None
        self._pair: Pair = ("", "")
        self._asked: tuple[object, ...] = ()
        self._why: EdgeWhy | None = None
        self._result: KesOptima | TestLog | None = None  # of a search that was repeated
        self._explainers = _Explainers()
        self._latest_task = LatestTask(self, self._on_why, self._on_failed)
        self._searcher = LatestTask(self, self._on_search, self._on_failed)
        holder = QWidget()
        self._lines = QVBoxLayout(holder)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(4)
        self._labels: list[QLabel] = []
        self.add(holder)
        self._repeat = button(
            "Repeat the search",
            self._on_repeat,
            role="link",
            icon_name="arrow-clockwise",
            name=f"{name}Repeat",
            tip="Run the search that made this model again and look at what it saw of the pair.",
        )
        self.add(row(self._repeat, None))
        self._repeat.hide()
        self._rest = one_shot(self, self._ask, REST_MS)
        self._warm_up = one_shot(self, self._on_warm_up, WARM_UP_AFTER_MS)
        app.workspace.active_model_changed.connect(self._on_active_model)

    def _on_active_model(self, model_id: str | None) -> None:
        """Prepare in advance what the first answer would wait for."""
        entry = self._app.project.models.get(model_id or "")
        if entry is not None and self._app.project.data and isinstance(entry.model, DirectedModel):
            self._warm_up.start()

    def _on_warm_up(self) -> None:
        _warm_up_once()

    @property
    def messages(self) -> list[str]:
        """What is shown, without the headings."""
        shown = [made for made in self._labels if not made.isHidden()]
        return [made.text() for made in shown if made.property("role") != "tertiary"]

    def show_pair(self, subject: ActiveModel, one: str, other: str) -> None:
        """Compute the explanation of these two unless it is known already."""
        # Scores and tests are about probabilities.
        if not (has_edges(subject.model) and isinstance(subject.model, ProbabilisticModel)):
            self.setVisible(False)
            return
        self.setVisible(True)
        joined = (one, other) in subject.edges or (other, one) in subject.edges
        self.title.setText("Why this edge?" if joined else "Why no edge?")
        sources = model_sources(self._app)
        rows = sources.rows(subject.model_id)
        knowledge = self._app.project.knowledge
        asked = (subject.model, one, other, rows and rows.data, knowledge)
        self._subject = subject
        if self._pair != (one, other) or not self._asked or self._asked[0] is not subject.model:
            self._why, self._pair = None, (one, other)
        if rows is None:
            self._asked = ()
            self._refresh([("", [no_rows_reason(self._app.project, subject.model_id)])])
            return
        self.fact.setText(rows.label)
        if not self._asked or any(a is not b for a, b in zip(asked, self._asked, strict=True)):
            self._asked = asked
            self._result = None
            if self._why is None:
                self._refresh([("", [f"Counting {counted(rows.data.row_count, 'row')}…"])])
            self._rest.start()
        else:
            self._show()  # a bootstrap may have ended meanwhile

    def _ask(self) -> None:
        subject = self._subject
        rows = None if subject is None else model_sources(self._app).rows(subject.model_id)
        if subject is None or rows is None:
            return
        self._latest_task.ask(
            partial(
                self._explainers.explain,
                rows.data,
                subject.model,
                model_sources(self._app).params(subject.model_id),
                self._pair,
                self._app.project.knowledge,
            )
        )

    def _on_why(self, why: EdgeWhy) -> None:
        if {why.source, why.target} == set(self._pair):
            self._why = why
            self._show()

    def _on_failed(self, error: BaseException) -> None:
        self._app.errors.at("inspectorPanel").report(error)

    # -- what searches saw

    def _records(self) -> KesOptima | TestLog | None:
        """The artifacts of the run that made the model, or of a repeated search."""
        if self._result is not None or self._subject is None:
            return self._result
        sources, model_id = model_sources(self._app), self._subject.model_id
        for kind in (TestLog.kind, KesOptima.kind):
            cached = sources.artifact(model_id, kind)
            if isinstance(cached, TestLog | KesOptima) and set(self._pair) <= _names(cached):
                return cached
        return None

    def _on_repeat(self) -> None:
        subject = self._subject
        if subject is None:
            return
        sources = model_sources(self._app)
        rows, run = sources.rows(subject.model_id), sources.run(subject.model_id)
        params = sources.params(subject.model_id)
        if rows is None or run is None:
            return
        task: PcTask | OptimaTask
        if isinstance(params, PcParams):
            task = PcTask(rows.data, params)
        elif isinstance(params, KesParams):
            task = OptimaTask(rows.data, params, run.seed)
        else:
            return
        self._repeat.setEnabled(False)
        self._repeat.setText("Searching…")
        self._searcher.ask(partial(_searched, task))

    def _on_search(self, result: KesOptima | TestLog) -> None:
        self._result = result
        self._show()

    # -- showing

    def _show(self) -> None:
        why, subject = self._why, self._subject
        if why is None or subject is None:
            return
        result = model_sources(self._app).frequencies(subject.model_id)
        if result is not None and set(self._pair) <= set(result.names):
            why = why.with_frequency(result.of_pair(*self._pair), result.graphs)
        records = self._records()
        if isinstance(records, TestLog):
            why = why.with_records(tests=records)
        elif isinstance(records, KesOptima) and records.runs:
            why = why.with_records(optima=optima_share(records, *self._pair))
        params = model_sources(self._app).params(subject.model_id)
        can_repeat = isinstance(params, PcParams | KesParams) and records is None
        self._repeat.setVisible(can_repeat)
        self._repeat.setEnabled(True)
        self._repeat.setText("Repeat the search")
        has_contexts = language_of(subject.model).contexts is not None
        self._refresh(_groups(why, has_labels=has_contexts and why.is_directed))

    def _refresh(self, groups: Sequence[tuple[str, Sequence[str]]]) -> None:
        lines: list[tuple[str, str]] = []
        for title, messages in groups:
            if title and messages:
                lines.append((title, "tertiary"))
            lines += [(message, "") for message in messages]
        while len(self._labels) < len(lines):
            made = label("", size="dense", wrap=True)
            made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._lines.addWidget(made)
            self._labels.append(made)
        for index, made in enumerate(self._labels):
            made.setVisible(index < len(lines))
            if index < len(lines):
                text, role = lines[index]
                made.setText(text)
                if made.property("role") != role:
                    made.setProperty("role", role)
                    made.style().unpolish(made)
                    made.style().polish(made)


@cache
def _warm_up_once() -> None:
    threading.Thread(target=warm_up, daemon=True, name="warm-up").start()


def _searched(task: PcTask | OptimaTask, cancel: CancelToken) -> KesOptima | TestLog:
    """In a process: a search may take long and hold the interpreter."""
    events: Iterator[KesOptima | TestLog] = in_process(task, cancel)
    return next(iter(events))


def _names(cached: KesOptima | TestLog) -> set[str]:
    if isinstance(cached, TestLog):
        return set(cached.names)
    return set(cached.runs[0].cpdag.names) if cached.runs else set()


def _groups(why: EdgeWhy, *, has_labels: bool = False) -> list[tuple[str, list[str]]]:
    """The headings with their messages, in the order of the inspector.

    Scores are those of whole tables; a graph with labels pays for fewer rows and may gain by an
    edge that costs too much as a whole, so a note says so.
    """
    scored = "Score of whole tables, without labels" if has_labels else "Score now"
    few = list(why.pc_tests[:MAX_TESTS])
    if len(why.pc_tests) > len(few):
        few.append(f"… and {len(why.pc_tests) - len(few)} more tests.")
    searched = [] if why.optima is None else [str(why.optima)]
    text = frequency_line(why)
    return [
        (f"{scored} (above 0 is better)", score_lines(why)),
        ("Tests", [test_line(why, test) for test in why.tests]),
        ("Rules", list(why.rules)),
        ("Bootstrap", [text] if text else []),
        ("The search that made the model", [*([why.pc] if why.pc else []), *few, *searched]),
    ]
