"""The tables of a study: published beside obtained, with a verdict for every cell.

Bits per row are log2-likelihoods, higher is better. Where rows are made, the distance to the true
model is compared, since the source's models were not published.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from pgmstudio.core.experiments.curve_choices import chosen_of, relative_improvement
from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.empirical import line_fit
from pgmstudio.core.experiments.number_words import decimal, signed, times, whole
from pgmstudio.core.experiments.recipes.sl_results import (
    EQUAL,
    LANGUAGES,
    SetResult,
    Trail,
    counted_size,
    dominated_share,
    fall_after_peak,
    fall_per_doubling,
    height_above,
    rises,
)
from pgmstudio.core.experiments.recipes.sl_tables import (
    ANSWERS,
    BN,
    DOMINANCE,
    HYBRID,
    NB,
    PDG,
    SLOPES,
    TRUTHS,
    Told,
    told_curves,
    told_pairs,
)

# A curve counts as dominated when so many of its points are: all languages meet in the model
# without edges, which nobody is above.
NEARLY_ALL = 0.9
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


def tables_of(results: Sequence[SetResult]) -> list[StudyTable]:
    """Every table that these results have something for."""
    made = [
        likelihood_table(results),
        chosen_table(results),
        hybrid_table(results),
        dominance_table(results),
        shape_table(results),
        trail_table(results),
        query_table(results),
        timing_table(results),
    ]
    return [table for table in made if table.rows]


def _of_thesis(results: Iterable[SetResult]) -> list[SetResult]:
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
    for result in _of_thesis(results):
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
    for result in _of_thesis(results):
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


# -- whole curves ---------------------------------------------------------------------------------


def dominance_table(results: Iterable[SetResult]) -> StudyTable:
    """Who is above all others, and who below (table 5.6)."""
    rows = []
    for result in _of_thesis(results):
        told = DOMINANCE.get(result.own.name)
        curves = {name: result.curve(name) for name in DIRECT}
        if told is None or not all(curves.values()):
            continue
        cells = []
        for on_test, words in ((False, told[:2]), (True, told[2:])):
            above, below = _dominance(curves, on_test=on_test)
            cells += [f"{words[0] or '–'} / {words[1] or '–'}", f"{above} / {below}"]
        same = cells[0] == cells[1], cells[2] == cells[3]
        said = {(True, True): "same", (False, False): "differs"}.get(
            same, "training same" if same[0] else "test same"
        )
        rows.append((result.own.title, *cells, said))
    head = ("", "training published", "here", "test published", "here", "verdict")
    note = (
        "Above all others / below the others: nine tenths of the points of a curve have one of "
        "another that is no larger and more likely."
    )
    return StudyTable("Which curve is above, which below", head, "<<<<<<", tuple(rows), note)


def _dominance(curves: dict[str, list[CurvePoint]], *, on_test: bool) -> tuple[str, str]:
    above, below = "–", "–"
    for name, own in curves.items():
        others = [curve for other, curve in curves.items() if other != name]
        if all(dominated_share(c, own, on_test=on_test) >= NEARLY_ALL for c in others):
            above = name
        rest = [point for curve in others for point in curve]
        if dominated_share(own, rest, on_test=on_test) >= NEARLY_ALL:
            below = name if below == "–" else f"{below}, {name}"
    return above, below


def shape_table(results: Iterable[SetResult]) -> StudyTable:
    """How curves rise and fall: what the figures show, in numbers."""
    rows = []
    for result in results:
        curves = {name: result.curve(name) for name in LANGUAGES}
        if not curves[BN]:
            continue
        falls = [decimal(fall_after_peak(curves[name])) for name in DIRECT]
        steep = [decimal(fall_per_doubling(curves[name])) for name in DIRECT]
        rows.append(
            (
                result.own.title,
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
        kept = [
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
                result.own.title,
                str(len(result.trails)),
                f"{len(kept)}",
                times(median(kept)) if kept else "–",
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
    for result in _of_thesis(results):
        for language in LANGUAGES:
            asked = [(p, a) for p in result.curve(language) if (a := result.answers.get(p.key))]
            if not asked:
                continue
            point, answer = max(asked, key=lambda pair: pair[1].query_log2)
            told = ANSWERS.get(result.own.name, {}).get(language)
            there = math.nan if told is None else told[1] / math.log(2)
            gain = answer.query_log2 - there
            rows.append(
                (
                    result.own.title,
                    language,
                    "–" if told is None else whole(told[0]),
                    whole(counted_size(point)),
                    decimal(there),
                    decimal(answer.query_log2),
                    signed(gain),
                    _answer_verdict(gain, counted_size(point), told),
                    "–" if answer.seconds is None else f"{1000 * answer.seconds:.3f}",
                )
            )
    head = (
        *("", "language", "size published", "here", "log2 P(Q given E) published", "here"),
        *("gain", "verdict", "update ms here"),
    )
    return StudyTable("Random queries: the model that answers best", head, "<<>>>>><>", tuple(rows))


def _answer_verdict(gain: float, size: float, told: tuple[int, float] | None) -> str:
    told_size = math.nan if told is None else float(told[0])
    within = gain if size <= NO_LARGER * told_size else math.nan
    return verdict(gain, within, size, told_size)


def timing_table(results: Iterable[SetResult]) -> StudyTable:
    """Time of an update against size (table 5.8)."""
    rows = []
    for result in _of_thesis(results):
        for language in LANGUAGES:
            timed = [
                (float(p.effective_size), a.seconds)
                for p in result.curve(language)
                if (a := result.answers.get(p.key)) is not None and a.seconds is not None
            ]
            fit = line_fit([size for size, _ in timed], [seconds for _, seconds in timed])
            if fit is None:
                continue
            told = SLOPES.get(result.own.name, {}).get(language)
            rows.append(
                (
                    result.own.title,
                    language,
                    "–" if told is None else f"{1000 * told:.0f}",
                    f"{1e9 * fit.slope:.2f}",
                    f"{1e6 * fit.intercept:.0f}",
                    f"{fit.r_squared:.2f}",
                    str(len(timed)),
                )
            )
    head = ("", "language", "ns a unit published", "here", "µs at size 0", "R²", "models")
    return StudyTable("Time of an update against size", head, "<<>>>>>", tuple(rows))
