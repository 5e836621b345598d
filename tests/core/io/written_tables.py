"""Small tables written for a test, and data sets as the rows a person would read."""

from __future__ import annotations

from pathlib import Path

from pgmstudio.core.data.dataset import DataSet


def saved(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rows_of(data: DataSet) -> list[list[str | None]]:
    columns = [
        [None if code == data.missing_code else variable.states[code] for code in codes]
        for variable, codes in zip(data.domain, data.codes.tolist(), strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]
