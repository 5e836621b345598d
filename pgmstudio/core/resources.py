"""Paths of resource files, in a checkout and when installed, and of the cache."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pgmstudio.core.errors import FileError

_PACKAGE = Path(__file__).resolve().parents[1]


def folder_of(name: str) -> Path:
    """A folder shipped with the program: "resources", "docs", "sample_data"."""
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileError(name, "this folder is missing from the installation; install pgmstudio again.")


def cache_folder() -> Path:
    """The folder of this program for files that may be deleted at any time."""
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "pgmstudio"
