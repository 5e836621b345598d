"""Edge strengths: the measures, their line widths, and their computation in the background."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.inference.base import InferenceSession, JointSession
from pgmstudio.core.inference.information_measures import end_information
from pgmstudio.core.languages.registry import edge_analysis
from pgmstudio.core.model import Model, UndirectedModel, edges_of, has_edges
from pgmstudio.core.number_format import decimal
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.theme import theme


@dataclass(frozen=True, slots=True)
class StrengthKind:
    """One measure of edge strength: its texts and its meaning."""

    choice: str  # in the toolbar
    title: str  # in the legend
    unit: str
    tip: str
    is_directed: bool | None = None  # whether it is of edges with or without direction; None: both


KINDS = {
    "none": StrengthKind("Edge width: none", "", "", "All edges have the same width."),
    "mi": StrengthKind(
        "Edge width: MI", "MI", "bits", "Mutual information of the two ends, through any path."
    ),
    "removal": StrengthKind(
        "Edge width: KL of removal",
        "KL of removal",
        "bits",
        "KL divergence between the models with and without this edge.",
    ),
    "score.bic": StrengthKind(
        "Edge width: Δ BIC", "Δ BIC", "bits", "Loss of BIC on the data without the edge.", True
    ),
    "score.aic": StrengthKind(
        "Edge width: Δ AIC", "Δ AIC", "bits", "Loss of AIC on the data without the edge.", True
    ),
    "score.bdeu": StrengthKind(
        "Edge width: Δ BDeu",
        "Δ BDeu",
        "bits",
        "Loss of BDeu (equivalent sample size 1) on the data without the edge.",
        True,
    ),
    "score.pic": StrengthKind(
        "Edge width: Δ PIC",
        "Δ PIC",
        "bits",
        "Loss of PIC, the BIC of the pseudo-likelihood, on the data without the edge.",
        False,
    ),
    "score.mpl": StrengthKind(
        "Edge width: Δ MPL",
        "Δ MPL",
        "bits",
        "Loss of the marginal pseudo-likelihood (equivalent sample size 1) without the edge.",
        False,
    ),
    "bootstrap": StrengthKind(
        "Edge width: bootstrap",
        "bootstrap",
        "%",
        "Fraction of bootstrap replicates with an edge between the two ends.",
    ),
}


def other_edges_reason(kind: str, model: Model) -> str | None:
    """Why a measure does not apply to the edges of a model; None where it does."""
    is_directed = KINDS[kind].is_directed
    if is_directed is None or is_directed == (not isinstance(model, UndirectedModel)):
        return None
    which = "directed edges" if is_directed else "edges without direction"
    return f"{KINDS[kind].title} is a measure of {which}."


def measures_of(model: Model) -> list[str]:
    """The measures that apply to the edges of a model."""
    return [kind for kind in KINDS if other_edges_reason(kind, model) is None]


Edge = tuple[str, str]
TOPIC = "edge strengths"
UPDATE_MS = 150


@dataclass(frozen=True)
class Strengths:
    """One value per edge; line widths grow with its square root."""

    title: str
    unit: str
    values: Mapping[Edge, float]
    full: float | None = None  # the value of the widest line; None: the largest value
    notes: Mapping[Edge, str] = field(default_factory=dict)  # more for the tooltip

    @property
    def range(self) -> tuple[float, float]:
        return min(self.values.values()), max(self.values.values())

    def width_of(self, value: float) -> float:
        low, high = theme().line("edge_strength_min"), theme().line("edge_strength_max")
        most = self.range[1] if self.full is None else self.full
        return low + (high - low) * math.sqrt(max(0.0, value) / most) if most > 0 else low

    @property
    def widths(self) -> dict[Edge, float]:
        """Line widths by edge, in both directions: ends of undirected edges have no order."""
        result: dict[Edge, float] = {}
        for (source, target), value in self.values.items():
            result[source, target] = result[target, source] = self.width_of(value)
        return result

    @property
    def labels(self) -> dict[Edge, str]:
        """Labels on the edges; only percentages are short enough."""
        result: dict[Edge, str] = {}
        if self.unit == "%":
            for (source, target), value in self.values.items():
                result[source, target] = result[target, source] = self.format_value(value)
        return result

    def number(self, value: float) -> str:
        """Format a value without its unit; a fraction is always a percentage."""
        if self.unit == "%":
            return f"{100 * value:.0f} %"
        digits = 3 if abs(value) < 0.1 else 2 if abs(value) < 100 else 0
        return decimal(value, digits)

    def format_value(self, value: float) -> str:
        return self.number(value) if self.unit == "%" else f"{self.number(value)} {self.unit}"

    def tooltip_for(self, edge: Edge) -> str:
        """The tooltip of an edge; empty if it was not measured."""
        if edge not in self.values:
            return ""
        text = f"{self.title} {self.format_value(self.values[edge])}"
        return "\n".join(filter(None, [text, self.notes.get(edge, "")]))


@dataclass(slots=True)
class Tally:
    """Progress of a worker in edges measured; written in the worker, read in the window."""

    total: int
    done: int = 0


def _gathered(
    kind: str, result: Iterable[tuple[Edge, float]], tally: Tally, cancel: CancelToken
) -> Strengths:
    values: dict[Edge, float] = {}
    for edge, value in result:
        cancel.raise_if_cancelled()
        values[edge] = value
        tally.done += 1
    return Strengths(KINDS[kind].title, KINDS[kind].unit, values)


def strengths_of_model(
    kind: str,
    model: Model,
    tally: Tally,
    session: InferenceSession,
    cancel: CancelToken,
) -> Strengths:
    """MI or KL of removal of every edge, without evidence."""
    if not isinstance(session, JointSession):
        raise PgmStudioError("Edges of models of this language cannot be measured yet.")
    session.retract_all()
    if kind == "mi":
        result = end_information(session, edges_of(model))
    else:
        result = edge_analysis(model.kind).removal_divergences(model, session)
    return _gathered(kind, result, tally, cancel)


def strengths_of_score(
    kind: str, model: Model, data: DataSet, tally: Tally, cancel: CancelToken
) -> Strengths:
    """Loss of a score on the data without each edge."""
    gains = edge_analysis(model.kind).gains(model, data, kind.removeprefix("score."), cancel)
    return _gathered(kind, gains, tally, cancel)


def strengths_of_replicates(edges: Iterable[Edge], frequencies: EdgeFrequencies) -> Strengths:
    """Fraction of replicates with each edge; the tooltip has the directions."""
    pairs = {edge: frequencies.of_pair(*edge) for edge in edges}
    notes = {
        edge: (
            f"→ {pair.forward:.0%}, ← {pair.backward:.0%}, either way {pair.undirected:.0%} "
            if frequencies.has_directions
            else ""
        ).replace("%", " %")
        + f"of {frequencies.graphs} replicates"
        for edge, pair in pairs.items()
    }
    values = {edge: pair.joined for edge, pair in pairs.items()}
    return Strengths(KINDS["bootstrap"].title, "%", values, full=1.0, notes=notes)


Rows = Callable[[], DataSet | str]  # the rows, or the reason why there are none
Replicates = Callable[[], EdgeFrequencies | str]


class StrengthKeeper(QObject):
    """Keeps the strengths of a model's edges up to date in the background."""

    changed = Signal(object)  # Strengths or None
    measuring = Signal(str)  # progress; empty when it is done
    failed = Signal(object)
    refused = Signal(str)  # the reason why it cannot be measured; nothing is shown then

    def __init__(
        self,
        live: BeliefService,
        parent: QObject | None = None,
        *,
        rows: Rows | None = None,
        replicates: Replicates | None = None,
    ) -> None:
        super().__init__(parent)
        self._live, self._rows, self._replicates = live, rows, replicates
        self.kind = "none"
        self._request: tuple[object, ...] = ()
        self._tally = Tally(0)
        self._latest_task = LatestTask(self, self._on_strengths, self._on_task_failed)
        self._clock = QTimer(self)
        self._clock.setInterval(UPDATE_MS)
        self._clock.timeout.connect(self._on_tick)

    @property
    def is_on(self) -> bool:
        return self.kind != "none"

    def choose(self, kind: str) -> None:
        """Choose another measure, or none."""
        if kind == self.kind:
            return
        was_on = self.is_on
        self.stop()
        self.kind = kind
        if self.is_on:
            self._live.side.answered.connect(self._on_answer)
            self._live.side.failed.connect(self._on_failed)
            self.follow()
        elif was_on:
            self.changed.emit(None)

    def follow(self) -> None:
        """Measure again if the model, the data or the replicates changed."""
        model = self._live.model
        if not self.is_on or not has_edges(model):
            return
        if reason := other_edges_reason(self.kind, model):
            self.choose("none")
            self.refused.emit(reason)
            return
        edges = edges_of(model)
        if self.kind in ("mi", "removal"):
            if self._request != (model,) and self._live.error is None:
                self._begin(len(edges), model)
                question = partial(strengths_of_model, self.kind, model, self._tally)
                self._live.side.ask(TOPIC, question)
            return
        source = self._replicates if self.kind == "bootstrap" else self._rows
        result = "There is no data to measure the edges with." if source is None else source()
        if isinstance(result, str):
            self.choose("none")
            self.refused.emit(result)
        elif self._request != (model, result):
            self._begin(len(edges), model, result)
            if isinstance(result, EdgeFrequencies):
                self._on_strengths(strengths_of_replicates(edges, result))
            else:
                question_of_rows = partial(
                    strengths_of_score, self.kind, model, result, self._tally
                )
                self._latest_task.ask(question_of_rows)

    def _begin(self, count: int, *request: object) -> None:
        self._request, self._tally = request, Tally(count)
        self._clock.start()

    def _on_tick(self) -> None:
        self.measuring.emit(f"Measuring edges: {self._tally.done} of {self._tally.total}.")

    def _end(self) -> None:
        self._clock.stop()
        self.measuring.emit("")

    def _on_answer(self, topic: str, strengths: Strengths) -> None:
        if topic == TOPIC:
            self._on_strengths(strengths)

    def _on_strengths(self, strengths: Strengths) -> None:
        if self.is_on:
            self._end()
            self.changed.emit(strengths)

    def _on_failed(self, topic: str, error: object) -> None:
        if topic == TOPIC:
            self._on_task_failed(error)

    def _on_task_failed(self, error: object) -> None:
        self._end()
        self.failed.emit(error)

    def stop(self) -> None:
        """Show no strengths and cancel running work."""
        if not self.is_on:
            return
        self.kind, self._request = "none", ()
        self._latest_task.forget()
        side = self._live.side
        side.forget(TOPIC)
        side.answered.disconnect(self._on_answer)
        side.failed.disconnect(self._on_failed)
        self._end()
