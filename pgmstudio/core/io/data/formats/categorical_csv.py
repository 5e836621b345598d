"""Large text tables with few distinct texts per column, coded in one pass over their bytes.

This is what most data for discrete models look like, and it can be read several times faster than a
general reader can parse them. Whatever is out of the ordinary is left to that reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.io.data.formats.raw_table import TextFacts
from pgmstudio.core.io.data.formats.text_sniffing import natural_key

if TYPE_CHECKING:
    import polars

# Below this, loading the compiled code takes longer than it saves.
MIN_BYTES = 32 << 20
MAX_TEXTS = 200
_MAX_THREADS = 8
_LONG_LINE = 1 << 15
_MIN_TO_CUT = 4 * _LONG_LINE * _MAX_THREADS
_ROUNDS = 2000  # new texts met on the way, each a short stop; more than this is no such table


@dataclass(eq=False)
class _Known:
    """The distinct texts of each column, and the tables the compiled reader looks them up in."""

    texts: list[list[bytes]]
    learned: set[tuple[int, bytes]] = field(default_factory=set)
    keys: NDArray[np.uint64] = field(init=False)
    codes: NDArray[np.int16] = field(init=False)
    begins: NDArray[np.uint64] = field(init=False)
    ends: NDArray[np.uint64] = field(init=False)
    pool: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        from pgmstudio.core.io.data.formats.categorical_csv_kernels import SLOTS

        shape, first = (len(self.texts), SLOTS), self.texts
        self.texts = [[] for _ in first]
        self.keys = np.zeros(shape, dtype=np.uint64)
        self.codes = np.full(shape, -1, dtype=np.int16)
        self.begins = np.zeros(shape, dtype=np.uint64)
        self.ends = np.zeros(shape, dtype=np.uint64)
        self.pool = np.zeros(0, dtype=np.uint8)
        for column, texts in enumerate(first):
            for text in texts:
                self.learn(column, text)

    def learn(self, column: int, text: bytes) -> bool:
        """Give a text the next code; False when the column has too many, or it is not plain.

        A carriage return at the end belongs to the line, so such a text gets the same code.
        """
        from pgmstudio.core.io.data.formats import categorical_csv_kernels as kernels

        if (column, text) in self.learned:  # two pieces met it in one round
            return True
        self.learned.add((column, text))
        plain = text.removesuffix(b"\r")
        if b"\r" in plain or b'"' in plain:
            return False
        if plain not in self.texts[column]:
            if len(self.texts[column]) == MAX_TEXTS:
                return False
            self.texts[column].append(plain)
        word = np.uint64(int.from_bytes(text[:8], "little"))
        key = np.uint64(kernels.key_of(word, np.uint64(len(text))))
        slot, begin = int(kernels.slot_of(key)), self.pool.size
        self.pool = np.concatenate([self.pool, np.frombuffer(text, dtype=np.uint8)])
        while self.codes[column, slot] >= 0:
            slot = (slot + 1) % kernels.SLOTS
        self.codes[column, slot] = self.texts[column].index(plain)
        self.keys[column, slot] = key
        self.begins[column, slot], self.ends[column, slot] = begin, self.pool.size
        return True

    @property
    def tables(self) -> tuple[NDArray[Any], ...]:
        return self.keys, self.codes, self.begins, self.ends, self.pool


@dataclass(eq=False)
class _Piece:
    """Whole lines of the table, content[start:stop], and the number of the first of them."""

    content: NDArray[np.uint8]
    start: int
    stop: int
    row: int = 0
    state: int = -1
    stopped_at: NDArray[np.int64] = field(default_factory=lambda: np.zeros(5, dtype=np.int64))


def read_few_valued(
    source: Path | bytes, facts: TextFacts, sample: polars.DataFrame
) -> polars.DataFrame | None:
    """The columns that have few distinct texts, coded; None when the table is not of that kind.

    `sample` holds the first rows as texts. Columns with too many distinct texts in it are not in
    the answer.
    """
    wanted = {series.name: _texts(series) for series in sample}
    wanted = {name: texts for name, texts in wanted.items() if 0 < len(texts) <= MAX_TEXTS // 2}
    if sample.width < 2 or len(wanted) * 2 < sample.width:
        return None
    if isinstance(source, bytes):
        content = np.frombuffer(source, dtype=np.uint8)
    else:
        content = np.asarray(np.memmap(source, dtype=np.uint8, mode="r"))
    numbers = {name: number for number, name in enumerate(wanted)}
    targets = [numbers.get(name) for name in sample.columns]
    known = _Known([[text.encode() for text in texts] for texts in wanted.values()])
    codes = _coded(content, facts, targets, known)
    return None if codes is None else _frame(wanted, known, codes)


def _texts(series: polars.Series) -> list[str]:
    return sorted((text or "" for text in series.unique().to_list()), key=natural_key)


def _coded(
    content: NDArray[np.uint8], facts: TextFacts, targets: Sequence[int | None], known: _Known
) -> NDArray[np.uint8] | None:
    from pgmstudio.core.execution.cores import core_count
    from pgmstudio.core.io.data.formats import categorical_csv_kernels as kernels

    start = _first_row(content, facts)
    if start is None:
        return None
    wanted = np.array(
        [kernels.SKIPPED if target is None else target for target in targets], dtype=np.uint64
    )
    separators = np.uint64(ord(facts.delimiter) * 0x0101010101010101)
    threads = min(core_count(), _MAX_THREADS)
    pieces = _pieces(content, start, threads)
    with ThreadPoolExecutor(threads) as pool:
        lines = pool.map(lambda p: kernels.count_line_ends(p.content[p.start : p.stop]), pieces)
        rows = 0
        for piece, count in zip(pieces, lines, strict=True):
            piece.row, rows = rows, rows + count
        codes = np.empty((len(known.texts), rows), dtype=np.uint8)

        def run(piece: _Piece) -> None:
            piece.state = kernels.code_rows(
                piece.content,
                np.uint64(piece.start),
                np.uint64(piece.stop),
                separators,
                known.tables,
                wanted,
                np.uint64(piece.row),
                codes,
                piece.stopped_at,
            )

        for _ in range(_ROUNDS):
            waiting = [piece for piece in pieces if piece.state != kernels.DONE]
            if not waiting:
                return codes
            list(pool.map(run, waiting))
            if any(piece.state == kernels.STRANGE for piece in waiting):
                return None
            stopped = [piece for piece in waiting if piece.state == kernels.UNKNOWN]
            if not all(_learn_at(piece, known) for piece in stopped):
                return None
    return None


def _first_row(content: NDArray[np.uint8], facts: TextFacts) -> int | None:
    """Where the rows begin, after the header; None when that is not plain to see."""
    head = content[: 1 << 20].tobytes()
    if not facts.has_header:
        return None if head.startswith(b"\xef\xbb\xbf") else 0
    header, line_end, _ = head.partition(b"\n")
    return len(header) + 1 if line_end and b'"' not in header else None


def _pieces(content: NDArray[np.uint8], start: int, count: int) -> list[_Piece]:
    """Pieces of similar size that end at line ends; the last lines are apart and padded."""
    ends = [start]
    span = content.size - start
    guesses = [start + span * number // count for number in range(1, count)]
    if span >= _MIN_TO_CUT:
        for guess in (*guesses, content.size - 2 * _LONG_LINE):
            line_ends = np.flatnonzero(content[guess : guess + _LONG_LINE] == ord("\n"))
            if line_ends.size:
                ends.append(guess + int(line_ends[0]) + 1)
    last = content[ends[-1] :].tobytes()
    if not last.endswith(b"\n"):
        last += b"\n"
    rest = np.frombuffer(last + bytes(8), dtype=np.uint8)
    pieces = [_Piece(content, low, high) for low, high in pairwise(ends)]
    return [*pieces, _Piece(rest, 0, len(last))]


def _learn_at(piece: _Piece, known: _Known) -> bool:
    """Learn the text at which a piece stopped; False when it cannot be learned."""
    row, column, begin, end, row_start = (int(number) for number in piece.stopped_at)
    piece.row, piece.start = row, row_start
    return known.learn(column, piece.content[begin:end].tobytes())


def _frame(
    names: Iterable[str], known: _Known, codes: NDArray[np.uint8]
) -> polars.DataFrame | None:
    import polars

    columns = []
    for name, texts, column in zip(names, known.texts, codes, strict=True):
        try:
            categories = [text.decode() for text in texts]
        except UnicodeDecodeError:
            return None
        columns.append(_enum(name, categories, column))
    return polars.DataFrame(columns)


def _enum(name: str, texts: Sequence[str], codes: NDArray[np.uint8]) -> polars.Series:
    """A column of texts from codes; the empty text is null."""
    import polars

    series = polars.Series(name, codes)
    if "" in texts:
        empty = texts.index("")
        table = np.arange(256, dtype=np.uint8)
        table[empty + 1 :] -= 1  # the texts after the empty one move up
        series = polars.Series(name, table[codes]).set(polars.Series(codes == empty), None)
        texts = [text for text in texts if text]
    dtype = polars.Enum(list(texts))
    # Older polars casts numbers to an Enum; newer has a word of its own for it.
    converted: polars.Series = (
        series.cat.to(dtype) if hasattr(series.cat, "to") else series.cast(dtype)
    )
    return converted
