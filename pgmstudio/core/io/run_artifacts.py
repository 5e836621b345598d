"""What a run kept beside its model, as a file: a table, or everything as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pgmstudio.core.errors import FileError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.learning.base import RunArtifact

ENDINGS = (".csv", ".json")


def check_log_path(path: Path | str) -> None:
    """FileError for a name whose ending says neither of the two forms."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise FileError(Path(path), "a log ends in .csv or .json. Choose one of them.")


def write_artifacts(
    path: Path | str, artifacts: Mapping[str, RunArtifact], *, quoted: bool = False
) -> None:
    """Write what a run kept: the first as a table in a .csv, all of it in a .json."""
    check_log_path(path)
    if Path(path).suffix.lower() == ".json":
        whole = {kind: artifact.plain() for kind, artifact in artifacts.items()}
        replace_file(path, exported_json(whole, indent=None).encode())
    else:
        write_csv(path, table_text(next(iter(artifacts.values()))), quoted=quoted)


class HasTable(Protocol):
    """What has a head and rows."""

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]: ...


def table_text(artifact: HasTable) -> str:
    """The table of a keepsake as comma-separated values."""
    head, rows = artifact.table()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()
