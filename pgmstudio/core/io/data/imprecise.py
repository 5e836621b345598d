"""Columns with imprecise cells: `{red,green}` is one of these states, `*` any state.

In a file of comma-separated values such a cell is quoted, or its states are separated by `|` or
`;`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.discretization import number_text
from pgmstudio.core.data.imprecise import is_set_text, set_members
from pgmstudio.core.errors import DataError
from pgmstudio.core.io.data.column_types import Column, TextColumn
from pgmstudio.core.io.data.formats.text_sniffing import natural_key, number_of


@dataclass(frozen=True, eq=False)
class SetColumn:
    """A column with sets: `plain` has the states of the sets among its texts and the sets as
    missing cells; `members` has the states of each set by its index in the file's texts."""

    source: TextColumn
    plain: TextColumn
    members: Mapping[int, tuple[str, ...]]
    broken: tuple[int, ...]  # texts that are no sets, such as `{red`

    @property
    def is_set(self) -> NDArray[np.bool_]:
        """Which rows have a set."""
        return np.isin(self.source.indices, list(self.members))

    def rows(self) -> list[tuple[NDArray[np.intp], tuple[str, ...]]]:
        """The rows of each set and its states, named as the column names them."""
        is_numeric, decimal = self.plain.is_numeric, self.plain.decimal

        def name(text: str) -> str:
            number = number_of(text, decimal) if is_numeric else None
            return text if number is None else number_text(number)

        return [
            (np.flatnonzero(self.source.indices == index), tuple(map(name, states)))
            for index, states in self.members.items()
        ]


def set_column(column: Column) -> SetColumn | None:
    """The sets of a column; None if it has none."""
    if not isinstance(column, TextColumn) or not any(map(is_set_text, column.texts)):
        return None
    members: dict[int, tuple[str, ...]] = {}
    broken, unknown = [], set()
    for index, text in enumerate(column.texts):
        if is_set_text(text):
            try:
                states = set_members(text)
            except DataError:
                broken.append(index)
                continue
            if states:
                members[index] = states
            else:
                unknown.add(index)  # {red,*} is any state
    gone = {*members, *broken, *unknown}
    known = {text for index, text in enumerate(column.texts) if index not in gone}
    texts = sorted(known.union(*members.values()), key=natural_key)
    position = {text: index for index, text in enumerate(texts)}
    mapping = [
        len(texts) if index in gone else position[text] for index, text in enumerate(column.texts)
    ]
    plain = replace(column, texts=tuple(texts), indices=column.mapped(mapping, len(texts)))
    return SetColumn(column, plain, members, tuple(broken))


def set_cells(column: Column) -> tuple[int, str]:
    """How many cells of a column are complete sets of several states, and one of them."""
    result = set_column(column)
    several = [] if result is None else [i for i, s in result.members.items() if len(s) > 1]
    if result is None or not several:
        return 0, ""
    return int(np.isin(result.source.indices, several).sum()), result.source.texts[several[0]]
