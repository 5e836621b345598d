"""Notes of people in Markdown, as far as notes use it, as markup of a report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from pgmstudio.core.reports.html import Markup, joined, shown, tag

_BULLET = re.compile(r"\s*[-*+]\s+")
_HEADING = re.compile(r"#{1,6}\s+")
_SPANS = re.compile(
    r"(?P<code>`[^`]+`)|(?P<strong>\*\*[^*]+\*\*|__[^_]+__)"
    r"|(?P<em>\*[^*\s][^*]*\*|(?<!\w)_[^_\s][^_]*_(?!\w))"
)
_MARKS = {"code": 1, "strong": 2, "em": 1}  # characters at each end


def notes_markup(text: str) -> list[Markup]:
    """Paragraphs, lists, headings as bold lines, and code, strong and emphasized spans."""
    return list(_parts([line for line in text.splitlines() if line.strip()]))


def _parts(lines: list[str]) -> Iterator[Markup]:
    for is_list, group in groupby(lines, lambda line: _BULLET.match(line) is not None):
        if is_list:
            yield tag("ul", joined(tag("li", _inline(_BULLET.sub("", line, 1))) for line in group))
            continue
        for line in group:
            heading = _HEADING.match(line)
            content = _inline(line[heading.end() :] if heading else line)
            yield tag("p", tag("strong", content) if heading else content)


def _inline(line: str) -> Markup:
    parts, end = [], 0
    for match in _SPANS.finditer(line):
        kind = str(match.lastgroup)
        inside = match.group()[_MARKS[kind] : -_MARKS[kind]]
        parts += [shown(line[end : match.start()]), tag(kind, inside)]
        end = match.end()
    return Markup("".join([*parts, shown(line[end:])]))
