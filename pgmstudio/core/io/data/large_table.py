"""Tables that stay in their file: Parquet and delimited text, read in chunks of fixed size.

Opening reads the file twice, chunk by chunk: once to find the states of every column, once to turn
the cells into codes. The codes are kept in the user's cache folder, a byte for each cell of up to
255 states, so that later passes read them and not the file. Without space there, every pass reads
the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.chunked import (
    Arrays,
    ChunkedData,
    ChunkWork,
    StoredRows,
    TableFacts,
    add_arrays,
)
from pgmstudio.core.data.counting import (
    BitLayout,
    ReportFraction,
    ignore_progress,
    joint_counts,
    pack_rows,
)
from pgmstudio.core.data.dataset import MAX_STATES, DataSet, Imported, code_dtype
from pgmstudio.core.data.discretization import Cuts, cuts_for
from pgmstudio.core.data.resampling import case_counts
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import CellProblem, DataFileError
from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.execution.thread_pool import map_in_threads
from pgmstudio.core.io.data.column_types import column_of
from pgmstudio.core.io.data.encoding import check_names, code_table
from pgmstudio.core.io.data.formats import delimited, parquet
from pgmstudio.core.io.data.formats.raw_table import RawTable, TextFacts
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import clean_table, data_format, guarded
from pgmstudio.core.io.reading_limits import check_regular
from pgmstudio.core.resources import cache_folder
from pgmstudio.version import __version__

if TYPE_CHECKING:
    import polars

LARGE_CELLS, LARGE_BYTES = 1_000_000_000, 2_000_000_000
# Cells of a chunk of Parquet rows, and bytes of one of text.
CHUNK_CELLS, CHUNK_BYTES = 1 << 24, 1 << 24
# Rows whose sums are added before those of the next: what a worker of a cluster does in one go.
SHARD_ROWS = 1 << 22
# The same in chunks of text whose rows are not counted yet.
SHARD_CHUNKS = 8
# Chunks read at the same time; each takes some hundred megabytes.
MAX_THREADS = 4
# Distinct values of a column that are listed; one state more than a variable may have.
_MAX_DISTINCT = MAX_STATES + 1
# Codes of tables that were not used for so long are removed; part of the free disk they may take.
_CACHE_DAYS, _CACHE_PART = 14, 0.5
_ENDINGS = (".parquet", ".csv", ".tsv", ".txt", ".data")
_VERSION = 2  # of the files in the cache

T = TypeVar("T")
R = TypeVar("R")


Combine = Callable[[R, R], R]
Tick = Callable[[int], object]  # so many more chunks are done


class ChunkReader(Protocol):
    """Where chunks are read: here, or by the workers of a cluster."""

    def results(
        self,
        work: Callable[[Piece], R],
        combine: Combine[R],
        shards: Sequence[Sequence[Piece]],
        cancel: CancelToken,
        tick: Tick,
    ) -> Iterator[R]:
        """The results of the chunks of every shard, combined in their order; shard after shard."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the file: rows of a Parquet table or bytes of a text; it is one chunk."""

    number: int
    start: int
    stop: int
    first_row: int = 0
    rows: int = 0


@dataclass(frozen=True)
class TableSource:
    """A file, how its cells become codes, and its pieces; a value that can be sent to workers."""

    path: Path
    size: int
    options: ImportOptions
    facts: TextFacts | None  # None for Parquet
    names: tuple[str, ...]
    pieces: tuple[Piece, ...]
    in_file: Mapping[str, str] = field(default_factory=dict)  # other names of Parquet columns
    cache_key: str = ""  # empty without space for the codes

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        domain = self.options.domain
        if domain is None:
            return tuple(name for name in self.names if name not in self.options.leave_out)
        wanted = {*domain.names, self.options.frequency}
        return tuple(name for name in self.names if name in wanted)

    def frame(self, piece: Piece) -> polars.DataFrame:
        """The cells of a piece."""
        import polars

        if self.facts is None:
            lazy = polars.scan_parquet(self.path, glob=False)
            lazy = lazy.select(polars.col(self.in_file.get(c, c)).alias(c) for c in self.columns)
            frame = lazy.slice(piece.start, piece.stop - piece.start).collect()
            return frame.select(parquet.plain(series) for series in frame)
        with self.path.open("rb") as stream:
            stream.seek(piece.start)
            content = stream.read(piece.stop - piece.start)
        return delimited.rows_of(self.path, content, self.facts, self.names).select(self.columns)

    def check(self) -> None:
        """DataFileError unless the file is there and as large as when it was opened."""
        try:
            size = self.path.stat().st_size
        except OSError:
            raise DataFileError(
                self.path, "is not there. A cluster needs it at the same path on every worker."
            ) from None
        if size != self.size:
            raise DataFileError(self.path, "has changed since it was opened. Open it again.")

    def chunk(self, piece: Piece) -> StoredRows:
        """The rows of a piece as codes, from the cache where they are there."""
        domain = self.options.domain
        assert domain is not None
        if self.cache_key:
            stored = _stored(self._folder, domain, piece, self.options.frequency is not None)
            if stored is not None:
                return stored
        self.check()
        rows = self._encoded(piece)
        if rows.row_count != piece.rows:
            raise DataFileError(self.path, "has changed since it was opened. Open it again.")
        missing = rows.missing_counts
        layout = BitLayout.of(rows)
        bits = None if rows.weights is not None else pack_rows(rows, layout, 0, rows.row_count)
        if self.cache_key:
            _store(self._folder, piece, rows, bits)
        return StoredRows.of(domain, rows.codes, rows.weights, missing, bits)

    @property
    def _folder(self) -> Path:
        return tables_folder() / self.cache_key

    def _encoded(self, piece: Piece) -> DataSet:
        table = RawTable(self.frame(piece), self.facts)
        domain = self.options.domain
        assert domain is not None
        try:
            return code_table(self.path, table, self.options).data
        except DataFileError as error:
            problems = [
                problem
                if problem.row is None
                else replace(problem, row=problem.row + piece.first_row)
                for problem in error.problems
            ]
            raise DataFileError(self.path, error.headline, problems) from None


def tables_folder() -> Path:
    """Where the codes of large tables are kept."""
    return cache_folder() / "tables"


def _stored(folder: Path, domain: Domain, piece: Piece, is_weighted: bool) -> StoredRows | None:
    """The codes of a piece as they were stored; mapped, so that what is not counted is not read."""
    name = f"{piece.number:06d}"
    try:
        missing = np.fromfile(folder / f"{name}.missing", dtype=np.int64)
        shape = (len(domain), piece.rows)
        codes = np.asarray(np.memmap(folder / f"{name}.codes", code_dtype(domain), "r", 0, shape))
        if is_weighted:
            weights = np.fromfile(folder / f"{name}.weights")
            return StoredRows.of(domain, codes, weights, tuple(missing.tolist()))
        words = -(-piece.rows // 64)
        width = int(missing[-1])
        bits = np.zeros((0, words), dtype=np.uint64)
        if width:
            file = folder / f"{name}.bits"
            bits = np.asarray(np.memmap(file, np.uint64, "r", 0, (width, words)))
    except (OSError, ValueError, IndexError):
        return None
    return StoredRows.of(domain, codes, None, tuple(missing[:-1].tolist()), bits)


def _store(folder: Path, piece: Piece, rows: DataSet, bits: NDArray[np.uint64] | None) -> None:
    """Store a piece; the file of missing cells comes last and makes it complete."""
    name = f"{piece.number:06d}"
    missing = list(rows.missing_counts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / f"{name}.codes", rows.codes)
        if rows.weights is not None:
            _write(folder / f"{name}.weights", rows.weights)
        if bits is not None:
            _write(folder / f"{name}.bits", bits)
            missing.append(len(bits))
        _write(folder / f"{name}.missing", np.array(missing, dtype=np.int64))
    except OSError:  # no space: the file is read again
        return


def _write(path: Path, array: NDArray[Any]) -> None:
    """Whole or not at all: several processes may store the same piece."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            array.tofile(stream)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


# -- reading --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HereReader:
    """Chunks are read by threads of this process."""

    def results(
        self,
        work: Callable[[Piece], R],
        combine: Combine[R],
        shards: Sequence[Sequence[Piece]],
        cancel: CancelToken,
        tick: Tick,
    ) -> Iterator[R]:
        threads = min(MAX_THREADS, core_count())
        every = (piece for shard in shards for piece in shard)
        results = map_in_threads(work, every, threads, cancel)
        for shard in shards:
            whole = next(results)
            tick(1)
            for _ in shard[1:]:
                whole = combine(whole, next(results))
                tick(1)
            yield whole


HERE = HereReader()


@dataclass(frozen=True)
class _OnChunk:
    """Some work on the rows of a piece, in whichever process."""

    source: TableSource
    work: ChunkWork

    def __call__(self, piece: Piece) -> Arrays:
        return self.work(self.source.chunk(piece), piece.first_row)


class LargeTable(ChunkedData):
    """The rows of a file, read here or by the workers of a cluster."""

    source: TableSource
    reader: ChunkReader

    def __init__(self, source: TableSource, facts: TableFacts, reader: ChunkReader = HERE) -> None:
        assert source.options.domain is not None
        super().__init__(source.options.domain, facts)
        self.source, self.reader = source, reader

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "source": self.source, "reader": self.reader}

    def read_by(self, reader: ChunkReader) -> LargeTable:
        """The same table, read somewhere else; it gives the same sums."""
        return LargeTable(self.source, self.facts, reader)

    @property
    def pass_bytes(self) -> int:
        """What the codes take; the file may be smaller or larger."""
        cell = code_dtype(self.domain).itemsize
        return self.row_count * (cell * len(self.domain) + 8 * self.facts.is_weighted)

    def _parts(
        self, work: ChunkWork, combine: Callable[[Arrays, Arrays], Arrays], cancel: CancelToken
    ) -> Iterator[Arrays]:
        on_chunk = _OnChunk(self.source, work)
        ticks = _Ticks(len(self.source.pieces), self.report)
        shards = _shards(self.source.pieces)
        yield from self.reader.results(on_chunk, combine, shards, cancel, ticks)


@dataclass
class _Ticks:
    """Counts chunks that are done, and reports the part of all."""

    of: int
    report: ReportFraction
    done: int = 0

    def __call__(self, more: int) -> None:
        self.done += more
        self.report(self.done / self.of)


def _shards(pieces: Sequence[Piece]) -> list[Sequence[Piece]]:
    rows = max((piece.rows for piece in pieces), default=0)
    size = max(1, SHARD_ROWS // rows) if rows else SHARD_CHUNKS
    return [pieces[at : at + size] for at in range(0, len(pieces), size)]


# -- opening --------------------------------------------------------------------------------------


def is_large(path: Path | str) -> bool:
    """Whether the table is so large that learners read it in chunks without being asked to: a
    Parquet table of more than LARGE_CELLS cells, or text of more than LARGE_BYTES."""
    path = Path(path)
    if not can_stay_in_file(path) or not path.is_file():
        return False
    if path.suffix.lower() != ".parquet":
        return path.stat().st_size > LARGE_BYTES
    import polars

    try:
        lazy = polars.scan_parquet(path, glob=False)
        width = len(lazy.collect_schema())
        return int(lazy.select(polars.len()).collect().item()) * width > LARGE_CELLS
    except polars.exceptions.PolarsError:
        return False  # its reader reports what is wrong


def can_stay_in_file(path: Path | str) -> bool:
    """Whether tables of this format can be read in chunks."""
    return Path(path).name.lower().endswith(_ENDINGS)


def open_table(
    path: Path | str,
    options: ImportOptions | None = None,
    *,
    reader: ChunkReader = HERE,
    cancel: CancelToken = NEVER,
    report: ReportFraction = ignore_progress,
) -> Imported:
    """A table that stays in its file; the states are those of all rows, as an import finds them."""
    path, options = Path(path).absolute(), options or ImportOptions()
    if not can_stay_in_file(path):
        listed = ", ".join(_ENDINGS)
        raise DataFileError(path, f"cannot be read in chunks. Files that can end in {listed}.")
    if options.imprecise:
        raise DataFileError(path, "cannot have sets of states when it is read in chunks.")
    check_regular(path, DataFileError)
    kind = data_format(path)
    title = "Text" if kind is None else kind.title
    return guarded(path, title, lambda: _opened(path, options, reader, cancel, report))


def _opened(
    path: Path,
    options: ImportOptions,
    reader: ChunkReader,
    cancel: CancelToken,
    report: ReportFraction,
) -> Imported:
    record = _record(path, options)
    known = _recorded(record)
    if known is not None:
        report(1.0)
        return replace(known.imported, data=LargeTable(known.source, known.facts, reader))
    table = _beginning(path, options)
    if options.domain is None:
        check_names(table.frame.columns, options)
    source = _source(path, options, table, cancel)
    half = _Ticks(2 * len(source.pieces), report)
    columns: dict[str, _Values] | None = None
    shards = _shards(source.pieces)
    for part in reader.results(_Inspect(source), _merged_values, shards, cancel, half):
        columns = part if columns is None else _merged_values(columns, part)
    assert columns is not None
    source = _with_first_rows(source, columns[""].pieces)
    if not source.pieces:
        raise DataFileError(path, "has no rows.")
    imported = _states(path, options, table, columns)
    domain = imported.data.domain
    coding = replace(
        options, domain=domain, discretise=imported.cuts, bins=None, as_states=(), declared={}
    )
    source = replace(source, options=coding)
    source = replace(source, cache_key=_cache_key(source))
    facts = _facts(source, reader, cancel, half)
    if source.cache_key:
        with contextlib.suppress(OSError):  # no space: the file is read again
            _write(record, np.frombuffer(pickle.dumps(_Opened(imported, source, facts)), np.uint8))
    return replace(imported, data=LargeTable(source, facts, reader))


@dataclass(frozen=True, eq=False)
class _Opened:
    """What opening a file found, so that it is not read again for that."""

    imported: Imported
    source: TableSource
    facts: TableFacts


def _record(path: Path, options: ImportOptions) -> Path:
    """Where that is kept; another file, program or choice has another place."""
    stamp = path.stat()
    parts = (_VERSION, __version__, str(path), stamp.st_size, stamp.st_mtime_ns, options)
    sizes = (CHUNK_CELLS, CHUNK_BYTES)
    key = hashlib.sha256(repr((parts, sizes)).encode()).hexdigest()[:20]
    return tables_folder() / f"{key}.opened"


def _recorded(record: Path) -> _Opened | None:
    try:
        opened = pickle.loads(record.read_bytes())
        os.utime(record)
    except Exception:  # whatever a damaged file gives: the table is read again
        return None
    return opened if isinstance(opened, _Opened) else None


def _beginning(path: Path, options: ImportOptions) -> RawTable:
    """The first rows of the file, with the names of its columns."""
    import polars

    if path.suffix.lower() == ".parquet":
        frame = polars.scan_parquet(path, glob=False).head(1000).collect()
        table = parquet.raw_table(path, frame, options)
    else:
        table = delimited.read_beginning(path, options)
    return clean_table(table)


def _source(
    path: Path, options: ImportOptions, table: RawTable, cancel: CancelToken
) -> TableSource:
    """The file in pieces."""
    import polars

    size, names = path.stat().st_size, tuple(table.frame.columns)
    if table.facts is None:
        rows = int(polars.scan_parquet(path, glob=False).select(polars.len()).collect().item())
        step = 1 << max(6, (CHUNK_CELLS // max(1, len(names))).bit_length() - 1)
        edges = [*range(0, rows, step), rows]
    else:
        edges = list(delimited.line_ends(path, CHUNK_BYTES, table.facts, cancel))
    pieces = tuple(
        Piece(number, start, stop) for number, (start, stop) in enumerate(pairwise(edges))
    )
    if not pieces:
        raise DataFileError(path, "has no rows.")
    if table.facts is None:
        there = polars.scan_parquet(path, glob=False).collect_schema()
        plain = [name for name, dtype in there.items() if not parquet.is_nested(dtype)]
        in_file = {name: old for name, old in zip(names, plain, strict=True) if name != old}
        return TableSource(path, size, options, None, names, pieces, in_file)
    return TableSource(path, size, options, replace(table.facts, has_header=False), names, pieces)


def _with_first_rows(source: TableSource, rows: Mapping[int, int]) -> TableSource:
    pieces, before = [], 0
    for piece in source.pieces:
        pieces.append(replace(piece, first_row=before, rows=rows[piece.number]))
        before += rows[piece.number]
    return replace(source, pieces=tuple(piece for piece in pieces if piece.rows))


@dataclass(frozen=True, eq=False)
class _Values:
    """The distinct values of a column with their weights; `frame` is None where they are too many.

    Of the table as a whole, `pieces` are the rows of each piece.
    """

    frame: polars.DataFrame | None
    pieces: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Inspect:
    """Finds the distinct values of all columns of a piece."""

    source: TableSource

    def __call__(self, piece: Piece) -> dict[str, _Values]:
        import polars

        self.source.check()
        frame = self.source.frame(piece)
        weight = self.source.options.frequency
        result = {"": _Values(None, {piece.number: frame.height})}
        total = polars.len().cast(polars.Float64)
        if weight is not None:
            total = polars.col(weight).cast(polars.Float64, strict=False).fill_null(0.0).sum()
        for name in frame.columns:
            if name != weight:
                groups = frame.lazy().group_by(polars.col(name).alias("value"))
                values = groups.agg(total.alias("weight")).collect()
                result[name] = _Values(values if values.height <= _MAX_DISTINCT else None)
        return result


def _merged_values(one: dict[str, _Values], other: dict[str, _Values]) -> dict[str, _Values]:
    import polars

    result = {"": _Values(None, {**one[""].pieces, **other[""].pieces})}
    for name, values in one.items():
        if name == "":
            continue
        frames = values.frame, other[name].frame
        if frames[0] is None or frames[1] is None:
            result[name] = _Values(None)
            continue
        both = [frame for frame in frames if frame is not None]
        if both[0].schema != both[1].schema:  # whole numbers too large to be exact are texts
            both = [frame.cast({"value": polars.String}) for frame in both]
        merged = polars.concat(both).group_by("value").agg(polars.col("weight").sum())
        result[name] = _Values(merged if merged.height <= _MAX_DISTINCT else None)
    return result


def _states(
    path: Path, options: ImportOptions, table: RawTable, columns: Mapping[str, _Values]
) -> Imported:
    """The states of all columns, as an import of the whole file finds them.

    They depend on the distinct values alone, so a small table of these is imported.
    """
    import polars

    columns = {name: values for name, values in columns.items() if name}
    many = [
        CellProblem(f"has more than {MAX_STATES:,} values; leave it out", column=name)
        for name, values in columns.items()
        if values.frame is None
    ]
    if many:
        raise DataFileError(path, "has columns of too many values.", many)
    frames = {name: values.frame for name, values in columns.items() if values.frame is not None}
    # Twice as many rows, and one more, as values: no column is “different in every row”.
    height = 2 * max((frame.height for frame in frames.values()), default=0) + 1
    series, cuts = [], dict(options.discretise)
    for name, frame in frames.items():
        frame = frame.sort("value", nulls_last=True)
        values = frame["value"]
        if (edges := _cuts(path, name, frame, options, table)) is not None:
            cuts[name] = edges
        first = values.head(1).extend_constant(values[0], height - len(values) - 1)
        series.append(polars.concat([values, first]).alias(name))
    small = replace(table, frame=polars.DataFrame(series), preview=None)
    coding = replace(options, frequency=None, bins=None, discretise=cuts, leave_out=())
    imported = code_table(path, small, coding)
    warnings = [re.sub(r" in (1 row|\d+ rows),", ",", text) for text in imported.warnings]
    return replace(imported, warnings=tuple(warnings))


def _cuts(
    path: Path, name: str, frame: polars.DataFrame, options: ImportOptions, table: RawTable
) -> Cuts | None:
    """The bin edges of a column that is to be discretised, from its values and their weights."""
    how = options.cutting_of(name)
    if how is None or isinstance(how, Cuts):
        return None
    column = column_of(frame["value"], (*options.all_markers, *table.markers), table.decimal)
    is_explicit = name in options.discretise
    if not column.is_numeric or not (is_explicit or column.has_more_than(options.many_numbers)):
        return None
    if how.target is not None:
        raise DataFileError(path, "cannot be discretised by a target when it is read in chunks.")
    if name in options.as_states:
        return None
    numbers, weights = column.numbers(), frame["weight"].to_numpy()
    seen = ~np.isnan(numbers)
    return cuts_for(name, numbers[seen], how, weights=weights[seen])


@dataclass(frozen=True)
class _Facts:
    """Counts the rows of a chunk and its missing cells, and hashes it."""

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        known = np.array([chunk.row_count, chunk.incomplete_row_count, *chunk.missing_counts])
        weights = chunk.weights
        is_whole = weights is None or case_counts(chunk) is not None
        digest = hashlib.sha256(chunk.codes.reshape(-1).view(np.uint8).data)
        if weights is not None:
            digest.update(weights.view(np.uint8).data)
        number = np.frombuffer(digest.digest()[:8], dtype=np.uint64)
        is_broken = np.array([int(not is_whole)])
        margins = np.concatenate([joint_counts(chunk, (v,)) for v in range(len(chunk.domain))])
        return known, np.array([chunk.total_weight]), is_broken, margins, number


def _facts(source: TableSource, reader: ChunkReader, cancel: CancelToken, tick: Tick) -> TableFacts:
    """What is known of the rows; this pass stores the codes."""
    work = _OnChunk(source, _Facts())
    parts = [
        *reader.results(work, _merged_facts, _shards(source.pieces), cancel, tick),
    ]
    known, weight, broken, margins, digests = reduce(_merged_facts, parts)
    digest = hashlib.sha256(digests.tobytes())
    domain = source.options.domain
    assert domain is not None
    for variable in domain:
        digest.update(repr((variable.name, variable.states)).encode())
    rows, incomplete, *missing = known.tolist()
    return TableFacts(
        rows,
        float(weight[0]),
        source.options.frequency is not None,
        tuple(missing),
        incomplete,
        not broken[0],
        tuple(np.split(margins, np.cumsum(domain.cardinalities)[:-1])),
        digest.hexdigest()[:16],
    )


def _merged_facts(one: Arrays, other: Arrays) -> Arrays:
    return (*add_arrays(one[:-1], other[:-1]), np.concatenate((one[-1], other[-1])))


def _cache_key(source: TableSource) -> str:
    """The name of the folder with the codes; empty when the disk has too little space."""
    domain = source.options.domain
    assert domain is not None
    stamp = source.path.stat().st_mtime_ns
    parts = (_VERSION, source, stamp, source.pieces)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:20]
    rows = sum(piece.rows for piece in source.pieces)
    cards = domain.cardinalities
    needed = rows * (len(cards) * code_dtype(domain).itemsize + sum(cards) // 8 + 8)
    _remove_unused(tables_folder())
    try:
        folder = tables_folder()
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / key).is_dir():
            os.utime(folder / key)
            return key
        return key if needed < _CACHE_PART * shutil.disk_usage(folder).free else ""
    except OSError:
        return ""


def _remove_unused(folder: Path) -> None:
    """Remove the codes of tables that were not used for some days."""
    oldest = time.time() - _CACHE_DAYS * 86_400
    for one in folder.glob("*"):
        try:
            if one.stat().st_mtime < oldest:
                shutil.rmtree(one, ignore_errors=True) if one.is_dir() else one.unlink()
        except OSError:
            continue
