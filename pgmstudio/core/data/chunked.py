"""Tables larger than memory: their rows stay in a file or with workers and are read in chunks.

A pass reads every chunk once and comes back with sums over the rows. Chunks are the same whatever
reads them, and sums are added in their order: first the chunks of a shard, then the shards. So a
file read here and its shards on a cluster give the same sums, to the last bit.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import Codes, DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER, CancelToken

if TYPE_CHECKING:
    from pgmstudio.core.data.counting import PairCounts

Arrays = tuple[NDArray[Any], ...]
ROWS_STAY = (
    "This table is larger than memory: its rows stay in the file, and only counts of them are "
    "available here. Import a part of the rows for this."
)


class RowsNotInMemoryError(PgmStudioError):
    """Something needs the rows of a table that is only counted."""

    def __init__(self) -> None:
        super().__init__(ROWS_STAY)


# What is computed from the rows of one chunk, given how many rows of the table are before it; it is
# sent to workers, so it can be pickled.
ChunkWork = Callable[[DataSet, int], Arrays]


@dataclass(frozen=True, slots=True)
class PassProgress:
    """How far the present pass is, and how many were made before it."""

    passes: int
    fraction: float


ReportPass = Callable[[PassProgress], object]


def add_arrays(one: Arrays, other: Arrays) -> Arrays:
    """The sums of two parts of the rows."""
    return tuple(np.asarray(a + b) for a, b in zip(one, other, strict=True))


def join_arrays(one: Arrays, other: Arrays) -> Arrays:
    """The values of two parts of the rows, one after the other along the last axis."""
    return tuple(np.concatenate((a, b), axis=-1) for a, b in zip(one, other, strict=True))


class StoredRows(DataSet):
    """The rows of one chunk whose codes were checked when they were stored, so not again.

    `bits` are its bit columns (`counting.BitLayout`), where they are stored too.
    """

    bits: NDArray[np.uint64] | None

    @classmethod
    def of(
        cls,
        domain: Domain,
        codes: Codes,
        weights: Floats | None,
        missing_counts: tuple[int, ...],
        bits: NDArray[np.uint64] | None = None,
    ) -> StoredRows:
        rows = cls.__new__(cls)
        rows.__setstate__({"domain": domain, "codes": codes, "weights": weights})
        rows.__dict__.update(missing_counts=missing_counts, bits=bits)
        return rows


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is known of all rows before they are counted: from the pass that finds the states.

    `key` identifies the rows, as the fingerprint of a data set in memory does.
    """

    row_count: int
    total_weight: float
    is_weighted: bool
    missing_counts: tuple[int, ...]
    incomplete_row_count: int
    has_whole_weights: bool
    margins: tuple[Floats, ...]  # the counts of the states of every column
    key: str


class ChunkedData(DataSet):
    """A data set that gives sums over its rows and never the rows.

    Whatever needs the rows themselves raises RowsNotInMemoryError.
    """

    def __init__(self, domain: Domain, facts: TableFacts) -> None:
        self.__dict__.update(domain=domain, facts=facts)
        self._prepare()

    facts: TableFacts
    passes: int  # made so far
    # Tables of joint states and of all pairs that were counted; `counting` keeps them here.
    counted: dict[tuple[int, ...], Floats]
    pairs: PairCounts | None

    def _prepare(self) -> None:
        facts = self.facts
        self.__dict__.update(
            total_weight=facts.total_weight,
            missing_counts=facts.missing_counts,
            incomplete_row_count=facts.incomplete_row_count,
            fingerprint=facts.key,
        )
        self.passes = 0
        self.counted = {(v,): counts for v, counts in enumerate(facts.margins)}
        self.pairs = None
        self._reports: list[ReportPass] = []

    def __getstate__(self) -> dict[str, Any]:
        return {"domain": self.domain, "facts": self.facts}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.row_count} × {len(self.domain)})"

    @property
    def codes(self) -> NoReturn:
        raise RowsNotInMemoryError

    @property
    def weights(self) -> None:
        if self.facts.is_weighted:
            raise RowsNotInMemoryError

    @property
    def is_weighted(self) -> bool:
        return self.facts.is_weighted

    @property
    def row_count(self) -> int:
        return self.facts.row_count

    @property
    def row_weights(self) -> NoReturn:
        raise RowsNotInMemoryError

    @property
    def missing_code(self) -> int:
        return int(np.iinfo(code_dtype(self.domain)).max)

    # -- passes -----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def pass_bytes(self) -> int:
        """How much a pass reads."""

    @abstractmethod
    def _parts(
        self, work: ChunkWork, combine: Callable[[Arrays, Arrays], Arrays], cancel: CancelToken
    ) -> Iterator[Arrays]:
        """The combined result of every shard, in order; `report` is called on the way."""

    def sums(self, work: ChunkWork, cancel: CancelToken = NEVER) -> Arrays:
        """One pass: Σ over the chunks of what `work` computes from each."""
        return self._pass(work, add_arrays, cancel)

    def values(self, work: ChunkWork, cancel: CancelToken = NEVER) -> Arrays:
        """One pass: what `work` computes from each chunk, one after the other."""
        return self._pass(work, join_arrays, cancel)

    def _pass(
        self, work: ChunkWork, combine: Callable[[Arrays, Arrays], Arrays], cancel: CancelToken
    ) -> Arrays:
        result: Arrays | None = None
        self.report(0.0)
        for part in self._parts(work, combine, cancel):
            result = part if result is None else combine(result, part)
        assert result is not None, "a table has rows"
        self.passes += 1
        return result

    def report(self, fraction: float) -> None:
        """Report how far this pass is."""
        for report in self._reports:
            report(PassProgress(self.passes, fraction))

    @contextlib.contextmanager
    def reporting(self, report: ReportPass) -> Iterator[None]:
        """Report the progress of passes as long as the context lasts."""
        self._reports.append(report)
        try:
            yield
        finally:
            self._reports.remove(report)


@dataclass(frozen=True)
class SampleRows:
    """The rows of a random sample: those whose number, scrambled, is below a bound.

    Which rows these are depends on the seed and on the numbers of the rows alone.
    """

    fraction: float
    seed: int

    def __call__(self, chunk: DataSet, first_row: int) -> Arrays:
        numbers = np.arange(first_row, first_row + chunk.row_count, dtype=np.uint64)
        chosen = np.flatnonzero(_scrambled(numbers, self.seed) < self.fraction)
        weights = chunk.row_weights[chosen]
        return np.asarray(chunk.codes)[:, chosen], weights


def _scrambled(numbers: NDArray[np.uint64], seed: int) -> Floats:
    """A number in [0, 1) for each (SplitMix64 of Steele, Lea and Flood 2014)."""
    x = numbers + np.uint64(seed % (1 << 63))
    with np.errstate(over="ignore"):
        x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return np.asarray((x >> np.uint64(11)).astype(np.float64) * 2.0**-53)


# Rows and cells of the sample on which a model is chosen before EM goes over all rows.
MAX_SAMPLE_ROWS, MAX_SAMPLE_CELLS = 200_000, 1 << 24


def sample_size(columns: int) -> int:
    """How many rows a sample of so many columns has."""
    return max(1000, min(MAX_SAMPLE_ROWS, MAX_SAMPLE_CELLS // max(1, columns)))


def sample_of(
    data: ChunkedData, most: int, rng: np.random.Generator, cancel: CancelToken = NEVER
) -> DataSet:
    """About `most` rows drawn at random, or all of them where there are no more; one pass.

    The other draws of `rng` do not depend on it.
    """
    fraction = 2.0 if data.row_count <= most else most / data.row_count
    own: Any = rng.bit_generator.seed_seq
    seed = int(np.random.default_rng(own).integers(2**62))
    codes, weights = data.values(SampleRows(fraction, seed), cancel)
    return DataSet(data.domain, codes, weights if data.facts.is_weighted else None)


def sample_note(rows: DataSet) -> str:
    """What the sample was for."""
    return (
        f"The model was chosen on a random sample of {rows.row_count:,} rows; EM then goes over "
        "all rows."
    )
