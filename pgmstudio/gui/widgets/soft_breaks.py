"""Where long words of a wrapped text may be broken, so that no name is wider than its panel."""

from __future__ import annotations

import re

BREAK = "\u200b"  # a space without width, at which Qt may begin a new line
LONG_WORD = 24  # characters; shorter words are never broken

_WORD = re.compile(rf"\S{{{LONG_WORD + 1},}}")
_JOINTS = re.compile(r"(?<=[_./\\:@=,;-])(?=\w)|(?<=[a-z0-9])(?=[A-Z])")


def with_soft_breaks(text: str) -> str:
    """The text with breaks in long words: at their joints, else after every so many letters."""
    return _WORD.sub(lambda match: _broken(match.group()), text)


def without_soft_breaks(text: str) -> str:
    """The text as it was, for the clipboard."""
    return text.replace(BREAK, "")


def _broken(word: str) -> str:
    parts = []
    for part in _JOINTS.split(word):
        parts += [part[at : at + LONG_WORD] for at in range(0, len(part), LONG_WORD)]
    return BREAK.join(parts)
