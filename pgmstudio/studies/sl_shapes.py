"""Tables of whole curves and of random queries, and all tables of a study together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import median

from pgmstudio.core.analysis.query_benchmark import LineFit, line_fit
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.number_format import decimal, signed, times, whole
from pgmstudio.studies.sl_published import (
    BN,
    HYBRID,
    PDG,
    published_dominance,
    published_queries,
    published_update_times,
)
from pgmstudio.studies.sl_results import (
    EQUAL,
    LANGUAGES,
    SetResult,
    counted_size,
    dominated_fraction,
    fall_after_peak,
    fall_per_doubling,
    height_above,
    rises,
)
from pgmstudio.studies.sl_verdicts import (
    DIRECT,
    NO_LARGER,
    StudyTable,
    chosen_table,
    hybrid_table,
    likelihood_table,
    of_thesis,
    verdict,
)

# A curve counts as dominated when this fraction of its points is: all languages share the model
# without edges, which cannot be dominated.
NEARLY_ALL = 0.9
# R² from which the time of an update counts as linear in the size.
LINEAR = 0.9


def tables_of(results: Sequence[SetResult]) -> list[StudyTable]:
    """The tables that have rows for these results."""
    tables = [
        likelihood_table(results),
        chosen_table(results),
        hybrid_table(results),
        dominance_table(results),
        shape_table(results),
        trail_table(results),
        query_table(results),
        timing_table(results),
    ]
    return [table for table in tables if table.rows]


# -- whole curves ---------------------------------------------------------------------------------


def dominance_table(results: Iterable[SetResult]) -> StudyTable:
    """The language above all others, and the one below (table 5.6)."""
    rows = []
    for result in of_thesis(results):
        published = published_dominance().get(result.data_set.name)
        curves = {name: result.curve(name) for name in DIRECT}
        if published is None or not all(curves.values()):
            continue
        cells = []
        for on_test, above_published, below_published in (
            (False, published.above_train, published.below_train),
            (True, published.above_test, published.below_test),
        ):
            above, below = _dominance(curves, on_test=on_test)
            cells += [f"{above_published or '–'} / {below_published or '–'}", f"{above} / {below}"]
        same = cells[0] == cells[1], cells[2] == cells[3]
        comparison = {(True, True): "same", (False, False): "differs"}.get(
            same, "training same" if same[0] else "test same"
        )
        rows.append((result.data_set.title, *cells, comparison))
    head = ("", "training published", "here", "test published", "here", "verdict")
    note = (
        "Above all others / below the others: nine tenths of the points of a curve have one of "
        "another that is no larger and more likely."
    )
    return StudyTable("The highest and the lowest curve", head, "<<<<<<", tuple(rows), note)


def _dominance(curves: dict[str, list[CurvePoint]], *, on_test: bool) -> tuple[str, str]:
    above, below = "–", "–"
    for name, curve in curves.items():
        others = [points for other, points in curves.items() if other != name]
        if all(dominated_fraction(c, curve, on_test=on_test) >= NEARLY_ALL for c in others):
            above = name
        rest = [point for points in others for point in points]
        if dominated_fraction(curve, rest, on_test=on_test) >= NEARLY_ALL:
            below = name if below == "–" else f"{below}, {name}"
    return above, below


def shape_table(results: Iterable[SetResult]) -> StudyTable:
    """Numbers for the shape of the curves in the published figures."""
    rows = []
    for result in results:
        curves = {name: result.curve(name) for name in LANGUAGES}
        if not curves[BN]:
            continue
        falls = [decimal(fall_after_peak(curves[name])) for name in DIRECT]
        steep = [decimal(fall_per_doubling(curves[name])) for name in DIRECT]
        rows.append(
            (
                result.data_set.title,
                *(f"{100 * rises(curves[name]):.0f} %" if curves[name] else "–" for name in DIRECT),
                signed(height_above(curves[PDG], curves[BN])),
                signed(height_above(curves[PDG], curves[BN], on_test=True)),
                signed(height_above(curves[HYBRID], curves[BN], on_test=True)),
                *falls,
                *steep,
            )
        )
    head = (
        *("", "BN rises", "NB rises", "PDG rises", "PDG above BN, training", "test"),
        *("compiled above BN, test", "BN falls", "NB falls", "PDG falls"),
        *("BN per doubling", "NB per doubling", "PDG per doubling"),
    )
    note = (
        "Rises: steps to the next larger model that lose no training bits. Above: mean bits per "
        "row over the sizes that both have. Falls: test bits from the best model to the largest, "
        "and the same for each doubling of the size."
    )
    return StudyTable("The shape of the curves", head, "<" + ">" * 12, tuple(rows), note)


def trail_table(results: Iterable[SetResult]) -> StudyTable:
    """How far networks can be compiled and merged without losing test bits (article, figure 7)."""
    rows = []
    for result in results:
        ratios = [
            graph.effective_size / trail.network.effective_size
            for trail in result.trails
            if (graph := trail.smallest_as_good()) is not None
        ]
        if not result.trails:
            continue
        large = [t for t in result.trails if t.network.effective_size >= 1000]
        of_large = [
            g.effective_size / t.network.effective_size
            for t in large
            if (g := t.smallest_as_good()) is not None
        ]
        rows.append(
            (
                result.data_set.title,
                str(len(result.trails)),
                f"{len(ratios)}",
                times(median(ratios)) if ratios else "–",
                f"{len(of_large)} of {len(large)}",
                times(median(of_large)) if of_large else "–",
            )
        )
    head = (
        *("", "networks", "with a graph as good on test rows", "median size of the smallest such"),
        *("of networks of 1 000 cells or more", "median size"),
    )
    note = f"As good: at most {EQUAL} bits per test row fewer. Sizes are times the clique tree."
    return StudyTable("From networks to graphs on test rows", head, "<>>>>>", tuple(rows), note)


# -- queries --------------------------------------------------------------------------------------


def query_table(results: Iterable[SetResult]) -> StudyTable:
    """The model of each language that answers random queries best (table 5.9)."""
    rows = []
    for result in of_thesis(results):
        for language in LANGUAGES:
            answered = [(p, a) for p in result.curve(language) if (a := result.answers.get(p.key))]
            if not answered:
                continue
            point, answer = max(answered, key=lambda pair: pair[1].query_log2)
            published = published_queries().get((result.data_set.name, language))
            there = math.nan if published is None else published[1]
            gain = answer.query_log2 - there
            rows.append(
                (
                    result.data_set.title,
                    language,
                    "–" if published is None else whole(published[0]),
                    whole(counted_size(point)),
                    decimal(there),
                    decimal(answer.query_log2),
                    signed(gain),
                    _answer_verdict(gain, counted_size(point), published),
                    "–" if answer.seconds is None else f"{1000 * answer.seconds:.3f}",
                )
            )
    head = (
        *("", "language", "size published", "here", "log2 P(Q given E) published", "here"),
        *("gain", "verdict", "update ms here"),
    )
    return StudyTable("Random queries: the model that answers best", head, "<<>>>>><>", tuple(rows))


def _answer_verdict(gain: float, size: float, published: tuple[int, float] | None) -> str:
    published_size = math.nan if published is None else float(published[0])
    within = gain if size <= NO_LARGER * published_size else math.nan
    return verdict(gain, within, size, published_size)


def timing_table(results: Iterable[SetResult]) -> StudyTable:
    """Time of an update against size (table 5.8)."""
    rows = []
    for result in of_thesis(results):
        for language in LANGUAGES:
            timed = [
                (float(p.effective_size), a.seconds)
                for p in result.curve(language)
                if (a := result.answers.get(p.key)) is not None and a.seconds is not None
            ]
            fit = line_fit([size for size, _ in timed], [seconds for _, seconds in timed])
            if fit is None:
                continue
            published = published_update_times().get((result.data_set.name, language))
            rows.append(
                (
                    result.data_set.title,
                    language,
                    "–" if published is None else f"{1000 * published:.0f}",
                    f"{1e9 * fit.slope:.2f}",
                    f"{1e6 * fit.intercept:.0f}",
                    f"{fit.r_squared:.2f}",
                    str(len(timed)),
                    timing_verdict(fit, max(size for size, _ in timed), published),
                )
            )
    head = (
        "",
        "language",
        "ns a unit published",
        "here",
        "µs at size 0",
        "R²",
        "models",
        "verdict",
    )
    note = f"Seconds of the processor. Linear: a line explains {LINEAR} of them or more."
    return StudyTable("Time of an update against size", head, "<<>>>>><", tuple(rows), note)


def timing_verdict(fit: LineFit, largest: float, published_ms: float | None) -> str:
    """Whether time grows with size, and how much faster than published (ms for 1 000 units)."""
    if fit.slope <= 0 or fit.intercept >= fit.slope * largest:
        return "fixed costs prevail"
    if fit.r_squared < LINEAR:
        return "grows, not on a line"
    return (
        "linear"
        if published_ms is None
        else f"linear, {times(published_ms * 1e-6 / fit.slope)} as fast"
    )
