"""Large text tables with few distinct texts per column, coded in one pass over their letters.

This is what most data for discrete models look like, and it can be read several times faster than a
general reader can parse them. Whatever is out of the ordinary is left to that reader.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.io.data_formats.natural_order import natural_key
from pgmstudio.core.io.data_formats.raw_table import TextFacts

if TYPE_CHECKING:
    import polars

# Below this, loading the compiled code takes longer than it saves.
LEAST_BYTES = 32 << 20
MOST_TEXTS = 250
_MOST_THREADS = 8
_ROUNDS = 2000  # new texts met on the way, each a short stop; more than this is no such table


@dataclass(eq=False)
class _Known:
    """The distinct texts of each column, in the shape the compiled reader looks them up in."""

    texts: list[list[bytes]]
    by_letter: NDArray[np.int16] = field(init=False)
    slots: NDArray[np.int16] = field(init=False)
    begins: NDArray[np.int64] = field(init=False)
    ends: NDArray[np.int64] = field(init=False)
    pool: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        from pgmstudio.core.io.data_formats.few_valued_kernels import SLOTS

        columns, first = len(self.texts), self.texts
        self.texts = [[] for _ in range(columns)]
        self.by_letter = np.full((columns, 256), -1, dtype=np.int16)
        self.slots = np.full((columns, SLOTS), -1, dtype=np.int16)
        self.begins = np.zeros((columns, MOST_TEXTS), dtype=np.int64)
        self.ends = np.zeros((columns, MOST_TEXTS), dtype=np.int64)
        self.pool = np.zeros(1 << 12, dtype=np.uint8)
        self._used = 0
        for column, texts in enumerate(first):
            for text in texts:
                self.add(column, text)

    def add(self, column: int, text: bytes) -> None:
        from pgmstudio.core.io.data_formats.few_valued_kernels import SLOTS, slot_of

        code, letters = len(self.texts[column]), np.frombuffer(text, dtype=np.uint8)
        self.texts[column].append(text)
        end = self._used + len(text)
        if end > self.pool.size:
            self.pool = np.concatenate([self.pool, np.zeros(end, dtype=np.uint8)])
        self.pool[self._used : end] = letters
        self.begins[column, code], self.ends[column, code] = self._used, end
        self._used = end
        if len(text) == 1:
            self.by_letter[column, text[0]] = code
            return
        slot = slot_of(letters, 0, len(text))
        while self.slots[column, slot] >= 0:
            slot = (slot + 1) % SLOTS
        self.slots[column, slot] = code

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.by_letter, self.slots, self.begins, self.ends, self.pool


@dataclass(eq=False)
class _Piece:
    """Whole lines of the table, and the number of the first of them."""

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
    wanted = {name: texts for name, texts in wanted.items() if 0 < len(texts) <= MOST_TEXTS // 2}
    if sample.width < 2 or len(wanted) * 2 < sample.width:
        return None
    if isinstance(source, bytes):
        letters = np.frombuffer(source, dtype=np.uint8)
    else:
        letters = np.asarray(np.memmap(source, dtype=np.uint8, mode="r"))
    targets = np.full(sample.width, -1, dtype=np.int64)
    places = [sample.columns.index(name) for name in wanted]
    targets[places] = np.arange(len(wanted))
    known = _Known([[text.encode() for text in texts] for texts in wanted.values()])
    codes = _coded(letters, facts, targets, known)
    return None if codes is None else _frame(wanted, known, codes)


def _texts(series: polars.Series) -> list[str]:
    return sorted((text or "" for text in series.unique().to_list()), key=natural_key)


def _coded(
    letters: NDArray[np.uint8], facts: TextFacts, targets: NDArray[np.int64], known: _Known
) -> NDArray[np.uint8] | None:
    from pgmstudio.core.io.data_formats import few_valued_kernels as kernels

    start = 0
    if facts.has_header:
        head = letters[: 1 << 20].tobytes()
        start = head.find(b"\n") + 1
        if start == 0 or b'"' in head[:start]:
            return None
    elif letters[:3].tobytes() == b"\xef\xbb\xbf":
        return None
    separator = ord(facts.delimiter)
    is_special = np.zeros(256, dtype=np.uint8)
    is_special[[separator, ord("\n"), ord("\r"), ord('"')]] = 1
    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    pieces = _pieces(letters, start, threads)
    with ThreadPoolExecutor(threads) as pool:
        counts = pool.map(lambda p: kernels.count_line_ends(letters, p.start, p.stop), pieces)
        rows = 0
        for piece, count in zip(pieces, counts, strict=True):
            piece.row, rows = rows, rows + count
        rows += int(letters[-1] != ord("\n"))
        codes = np.empty((len(known.texts), rows), dtype=np.uint8)

        def run(piece: _Piece) -> None:
            piece.state = kernels.code_rows(
                letters,
                piece.start,
                piece.stop,
                is_special,
                separator,
                known.arrays,
                targets,
                piece.row,
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
            if not _learnt(letters, stopped, known):
                return None
    return None


def _pieces(letters: NDArray[np.uint8], start: int, count: int) -> list[_Piece]:
    """About equal pieces that end where lines end."""
    ends = [start]
    for number in range(1, count):
        guess = start + (letters.size - start) * number // count
        line_ends = np.flatnonzero(letters[guess : guess + (1 << 20)] == ord("\n"))
        if line_ends.size:
            ends.append(max(ends[-1], guess + int(line_ends[0]) + 1))
    ends.append(letters.size)
    return [_Piece(low, high) for low, high in zip(ends, ends[1:], strict=False) if low < high]


def _learnt(letters: NDArray[np.uint8], stopped: Iterable[_Piece], known: _Known) -> bool:
    """Add the new texts at which pieces stopped; False when a column has too many."""
    for piece in stopped:
        row, column, begin, end, row_start = (int(number) for number in piece.stopped_at)
        text = letters[begin:end].tobytes()
        if text not in known.texts[column]:  # another piece may have met it in the same round
            if len(known.texts[column]) == MOST_TEXTS:
                return False
            known.add(column, text)
        piece.row, piece.start = row, row_start
    return True


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
