"""The tables of a study: published beside obtained, with a verdict for every cell.

Bits per row are log2-likelihoods, higher is better. On synthetic data the distances to the true
model are compared, since the true models were not published.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import chosen_of, relative_improvement
from pgmstudio.core.number_format import decimal, signed, times, whole
from pgmstudio.studies.sl_published import (
    BN,
    HYBRID,
    NB,
    PDG,
    PublishedModel,
    published_curves,
    published_pairs,
    published_truths,
)
from pgmstudio.studies.sl_results import EQUAL, LANGUAGES, SetResult, Trail, counted_size

# Sizes that differ by less count as equal: one component more or less.
NO_LARGER = 1.05
DIRECT = (BN, NB, PDG)


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table of text; `sides` has the alignment (< or >) of each column."""

    title: str
    head: tuple[str, ...]
    sides: str
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        rule = "|".join("---:" if side == ">" else "---" for side in self.sides)
        lines = [f"**{self.title}**", "", _line(self.head), f"|{rule}|", *map(_line, self.rows)]
        return "\n".join([*lines, *(["", self.note] if self.note else [])]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def of_thesis(results: Iterable[SetResult]) -> list[SetResult]:
    """The results on the data sets of the thesis."""
    return [result for result in results if result.data_set.is_of_thesis]


# -- verdicts -------------------------------------------------------------------------------------


def verdict(gain: float, within: float, size: float, published_size: float) -> str:
    """Compare the best model, and the best one that is no larger than published, with it.

    `gain` and `within` are bits per test row above the published model; `within` is NaN where no
    model is that small.
    """
    if math.isnan(gain):
        return "nothing published"
    quality = "as good" if abs(gain) <= EQUAL else "better" if gain > 0 else "worse"
    if math.isnan(published_size):
        return quality
    if not math.isnan(within) and within > EQUAL:
        return "better, no larger"
    if not math.isnan(within) and within >= -EQUAL and gain <= EQUAL:
        return "as good, no larger"
    ratio = size / published_size
    if ratio <= NO_LARGER:
        return f"{quality}, smaller ({times(ratio)})"
    small = "" if math.isnan(within) else " (no larger: as good)" if within >= -EQUAL else ""
    return f"{quality}, larger ({times(ratio)}){small}"


def gain_of(result: SetResult, point: CurvePoint, published: PublishedModel | None) -> float:
    """Bits per test row above the published model; where the truth is known, nearer to it."""
    if published is None:
        return math.nan
    here, there = point.test_log2_likelihood_per_row, published.test
    truth = published_truths().get(result.data_set.name)
    if result.truth is not None and truth is not None:
        return (here - result.truth.test) - (there - truth.test)
    return here - there


def gain_within(
    result: SetResult, points: Iterable[CurvePoint], published: PublishedModel | None
) -> tuple[float, CurvePoint | None]:
    """The gain of the best model that is no larger than the published one, and that model."""
    if published is None or math.isnan(published.size):
        return math.nan, None
    fit = [p for p in points if counted_size(p) <= NO_LARGER * published.size]
    best = max(fit, key=lambda p: p.test_log2_likelihood_per_row, default=None)
    return (math.nan, None) if best is None else (gain_of(result, best, published), best)


def likelihood_table(results: Iterable[SetResult]) -> StudyTable:
    """The model of every language with the best test likelihood (tables 5.4 and 5.7)."""
    rows = []
    for result in results:
        for language in LANGUAGES:
            curve = result.curve(language)
            chosen = chosen_of(curve)
            if chosen is None:
                continue
            published = _best_published(result, language)
            rows.append(_model_row(result, language, chosen.best_test, published, curve))
    return StudyTable(
        "The best model on the test rows",
        (*_MODEL_HEAD, "best no larger than published", "its gain", "verdict", "models"),
        "<<>>>>>>>>><>",
        tuple(rows),
        "For compiled networks the published figures are those of the graph of the tables 5.10 and "
        "5.11 with the most test bits."
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
    published: PublishedModel | None,
    curve: Sequence[CurvePoint] | None,
) -> tuple[str, ...]:
    size, gain = counted_size(point), gain_of(result, point, published)
    doubt = "*" if published is not None and published.is_doubtful else ""
    cells = (
        result.data_set.title,
        language,
        "–" if published is None else f"{doubt}{whole(published.size)}",
        whole(size),
        "–" if published is None else decimal(published.train),
        decimal(point.train_log2_likelihood_per_row),
        "–" if published is None else decimal(published.test),
        decimal(point.test_log2_likelihood_per_row),
        signed(gain),
    )
    published_size = math.nan if published is None else published.size
    if curve is None:
        within = gain if size <= NO_LARGER * published_size else math.nan
        return (*cells, verdict(gain, within, size, published_size))
    within, small = gain_within(result, curve, published)
    fit = "–" if small is None else decimal(small.test_log2_likelihood_per_row)
    result_text = verdict(gain, within, size, published_size)
    return (*cells, fit, signed(within), result_text, str(len(curve)))


def _best_published(result: SetResult, language: str) -> PublishedModel | None:
    """The published model with the best test likelihood."""
    name = result.data_set.name
    if language == HYBRID:
        pairs = published_pairs().get(name, ()) if result.data_set.is_of_thesis else ()
        return max((pair.graph for pair in pairs), key=lambda g: g.test, default=None)
    curve = published_curves().get((name, language)) if result.data_set.is_of_thesis else None
    return None if curve is None else curve.chosen["max"]


def chosen_table(results: Iterable[SetResult]) -> StudyTable:
    """The models that BIC and AIC select (tables 5.4 and 5.7, right)."""
    rows = []
    for result in of_thesis(results):
        for language in DIRECT:
            chosen = chosen_of(result.curve(language))
            curve = published_curves().get((result.data_set.name, language))
            if chosen is None or curve is None:
                continue
            for name, point in (("BIC", chosen.bic), ("AIC", chosen.aic)):
                published = curve.chosen[name]
                rows.append(_model_row(result, f"{language}, {name}", point, published, None))
    head = (*_MODEL_HEAD, "verdict")
    return StudyTable("The models selected by BIC and AIC", head, "<<>>>>>>><", tuple(rows))


# -- compiled networks ----------------------------------------------------------------------------


def hybrid_table(results: Iterable[SetResult]) -> StudyTable:
    """Networks of about the published sizes and their best graphs (tables 5.10 and 5.11)."""
    rows = []
    for result in of_thesis(results):
        for pair in published_pairs().get(result.data_set.name, ()):
            trail = nearest_trail(result.trails, pair.network.size)
            best = None if trail is None else trail.best
            if trail is None or best is None:
                continue
            published = [
                relative_improvement(getattr(pair.network, name), getattr(pair.graph, name))
                for name in ("size", "train", "test")
            ]
            here = _improvements(trail.network, best)
            cells = [signed(v, 3) for both in zip(published, here, strict=True) for v in both]
            rows.append(
                (
                    result.data_set.title,
                    whole(pair.network.size),
                    whole(trail.network.effective_size),
                    whole(pair.graph.size),
                    whole(best.effective_size),
                    *cells,
                    hybrid_verdict(published, here),
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


def hybrid_verdict(published: Sequence[float], here: Sequence[float]) -> str:
    """Compare the saved size and the test likelihood with the published ones."""
    size = "saves as much" if abs(here[0] - published[0]) <= 0.1 else "saves "
    if size == "saves ":
        size += "more" if here[0] > published[0] else "less"
    lost = here[2] - published[2]
    test = "test equal" if abs(lost) <= 0.005 else "test better" if lost > 0 else "test worse"
    return f"{size}, {test}"
