"""Classification: the prediction of one variable, the target, by a model of any language.

P(t | rest) = P(t, rest) / Σ_s P(s, rest), so any language that gives rows a probability can
classify (Meilă 1999, eqs. 7.3 and 7.4). Missing cells are summed out exactly. Rows that differ only
in the target are computed once. Rows whose target is missing are predicted but not scored. A weight
counts as that many equal rows; so it does in ROC curves and in the calibration of predictions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.feature_selection import Feature
from pgmstudio.core.analysis.model_comparison import finite, whole
from pgmstudio.core.analysis.tables import Cell
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import Codes, DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.languages.base import TargetModel
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.components import (
    EQUAL_WITHIN,
    likeliest,
    log2_sums,
    responsibilities_of,
)
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.scores.row_means import Mean, mean_of

Truths = NDArray[np.bool_]

BINS = 10
NORMAL_95 = 1.959963984540054  # the 97.5 % point of the normal distribution


@dataclass(frozen=True, eq=False)
class RocCurve:
    """From (0, 0) to (1, 1), the threshold falling; `area` is None when all rows are of one kind.

    `area` is P(a row of the state gets a higher probability than another row), ties counting ½.
    """

    thresholds: Floats  # a row counts as the state from this probability on; first ∞
    false_rates: Floats
    true_rates: Floats
    area: float | None


def roc_curve(probabilities: Floats, is_state: Truths, weights: Floats) -> RocCurve:
    """Corners alone: points on a straight piece between two others are left out.

    Probabilities within `EQUAL_WITHIN` of the next one are ties, however they were computed.
    """
    order = np.argsort(-probabilities, kind="stable")
    ordered, hits = probabilities[order], is_state[order]
    true = np.cumsum(np.where(hits, weights[order], 0.0))
    false = np.cumsum(np.where(hits, 0.0, weights[order]))
    last = np.flatnonzero(np.diff(ordered, append=-np.inf) < -EQUAL_WITHIN)  # of equal ones
    true, false = np.append(0.0, true[last]), np.append(0.0, false[last])
    thresholds = np.append(np.inf, ordered[last])
    area = None
    if true[-1] > 0 and false[-1] > 0:
        area = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2) / true[-1] / false[-1])
    selected = _corners(false, true)
    with np.errstate(invalid="ignore", divide="ignore"):
        false_rates = np.where(false[-1] > 0, false[selected] / false[-1], 0.0)
        true_rates = np.where(true[-1] > 0, true[selected] / true[-1], 0.0)
    return RocCurve(thresholds[selected], false_rates, true_rates, area)


def thinned(curve: RocCurve, most: int) -> RocCurve:
    """At most so many points of a curve, both ends among them: for a picture of it."""
    count = curve.thresholds.size
    if count <= most:
        return curve
    selected = np.linspace(0, count - 1, most).round().astype(np.intp)
    return RocCurve(
        curve.thresholds[selected],
        curve.false_rates[selected],
        curve.true_rates[selected],
        curve.area,
    )


def _corners(x: Floats, y: Floats) -> NDArray[np.intp]:
    if x.size < 3:
        return np.arange(x.size)
    dx, dy = np.diff(x), np.diff(y)
    turns = dx[:-1] * dy[1:] != dy[:-1] * dx[1:]
    return np.flatnonzero(np.concatenate(([True], turns, [True])))


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Rows whose probability lies in [low, high); `interval` is Wilson's, 95 %."""

    low: float
    high: float
    weight: float
    probability: float  # the mean of those given
    frequency: float  # how often it was so
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Bins with rows in them; `error` is the expected calibration error.

    ECE = Σ_bins (weight / total) · |frequency − probability|; None without rows.
    """

    bins: tuple[CalibrationBin, ...]
    error: float | None


def calibration(
    probabilities: Floats, is_so: Truths, weights: Floats, bins: int = BINS
) -> Calibration:
    """How often things of a probability happen, in bins of equal width; 1 is in the last one."""
    total = float(weights.sum())
    if total <= 0:
        return Calibration((), None)
    # An edge belongs to the bin above it, also where rounding errors leave a little less.
    indices = np.minimum(((probabilities + EQUAL_WITHIN) * bins).astype(np.intp), bins - 1)
    mass = np.bincount(indices, weights, bins)
    given = np.bincount(indices, weights * probabilities, bins)
    so = np.bincount(indices, weights * is_so, bins)
    result = [
        CalibrationBin(
            k / bins,
            (k + 1) / bins,
            float(mass[k]),
            float(given[k] / mass[k]),
            float(so[k] / mass[k]),
            _wilson(float(so[k] / mass[k]), float(mass[k])),
        )
        for k in np.flatnonzero(mass > 0).tolist()
    ]
    error = math.fsum(b.weight * abs(b.frequency - b.probability) for b in result) / total
    return Calibration(tuple(result), error)


def _wilson(fraction: float, count: float) -> tuple[float, float]:
    """The score interval (Wilson 1927); it stays within 0 and 1 and is honest about few rows."""
    z2 = NORMAL_95**2
    middle = (fraction + z2 / (2 * count)) / (1 + z2 / count)
    root = math.sqrt(fraction * (1 - fraction) / count + z2 / (4 * count * count))
    reach = NORMAL_95 * root / (1 + z2 / count)
    return max(0.0, middle - reach), min(1.0, middle + reach)


ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class TargetBeliefs:
    """`probabilities[row, state]` is P(target = state | the other observed cells of the row)."""

    variable: Variable
    probabilities: Floats
    log2_rest: Floats  # log2 P(other cells); −inf: the model rules them out, the prior stands in

    @property
    def chosen(self) -> NDArray[np.intp]:
        """The most probable state of every row, the first of equal ones."""
        return likeliest(self.probabilities)


def target_beliefs(
    model: Model, data: DataSet, target: str, cancel: CancelToken
) -> Iterator[Progress | TargetBeliefs]:
    """Progress, and last the beliefs of every row in the order of the data.

    The target's own column is not looked at and may be absent, as may others.
    """
    if not isinstance(model, ProbabilisticModel):
        raise DataError(f"{a_kind(model.kind, 'A')} gives rows no probability.")
    variable = model.domain[target]
    rows = _without(rows_over(data, model.domain), target)
    first, which = rows.distinct()
    joint = np.empty((variable.cardinality, first.size))
    for at in range(0, first.size, ROWS_AT_ONCE):
        cancel.raise_if_cancelled()
        yield Progress(at / first.size, "Classifying", {"rows": float(at)})
        part = first[at : at + ROWS_AT_ONCE]
        joint[:, at : at + part.size] = joint_log2(model, rows.take_rows(part), target)
    totals = log2_sums(joint)
    prior = np.full(variable.cardinality, 1 / variable.cardinality)
    if np.isneginf(totals).any():
        prior = np.exp2(joint_log2(model, _nothing_seen(rows), target)[:, 0])
    yield TargetBeliefs(variable, responsibilities_of(joint, prior)[which], totals[which])


def joint_log2(model: ProbabilisticModel, rows: DataSet, target: str) -> Floats:
    """log2 P(target = s, other cells of the row), states × rows; rows are over the model's domain.

    What a family knows better than to ask for every state is used; the answer is the same.
    """
    if isinstance(model, TargetModel):
        joint = model.target_log2(_without(rows, target), target)
        if joint is not None:
            return joint
    network = as_network(model)
    if network is None:
        return _by_every_state(model, rows, target)
    is_missing = rows.codes == rows.missing_code
    is_missing[rows.domain.index(target)] = False
    complete = ~is_missing.any(axis=0)
    result = np.empty((rows.domain[target].cardinality, rows.row_count))
    result[:, complete] = _by_tables(network, rows.codes[:, complete], target)
    if not complete.all():
        result[:, ~complete] = _by_every_state(network, rows.take_rows(~complete), target)
    return result


def _by_every_state(model: ProbabilisticModel, rows: DataSet, target: str) -> Floats:
    codes, position = rows.codes.copy(), rows.domain.index(target)
    result = np.empty((rows.domain[target].cardinality, rows.row_count))
    for state, logs in enumerate(result):
        codes[position] = state
        logs[:] = log2_probabilities(model, DataSet(rows.domain, codes))
    return result


def _by_tables(network: BayesianNetwork, codes: Codes, target: str) -> Floats:
    """Only the tables of the target and its children differ between its states."""
    cards, chosen = network.domain.cardinalities, network.domain.index(target)
    result = np.zeros((cards[chosen], codes.shape[1]))
    common = np.zeros(codes.shape[1])
    for child, parents in enumerate(network.dag.parent_indices):
        cells, step, stride = np.zeros(codes.shape[1], dtype=np.intp), 0, 1
        for v in reversed((*parents, child)):
            if v == chosen:
                step = stride
            else:
                cells += codes[v].astype(np.intp) * stride
            stride *= cards[v]
        with np.errstate(divide="ignore"):
            logs = np.log2(network.tables[child]).ravel()
        if not step:
            common += logs[cells]
            continue
        for state, row in enumerate(result):
            row += logs[cells + state * step]
    return result + common


def _without(rows: DataSet, target: str) -> DataSet:
    codes = rows.codes.copy()
    codes[rows.domain.index(target)] = rows.missing_code
    return DataSet(rows.domain, codes)


def _nothing_seen(rows: DataSet) -> DataSet:
    codes = np.full((len(rows.domain), 1), rows.missing_code, dtype=rows.codes.dtype)
    return DataSet(rows.domain, codes)


@dataclass(frozen=True, eq=False)
class Classification:
    """The beliefs about the target in every row, and the states it truly has."""

    beliefs: TargetBeliefs
    truth: NDArray[np.intp]  # codes of the target's states; −1: missing
    weights: Floats

    @property
    def target(self) -> str:
        return self.beliefs.variable.name

    @property
    def states(self) -> tuple[str, ...]:
        return self.beliefs.variable.states

    @property
    def row_count(self) -> int:
        return int(self.truth.size)

    @cached_property
    def judged(self) -> NDArray[np.intp]:
        """The rows whose target is known and that count."""
        return np.flatnonzero((self.truth >= 0) & (self.weights > 0))

    @cached_property
    def judged_weight(self) -> float:
        return float(self.weights[self.judged].sum())

    @cached_property
    def unlabelled_rows(self) -> int:
        """Rows whose target is missing."""
        return int((self.truth < 0).sum())

    @cached_property
    def impossible_rows(self) -> int:
        """Rows whose other cells the model rules out: the prior was taken for them."""
        return int(np.isneginf(self.beliefs.log2_rest).sum())

    @cached_property
    def true_shares(self) -> Floats:
        """P(the true state | rest of the row) of the judged rows."""
        return np.asarray(self.beliefs.probabilities[self.judged, self.truth[self.judged]])

    @cached_property
    def confusion(self) -> Floats:
        """Weight of the rows by true state (first axis) and most probable state (second)."""
        result = np.zeros((len(self.states), len(self.states)))
        np.add.at(
            result,
            (self.truth[self.judged], self.beliefs.chosen[self.judged]),
            self.weights[self.judged],
        )
        return result

    def rows_of_cell(self, true: int, chosen: int) -> NDArray[np.intp]:
        """The rows behind a cell of the confusion matrix, the surest first."""
        rows = self.judged[
            (self.truth[self.judged] == true) & (self.beliefs.chosen[self.judged] == chosen)
        ]
        return np.asarray(
            rows[np.argsort(-self.beliefs.probabilities[rows, chosen], kind="stable")]
        )

    @cached_property
    def accuracy(self) -> Mean:
        """The fraction of rows whose most probable state is the true one."""
        hits = self.beliefs.chosen[self.judged] == self.truth[self.judged]
        return self._mean(hits.astype(np.float64))

    @cached_property
    def majority_share(self) -> float:
        """The accuracy of always naming the most frequent state of these rows."""
        if self.judged_weight == 0:
            return float("nan")
        return float(self.confusion.sum(axis=1).max() / self.judged_weight)

    @cached_property
    def soft_score(self) -> Mean:
        """Σ γ_true / N: the mean probability given to the true state (Meilă 1999, table 7.6)."""
        return self._mean(self.true_shares)

    @cached_property
    def brier(self) -> Mean:
        """Mean of Σ_s (p_s − [s is true])²: 0 is perfect, 2 is sure and wrong (Brier 1950)."""
        fractions = self.beliefs.probabilities[self.judged]
        return self._mean((fractions**2).sum(axis=1) - 2 * self.true_shares + 1)

    @cached_property
    def log_loss(self) -> Mean:
        """Mean of −log2 p_true in bits; ∞ when a true state was given no probability."""
        with np.errstate(divide="ignore"):
            return self._mean(-np.log2(self.true_shares) + 0.0)

    @cached_property
    def zero_rows(self) -> int:
        """Judged rows whose true state was given no probability."""
        return int((self.true_shares == 0).sum())

    @cached_property
    def roc(self) -> tuple[RocCurve, ...]:
        """One curve for each state against the rest."""
        fractions, weights = self.beliefs.probabilities[self.judged], self.weights[self.judged]
        truth = self.truth[self.judged]
        return tuple(
            roc_curve(fractions[:, state], truth == state, weights)
            for state in range(len(self.states))
        )

    @cached_property
    def mean_area(self) -> float | None:
        """The plain mean of the areas under the curves that have one."""
        areas = [curve.area for curve in self.roc if curve.area is not None]
        return float(np.mean(areas)) if areas else None

    @cached_property
    def calibration(self) -> Calibration:
        """Of the most probable state of every row: how often it is right when it is that sure."""
        chosen = self.beliefs.chosen[self.judged]
        sure = self.beliefs.probabilities[self.judged, chosen]
        return calibration(sure, chosen == self.truth[self.judged], self.weights[self.judged])

    def calibration_of(self, state: int) -> Calibration:
        """Of the probabilities of one state."""
        fractions = self.beliefs.probabilities[self.judged, state]
        return calibration(fractions, self.truth[self.judged] == state, self.weights[self.judged])

    def _mean(self, values: Floats) -> Mean:
        return mean_of(values, self.weights[self.judged])

    def as_dict(self) -> dict[str, Any]:
        """For JSON, without the rows; ∞ is None."""
        return {
            "target": self.target,
            "states": list(self.states),
            "rows": whole(self.judged_weight),
            "unlabelled_rows": self.unlabelled_rows,
            "impossible_rows": self.impossible_rows,
            "accuracy": finite(self.accuracy.value),
            "accuracy_standard_error": self.accuracy.standard_error,
            "majority_share": finite(self.majority_share),
            "soft_score": finite(self.soft_score.value),
            "brier": finite(self.brier.value),
            "log_loss_bits": finite(self.log_loss.value),
            "calibration_error": self.calibration.error,
            "mean_auc": self.mean_area,
            "auc": {s: curve.area for s, curve in zip(self.states, self.roc, strict=True)},
            "confusion": [[whole(cell) for cell in line] for line in self.confusion.tolist()],
        }


def classifying(
    model: Model, data: DataSet, target: str, cancel: CancelToken = NEVER
) -> Iterator[Progress | Classification]:
    """Progress, and last how every row is classified.

    Columns that the data lack, even the target, are missing in every row.
    """
    for event in target_beliefs(model, data, target, cancel):
        if isinstance(event, TargetBeliefs):
            variable = event.variable
            column = rows_over(data, model.domain.restricted_to([target])).column(target)
            truth = np.where(column < variable.cardinality, column.astype(np.intp), -1)
            yield Classification(event, truth.astype(np.intp), data.row_weights)
        else:
            yield event


def classify(
    model: Model, data: DataSet, target: str, cancel: CancelToken = NEVER
) -> Classification:
    """How every row is classified, without progress."""
    *_, last = classifying(model, data, target, cancel)
    assert isinstance(last, Classification)
    return last


TOP_STATE = "most probable state"


def prediction_table(result: Classification) -> list[list[Cell]]:
    """One line per row, counted from 1: true and most probable state, log-likelihoods, P(state).

    `log2_probability` is of the row with its target, or of the rest alone where that is missing.
    """
    head: list[Cell] = ["row", result.target, f"predicted_{result.target}", "probability"]
    head += ["log2_probability", "log2_probability_of_rest"]
    head += [f"p_{result.target}={state}" for state in result.states]
    lines: list[list[Cell]] = [head]
    fractions, chosen = result.beliefs.probabilities, result.beliefs.chosen
    known = result.truth >= 0
    true = np.where(known, np.take_along_axis(fractions, result.truth[:, None], axis=1)[:, 0], 1.0)
    with np.errstate(divide="ignore"):
        logs = result.beliefs.log2_rest + np.log2(true)
    for row in range(result.row_count):
        state = result.states[int(result.truth[row])] if known[row] else None
        best = int(chosen[row])
        line: list[Cell] = [row + 1, state, result.states[best], float(fractions[row, best])]
        line += [float(logs[row]), float(result.beliefs.log2_rest[row])]
        lines.append([*line, *fractions[row].tolist()])
    return lines


def confusion_table(result: Classification) -> list[list[Cell]]:
    """True states down, most probable states across; weights of rows."""
    lines: list[list[Cell]] = [
        [f"true_{result.target}", *(f"predicted_{s}" for s in result.states)]
    ]
    for state, counts in zip(result.states, result.confusion.tolist(), strict=True):
        lines.append([state, *counts])
    return lines


def roc_table(states: Sequence[str], curves: Sequence[RocCurve]) -> list[list[Cell]]:
    """The corners of the curve of every state against the rest."""
    lines: list[list[Cell]] = [["state", "threshold", "false_positive_rate", "true_positive_rate"]]
    for state, curve in zip(states, curves, strict=True):
        columns = (curve.thresholds, curve.false_rates, curve.true_rates)
        for numbers in zip(*(column.tolist() for column in columns), strict=True):
            lines.append([state, *numbers])
    return lines


def calibration_table(result: Classification) -> list[list[Cell]]:
    """The bins of the most probable state, then those of every state."""
    lines: list[list[Cell]] = [
        ["state", "low", "high", "rows", "mean_probability", "frequency", "from_95", "to_95"]
    ]
    curves: list[tuple[str, Calibration]] = [(TOP_STATE, result.calibration)]
    curves += [(state, result.calibration_of(code)) for code, state in enumerate(result.states)]
    for state, curve in curves:
        for one in curve.bins:
            bounds = (one.low, one.high, one.weight, one.probability, one.frequency)
            lines.append([state, *bounds, *one.interval])
    return lines


def feature_table(features: Iterable[Feature]) -> list[list[Cell]]:
    """One line per variable: its mutual information with the target and its role."""
    lines: list[list[Cell]] = [["variable", "information_bits", "role"]]
    lines += [[one.name, one.bits, one.role or None] for one in features]
    return lines
