"""Results of a comparison: one model for each language, compared on the same test rows.

Differences are paired: d_i = log2 P_A(row i) − log2 P_B(row i), their mean and its standard error
s(d)/√N over the N test rows, and a 95 % interval by Student's t with N − 1 degrees of freedom.
Each interval is for one pair alone; they are not widened for making several comparisons.

The verdict names the language to take for its cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from pgmstudio.core.analysis.model_comparison import (
    ComparedModel,
    Comparison,
    RowSplits,
    Scored,
    comparison_of,
    finite,
    interval_of,
    whole,
)
from pgmstudio.core.arrays import Floats
from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.experiments.language_comparison.candidates import LANGUAGES, Candidate
from pgmstudio.core.experiments.language_comparison.scheduler import (
    RowScores,
    RunEnded,
    RunProgress,
    RunQueued,
    SplitBegan,
    SplitOver,
)
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.run_task import InterimResult, PointEvent, RunDone, RunProblem
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.model import Model
from pgmstudio.core.scores.row_means import mean_of

NOT_WORSE = "not distinguishable"
CUT_SHORT = "cut short"
_NOT_SHOWN = ("name", "bic", "aic", "bic_effective")  # of a compared model


def undistinguished(table: LanguageTable) -> tuple[LanguageRow, ...]:
    """The best language and those that cannot be distinguished from it, the best first."""
    behind = (row for row in table.judged[1:] if row.verdict == NOT_WORSE)
    return (*table.judged[:1], *behind)


def recommended(table: LanguageTable) -> LanguageRow | None:
    """The language with the smallest effective size within one standard error of the best.

    That is the one-standard-error rule (Breiman et al. 1984) for paired differences on the test
    rows. An interval that contains 0 would not do: of few splits it is often wide only because a
    language is good in some and poor in others, and that depends much on the seed.
    """
    best = table.best
    if best is None or not table.judged:
        return None
    pairs = table.against(best.language.title)
    near = [row for row in table.judged if row is best or _is_near(pairs[row.language.title])]
    return min(near, key=_size)


def _is_near(pair: Paired) -> bool:
    if pair.value is None or pair.standard_error is None:
        return False
    return -pair.value <= pair.standard_error


def verdict(table: LanguageTable) -> str:
    """Which language to take for its cost, as text: see `recommended`.

    Languages that were cut short or have no model are named and take no part.
    """
    parts = (_recommendation(table), _impossible(table), _left_out(table))
    return " ".join(filter(None, parts))


def _recommendation(table: LanguageTable) -> str:
    best, take = table.best, recommended(table)
    if best is None or best.compared is None or take is None:
        return ""
    name, bits = best.language.title, best.compared.log2_likelihood_per_row
    if not math.isfinite(bits):
        return "Every language gives some test rows probability 0. Use more rows or more smoothing."
    others = table.judged[1:]
    if not others and table.left_out:
        return f"Only {name} was learned to its end, with {_signed(bits)} bits per row."
    text = f"{name} is best with {_signed(bits)} bits per row"
    if take is not best:
        return (
            f"{text}, but {take.language.title} is within one standard error of it "
            f"({_signed(_difference(take))}) and {_times(_size(best) / _size(take))} "
            f"cheaper to query: take {take.language.title}."
        )
    smaller = [row for row in others if _size(row) < _size(best) and _difference(row) is not None]
    if not smaller:
        tail = " and is the cheapest to query" if others else ""
        return f"{text}{tail}: take {name}."
    near = max(smaller, key=lambda row: _difference(row) or 0.0)
    return (
        f"{text}. Of those cheaper to query {near.language.title} loses least, "
        f"{abs(_difference(near) or 0.0):.3f} bits per row at "
        f"{_times(_size(best) / _size(near))} less cost."
    )


def _impossible(table: LanguageTable) -> str:
    """Which languages have −∞ bits per row, and what to do."""
    compared = [row for row in table.judged if row.compared is not None]
    zeros = [row for row in compared if row.compared and row.compared.zero_probability_rows]
    if not zeros or len(zeros) == len(compared):  # the recommendation is about all
        return ""
    names = _listed([row.language.title for row in zeros])
    give = "gives" if len(zeros) == 1 else "give"
    return f"{names} {give} some test rows probability 0, hence −∞: use more smoothing or rows."


def _left_out(table: LanguageTable) -> str:
    """Which languages the verdict leaves out, and why."""
    rows = table.left_out
    if not rows:
        return ""
    cut = [row.language.title for row in rows if row.state == "stopped"]
    missing = [row.language.title for row in rows if row.state == "no model"]
    reasons = []
    if cut:
        reasons.append(f"{_listed(cut)} {'was' if len(cut) == 1 else 'were'} cut short")
    if missing:
        reasons.append(f"{_listed(missing)} {'has' if len(missing) == 1 else 'have'} no model")
    among = "the verdict is among the others" if table.has_verdict else "there is no verdict"
    return f"{'; '.join(reasons)}: {among}. Allow more time to include all."


def _listed(titles: Sequence[str]) -> str:
    """A, B and C."""
    return " and ".join(filter(None, (", ".join(titles[:-1]), titles[-1])))


def reproduction_message(before: LanguageTable, after: LanguageTable) -> tuple[str, str]:
    """Whether a comparison gave the same numbers again: a message and its level."""
    old = {row.language.title: row for row in before.rows}
    same, others, were_cut = 0, list[str](), False
    for row in after.rows:
        first = old[row.language.title]
        numbers = [_numbers(first.compared), _numbers(row.compared)]
        if numbers[0] == numbers[1]:
            same += numbers[0] is not None
            continue
        others.append(row.language.title)
        were_cut |= not {first.state, row.state} <= {"learned"}
    if not others:
        return f"Reproduced: all {same} results identical.", "success"
    why = " Where time ran out, the best so far may differ." if were_cut else ""
    message = f"{same} of {same + len(others)} results identical; not {', '.join(others)}.{why}"
    return message, "warning"


def _numbers(one: ComparedModel | None) -> tuple[float, ...] | None:
    if one is None:
        return None
    return one.log2_likelihood_per_row, one.representation_size, one.effective_size


def _size(row: LanguageRow) -> float:
    return 1.0 if row.compared is None else max(1.0, row.compared.effective_size)


def _difference(row: LanguageRow) -> float | None:
    return None if row.compared is None else row.compared.difference


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}".replace("-", "−")


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"


State = Literal["waiting", "learning", "learned", "stopped", "no model"]
METHOD = (
    "Paired differences over the same test rows; 95 % intervals by Student's t, each for one pair."
)


@dataclass(frozen=True, slots=True)
class Paired:
    """Bits per row of one model minus those of another; negative is worse.

    `value` is None when the two rule out different numbers of rows: no number makes up for that.
    """

    value: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    rows: float

    @property
    def half(self) -> float | None:
        """Half of the interval, as ± has it."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2


def paired(
    one: Floats,
    other: Floats,
    weights: Floats | None = None,
    splits: RowSplits | None = None,
) -> Paired:
    """The difference over rows that neither rules out."""
    impossible = np.isneginf(one), np.isneginf(other)
    counts = [float(rows.sum() if weights is None else weights[rows].sum()) for rows in impossible]
    both = ~(impossible[0] | impossible[1])
    rows = float(both.sum() if weights is None else weights[both].sum())
    if counts[0] != counts[1] or rows == 0:
        return Paired(None, None, None, rows)
    change, own = one[both] - other[both], None if weights is None else weights[both]
    mean = mean_of(change, own)
    interval = interval_of(change, own, None if splits is None else splits.take_rows(both))
    return Paired(mean.value, mean.standard_error, interval, mean.rows)


@dataclass(frozen=True, eq=False)
class LanguageRow:
    """One language: how far its runs are, and the model that stands for it."""

    language: Candidate
    state: State
    fraction: float | None = None
    message: str = ""
    limit: float | None = None  # seconds its runs have
    seconds: float = 0.0  # of learning, all seeds
    point: CurvePoint | None = None
    compared: ComparedModel | None = None
    problems: tuple[str, ...] = ()
    more_points: tuple[CurvePoint, ...] = ()  # of the other splits that were tested

    @property
    def is_over(self) -> bool:
        return self.state not in ("waiting", "learning")

    @property
    def verdict(self) -> str:
        """How it compares with the best language; empty without a model."""
        if self.compared is None:
            return ""
        return CUT_SHORT if self.state == "stopped" else self.compared.verdict

    def as_dict(self) -> dict[str, Any]:
        """For JSON; without a model the numbers are left out."""
        one, point = self.language, self.point
        result: dict[str, Any] = {
            "language": one.key,
            "title": one.title,
            "learner": one.learner,
            "state": self.state,
            "learning_seconds": self.seconds,
            "problems": list(self.problems),
        }
        if point is None or self.compared is None:
            return result
        return result | {
            **{k: v for k, v in self.compared.as_dict().items() if k not in _NOT_SHOWN},
            "verdict": self.verdict,
            "train_log2_likelihood_per_row": finite(point.train_log2_likelihood_per_row),
            "valid_log2_likelihood_per_row": point.valid_log2_likelihood_per_row,
            "inference_seconds": point.inference_seconds,
            "seed": point.seed,
            "parameters": dict(point.parameters),
        }


@dataclass(frozen=True, eq=False)
class LanguageTable:
    """Rows in the order of the languages; `row_log2` by title, `weights` of the test rows."""

    rows: tuple[LanguageRow, ...]
    comparison: Comparison | None
    weights: Floats | None = field(repr=False, default=None)
    splits: RowSplits | None = field(repr=False, default=None)
    split_count: int = 1  # how many splits the numbers are from

    @property
    def method(self) -> str:
        """How differences and intervals come about."""
        if self.split_count == 1:
            return METHOD
        return (
            f"Paired differences over the same test rows of {self.split_count} splits; 95 % "
            "intervals by Student's t that allow for rows and for splits, each for one pair."
        )

    @property
    def ranked(self) -> tuple[LanguageRow, ...]:
        """The best first; languages without a model last, in their order."""
        return tuple(sorted(self.rows, key=_rank))

    @property
    def judged(self) -> tuple[LanguageRow, ...]:
        """The languages that were learned to their end, which the verdict is about; best first."""
        rows = (row for row in self.ranked if row.compared is not None)
        return tuple(row for row in rows if row.state == "learned")

    @property
    def left_out(self) -> tuple[LanguageRow, ...]:
        """The languages that were cut short or ended without a model."""
        return tuple(row for row in self.rows if row.state in ("stopped", "no model"))

    @property
    def has_verdict(self) -> bool:
        """Whether there is more than one language to judge, or no other was left out."""
        return len(self.judged) > 1 or not self.left_out

    @property
    def best(self) -> LanguageRow | None:
        """The row with most bits on the test rows, of those learned to their end; while there are
        none, of all."""
        return next((row for row in self.judged or self.ranked if row.compared is not None), None)

    def row(self, title: str) -> LanguageRow:
        """The row of the language with that title."""
        return next(row for row in self.rows if row.language.title == title)

    def against(self, reference: str) -> dict[str, Paired]:
        """Every language with a model against the one with this title."""
        if self.comparison is None or reference not in self.comparison.row_log2:
            return {}
        logs = self.comparison.row_log2
        return {
            name: paired(own, logs[reference], self.weights, self.splits)
            for name, own in logs.items()
        }

    def pairwise(self) -> dict[tuple[str, str], Paired]:
        """The first minus the second, for every two languages with a model."""
        logs = {} if self.comparison is None else self.comparison.row_log2
        return {
            (one, other): paired(logs[one], logs[other], self.weights, self.splits)
            for one in logs
            for other in logs
            if one != other
        }

    def models_by_split(self) -> list[dict[str, Model]]:
        """The models that were compared, by title, for each split."""
        models_by_split: list[dict[str, Model]] = [{} for _ in range(self.split_count)]
        for row in self.rows:
            if row.compared is None or row.point is None:
                continue
            for models, point in zip(models_by_split, (row.point, *row.more_points), strict=False):
                if point.model is not None:
                    models[row.language.title] = point.model
        return models_by_split

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the table, all pairs, and the verdict."""
        return {
            "rows": None if self.comparison is None else whole(self.comparison.rows),
            "best": None if self.comparison is None else self.comparison.best,
            "splits": self.split_count,
            "method": self.method,
            "verdict": verdict(self),
            "languages": [row.as_dict() for row in self.rows],
            "pairs": [
                {
                    "language": one,
                    "against": other,
                    "difference": pair.value,
                    "standard_error": pair.standard_error,
                    "interval": None if pair.interval is None else list(pair.interval),
                }
                for (one, other), pair in self.pairwise().items()
            ],
        }


def _rank(row: LanguageRow) -> tuple[bool, float, float]:
    one = row.compared
    if one is None:
        return True, 0.0, 0.0
    bits = one.log2_likelihood_per_row
    return False, one.zero_probability_rows, -bits if math.isfinite(bits) else 0.0


class ComparisonState:
    """The results so far of one split, collected from the events of its runs."""

    def __init__(self, keys: Sequence[str], weights: Floats | None = None) -> None:
        self._languages = [one for key, one in LANGUAGES.items() if key in set(keys)]
        self._weights = weights
        self._points: dict[str, list[CurvePoint]] = {one.title: [] for one in self._languages}
        # Of runs that go on, or were over without a word of their own; by run and by point.
        self._so_far: dict[str, dict[str, CurvePoint]] = {}
        self._scores: dict[str, Floats] = {}
        self._started: dict[str, dict[str, tuple[float | None, str, float]]] = {}
        self._over: dict[str, set[str]] = {one.title: set() for one in self._languages}
        self._done: dict[str, dict[str, RunDone]] = {one.title: {} for one in self._languages}
        self._problems: dict[str, list[str]] = {one.title: [] for one in self._languages}
        self._names: dict[str, str] = {}
        self._is_ended = False

    @property
    def points(self) -> list[CurvePoint]:
        """All models so far, by language."""
        return [point for title in self._points for point in self._points_of(title)]

    def _points_of(self, title: str) -> list[CurvePoint]:
        so_far = [own for key, own in self._so_far.items() if self._names.get(key) == title]
        return [*self._points[title], *(point for own in so_far for point in own.values())]

    def take(self, event: PointEvent) -> bool:
        """Whether the event changes the table."""
        match event:
            case RunQueued(key, name, seconds):
                self._names[key] = name
                self._started.setdefault(name, {})[key] = (None, "", seconds)
            case RunProgress(key, name, fraction, message):
                started = self._started.setdefault(name, {})
                started[key] = (fraction, message, started[key][2] if key in started else math.nan)
            case RowScores(key, logs):
                self._scores[key] = logs
                return False
            case CurvePoint():
                self._points[event.series].append(event)
            case InterimResult(key, new, standing):
                self._show_so_far(key, new, standing)
            case RunDone(key, points):
                if key in self._names:
                    self._done[self._names[key]][key] = event
                if points:
                    self._show_so_far(key, (), ())
            case RunEnded(key, name):
                self._over[name].add(key)
            case RunProblem(message):
                title, _, reason = message.partition(": ")
                if title in self._problems:
                    self._problems[title].append(reason)
            case _:
                return False
        return True

    def _show_so_far(self, key: str, new: Sequence[CurvePoint], standing: Sequence[str]) -> None:
        known = {**self._so_far.get(key, {}), **{point.key: point for point in new}}
        self._so_far[key] = {name: known.pop(name) for name in standing}
        for name in known:
            self._scores.pop(name, None)

    def end(self) -> None:
        """No more events come."""
        self._is_ended = True

    def chosen(self, title: str) -> CurvePoint | None:
        """The model that stands for a language: most bits on validation rows, then the smallest."""
        return max(self._points_of(title), key=_choice, default=None)

    def table(self, runs: int = 1) -> LanguageTable:
        """What is known; a language is learned when `runs` of its runs are over."""
        chosen = {title: self.chosen(title) for title in self._points}
        scored = {
            title: Scored(
                point.family,
                point.representation_size,
                point.effective_size,
                self._scores[point.key],
            )
            for title, point in chosen.items()
            if point is not None and point.key in self._scores
        }
        states = {title: self._state(title, chosen[title], runs) for title in self._points}
        judged = [title for title in scored if states[title] == "learned"]
        comparison = comparison_of(scored, self._weights, judged=judged) if scored else None
        compared = {} if comparison is None else {one.name: one for one in comparison.models}
        return LanguageTable(
            tuple(
                self._row(one, states[one.title], chosen[one.title], compared.get(one.title), runs)
                for one in self._languages
            ),
            comparison,
            self._weights,
        )

    def _state(self, title: str, point: CurvePoint | None, runs: int) -> State:
        if not (self._is_ended or len(self._over[title]) >= runs):
            return "learning" if title in self._started else "waiting"
        if point is None:
            return "no model"
        done = self._done[title].values()
        was_cut = any(run.cut_after is not None for run in done) or len(done) < runs
        has_results = any(run.points for run in done)
        return "stopped" if was_cut or not has_results else "learned"

    def _row(
        self,
        one: Candidate,
        state: State,
        point: CurvePoint | None,
        compared: ComparedModel | None,
        runs: int,
    ) -> LanguageRow:
        title = one.title
        started = self._started.get(title, {})
        done = self._done[title].values()
        is_over = state not in ("waiting", "learning")
        going = [run for key, run in started.items() if key not in self._over[title]]
        known = [run[0] for run in going if run[0] is not None]
        fraction = (len(self._over[title]) + sum(known)) / runs if known and not is_over else None
        limits = [run[2] for run in started.values()]
        return LanguageRow(
            one,
            state,
            fraction,
            going[-1][1] if going else "",
            max(limits, default=None),
            _seconds_of(done, point if is_over else None),
            point,
            compared,
            tuple(dict.fromkeys(self._problems[title])),
        )


class AllSplitsState:
    """The results so far of several splits, learned one after another.

    Its table has the results of all splits that are over, or of the first while that is running. A
    split in which a language of the first has no model is left out, with those after it.
    """

    def __init__(self, keys: Sequence[str], splits: Sequence[PlanRows]) -> None:
        self._splits = splits
        self._states = [ComparisonState(keys, rows.test.weights) for rows in splits]
        self._now, self._over = 0, 0

    @property
    def points(self) -> list[CurvePoint]:
        """All models of the first split so far, by language."""
        return self._states[0].points

    def take(self, event: PointEvent) -> bool:
        """Whether the event changes the table."""
        match event:
            case SplitBegan(number):
                self._now = number
                return False
            case SplitOver(number):
                self._over = number + 1
                return True
        return self._states[self._now].take(event) and self._now == 0

    def end(self) -> None:
        """No more events come."""
        for split in self._states:
            split.end()

    def table(self, runs: int = 1) -> LanguageTable:
        """What is known; a language is learned when `runs` of its runs in a split are over."""
        first = self._states[0].table(runs)
        if first.comparison is None:
            return first
        tables, known = [first], set(first.comparison.row_log2)
        for split in self._states[1 : self._over]:
            table = split.table(runs)
            if table.comparison is None or not known <= set(table.comparison.row_log2):
                break
            tables.append(table)
        return first if len(tables) == 1 else _joined(tables, self._splits[: len(tables)])


def _joined(tables: Sequence[LanguageTable], splits: Sequence[PlanRows]) -> LanguageTable:
    """The tables of several splits as one: all test rows, and mean sizes."""
    first, comparisons = tables[0], [t.comparison for t in tables if t.comparison is not None]
    scored = {}
    for name in comparisons[0].row_log2:
        own = [one[name] for one in comparisons]
        scored[name] = Scored(
            own[0].kind,
            float(np.mean([one.representation_size for one in own])),
            float(np.mean([one.effective_size for one in own])),
            np.concatenate([one.row_log2[name] for one in comparisons]),
        )
    tests, trains = [rows.test for rows in splits], [rows.train for rows in splits]
    of_row = np.repeat(np.arange(len(tests)), [part.row_count for part in tests])
    ratio = sum(p.total_weight for p in tests) / max(sum(p.total_weight for p in trains), 1e-300)
    weights = None
    if tests[0].weights is not None:
        weights = np.concatenate([part.weights for part in tests if part.weights is not None])
    row_splits = RowSplits(of_row.astype(np.intp), ratio)
    in_splits = [[table.rows[n] for table in tables] for n in range(len(first.rows))]
    states = {split_rows[0].language.title: _joined_state(split_rows) for split_rows in in_splits}
    judged = [title for title in scored if states[title] == "learned"]
    comparison = comparison_of(scored, weights, row_splits, judged)
    rows = [
        replace(
            split_rows[0],
            state=states[title],
            seconds=sum(row.seconds for row in split_rows),
            compared=comparison[title] if title in scored else None,
            problems=tuple(dict.fromkeys(p for row in split_rows for p in row.problems)),
            more_points=tuple(row.point for row in split_rows[1:] if row.point is not None),
        )
        for title, split_rows in zip(states, in_splits, strict=True)
    ]
    return LanguageTable(tuple(rows), comparison, weights, row_splits, len(tables))


def _joined_state(rows: Sequence[LanguageRow]) -> State:
    """The state of a language over its splits: cut short in one of them is cut short.

    Without a model in the first split it has no numbers, whatever the others gave.
    """
    if rows[0].state == "learned" and any(row.state == "stopped" for row in rows):
        return "stopped"
    return rows[0].state


def _seconds_of(done: Iterable[RunDone], point: CurvePoint | None) -> float:
    """Seconds of learning; of runs that ended without a report, those of their model."""
    seconds = sum(run.seconds for run in done)
    return seconds if seconds or point is None else point.seconds


def _choice(point: CurvePoint) -> tuple[float, float]:
    bits = point.valid_log2_likelihood_per_row
    return -math.inf if bits is None else bits, -float(point.effective_size)


# -- for a file ------------------------------------------------------------------------------------

CSV_HEAD = (
    *("language", "title", "learner", "state", "log2_likelihood_per_row", "standard_error"),
    *("difference", "interval_low", "interval_high", "verdict", "zero_probability_rows"),
    *("effective_size", "representation_size", "learning_seconds", "inference_seconds"),
    *("train_log2_likelihood_per_row", "valid_log2_likelihood_per_row", "seed"),
)


def table_csv(table: LanguageTable) -> str:
    """One line for each language, to all digits."""
    rows: list[Sequence[object]] = [CSV_HEAD]
    for row in table.ranked:
        values = row.as_dict()
        low, high = values.get("interval") or ("", "")
        values |= {"interval_low": low, "interval_high": high}
        rows.append([values.get(name, "") for name in CSV_HEAD])
    return csv_text(rows)


def table_json(table: LanguageTable, about: Mapping[str, Any]) -> dict[str, Any]:
    """The whole table, with its data, seeds and budget."""
    return {**about, **table.as_dict()}
