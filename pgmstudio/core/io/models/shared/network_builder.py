"""Common parts of network formats: a builder whose errors have line and column, the order of rows,
positions, nested tables, and what a format cannot hold."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError, ModelFileError, PgmStudioError, UnknownNameError
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.io.models.files import ModelFile, Point, Properties, decode_text
from pgmstudio.core.io.models.shared.text_scanner import TextScanner
from pgmstudio.core.languages.bayesian_network.codec import assembled_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import conversions_of, converted
from pgmstudio.core.languages.registry import a_kind, kind_title, scale_of
from pgmstudio.core.languages.table_checks import ROUNDED, TableChecker, row_namer
from pgmstudio.core.model import UndirectedModel

if TYPE_CHECKING:
    from pgmstudio.core.languages.markov_network.model import MarkovNetwork
    from pgmstudio.core.languages.pdg.model import DecisionGraph


M = TypeVar("M", BayesianNetwork, "DecisionGraph", "MarkovNetwork")

MAX_MADE_UP = 1 << 20  # states that a file counts and does not name


NO_TITLE = "unknown"  # what programs write for a network without a title

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_POSITION = re.compile(rf"position\s*=\s*\(\s*({_NUMBER})\s*,?\s*({_NUMBER})\s*\)")


def either_way(
    numbers: Floats, row_count: int, state_count: int, *, child_first: bool
) -> tuple[Floats, bool]:
    """A table listed in one run, as rows, and whether the other order had to be taken.

    The order the format asks for is taken unless its rows miss 1 and those of the other order do
    not; both occur in files.
    """
    child_slowest = numbers.reshape(state_count, row_count).T
    child_fastest = numbers.reshape(row_count, state_count)
    expected, other = (
        (child_slowest, child_fastest) if child_first else (child_fastest, child_slowest)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        fits, other_fits = (
            bool((np.abs(rows.sum(axis=1) - 1) <= ROUNDED).all()) for rows in (expected, other)
        )
    return (other, True) if other_fits and not fits else (expected, False)


def nested_table(table: Floats, between: str, inner: str, outer: str) -> str:
    """Parentheses around every axis; what stands between numbers, between the rows of an inner
    axis, and between those of the first."""
    rows = [
        f"({between.join(map(repr, row))})" for row in table.reshape(-1, table.shape[-1]).tolist()
    ]
    if table.ndim == 1:
        return rows[0]
    for size in reversed(table.shape[1:-1]):
        rows = [f"({inner.join(rows[i : i + size])})" for i in range(0, len(rows), size)]
    return f"({outer.join(rows)})"


def position_in(text: str) -> Point | None:
    """The point of a `position = (x, y)` line; None when it is some other line."""
    result = _POSITION.fullmatch(text.strip())
    if result is None:
        return None
    x, y = float(result[1]), float(result[2])
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def position_text(point: Point) -> str:
    """The line that `position_in` reads; whole numbers as such, since some programs want them."""
    x, y = (str(int(c)) if c.is_integer() else repr(c) for c in map(float, point))
    return f"position = ({x}, {y})"


def title_in(name: str) -> str:
    """The title of a network from its name in a file; empty for a placeholder."""
    return "" if name == NO_TITLE else name


def network_in(file: ModelFile, path: Path, format_name: str) -> BayesianNetwork:
    """The model as a Bayesian network; ModelFileError when it is in a language that is none."""
    return model_in(file, path, BayesianNetwork, f"{format_name} holds Bayesian networks")


def model_in(file: ModelFile, path: Path, language: type[M], holds: str) -> M:
    """The model in the one language a format `holds`; ModelFileError when it has no such form."""
    model = file.model
    if isinstance(model, language):
        return model
    if language.kind not in conversions_of(model.kind):
        raise ModelFileError(path, f"{holds}, and this is {a_kind(model.kind)}. Save it as .json.")
    try:
        result = converted(model, language.kind)
    except PgmStudioError as problem:
        raise ModelFileError(path, f"{problem} Save it as .json.") from problem
    assert isinstance(result, language)
    return result


def what_is_lost(
    file: ModelFile,
    format_name: str,
    *,
    titles: bool = False,
    properties: bool = True,
    language: type = BayesianNetwork,
    called: str = "Bayesian network",
) -> list[str]:
    """Warnings about what the formats of one language cannot hold.

    `titles` and `properties`: whether this format holds those.
    """
    lost = []
    if not isinstance(file.model, language):
        title = kind_title(file.model.kind)
        lost.append(f"{format_name} cannot hold a “{title}”; it comes back as a {called}.")
        if (
            isinstance(file.model, UndirectedModel)
            and scale_of(file.model.kind) is Scale.PROBABILITY
        ):
            lost.append(
                "Its edges get directions, edges are added where the graph is not chordal, and "
                "contexts are written out in the tables: the distribution is the same."
            )
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
        lost.append(f"{format_name} cannot hold that states are ordered ({shown}).")
    return lost


def renaming_warnings(format_name: str, written: Mapping[str, str]) -> list[str]:
    """Warning that names were written differently, with one of them as an example."""
    changed = [(name, other) for name, other in written.items() if name != other]
    if not changed:
        return []
    name, other = changed[0]
    many = "1 name is" if len(changed) == 1 else f"{len(changed)} names are"
    return [
        f"{format_name} allows letters, digits and _ in names: {many} written differently "
        f"(“{other}” for “{name}”). PGM Studio restores the names; other programs show those "
        "in the file."
    ]


At = tuple[int | None, int | None]  # line and column
NOWHERE: At = (None, None)


class NetworkTextReader(TextScanner, ABC):
    """A scanner of a text from which a network is built."""

    def __init__(self, text: str, path: Path) -> None:
        super().__init__(text, path)
        self.builder = NetworkBuilder(path)

    @classmethod
    def parse(cls, content: bytes, path: Path) -> ModelFile:
        """The network in the bytes of a file; ModelFileError has line and column."""
        text, warnings = decode_text(content)
        reader = cls(text, path)
        reader.builder.warnings += warnings
        return reader.read()

    @abstractmethod
    def read(self) -> ModelFile:
        """The model file of the text."""


class NetworkBuilder:
    """Takes variables and tables in the order of a file; files call variables by identifiers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._checker = TableChecker(path)
        self.names: dict[str, str] = {}  # identifier -> name
        self.variables: dict[str, Variable] = {}
        self.layout: dict[str, Point] = {}
        self.titles: dict[str, str] = {}
        self.variable_properties: dict[str, tuple[str, ...]] = {}
        self.table_properties: dict[str, tuple[str, ...]] = {}
        self.warnings: list[str] = []
        self._parents: dict[str, list[str]] = {}
        self._rows: dict[str, Floats] = {}

    def fail(self, message: str, at: At = NOWHERE) -> NoReturn:
        """Raise ModelFileError with the location in the file."""
        raise ModelFileError(self._path, message, *at)

    def add_variable(
        self, identifier: str, states: Sequence[str], at: At, *, name: str | None = None
    ) -> Variable:
        """One more variable, called `name` or else by its identifier."""
        name = identifier if name is None else name
        if identifier in self.names or name in self.variables:
            self.fail(f"there are two variables called {name}.", at)
        try:
            variable = Variable(name, tuple(states))
        except DataError as problem:
            self.fail(str(problem), at)
        self.names[identifier] = name
        self.variables[name] = variable
        return variable

    def family(
        self, identifiers: Sequence[str], at: At, each_at: Sequence[At] = ()
    ) -> list[Variable]:
        """The variables a table is about, its own first; each once, and no second table."""
        result: dict[str, Variable] = {}
        for identifier, own_at in zip(identifiers, each_at or [at] * len(identifiers), strict=True):
            if identifier not in self.names:
                self.fail(str(UnknownNameError("variable", identifier, self.names)), own_at)
            name = self.names[identifier]
            if name in result:
                self.fail(f"{identifier} is named twice in this table.", own_at)
            result[name] = self.variables[name]
        child = next(iter(result))
        if child in self._rows:
            self.fail(f"there are two tables of {child}.", at)
        return list(result.values())

    def reserve(self, family: Sequence[Variable], at: At) -> tuple[int, int]:
        """How many rows and states the table has; refused when it would not fit into memory."""
        child, *givens = family
        shape = [given.cardinality for given in givens]
        self._checker.reserve(child.name, (*shape, child.cardinality), at[0])
        return math.prod(shape), child.cardinality

    def add_table(
        self, family: Sequence[Variable], numbers: Sequence[float], at: At, *, backwards: bool
    ) -> None:
        """A table in one run: own states fastest, then the last parent (`backwards`: the first)."""
        child, *givens = family
        count, width = self.reserve(family, at)
        if len(numbers) != count * width:
            self.fail(
                f"the table of {child.name} has {len(numbers)} numbers instead of {count * width}.",
                at,
            )
        if math.isnan(sum(numbers)) or min(numbers) < 0:
            bad = next(number for number in numbers if not number >= 0)
            self.fail(f"{bad:g} in the table of {child.name} is no probability.", at)
        flat = np.array(numbers, dtype=np.float64)
        if backwards:
            shape = [given.cardinality for given in givens]
            turned = flat.reshape(*reversed(shape), width)
            flat = turned.transpose(*reversed(range(len(shape))), len(shape)).ravel()
        rows, other_way = either_way(flat, count, width, child_first=False)
        if other_way:
            index = "" if at[0] is None else f"Line {at[0]}: the"
            self.warnings.append(
                f"{index or 'The'} table of {child.name} lists its own states slowest, against "
                "the format; it was read that way, since only so its rows sum to 1."
            )
        self.add_rows(family, rows, at)

    def add_uniform(self, family: Sequence[Variable], at: At, why: str = "") -> None:
        """A uniform table, with a warning that gives the reason; else that it has no numbers."""
        count, width = self.reserve(family, at)
        self.add_rows(family, np.full((count, width), 1 / width), at)
        name = family[0].name
        self.warnings.append(why or f"{name} has no numbers in the file; its table is uniform.")

    def add_states(self, family: Sequence[Variable], codes: Sequence[int], at: At) -> None:
        """The table of a deterministic variable: its state for each row."""
        count, width = self.reserve(family, at)
        if len(codes) != count:
            self.fail(f"{family[0].name} lists {len(codes)} states instead of {count}.", at)
        rows = np.zeros((count, width))
        rows[np.arange(count), codes] = 1
        self.add_rows(family, rows, at)

    def add_rows(
        self,
        family: Sequence[Variable],
        rows: Floats,
        at: At,
        line_of: Callable[[int], int] | None = None,
    ) -> None:
        """A table as rows, one for each combination of the parents' states, the last fastest."""
        child, *givens = family
        self._parents[child.name] = [given.name for given in givens]
        self._rows[child.name] = self._checker.checked(
            child.name, rows, row_namer(givens), line_of or (lambda row: at[0])
        )

    def has_table(self, name: str) -> bool:
        """Whether the table of the variable has been added."""
        return name in self._rows

    def in_our_order(self, numbers: Sequence[float], givens: Sequence[Variable]) -> list[float]:
        """One number for each row, from the order of a file's parents to that of our tables."""
        shape = [given.cardinality for given in givens]
        if len(numbers) != math.prod(shape):
            return list(numbers)
        order = {name: index for index, name in enumerate(self.variables)}
        indices = [order[given.name] for given in givens]
        axes = sorted(range(len(indices)), key=indices.__getitem__)
        turned: list[float] = np.array(numbers).reshape(shape).transpose(axes).ravel().tolist()
        return turned

    def file(self, title: str, network_properties: Sequence[str] = ()) -> ModelFile:
        """The whole model; a variable without table is refused."""
        bare = [name for name in self.variables if name not in self._rows]
        if bare:
            shown = ", ".join(bare[:10]) + (f" and {len(bare) - 10} more" if bare[10:] else "")
            self.fail(f"there is no table of {shown}.")
        return ModelFile(
            assembled_network(self._path, list(self.variables.values()), self._parents, self._rows),
            title=title,
            titles=self.titles,
            layout=self.layout,
            properties=Properties(
                tuple(network_properties), self.variable_properties, self.table_properties
            ),
            warnings=(*self.warnings, *self._checker.warnings()),
        )
