"""The data files of recipes and studies: read from a local folder, nothing is downloaded.

`published/data_files.json` has the SHA-256 of the content of each file, and its public source.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
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
        origins = [
            f"{path} ({known['source']})"
            for path in absent_files(recipe, folder)
            if (known := known_files().get(path)) is not None
        ]
        listed = f" Public sources: {'; '.join(origins)}." if origins else ""
        raise DataError(
            f"{why} Give the folder that holds these files; nothing is downloaded.{listed}"
        )
    return {source.name: _read(source, folder) for source in recipe.sources}


@cache
def known_files() -> Mapping[str, Mapping[str, str]]:
    """Checksum (`sha256`) and public source (`source`) of each data file, by its path."""
    text = files("pgmstudio.studies").joinpath("published/data_files.json").read_text("utf-8")
    known: dict[str, dict[str, str]] = json.loads(text)
    return known


def changed_files_note(recipe: HasSources, folder: Path | None) -> str:
    """Which files have another content than those that published values were compared with."""
    changed = [
        path
        for source in recipe.sources
        for path in source.paths
        if (file := _file_at(path, folder)) is not None
        and (known := known_files().get(path)) is not None
        and _content_sum(file) != known["sha256"]
    ]
    if not changed:
        return ""
    return (
        f"{', '.join(changed)}: not the content that is known (SHA-256 differs), so the values "
        "cannot be compared with published ones."
    )


def _content_sum(file: Path) -> str:
    """The SHA-256 of a file, unpacked."""
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


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
        binning=source.cut_by,
        missing_as_state=source.missing_as_state,
        as_states=source.as_states,
    )
    if len(files) == 1:
        return read_data(files[0], options)
    return tuple(part.data for part in import_together(files, options))
