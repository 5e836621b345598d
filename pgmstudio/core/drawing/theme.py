"""The numbers of the look (colours, sizes, lines), read from `resources/tokens.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pgmstudio.core.errors import FileError, UnknownNameError

_PACKAGE = Path(__file__).resolve().parents[2]
# Inside the package when installed, next to it in a checkout.
_FOLDERS = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


@cache
def tokens() -> Mapping[str, Any]:
    """Everything in tokens.json."""
    for folder in _FOLDERS:
        path = folder / "tokens.json"
        if path.is_file():
            result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return result
    raise FileError("tokens.json", "is missing from this installation; install pgmstudio again.")


def colors(theme: str) -> Mapping[str, str]:
    """The named colours of a theme ("light", "dark") as "#RRGGBB"."""
    themes: Mapping[str, Mapping[str, str]] = tokens()["color"]
    if theme not in themes:
        raise UnknownNameError("theme", theme, themes)
    return themes[theme]
