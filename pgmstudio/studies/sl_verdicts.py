"""The tables of a study: published beside obtained, with a verdict for every cell.

Bits per row are log2-likelihoods, higher is better. Where rows are made, the distance to the true
model is compared, since the source's models were not published.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import chosen_of, relative_improvement
from pgmstudio.core.number_format import decimal, signed, times, whole
from pgmstudio.studies.sl_results import (
    EQUAL,
    LANGUAGES,
    SetResult,
    Trail,
    counted_size,
)
from pgmstudio.studies.sl_tables import (
    BN,
    HYBRID,
    NB,
    PDG,
    TRUTHS,
    Told,
    told_curves,
    told_pairs,
)

# Sizes that differ by less count as equal: one component more or less, as the source has it.
NO_LARGER = 1.05
DIRECT = (BN, NB, PDG)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A title, column heads, their sides (< or >) and rows of words."""

    title: str
    head: tuple[str, ...]
    sides: str
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table as Markdown has it."""
        rule = "|".join("---:" if side == ">" else "---" for side in self.sides)
        lines = [f"**{self.title}**", "", _line(self.head), f"|{rule}|", *map(_line, self.rows)]
        return "\n".join([*lines, *(["", self.note] if self.note else [])]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def of_thesis(results: Iterable[SetResult]) -> list[SetResult]:
    """Without the sets that only the article has."""
    return [result for result in results if result.own.is_of_thesis]


# -- verdicts -------------------------------------------------------------------------------------


def verdict(gain: float, within: float, size: float, told_size: float) -> str:
    """What the best model, its size and the best one that is no larger than published amount to.

    `gain` and `within` are bits per test row above the published model; `within` is NaN where no
    model is that small.
    """
    if math.isnan(gain):
        return "nothing published"
    words = "as good" if abs(gain) <= EQUAL else "better" if gain > 0 else "worse"
    if math.isnan(told_size):
        return words
    if not math.isnan(within) and within > EQUAL:
        return "better, no larger"
    if not math.isnan(within) and within >= -EQUAL and gain <= EQUAL:
        return "as good, no larger"
    ratio = size / told_size
    if ratio <= NO_LARGER:
        return f"{words}, smaller ({times(ratio)})"
    small = "" if math.isnan(within) else " (no larger: as good)" if within >= -EQUAL else ""
    return f"{words}, larger ({times(ratio)}){small}"


def gain_of(result: SetResult, point: CurvePoint, told: Told | None) -> float:
    """Bits per test row above the published model; where the truth is known, nearer to it."""
    if told is None:
        return math.nan
    here, there = point.test_log2_likelihood_per_row, told.test
    if result.truth is not None and result.own.name in TRUTHS:
        return (here - result.truth.test) - (there - TRUTHS[result.own.name].test)
    return here - there


def gain_within(
    result: SetResult, points: Iterable[CurvePoint], told: Told | None
) -> tuple[float, CurvePoint | None]:
    """The gain of the best model that is no larger than the published one, and that model."""
    if told is None or math.isnan(told.size):
        return math.nan, None
    fit = [p for p in points if counted_size(p) <= NO_LARGER * told.size]
    best = max(fit, key=lambda p: p.test_log2_likelihood_per_row, default=None)
    return (math.nan, None) if best is None else (gain_of(result, best, told), best)


def likelihood_table(results: Iterable[SetResult]) -> StudyTable:
    """The model of every language that test rows like best (tables 5.4 and 5.7)."""
    rows = []
    for result in results:
        for language in LANGUAGES:
            own = result.curve(language)
            chosen = chosen_of(own)
            if chosen is None:
                continue
            told = _told(result, language)
            rows.append(_model_row(result, language, chosen.best_test, told, own))
    return StudyTable(
        "The model that test rows like best",
        (*_MODEL_HEAD, "best no larger than published", "its gain", "verdict", "models"),
        "<<>>>>>>>>><>",
        tuple(rows),
        "For compiled networks the published figures are those of the graph of the tables 5.10 and "
        "5.11 that test rows like best."
        if any(row[1] == HYBRID for row in rows)
        else "",
    )


_MODEL_HEAD = (
    *("", "language", "size published", "here", "training bits published", "here"),
    *("test bits published", "here", "gain"),
)


def _model_row(
    result: SetResult,
    language: str,
    point: CurvePoint,
    told: Told | None,
    curve: Sequence[CurvePoint] | None,
) -> tuple[str, ...]:
    size, gain = counted_size(point), gain_of(result, point, told)
    doubt = "*" if told is not None and told.is_doubtful else ""
    cells = (
        result.own.title,
        language,
        "–" if told is None else f"{doubt}{whole(told.size)}",
        whole(size),
        "–" if told is None else decimal(told.train),
        decimal(point.train_log2_likelihood_per_row),
        "–" if told is None else decimal(told.test),
        decimal(point.test_log2_likelihood_per_row),
        signed(gain),
    )
    told_size = math.nan if told is None else told.size
    if curve is None:
        within = gain if size <= NO_LARGER * told_size else math.nan
        return (*cells, verdict(gain, within, size, told_size))
    within, small = gain_within(result, curve, told)
    fit = "–" if small is None else decimal(small.test_log2_likelihood_per_row)
    words = verdict(gain, within, size, told_size)
    return (*cells, fit, signed(within), words, str(len(curve)))


def _told(result: SetResult, language: str) -> Told | None:
    """The published model that test rows liked best."""
    name = result.own.name
    if language == HYBRID:
        pairs = told_pairs().get(name, ()) if result.own.is_of_thesis else ()
        return max((pair.graph for pair in pairs), key=lambda g: g.test, default=None)
    curve = told_curves().get((name, language)) if result.own.is_of_thesis else None
    return None if curve is None else curve.chosen["max"]


def chosen_table(results: Iterable[SetResult]) -> StudyTable:
    """The models that BIC and AIC take (tables 5.4 and 5.7, right)."""
    rows = []
    for result in of_thesis(results):
        for language in DIRECT:
            chosen = chosen_of(result.curve(language))
            curve = told_curves().get((result.own.name, language))
            if chosen is None or curve is None:
                continue
            for name, point in (("BIC", chosen.bic), ("AIC", chosen.aic)):
                told = curve.chosen[name]
                rows.append(_model_row(result, f"{language}, {name}", point, told, None))
    head = (*_MODEL_HEAD, "verdict")
    return StudyTable("The models that BIC and AIC take", head, "<<>>>>>>><", tuple(rows))


# -- compiled networks ----------------------------------------------------------------------------


def hybrid_table(results: Iterable[SetResult]) -> StudyTable:
    """Networks of about the published sizes and their best graphs (tables 5.10 and 5.11)."""
    rows = []
    for result in of_thesis(results):
        for pair in told_pairs().get(result.own.name, ()):
            trail = nearest_trail(result.trails, pair.network.size)
            best = None if trail is None else trail.best
            if trail is None or best is None:
                continue
            told = [
                relative_improvement(getattr(pair.network, name), getattr(pair.graph, name))
                for name in ("size", "train", "test")
            ]
            here = _improvements(trail.network, best)
            cells = [signed(v, 3) for both in zip(told, here, strict=True) for v in both]
            rows.append(
                (
                    result.own.title,
                    whole(pair.network.size),
                    whole(trail.network.effective_size),
                    whole(pair.graph.size),
                    whole(best.effective_size),
                    *cells,
                    _hybrid_verdict(told, here),
                )
            )
    head = (
        *("", "network published", "here", "graph published", "here"),
        *("Δ size published", "here", "Δ training published", "here"),
        *("Δ test published", "here", "verdict"),
    )
    note = "Δ is (network − graph)/network: above 0 the graph is smaller, or more likely."
    title = "Networks of about the same size, and the smallest graph that loses no training bits"
    return StudyTable(title, head, "<>>>>>>>>>><", tuple(rows), note)


def nearest_trail(trails: Sequence[Trail], size: float) -> Trail | None:
    """The network whose size is nearest by its logarithm."""
    return min(trails, key=lambda t: abs(math.log(t.network.effective_size / size)), default=None)


def _improvements(network: CurvePoint, graph: CurvePoint) -> list[float]:
    pairs = (
        (network.effective_size, graph.effective_size),
        (network.train_log2_likelihood_per_row, graph.train_log2_likelihood_per_row),
        (network.test_log2_likelihood_per_row, graph.test_log2_likelihood_per_row),
    )
    return [relative_improvement(*pair) for pair in pairs]


def _hybrid_verdict(told: Sequence[float], here: Sequence[float]) -> str:
    """Does the graph save as much, and what does it cost on test rows?"""
    size = "saves as much" if abs(here[0] - told[0]) <= 0.1 else "saves "
    if size == "saves ":
        size += "more" if here[0] > told[0] else "less"
    lost = here[2] - told[2]
    test = "test alike" if abs(lost) <= 0.005 else "test better" if lost > 0 else "test worse"
    return f"{size}, {test}"
