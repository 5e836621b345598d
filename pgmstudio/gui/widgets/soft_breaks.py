"""Where names and long words may be broken, so that none is wider than its panel or its column."""

from __future__ import annotations

import re

BREAK = "\u200b"  # a space without width, at which Qt may begin a new line
LONG_WORD = 24  # characters; shorter words are never broken

_WORD = re.compile(rf"\S{{{LONG_WORD + 1},}}")
_WORD_ENDS = re.compile(r"(?<=[\s_.\-/])|(?<=[a-z0-9])(?=[A-Z])")
_JOINTS = re.compile(r"(?<=[_./\\:@=,;-])(?=\w)|(?<=[a-z0-9])(?=[A-Z])")


def with_soft_breaks(text: str) -> str:
    """The text with breaks in long words: at their joints, else after every so many letters."""
    return _WORD.sub(lambda match: _broken(match.group()), text)


def halves(name: str, *, in_words: bool = False) -> tuple[str, ...]:
    """The name in two lines of about one length, cut where a word ends; `in_words`: a single word
    in its middle."""
    ends = [match.start() for match in _WORD_ENDS.finditer(name) if 0 < match.start() < len(name)]
    if not ends and not in_words:
        return (name,)
    at = min(ends or [len(name) // 2], key=lambda position: abs(2 * position - len(name)))
    return name[:at].strip(), name[at:].strip()


def without_soft_breaks(text: str) -> str:
    """The text as it was, for the clipboard."""
    return text.replace(BREAK, "")


def _broken(word: str) -> str:
    parts = []
    for part in _JOINTS.split(word):
        parts += [part[at : at + LONG_WORD] for at in range(0, len(part), LONG_WORD)]
    return BREAK.join(parts)
