"""Values of arguments that are refused at once, with the name of the argument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real

from pgmstudio.core.errors import ParameterError


def brief(value: object) -> str:
    """The value, or its type where its text is long."""
    text = repr(value)
    is_short = len(text) <= 40 and "\n" not in text
    return text if is_short else f"a value of type {type(value).__name__}"


def keys_of(learners: Iterable[str]) -> tuple[str, ...]:
    """Keys of learners; a text is a list of one, or of several with commas or blanks."""
    if isinstance(learners, str):
        return tuple(learners.replace(",", " ").split())
    return tuple(learners)


def check_whole(least: int, /, **values: object) -> None:
    """Whole numbers from `least` on; ParameterError names the others."""
    problems = {}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            problems[name] = f"{brief(value)} is not a whole number"
        elif int(value) < least:
            problems[name] = f"must be at least {least}"
    if problems:
        raise ParameterError(problems)


def check_seconds(**values: object) -> None:
    """Seconds above 0, or None for no limit."""
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ParameterError({name: f"{brief(value)} is not a number of seconds"})
        if not float(value) > 0:
            raise ParameterError({name: "must be more than 0 seconds"})


def check_mapping(example: str, /, **values: object) -> None:
    """Mappings, or None; the example shows what is meant."""
    for name, value in values.items():
        if value is not None and not isinstance(value, Mapping):
            raise ParameterError({name: f"{brief(value)} is not a dict such as {example}"})
