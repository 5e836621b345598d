"""A text taken apart token by token in linear time, knowing line and column of each."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NoReturn

from pgmstudio.core.errors import ModelFileError

_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|\r?\n[ \t]*|(["\\nt]))')
_ESCAPED_CHARACTERS = {"n": "\n", "t": "\t"}
# A text in quotes with escapes, for patterns of tokens.
STRING = r'"(?:[^"\\]|\\.)*+"'
_MAX_SHOWN = 60  # characters of a token in a message


class TextScanner:
    """What a format adds are two patterns, what is skipped and what one token is, and which tokens
    are punctuation.

    Write them possessively (`++`, `*+`), so that no text can make them look twice at a character.
    """

    BLANK: ClassVar[re.Pattern[str]]
    TOKEN: ClassVar[re.Pattern[str]]
    PUNCTUATION: ClassVar[frozenset[str]] = frozenset()  # tokens that are no words

    def __init__(self, text: str, path: Path) -> None:
        self.path = path
        self.text = text
        self.position = 0
        self.start = 0  # where the last token began

    def fail(self, message: str, offset: int | None = None) -> NoReturn:
        """Raise with line and column of an offset, or else of the last token."""
        raise ModelFileError(self.path, message, *self.at(self.start if offset is None else offset))

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, counted from 1."""
        line = self.line(offset)
        before = self._line_ends[line - 2] if line > 1 else -1
        return line, offset - before

    def line(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect_left(self._line_ends, offset) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        return [end.start() for end in re.finditer("\n", self.text)]

    def next_token(self) -> str:
        """The next token, "" at the end; quoted names keep their quotes."""
        blank = self.BLANK.match(self.text, self.position)
        self.start = blank.end() if blank else self.position
        token = self.TOKEN.match(self.text, self.start)
        if token is None:
            self.position = self.start
            return ""
        if self.text.startswith("/*", self.start):  # a whole comment would be blank
            self.fail("the comment that begins here has no end.")
        self.position = token.end()
        return token[0]

    def peek(self) -> str:
        """The token that comes next, which stays there."""
        index = self.position
        token = self.next_token()
        self.position = index
        return token

    def take(self, expected_token: str) -> bool:
        """Whether the next token is this one; then it is behind us."""
        index = self.position
        if self.next_token() == expected_token:
            return True
        self.position = index
        return False

    def expect(self, expected_token: str, after: str) -> None:
        """Refuse anything but this token."""
        token = self.next_token()
        if token != expected_token:
            self.fail(f"expected “{expected_token}” after {after}, {found_text(token)}.")

    def word(self, what: str, *, quoted: bool = False) -> str:
        """The next token, which is no punctuation, and in quotes only if `quoted`."""
        return self._checked_word(self.next_token(), what, quoted=quoted)

    def words_until(
        self, end: str, what: str, *, skipped: tuple[str, ...] = (), quoted: bool = False
    ) -> list[tuple[str, int]]:
        """The words up to a token that ends them, each with its offset; commas may be skipped."""
        words = []
        while (token := self.next_token()) != end:
            if token not in skipped:
                words.append((self._checked_word(token, what, quoted=quoted), self.start))
        return words

    def _checked_word(self, token: str, what: str, *, quoted: bool) -> str:
        is_quoted = token.startswith('"') and token != '"'
        if not token or token == '"' or token in self.PUNCTUATION or (is_quoted and not quoted):
            self.fail(f"expected {what}, {found_text(token)}.")
        return token


def found_text(token: str) -> str:
    """Text of an unexpected token for a message."""
    shown = token if len(token) <= _MAX_SHOWN else f"{token[:_MAX_SHOWN]}…"
    return f"found “{shown}”" if token else "found the end of the file"


def number_of(word: str) -> float:
    """The number of a token; NaN if it is not a number."""
    try:
        number = math.nan if "_" in word else float(word)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def unescaped(quoted: str) -> str:
    """The text between quotes: `\\"`, `\\\\`, `\\n`, `\\t`, `\\u0041`, a line that goes on."""

    def character(escape: re.Match[str]) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        return _ESCAPED_CHARACTERS.get(escape[2], escape[2]) if escape[2] else ""

    return _ESCAPE.sub(character, quoted[1:-1])


def escaped(text: str) -> str:
    """The text in quotes, as `unescaped` reads it."""
    pieces = []
    for character in text:
        if character in '"\\':
            pieces.append(f"\\{character}")
        elif not character.isprintable() and ord(character) <= 0xFFFF:
            pieces.append({"\n": "\\n", "\t": "\\t"}.get(character, f"\\u{ord(character):04x}"))
        else:
            pieces.append(character)
    return f'"{"".join(pieces)}"'
