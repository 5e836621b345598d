"""SVG as text: a few elements with escaped attributes, in the small part of SVG every viewer draws.

No style sheets, markers, clips or patterns: Qt's renderer and paper tools disagree about them.
"""

from __future__ import annotations

import re
from html import escape

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.theme import tokens

# What XML 1.0 cannot hold, even escaped.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Attribute = str | float | None


def number(value: float) -> str:
    """At most two decimals, no trailing zeros, no minus zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def escaped(content: str) -> str:
    """Text as it may stand between tags; characters XML does not know become a replacement."""
    return escape(_NOT_IN_XML.sub("\ufffd", content), quote=False)


def _quoted(value: str) -> str:
    """An attribute; its ends of lines would be read as spaces if they stood there bare."""
    return escape(value).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")


def element(name: str, content: str = "", /, **attributes: Attribute) -> str:
    """One element; `stroke_width` is written stroke-width, None is left out. Content is markup."""
    attrs = "".join(
        f' {key.replace("_", "-")}="{_quoted(value if isinstance(value, str) else number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{attrs}>{content}</{name}>" if content else f"<{name}{attrs}/>"


def rect(
    x: float, y: float, width: float, height: float, radius: float = 0, /, **attrs: Attribute
) -> str:
    return element(
        "rect", x=x, y=y, width=width, height=height, rx=radius or None, ry=radius or None, **attrs
    )


def line(start: Point, end: Point, **attrs: Attribute) -> str:
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attrs)


def path(*steps: str | Point, **attrs: Attribute) -> str:
    """A path from letters and points: `path("M", start, "Q", bend, end)`."""
    label = [s if isinstance(s, str) else f"{number(s[0])} {number(s[1])}" for s in steps]
    return element("path", d=" ".join(label), **attrs)


def text(
    content: str,
    x: float,
    middle: float,
    *,
    size: float,
    fill: str,
    weight: str = "regular",
    anchor: str = "start",
) -> str:
    """Text whose lower-case letters are centred on the height `middle`."""
    return element(
        "text",
        escaped(content),
        x=x,
        y=middle + size * 0.36,
        font_size=size,
        font_weight=str(tokens()["type"]["weight"][weight]),
        fill=fill,
        text_anchor=None if anchor == "start" else anchor,
    )


def font_families() -> str:
    attrs = tokens()["type"]
    return (
        ", ".join(
            f"'{family}'" if " " in family else family
            for family in (attrs["family"], *attrs["fallback"])
        )
        + ", sans-serif"
    )


def hatching(x: float, y: float, width: float, height: float, color: str) -> str:
    """Slanted strokes inside a rectangle; a pattern that needs no `<pattern>`."""
    steps: list[str | Point] = []
    position = x - height
    while position < x + width:
        begin, end = max(position, x), min(position + height, x + width)
        if end > begin:
            steps += [
                "M",
                (begin, y + height - (begin - position)),
                "L",
                (end, y + position + height - end),
            ]
        position += 4
    return path(*steps, stroke=color, stroke_width=1.5, fill="none") if steps else ""
