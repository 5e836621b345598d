"""JSON documents: strict reading with the location of every problem, readable writing.

JSON has no infinities, yet a log-likelihood may be one. In files that this program reads again such
a number is an object, `{"number": "-inf"}`, which no text can be mistaken for; in what is written
for other programs it is `null`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from pgmstudio.core.errors import FileError, ModelFileError

ErrorType = Callable[[Path, str], FileError]

MAX_DEPTH = 100  # lists and objects inside each other

_NUMBER = "number"
_NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class _Twice(ValueError):
    """An entry occurs twice in one JSON object."""


def parse_json(
    content: bytes, path: Path, *, error: ErrorType = ModelFileError, member: str = ""
) -> JsonElement:
    """The document, to be read with its locations; `member` names a part of a project file."""
    prefix = f"{member}: " if member else ""
    try:
        document = json.loads(
            content.decode("utf-8-sig"),
            parse_int=_whole,
            parse_constant=_refuse_constant,
            object_pairs_hook=_once,
        )
    except UnicodeDecodeError as problem:
        raise error(path, f"{prefix}is not UTF-8 text, so it is no JSON.") from problem
    except json.JSONDecodeError as problem:
        message = f"{prefix}{problem.msg[:1].lower()}{problem.msg[1:]}."
        if error is ModelFileError:
            raise ModelFileError(path, message, problem.lineno, problem.colno) from problem
        raise error(path, f"line {problem.lineno}: {message}") from problem
    except RecursionError as problem:
        raise error(path, f"{prefix}is nested too deeply.") from problem
    except ValueError as problem:
        raise error(path, f"{prefix}{problem}.") from problem
    if _is_deep(document):
        raise error(path, f"{prefix}is nested too deeply.")
    return JsonElement(document, path, member, error)


def _is_deep(document: Any) -> bool:
    """Whether values lie so deep that writing or showing them would fail."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(MAX_DEPTH):
        values = (value.values() if isinstance(value, dict) else value for value in level)
        level = [v for inside in values for v in inside if isinstance(v, dict | list)]
        if not level:
            return False
    return True


def _whole(digits: str) -> int | float:
    # Whole numbers beyond doubles are no probabilities; float() also has no limit on digits.
    return int(digits) if len(digits) <= 18 else float(digits)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number that a file may hold")


def _once(pairs: list[tuple[str, Any]]) -> Any:
    if len(pairs) == 1 and pairs[0][0] == _NUMBER and isinstance(pairs[0][1], str):
        number = _NOT_FINITE.get(pairs[0][1])
        if number is not None:
            return number
    result = dict(pairs)
    if len(result) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise _Twice(f"the entry “{twice}” occurs twice in one object")
    return result


class JsonElement:
    """A value in a document with its location; reading it as another type raises with the
    location."""

    __slots__ = ("_error", "_path", "_where", "value")

    def __init__(
        self, value: Any, path: Path, where: str = "", error: ErrorType = ModelFileError
    ) -> None:
        self.value = value
        self._path, self._where, self._error = path, where, error

    def fail(self, message: str) -> NoReturn:
        """Raise the error of this document with the location in front."""
        location = f"{self._where}: " if self._where else ""
        raise self._error(self._path, f"{location}{message}")

    def _inside(self, value: Any, key: str | int) -> JsonElement:
        step = f"[{key}]" if isinstance(key, int) else key
        dot = "." if self._where and isinstance(key, str) else ""
        return JsonElement(value, self._path, f"{self._where}{dot}{step}", self._error)

    def mapping(self) -> Mapping[str, Any]:
        """The value, which must be an object."""
        if not isinstance(self.value, dict):
            self.fail(f"expected an object, found {_kind(self.value)}.")
        return self.value

    def __getitem__(self, key: str) -> JsonElement:
        inside = self.mapping()
        if key not in inside:
            self.fail(f"the entry “{key}” is missing.")
        return self._inside(inside[key], key)

    def get(self, key: str) -> JsonElement | None:
        """The entry; None when it is absent or null."""
        value = self.mapping().get(key)
        return None if value is None else self._inside(value, key)

    def entries(self) -> Iterator[tuple[str, JsonElement]]:
        """The entries of an object, each with its location."""
        for key, value in self.mapping().items():
            yield self._checked_text(key), self._inside(value, key)

    def elements(self) -> list[JsonElement]:
        """The elements of a list, each with its location."""
        if not isinstance(self.value, list):
            self.fail(f"expected a list, found {_kind(self.value)}.")
        return [self._inside(value, index) for index, value in enumerate(self.value)]

    def text(self) -> str:
        """The value, which must be a text that can be shown."""
        if not isinstance(self.value, str):
            self.fail(f"expected a text, found {_kind(self.value)}.")
        return self._checked_text(self.value)

    def _checked_text(self, text: str) -> str:
        if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
            self.fail("the text holds half of a character; it cannot be shown or saved.")
        return text

    def texts(self) -> tuple[str, ...]:
        """The value, which must be a list of texts."""
        return tuple(element.text() for element in self.elements())

    def number(self) -> float:
        """The value, which must be a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.fail(f"expected a number, found {_kind(self.value)}.")
        number = float(self.value)
        if not math.isfinite(number):
            self.fail("the number is too large.")
        return number

    def whole(self) -> int:
        """The value, which must be a whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.fail(f"expected a whole number, found {_kind(self.value)}.")
        return self.value

    def yes_no(self) -> bool:
        """The value, which must be true or false."""
        if not isinstance(self.value, bool):
            self.fail(f"expected true or false, found {_kind(self.value)}.")
        return self.value

    def point(self) -> tuple[float, float]:
        """The value, which must be a list of two numbers."""
        numbers = [element.number() for element in self.elements()]
        if len(numbers) != 2:
            self.fail(f"expected two numbers, found {len(numbers)}.")
        return numbers[0], numbers[1]

    def points(self) -> dict[str, tuple[float, float]]:
        """The value, which must be points by name."""
        return {name: location.point() for name, location in self.entries()}


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def render_json(document: Any, *, depth: int = 3) -> bytes:
    """The document as text, the outer `depth` levels a line per entry; floats come back exactly.

    Half a character (of a file name that is no UTF-8, say) becomes the replacement character.
    """
    return whole_characters(_rendered(document, depth, "") + "\n").encode()


def json_line(record: Any) -> bytes:
    """A record on a line of its own, for files that grow; `read_json_line` reads it."""
    return whole_characters(_compact(record) + "\n").encode()


def read_json_line(line: bytes) -> Any:
    """What `json_line` wrote; ValueError for anything else."""
    return json.loads(line, object_pairs_hook=_once)


def exported_json(value: Any, *, indent: int | None = 1) -> str:
    """JSON for other programs: a number that is not finite is null."""
    text = json.dumps(with_null(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return whole_characters(text) + "\n"


def whole_characters(text: str) -> str:
    """The text with the replacement character for unpaired surrogates."""
    return text if text.isascii() else _HALF_CHARACTER.sub("\ufffd", text)


def _rendered(value: Any, depth: int, indent: str) -> str:
    if depth and value and isinstance(value, dict):
        inner = indent + "  "
        lines = (
            f"{inner}{_compact(str(key))}: {_rendered(entry, depth - 1, inner)}"
            for key, entry in value.items()
        )
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if depth and value and isinstance(value, list) and isinstance(value[0], dict | list):
        inner = indent + "  "
        lines = (f"{inner}{_rendered(entry, 0, inner)}" for entry in value)
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _compact(value)


def _compact(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:  # a number that is not finite; seldom, so nothing is looked through before
        return json.dumps(_with_objects(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):  # a numpy number
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no plain value; a file could not hold it")


def _with_objects(value: Any) -> Any:
    return _replaced(value, lambda number: {_NUMBER: repr(number)})


def with_null(value: Any) -> Any:
    """The value with nothing in it that JSON lacks: null for a number that is not finite, no numpy
    number, no tuple."""
    return _replaced(value, lambda _: None)


def _replaced(value: Any, not_finite: Callable[[float], Any]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _replaced(entry, not_finite) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(entry, not_finite) for entry in value]
    if hasattr(value, "item"):  # a numpy number
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return not_finite(float(value))
    return value
