"""The trace of a search for hidden variables: candidate models, their blocks and tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import (
    NOT_TESTED,
    PartitionCheck,
)
from pgmstudio.core.languages.tree_mixture.model import Blocks
from pgmstudio.core.learning.artifacts import PlainFields

Structure = tuple[tuple[str, ...], int, Blocks]


@dataclass(frozen=True)
class Candidate:
    """One model; bits are per row, lengths: lower is better; `blocks` is its partition.

    `separator` is the column that separates them, if there are two with `second_separator`; None
    for a hidden variable of so many states.
    """

    separator: str | None
    states: int
    asked_blocks: int
    start: int
    blocks: Blocks
    length_bits: float  # DL^emp
    bic_bits: float
    bic_h_bits: float
    train_bits: float  # −log2-likelihood of the rows learned from
    held_bits: float | None  # the same of held-out rows
    fine_bits: int
    range_bits: int
    parameters: int
    empty: int
    steps: int
    gained_by_rounding: float  # bits per row, 0 at a maximum of the likelihood
    accuracy: float | None = None
    check: PartitionCheck | None = None
    second_separator: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that separate the blocks; none for a hidden variable."""
        both = self.separator, self.second_separator
        return tuple(name for name in both if name is not None)

    @property
    def structure(self) -> Structure:
        """The key of a structure, which another start may find again."""
        return self.columns, self.states, self.blocks

    @property
    def what(self) -> str:
        """The text of the separator."""
        text = separator_text(self.columns, self.states)
        return text[0].upper() + text[1:]

    @property
    def verdict(self) -> str:
        return NOT_TESTED if self.check is None else self.check.verdict

    def value(self, score: str) -> float:
        """The value of the score, higher is better: minus bits per row."""
        if score == "held-out" and self.held_bits is not None:
            return -self.held_bits
        if score == "bic":
            return -self.bic_bits
        return -(self.bic_h_bits if score == "bic-h" else self.length_bits)


@dataclass(frozen=True)
class DividedBlock:
    """A separator within a block, hidden without columns; `gained` is in bits per row."""

    block: tuple[str, ...]
    separator: tuple[str, ...]
    states: int
    blocks: Blocks
    gained: float  # by the criterion of the run
    is_kept: bool
    check: PartitionCheck | None = None

    @property
    def what(self) -> str:
        """The text of the separator."""
        return separator_text(self.separator, self.states)

    @property
    def verdict(self) -> str:
        return NOT_TESTED if self.check is None else self.check.verdict

    def text(self) -> str:
        parts = " | ".join(", ".join(block) for block in self.blocks)
        text = f"Block {', '.join(self.block)}: {self.what} of its own, {parts}, "
        if self.is_kept:
            return text + f"{self.gained:.4f} bits per row better: divided."
        why = f"{-self.gained:.4f} bits per row worse" if self.gained <= 0 else self.verdict
        return text + f"{why}: not divided."


def separator_text(columns: tuple[str, ...], states: int) -> str:
    if columns:
        return f"separator {' and '.join(columns)}"
    return f"{states} hidden state{'' if states == 1 else 's'}"


@dataclass(frozen=True)
class HiddenScan(PlainFields):
    """The candidates of one run in the order they were passed; `chosen` is the index of the
    result."""

    score: str
    candidates: tuple[Candidate, ...] = ()
    chosen: int | None = None
    identifiability: str = ""
    divisions: tuple[DividedBlock, ...] = ()

    kind = "hidden-scan"

    def with_candidate(self, candidate: Candidate) -> HiddenScan:
        return replace(self, candidates=(*self.candidates, candidate))

    def with_check(self, index: int, check: PartitionCheck) -> HiddenScan:
        """The scan with the test result of one candidate."""
        candidates = list(self.candidates)
        candidates[index] = replace(candidates[index], check=check)
        return replace(self, candidates=tuple(candidates))

    @property
    def best(self) -> Candidate | None:
        """The result, or before the end the best so far."""
        if self.chosen is not None:
            return self.candidates[self.chosen]
        return max(self.candidates, key=lambda c: c.value(self.score), default=None)

    def distinct(self) -> list[int]:
        """The best candidate of every separator and partition, the best of all first."""
        result: dict[Structure, int] = {}
        for index, candidate in enumerate(self.candidates):
            known = result.get(candidate.structure)
            if known is None or self._value(index) > self._value(known):
                result[candidate.structure] = index
        return sorted(result.values(), key=lambda index: (-self._value(index), index))

    def _value(self, index: int) -> float:
        return self.candidates[index].value(self.score)

    def structures(self) -> dict[Blocks, tuple[int, int]]:
        """Per partition its number, in the order of first occurrence, and how often it occurred."""
        counts = Counter(candidate.blocks for candidate in self.candidates)
        return {blocks: (n, counts[blocks]) for n, blocks in enumerate(counts, start=1)}

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per candidate."""
        names = tuple(f.name for f in fields(Candidate) if f.name not in ("blocks", "check"))
        head = tuple(f"{name}_per_row" if name in _PER_ROW else name for name in names)
        structures = self.structures()
        rows: list[tuple[object, ...]] = []
        for index, candidate in enumerate(self.candidates):
            number, times = structures[candidate.blocks]
            rows.append(
                (
                    *(getattr(candidate, name) for name in names),
                    len(candidate.blocks),
                    " | ".join(" ".join(block) for block in candidate.blocks),
                    number,
                    times,
                    candidate.verdict,
                    "" if candidate.check is None else candidate.check.summary(),
                    index == self.chosen,
                )
            )
        more = ("found_blocks", "blocks", "structure", "found_times", "verdict", "test", "chosen")
        return (*head, *more), rows


_PER_ROW = ("length_bits", "bic_bits", "bic_h_bits", "train_bits", "held_bits")


def label_accuracy(
    labels: NDArray[np.integer[Any]],
    assigned: NDArray[np.integer[Any]],
    weights: NDArray[np.float64] | None = None,
) -> float:
    """(1/N) Σ_j max_i n_ij: each state stands for its most frequent label (§6.5)."""
    total = labels.size if weights is None else float(weights.sum())
    if total == 0:
        return 0.0
    table = np.zeros((int(labels.max()) + 1, int(assigned.max()) + 1))
    np.add.at(table, (labels, assigned), 1 if weights is None else weights)
    return float(table.max(axis=0).sum() / total)
