"""What the file formats of Bayesian networks share: checking rows, positions, what gets lost."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, ModelFileError, PgmStudioError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.files import ModelFile, Point
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import CONVERSIONS, converted
from pgmstudio.core.languages.kinds import a_kind, kind_title
from pgmstudio.core.languages.pdg.model import DecisionGraph

M = TypeVar("M", BayesianNetwork, DecisionGraph)

# Together the tables may hold this many numbers (1 GB); a short file can ask for far more.
MAX_CELLS = 1 << 27
MAX_MADE_UP = 1 << 20  # states that a file counts and does not name
MAX_AXES = 32  # of an array, before numpy 2

# Sums of doubles are this near to 1; such rows are left as they are, so that what was written
# comes back bit for bit.
EXACT = 1e-9
# Up to here a row was rounded on writing; all such rows share one remark.
ROUNDED = 1e-5
_MAX_WARNINGS = 20

NO_TITLE = "unknown"  # what programs write for a network without a title

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_POSITION = re.compile(rf"position\s*=\s*\(\s*({_NUMBER})\s*,?\s*({_NUMBER})\s*\)")


class TableChecker:
    """Checks the tables of one file row by row, normalises, and remembers what it put right."""

    def __init__(self, path: Path, *, exact: float = EXACT) -> None:
        self._path, self._exact = path, exact
        self._cells = 0
        self._said: list[str] = []
        self._rounded = 0
        self._worst = 0.0

    def reserve(self, name: str, shape: Sequence[int], line: int | None = None) -> None:
        """Refuse a table that would not fit into memory before anything of it is made.

        `shape` has one axis for each parent and, last, that of the variable itself.
        """
        if len(shape) > MAX_AXES:
            raise ModelFileError(
                self._path,
                f"{name} has {len(shape) - 1} parents; a table can have {MAX_AXES - 1}. "
                "Remove parents or merge states.",
                line,
            )
        cells = math.prod(shape)
        self._cells += cells
        if self._cells > MAX_CELLS:
            raise ModelFileError(
                self._path,
                f"the table of {name} has {count_text(cells)} numbers; all tables together may "
                f"have {MAX_CELLS}. Remove parents or merge states.",
                line,
            )

    def checked(
        self,
        name: str,
        rows: NDArray[np.float64],
        row_name: Callable[[int], str],
        line_of: Callable[[int], int | None],
    ) -> NDArray[np.float64]:
        """The rows, each summing to 1; ModelFileError for a row that cannot be made to."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = rows.sum(axis=1)
        wrong = ~np.isfinite(sums) | (sums <= 0) | (rows < 0).any(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            why = (
                f"sums to {sums[row]:g}"
                if rows[row].min() >= 0
                else "holds a number that is no probability"
            )
            message = f"the row {row_name(row)} of {name} {why}. Give one number per state."
            raise ModelFileError(self._path, message, line_of(row))
        misses = np.abs(sums - 1)
        for row in np.flatnonzero(misses > ROUNDED).tolist():
            self._say(name, row_name(row), float(sums[row]), line_of(row))
        off = misses > self._exact
        rounded = off & (misses <= ROUNDED)
        if rounded.any():
            self._rounded += int(rounded.sum())
            self._worst = max(self._worst, float(misses[rounded].max()))
        if not off.any():
            return rows
        rows = rows.copy()
        rows[off] /= sums[off, None]
        return rows

    def _say(self, name: str, row: str, total: float, line: int | None) -> None:
        place = f"{self._path.name}, line {line}" if line is not None else self._path.name
        self._said.append(
            f"{place}: the row {row} of {name} sums to {total:.6g}. "
            "Loaded and normalised; check the table."
        )

    def remarks(self) -> tuple[str, ...]:
        """What was put right, a sentence each; at most twenty and then how many more."""
        said = self._said[:_MAX_WARNINGS]
        if len(self._said) > len(said):
            said.append(f"{len(self._said) - len(said)} more rows were normalised.")
        if self._rounded:
            rows = "1 row misses" if self._rounded == 1 else f"{self._rounded} rows miss"
            said.append(f"{rows} 1 by rounding, at most {self._worst:.1g}; normalised.")
        return tuple(said)


def count_text(count: int) -> str:
    """A count that may have thousands of digits."""
    return str(count) if count < 10**15 else f"more than 2^{count.bit_length() - 1}"


def row_namer(parents: Sequence[Variable]) -> Callable[[int], str]:
    """How row number n of a table is called: (yes, no), the last parent running fastest."""
    shape = tuple(parent.cardinality for parent in parents)

    def name(row: int) -> str:
        codes = np.unravel_index(row, shape) if shape else ()
        states = (parent.states[int(c)] for parent, c in zip(parents, codes, strict=True))
        return f"({', '.join(states)})"

    return name


def either_way(
    numbers: NDArray[np.float64], row_count: int, state_count: int, *, child_first: bool
) -> tuple[NDArray[np.float64], bool]:
    """A table listed in one run, as rows, and whether the other order had to be taken.

    The order the format asks for is taken unless its rows miss 1 and those of the other order do
    not; both are found in files.
    """
    child_slowest = numbers.reshape(state_count, row_count).T
    child_fastest = numbers.reshape(row_count, state_count)
    asked, other = (child_slowest, child_fastest) if child_first else (child_fastest, child_slowest)
    with np.errstate(over="ignore", invalid="ignore"):
        fits, other_fits = (
            bool((np.abs(rows.sum(axis=1) - 1) <= ROUNDED).all()) for rows in (asked, other)
        )
    return (other, True) if other_fits and not fits else (asked, False)


def assembled_network(
    path: Path,
    variables: Sequence[Variable],
    parents: Mapping[str, Sequence[str]],
    rows: Mapping[str, NDArray[np.float64]],
) -> BayesianNetwork:
    """The network of tables whose parents stand in the order of the file, the last fastest."""
    domain = Domain(tuple(variables))
    edges = [(parent, child) for child, listed in parents.items() for parent in listed]
    try:
        dag = Dag.from_edges(domain.names, edges)
    except (GraphError, UnknownNameError) as problem:
        raise ModelFileError(path, str(problem)) from problem
    tables = []
    for variable in domain:
        places = [domain.index(parent) for parent in parents[variable.name]]
        shape = [domain.cardinalities[place] for place in places]
        axes = sorted(range(len(places)), key=places.__getitem__)
        table = rows[variable.name].reshape(*shape, variable.cardinality)
        tables.append(table.transpose(*axes, len(places)))
    return BayesianNetwork(domain, dag, tuple(tables))


def position_in(text: str) -> Point | None:
    """The point of a `position = (x, y)` line; None when it is some other line."""
    found = _POSITION.fullmatch(text.strip())
    if found is None:
        return None
    x, y = float(found[1]), float(found[2])
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def position_text(point: Point) -> str:
    """The line that `position_in` reads; whole numbers as such, since some programs want them."""
    x, y = (str(int(c)) if c.is_integer() else repr(c) for c in map(float, point))
    return f"position = ({x}, {y})"


def title_in(name: str) -> str:
    """The title of a network called so in a file; empty when the name says nothing."""
    return "" if name == NO_TITLE else name


def network_in(file: ModelFile, path: Path, format_name: str) -> BayesianNetwork:
    """The model as a Bayesian network; ModelFileError when it is in a language that is none."""
    return model_in(file, path, BayesianNetwork, f"{format_name} holds Bayesian networks")


def model_in(file: ModelFile, path: Path, wanted: type[M], holds: str) -> M:
    """The model in the one language a format `holds`; ModelFileError when it has no such form."""
    model = file.model
    if isinstance(model, wanted):
        return model
    if wanted.kind not in CONVERSIONS.get(model.kind, {}):
        raise ModelFileError(path, f"{holds}, and this is {a_kind(model.kind)}. Save it as .json.")
    try:
        found = converted(model, wanted.kind)
    except PgmStudioError as problem:
        raise ModelFileError(path, f"{problem} Save it as .json.") from problem
    assert isinstance(found, wanted)
    return found


def what_is_lost(
    file: ModelFile,
    format_name: str,
    *,
    titles: bool = False,
    properties: bool = True,
    language: type = BayesianNetwork,
    called: str = "network",
) -> list[str]:
    """One sentence for each thing that the formats of one language cannot hold.

    `titles` and `properties` say whether this format holds those.
    """
    lost = []
    if not isinstance(file.model, language):
        title = kind_title(file.model.kind)
        lost.append(f"{format_name} cannot hold a “{title}”; it comes back as a {called}.")
    if file.notes:
        lost.append(f"{format_name} cannot hold notes.")
    if file.provenance:
        lost.append(f"{format_name} cannot hold where the model comes from.")
    if file.titles and not titles:
        lost.append(f"{format_name} cannot hold titles of nodes.")
    if file.properties and not properties:
        lost.append(f"{format_name} cannot hold the further properties that came with the model.")
    ordered = [variable.name for variable in file.model.domain if variable.is_ordinal]
    if ordered:
        shown = ", ".join(ordered[:5]) + (", …" if len(ordered) > 5 else "")
        lost.append(f"{format_name} cannot say that states are ordered ({shown}).")
    return lost


def names_told(format_name: str, written: Mapping[str, str]) -> list[str]:
    """A sentence when names had to be written differently, with one of them as an example."""
    changed = [(name, word) for name, word in written.items() if name != word]
    if not changed:
        return []
    name, word = changed[0]
    many = "1 name is" if len(changed) == 1 else f"{len(changed)} names are"
    return [
        f"{format_name} allows letters, digits and _ in names: {many} written differently "
        f"(“{word}” for “{name}”). PGM Studio reads the names back; other programs show the others."
    ]
