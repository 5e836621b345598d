"""The data files of recipes and studies."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from pgmstudio.core.data.discretization import Discretisation
from pgmstudio.core.errors import DataError
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_together, read_data
from pgmstudio.core.io.models.files import read_model
from pgmstudio.studies.recipe import Source

# Beside the checkout, or beside the folder that one is in.
_BESIDE = Path("shared") / "data"


class HasSources(Protocol):
    """A recipe or study, which names its data files."""

    @property
    def title(self) -> str: ...

    @property
    def sources(self) -> tuple[Source, ...]: ...


def data_folder(given: Path | str | None = None) -> Path | None:
    """The given folder, or `shared/data` beside the checkout; None if there is none."""
    if given is not None:
        return Path(given)
    checkout = Path(__file__).resolve().parents[2]
    for candidate in (checkout.parent / _BESIDE, Path.cwd().parent / _BESIDE):
        if candidate.is_dir():
            return candidate
    return None


def absent_files(recipe: HasSources, folder: Path | None) -> tuple[str, ...]:
    """The files of the recipe that are not in the folder."""
    paths = (path for source in recipe.sources for path in source.paths)
    return tuple(path for path in paths if _file_at(path, folder) is None)


def no_data_reason(recipe: HasSources, folder: Path | None) -> str | None:
    """A message that names the missing files; None if all are there."""
    absent = absent_files(recipe, folder)
    if not absent:
        return None
    where = "no folder of data sets was found"
    if folder is not None:
        where = f"{folder} lacks {'it' if len(absent) == 1 else 'them'}"
    listed = " and ".join(filter(None, (", ".join(absent[:-1]), absent[-1])))
    return f"{recipe.title} needs {listed}, but {where}."


def read_sources(recipe: HasSources, folder: Path | None) -> dict[str, Any]:
    """The data sets and networks of the recipe by name; DataError names missing files."""
    why = no_data_reason(recipe, folder)
    if why is not None:
        raise DataError(f"{why} Give the folder that holds these files.")
    return {source.name: _read(source, folder) for source in recipe.sources}


def _file_at(path: str, folder: Path | None) -> Path | None:
    if folder is None:
        return None
    plain = folder / path
    return next((f for f in (plain, plain.with_name(plain.name + ".gz")) if f.is_file()), None)


def _read(source: Source, folder: Path | None) -> Any:
    files = [file for path in source.paths if (file := _file_at(path, folder)) is not None]
    if source.is_network:
        return read_model(files[0]).model
    options = ImportOptions(
        discretise={
            column: Discretisation(source.cut_by, bins) for column, bins in source.bins.items()
        },
        bins=source.all_bins,
        missing_as_state=source.missing_as_state,
        as_states=source.as_states,
    )
    if len(files) == 1:
        return read_data(files[0], options)
    return tuple(part.data for part in import_together(files, options))
