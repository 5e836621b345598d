"""Rough estimates of the time and memory of a run, shown before it starts.

The `cost` of a learner was measured with its defaults on rows drawn from random networks of 8 and
24 variables, 2 000 and 16 000 rows, as processor time of one core of about 2020, and corrected on
real tables (`benchmarks/forecasts.py`). The content of the
rows matters as much as their number, so an estimate is shown no more precisely than it is
(`time_words`), and the time of an earlier run on the same rows is always the better estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pgmstudio.core.data.chunked import ChunkedData, sample_size
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import MAX_CASES, case_total
from pgmstudio.core.large_counts import in_units
from pgmstudio.core.learning.base import AVAILABLE, EM
from pgmstudio.core.number_format import grouped
from pgmstudio.core.params import AUTO, specs_of

# The data set the seconds of the table below are for.
ROWS, COLUMNS, STATES = 16_000, 24, 3
# Until the process that learns has loaded what it needs.
START_SECONDS, START_PLAIN_SECONDS = 1.0, 0.5  # with compiled code, and without
# Memory of the program itself, without rows and counts.
BASE_BYTES = 60_000_000
# Chunks in memory where a table is read in chunks.
CHUNKED_BYTES = 600_000_000
# Missing cells of ROWS × COLUMNS completed for a search (`completed_rows`).
COMPLETING_SECONDS = 1.8


@dataclass(frozen=True, slots=True)
class Cost:
    """`seconds` of ROWS × COLUMNS of STATES each, which grow with a power of the rows, of the
    columns and of the mean number of states.

    `gaps`: how many times longer it takes when cells are missing, and `completes` whether they are
    completed before, which takes COMPLETING_SECONDS. `repeats`: the parameter that
    repeats the search, whose time is for its default, and `each` what a repeat takes at least;
    `automatic` is how many that makes about where the learner decides. `compiling`: seconds until
    its code is compiled, the first time on a computer; 0: it has none.
    """

    seconds: float
    rows: float = 1.0
    columns: float = 2.0
    states: float = 0.0
    gaps: float = 3.0
    completes: bool = True
    repeats: str = ""
    each: float = 0.0
    compiling: float = 1.0
    automatic: int = 0


@dataclass(frozen=True, slots=True)
class RunForecast:
    """Rough seconds, and bytes while it runs."""

    seconds: float
    bytes: int


def forecast_run(
    learner: object,
    params: object,
    data: DataSet,
    *,
    replicates: int = 0,
    processes: int = 1,
    is_compiled: bool = True,
) -> RunForecast | None:
    """The cost of a run of that learner; None for a learner without measured `cost`.

    With `replicates` it is that of a bootstrap, which is spread over so many processes;
    `is_compiled`: whether the code of the learner has been compiled on this computer.
    """
    cost: Cost | None = getattr(learner, "cost", None)
    if cost is None:
        return None
    times, usual = _repeats(cost, params)
    seconds = cost.seconds * (data.row_count / ROWS) ** cost.rows
    seconds *= (len(data.domain) / COLUMNS) ** cost.columns * times / usual
    mean_states = sum(data.domain.cardinalities) / max(1, len(data.domain))
    seconds *= (mean_states / STATES) ** cost.states
    seconds += cost.each * times
    is_available = getattr(params, "missing", "") == AVAILABLE
    if data.incomplete_row_count and not is_available:
        seconds *= cost.gaps
        if cost.completes:
            rows, columns = data.row_count / ROWS, len(data.domain) / COLUMNS
            seconds += COMPLETING_SECONDS * rows**0.5 * columns**2
    if replicates:
        seconds *= -(-replicates // processes)
    cards = data.domain.cardinalities
    pair_cells = (sum(cards) ** 2 - sum(card * card for card in cards)) // 2
    rows = CHUNKED_BYTES if isinstance(data, ChunkedData) else 2 * data.codes.nbytes
    seconds += START_SECONDS if cost.compiling else START_PLAIN_SECONDS
    seconds += 0.0 if is_compiled else cost.compiling
    return RunForecast(seconds, BASE_BYTES + rows + 8 * pair_cells)


def _repeats(cost: Cost | Passes, params: object) -> tuple[float, float]:
    """How often the search goes, and how often it would by default."""
    spec = next((s for s in specs_of(type(params)) if s.name == cost.repeats), None)
    if spec is None:
        return 1.0, 1.0

    def times(value: Any) -> float:
        return 1.0 + (value if isinstance(value, int | float) else cost.automatic)

    return times(getattr(params, cost.repeats)), times(spec.default)


@dataclass(frozen=True, slots=True)
class Passes:
    """How often a learner reads a table that is read in chunks: `fixed` times, and a search as many
    times as there are columns, times `columns`, for each of its repeats, about `automatic` ones
    where the learner decides.

    `steps`: the parameter with the most steps of EM over all rows, each of which is a pass.
    With `has_sample` the model is chosen on a sample, which is all there is of a small table.
    """

    fixed: int = 1
    columns: float = 0.0
    repeats: str = ""
    automatic: int = 0
    steps: str = ""
    has_sample: bool = False


@dataclass(frozen=True, slots=True)
class PassForecast:
    """Passes of a run and the bytes of each; a search may end earlier or later."""

    passes: int
    is_exact: bool
    bytes: int

    def __str__(self) -> str:
        about = "" if self.is_exact else "about "
        times = "once" if self.passes == 1 else f"{about}{grouped(self.passes)} times"
        size = in_units(self.bytes)
        every = size if self.passes == 1 else f"{size} each time"
        return f"The rows will be read {times}, {every}."


# Iterations of EM for the parameters of a network, typically.
EM_PASSES = 20


def forecast_passes(learner: object, params: object, data: ChunkedData) -> PassForecast | None:
    """How often a run reads the rows; None for a learner that needs them in memory."""
    passes: Passes | None = getattr(learner, "passes", None)
    if passes is None:
        return None
    times, _ = _repeats(passes, params)
    count = passes.fixed + round(passes.columns * len(data.domain) * times)
    if passes.has_sample and data.row_count <= sample_size(len(data.domain)):
        return PassForecast(1, True, data.pass_bytes)
    if passes.steps:
        count += int(getattr(params, passes.steps))
    smoothing = getattr(params, "smoothing", None)
    if smoothing == AUTO and not passes.has_sample and case_total(data) <= MAX_CASES:
        count += 2  # to deal the rows into folds, and to count them
    needs_em = data.has_missing and getattr(params, "missing", "") == EM
    count += EM_PASSES * needs_em
    is_exact = not (passes.columns or passes.steps or needs_em)
    return PassForecast(count, is_exact, data.pass_bytes)


def time_words(seconds: float) -> str:
    """A duration as text, with the precision of a forecast."""
    for limit, words in (
        (1, "less than a second"),
        (8, "a few seconds"),
        (40, "less than a minute"),
        (90, "about a minute"),
        (600, "some minutes"),
        (3600, "less than an hour"),
        (6 * 3600, "some hours"),
    ):
        if seconds < limit:
            return words
    return "very long; it can be stopped at any time"
