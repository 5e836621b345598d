"""Common parts of the formats of Bayesian networks: row order, positions, what gets lost."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import ModelFileError, PgmStudioError
from pgmstudio.core.io.models.files import ModelFile, Point
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import conversions_of, converted
from pgmstudio.core.languages.registry import a_kind, kind_title
from pgmstudio.core.languages.table_checks import ROUNDED

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
    called: str = "network",
) -> list[str]:
    """Warnings about what the formats of one language cannot hold.

    `titles` and `properties`: whether this format holds those.
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
