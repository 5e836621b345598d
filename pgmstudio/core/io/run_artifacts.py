"""Artifacts of a run as files: a table (.csv), or all of them as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.errors import FileError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.learning.base import RunArtifact

ENDINGS = (".csv", ".json")


def check_log_path(path: Path | str) -> None:
    """Raise FileError for a name with another extension than .csv and .json."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise FileError(Path(path), "a log ends in .csv or .json. Choose one of them.")


def write_artifacts(
    path: Path | str, artifacts: Mapping[str, RunArtifact], *, quoted: bool = False
) -> None:
    """Write the artifacts of a run: the first as a .csv table, or all in a .json."""
    check_log_path(path)
    if Path(path).suffix.lower() == ".json":
        whole = {kind: artifact.plain() for kind, artifact in artifacts.items()}
        replace_file(path, exported_json(whole, indent=None).encode())
    else:
        write_csv(path, table_text(next(iter(artifacts.values()))), quoted=quoted)


class HasTable(Protocol):
    """An object with a table of a header and rows."""

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]: ...


def table_text(artifact: HasTable) -> str:
    """The table of an artifact as comma-separated values."""
    head, rows = artifact.table()
    return csv_text([head, *rows])
