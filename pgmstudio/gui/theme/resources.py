"""Paths of resource files, in a checkout and when installed."""

from __future__ import annotations

from pathlib import Path

from pgmstudio.core.errors import FileError

_PACKAGE = Path(__file__).resolve().parents[2]


def folder_of(name: str) -> Path:
    """A folder shipped with the program: "resources", "docs", "sample_data"."""
    for rect in (_PACKAGE / name, _PACKAGE.parent / name):
        if rect.is_dir():
            return rect
    raise FileError(name, "this folder is missing from the installation; install pgmstudio again.")
