"""Values of arguments that are refused at once, with the name of the argument."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real

from pgmstudio.core.errors import ParameterError


def check_whole(least: int, /, **values: object) -> None:
    """Whole numbers from `least` on; ParameterError names the others."""
    problems = {}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral):
            problems[name] = f"{value!r:.40} is not a whole number"
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
            raise ParameterError({name: f"{value!r:.40} is not a number of seconds"})
        if not float(value) > 0:
            raise ParameterError({name: "must be more than 0 seconds"})


def check_mapping(example: str, /, **values: object) -> None:
    """Mappings, or None; the example shows what is meant."""
    for name, value in values.items():
        if value is not None and not isinstance(value, Mapping):
            raise ParameterError({name: f"{value!r:.40} is not a dict such as {example}"})
