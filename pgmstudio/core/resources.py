"""Paths of resource files, in a checkout and when installed."""

from __future__ import annotations

from pathlib import Path

from pgmstudio.core.errors import FileError

_PACKAGE = Path(__file__).resolve().parents[1]


def folder_of(name: str) -> Path:
    """A folder shipped with the program: "resources", "docs", "sample_data"."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileError(name, "this folder is missing from the installation; install pgmstudio again.")
