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


def style_sheet(shade: str, px: Callable[[str], int]) -> str:
    """`$name` is a colour, `$px(row)` a size, `$radius(control)` a radius of the token file."""
    text = re.sub(r"\$px\((\w+)\)", lambda match: f"{px(match[1])}px", _template())
    text = re.sub(r"\$radius\((\w+)\)", lambda match: f"{tokens()['radius_px'][match[1]]}px", text)
    text = re.sub(r"\$icon\(([\w-]+)\)", lambda match: _icon_path(match[1], shade), text)
    named = colors(shade)
    return re.sub(r"\$(\w+)", lambda match: named[match[1]], text)


def _icon_path(name: str, shade: str) -> str:
    return (folder_of("resources") / "icons" / f"{name}-{shade}.svg").as_posix()
