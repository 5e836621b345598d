"""The application's style sheet, made from the tokens; resources/style.qss holds its text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from pgmstudio.core.pictures.tokens import colors, tokens
from pgmstudio.gui.style.resource import folder_of


@cache
def _template() -> str:
    return (folder_of("resources") / "style.qss").read_text(encoding="utf-8")


def style_sheet(shade: str, px: Callable[[str], int], scale: float = 1.0) -> str:
    """`$name` is a colour, `$px(row)` a size, `$radius(control)` a radius of the token file.

    `$len(14s)`: 14 pixels that grow with the fonts; `$len(4*4s-2)`: four times 4, less 2 that stay.
    """
    text = re.sub(r"\$px\((\w+)\)", lambda match: f"{px(match[1])}px", _template())
    text = re.sub(_LENGTH, lambda match: _length(match, scale), text)
    text = re.sub(r"\$radius\((\w+)\)", lambda match: f"{tokens()['radius_px'][match[1]]}px", text)
    text = re.sub(r"\$icon\(([\w-]+)\)", lambda match: _icon_path(match[1], shade), text)
    named = colors(shade)
    return re.sub(r"\$(\w+)", lambda match: named[match[1]], text)


_LENGTH = r"\$len\((?:(\d+)\*)?(\d+)s([+-]\d+)?\)"


def _length(match: re.Match[str], scale: float) -> str:
    # Rounded down: a corner rounder than half its box would be drawn square.
    grown = int(match[1] or 1) * int(int(match[2]) * scale)
    return f"{grown + int(match[3] or 0)}px"


def _icon_path(name: str, shade: str) -> str:
    return (folder_of("resources") / "icons" / f"{name}-{shade}.svg").as_posix()
