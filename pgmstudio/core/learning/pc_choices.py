"""What a person decides where tests leave a choice: edges that stay or go, and directions."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pgmstudio.core.errors import ParameterError

Edge = tuple[str, str]

_ARROWS = ("->", "→")
_LINES = ("--", "–", "-")
_NOT = "not "


@dataclass(frozen=True)
class Choices:
    """Uncertain edges that are to be there or not, and the directions of others.

    Written as `A - B` (stays), `not A - B` (goes) and `A -> B` (this direction), with commas
    between; a name with a comma in it stands in quotes.
    """

    edges: Mapping[Edge, bool] = field(default_factory=dict)
    directions: tuple[Edge, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.edges and not self.directions

    def __str__(self) -> str:
        words = [f"{'' if stays else _NOT}{a} - {b}" for (a, b), stays in self.edges.items()]
        words += [f"{a} -> {b}" for a, b in self.directions]
        return ", ".join(map(_quoted, words))

    def with_edge(self, edge: Edge, stays: bool) -> Choices:
        """The same and one edge that stays or goes; an earlier word on it is forgotten."""
        kept = {e: s for e, s in self.edges.items() if set(e) != set(edge)}
        return Choices({**kept, edge: stays}, self.directions)

    def with_direction(self, edge: Edge) -> Choices:
        """The same and one direction; an earlier one of the same edge is forgotten."""
        kept = tuple(e for e in self.directions if set(e) != set(edge))
        return Choices(self.edges, (*kept, edge))


def _quoted(word: str) -> str:
    if "," not in word and '"' not in word:
        return word
    return '"' + word.replace('"', '""') + '"'


def read_choices(text: str | None, names: Iterable[str]) -> Choices:
    """Choices as they are typed; ParameterError names everything that is wrong."""
    if text is None or not text.strip():
        return Choices()
    known = set(names)
    edges: dict[Edge, bool] = {}
    directions: list[Edge] = []
    problems = []
    (items,) = csv.reader([text.replace("\n", ",")], skipinitialspace=True)
    for item in filter(None, map(str.strip, items)):
        arrow = next(_splits(item, _ARROWS, known), None)
        line = next(_splits(item, _LINES, known), None)
        gone = None
        if item.startswith(_NOT):
            gone = next(_splits(item.removeprefix(_NOT), _LINES, known), None)
        if arrow is not None:
            directions.append(arrow)
        elif line is not None:
            edges[line] = True
        elif gone is not None:
            edges[gone] = False
        else:
            problems.append(f"“{item}” names no two columns; write A - B, not A - B or A -> B.")
    if problems:
        raise ParameterError({"choose": " ".join(problems)})
    return Choices(edges, tuple(directions))


def _splits(item: str, signs: Iterable[str], known: set[str]) -> Iterator[Edge]:
    """Every way to read an item as two known names with a sign between; names may have signs."""
    for sign in signs:
        place = item.find(sign)
        while place >= 0:
            one, other = item[:place].strip(), item[place + len(sign) :].strip()
            if one in known and other in known and one != other:
                yield one, other
            place = item.find(sign, place + 1)
