"""A self-contained HTML page: tags with escaped content, tables, figures and the style.

Plain text is always escaped; only Markup is not. The page refers to no other file and runs no
script; its content security policy forbids both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

from pgmstudio.core.drawing.svg.elements import font_families
from pgmstudio.core.drawing.theme import colors, tokens

# Characters that XML does not allow are replaced.
_NOT_SHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_COLORS = (
    *("surface", "sunken", "border", "text", "text_secondary", "accent", "belief", "belief_track"),
    *("warning_ink", "warning_soft", "danger_ink", "success_ink"),
)


class Markup(str):
    """Text that is already markup."""

    __slots__ = ()


Content = str | Markup
Look = Literal["auto", "light", "dark"]  # auto: as the browser


def shown(content: Content) -> Markup:
    """Content escaped for use between tags."""
    if isinstance(content, Markup):
        return content
    return Markup(escape(_NOT_SHOWN.sub("\ufffd", content), quote=False))


def tag(name: str, *content: Content, **attributes: str | None) -> Markup:
    """One element; `class_` is written class, `aria_label` aria-label, None is left out."""
    text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_NOT_SHOWN.sub(chr(0xFFFD), value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{text}>{''.join(map(shown, content))}</{name}>")


def joined(parts: Iterable[Content]) -> Markup:
    """The parts, each on its own line."""
    return Markup("\n".join(map(shown, parts)))


def table(
    head: Sequence[Content], rows: Iterable[Sequence[Content]], sides: str, caption: str = ""
) -> Markup:
    """A table; `sides` has the alignment < or > of each column."""
    classes = ["num" if side == ">" else None for side in sides]

    def line(kind: str, cells: Sequence[Content]) -> Markup:
        pairs = zip(cells, classes, strict=True)
        return tag("tr", *(tag(kind, cell, class_=name) for cell, name in pairs))

    body = tag("tbody", *(line("td", row) for row in rows))
    above = (tag("caption", caption),) if caption else ()
    inside = tag("table", *above, tag("thead", line("th", head)), body)
    return tag("div", inside, class_="wide")


def facts(pairs: Iterable[tuple[str, Content]]) -> Markup:
    """A list of names and values."""
    parts = [part for name, value in pairs for part in (tag("dt", name), tag("dd", value))]
    return tag("dl", *parts)


def figure(light: str, dark: str, caption: str) -> Markup:
    """A drawing for each colour scheme; of `auto` the light one is printed."""
    pictures = (
        tag("div", Markup(svg), class_=f"picture {scheme}", role="img", aria_label=caption)
        for svg, scheme in ((light, "for-light"), (dark, "for-dark"))
    )
    return tag("figure", *pictures, tag("figcaption", caption))


def bar(fraction: float, text: str) -> Markup:
    """A fraction as a bar with a label."""
    filled = tag("i", style=f"width:{100 * max(0.0, min(1.0, fraction)):.1f}%")
    return tag("span", tag("span", filled, class_="track"), text, class_="bar")


def details(summary: str, *content: Content) -> Markup:
    """Content that is collapsed at first."""
    return tag("details", tag("summary", summary), *content)


def command(text: str) -> Markup:
    """A command line to copy."""
    return tag("pre", tag("code", text))


def page(
    title: str,
    lead: Iterable[Content],
    sections: Sequence[tuple[str, str, Markup]],
    look: Look = "auto",
) -> str:
    """The document; a section has an anchor, a title and its content."""
    links = (tag("a", text, href=f"#{name}") for name, text, _ in sections)
    head = joined(
        (
            Markup('<meta charset="utf-8">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup(
                '<meta http-equiv="Content-Security-Policy" '
                "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            ),
            Markup(
                f'<meta name="color-scheme" content="{"light dark" if look == "auto" else look}">'
            ),
            tag("title", title),
            tag("style", Markup(_style(look))),
        )
    )
    body = joined(
        (
            tag("header", tag("h1", title), *lead),
            tag("nav", *links, aria_label="Contents"),
            tag(
                "main",
                *(tag("section", tag("h2", text), inside, id=n) for n, text, inside in sections),
            ),
        )
    )
    inside = f"<head>\n{head}\n</head>\n<body>\n{body}\n</body>"
    return f'<!doctype html>\n<html lang="en">\n{inside}\n</html>\n'


def _style(look: Look) -> str:
    def named(theme: str) -> str:
        own = colors(theme)
        return "".join(f"--{name}:{own[name]};" for name in _COLORS)

    mono = tokens()["type"]["mono"]
    hidden = "light" if look == "dark" else "dark"
    schemes = f":root {{ {named('dark' if look == 'dark' else 'light')} }}"
    schemes += f"\n.for-{hidden} {{ display: none; }}"
    if look == "auto":
        schemes += (
            f"\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {named('dark')} }}\n"
            "  .for-light { display: none; } .for-dark { display: block; } }"
        )
    return f"""
{schemes}
body {{ margin: 0 auto; max-width: 72rem; padding: 2rem 1.5rem; background: var(--surface);
  color: var(--text); font: 15px/1.5 {font_families()}; }}
h1 {{ font-size: 1.8rem; line-height: 1.25; margin: 0 0 .5rem; }}
h2 {{ font-size: 1.3rem; margin: 2.5rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--border); }}
h3 {{ font-size: 1.05rem; margin: 1.75rem 0 .5rem; }}
p {{ margin: .5rem 0; max-width: 46rem; }}
header p, figcaption, caption, .quiet {{ color: var(--text_secondary); }}
nav {{ display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; }}
a {{ color: var(--accent); }}
.wide {{ overflow-x: auto; margin: .75rem 0; }}
table {{ border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; padding-bottom: .35rem; white-space: nowrap; }}
th, td {{ padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--border); }}
th {{ font-weight: 600; color: var(--text_secondary); }}
.num {{ text-align: right; white-space: nowrap; }}
dl {{ display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem;
  margin: .75rem 0; font-size: 14px; }}
dt {{ color: var(--text_secondary); }}
dd {{ margin: 0; overflow-wrap: anywhere; }}
figure {{ margin: 1rem 0; }}
.picture {{ overflow-x: auto; }}
.picture svg {{ max-width: 100%; height: auto; display: block; }}
figcaption {{ font-size: 13px; margin-top: .35rem; }}
pre {{ background: var(--sunken); border-radius: 6px; padding: .6rem .8rem; overflow-x: auto;
  font: 13px/1.45 '{mono}', ui-monospace, 'DejaVu Sans Mono', monospace; }}
code {{ font-family: inherit; }}
details {{ margin: .5rem 0; }}
summary {{ cursor: pointer; color: var(--accent); }}
.bar {{ display: flex; align-items: center; gap: .5rem; white-space: nowrap; }}
.track {{ display: inline-block; width: 6rem; height: .55rem; border-radius: 3px;
  background: var(--belief_track); overflow: hidden; flex: none; }}
.track i {{ display: block; height: 100%; background: var(--belief); }}
.badge {{ background: var(--warning_soft); color: var(--warning_ink); border-radius: 4px;
  padding: 0 .4rem; font-size: 12px; }}
.good {{ color: var(--success_ink); }}
.bad {{ color: var(--danger_ink); }}
@page {{ margin: 15mm; }}
@media print {{
  body {{ max-width: none; padding: 0; font-size: 11pt; }}
  nav {{ display: none; }}
  h2, h3, caption {{ break-after: avoid; }}
  figure, tr, pre, dl {{ break-inside: avoid; }}
  .wide, .picture {{ overflow: visible; }}
  .track, .track i, .badge, pre {{ print-color-adjust: exact; }}
}}
"""
