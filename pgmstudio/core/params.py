"""Parameters declared once: the form, the command line and the project file read the same specs.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class MyParams:
        restarts: int = param(0, title="Restarts", low=0, help="Searches from random graphs.")

The kind comes from the annotation: bool, int, float, str with choices, tuples of numbers, each with
`| None` for "none"; `float | Literal["auto"]` is a number or the word auto. Any other type is an
OBJECT (knowledge, a start model): a file on the command line, a chooser in the window.
"""

from __future__ import annotations

import dataclasses
import math
import reprlib
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from numbers import Integral, Real
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pgmstudio.core.errors import ParameterError, nearest

P = TypeVar("P")
AUTO: Final = "auto"
# Counts and seeds beyond this fit no array and no file.
MAX_WHOLE = 2**63 - 1


class ParamKind(Enum):
    """What a parameter holds; decides its widget and how its text is read."""

    YES_NO = "yes/no"
    WHOLE = "whole number"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    WHOLES = "whole numbers"
    NUMBERS = "numbers"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """All there is to know of one parameter."""

    name: str
    kind: ParamKind
    default: Any
    title: str
    help: str
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    choices: tuple[str, ...] = ()
    none_label: str | None = None  # how "none" reads; None when none is not allowed
    allows_auto: bool = False
    object_type: Any = None
    advanced: bool = False
    is_order: bool = False  # a text of column names in an order
    is_variable: bool = False  # the name of a column

    @property
    def option(self) -> str:
        """The name on the command line, without the dashes; `lambda_` is written `lambda`."""
        return self.name.rstrip("_").replace("_", "-")

    @property
    def is_list(self) -> bool:
        return self.kind in (ParamKind.WHOLES, ParamKind.NUMBERS)


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings under a name, such as those of a publication; the other parameters have their
    defaults. Values are texts as on the command line."""

    name: str
    title: str
    help: str
    settings: Mapping[str, str]

    @property
    def options(self) -> str:
        """The settings as options of the command line."""
        values = {name: value.replace(", ", ",") for name, value in self.settings.items()}
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in values.items())


def param(
    default: Any,
    *,
    title: str,
    help: str,
    low: float | None = None,
    high: float | None = None,
    low_open: bool = False,
    high_open: bool = False,
    choices: Sequence[str] = (),
    none_label: str = "none",
    advanced: bool = False,
    is_order: bool = False,
    is_variable: bool = False,
) -> Any:
    """A dataclass field with its title, help, bounds and choices."""
    declaration = {
        "title": title,
        "help": help,
        "low": low,
        "high": high,
        "low_open": low_open,
        "high_open": high_open,
        "choices": tuple(choices),
        "none_label": none_label,
        "advanced": advanced,
        "is_order": is_order,
        "is_variable": is_variable,
    }
    return field(default=default, metadata={"param": declaration})


def specs_of(params_type: type) -> tuple[ParamSpec, ...]:
    """The declared parameters of a parameter class, in order."""
    hints = get_type_hints(params_type)
    specs = []
    for declared in dataclasses.fields(params_type):
        declaration = dict(declared.metadata["param"])
        kind, allows_none, allows_auto, object_type = _kind_of(hints[declared.name], declaration)
        none_label = declaration.pop("none_label")
        specs.append(
            ParamSpec(
                name=declared.name,
                kind=kind,
                default=declared.default,
                none_label=none_label if allows_none else None,
                allows_auto=allows_auto,
                object_type=object_type,
                **declaration,
            )
        )
    return tuple(specs)


_SCALARS = {bool: ParamKind.YES_NO, int: ParamKind.WHOLE, float: ParamKind.NUMBER}
_LISTS = {int: ParamKind.WHOLES, float: ParamKind.NUMBERS}


def _kind_of(hint: Any, declaration: Mapping[str, Any]) -> tuple[ParamKind, bool, bool, Any]:
    parts = list(get_args(hint)) if get_origin(hint) in (Union, types.UnionType) else [hint]
    allows_none = type(None) in parts
    allows_auto = Literal["auto"] in parts
    parts = [part for part in parts if part is not type(None) and part != Literal["auto"]]
    if len(parts) == 1:
        (part,) = parts
        if get_origin(part) is tuple:
            return _LISTS[get_args(part)[0]], allows_none, allows_auto, None
        if part in _SCALARS:
            return _SCALARS[part], allows_none, allows_auto, None
        if part is str:
            kind = ParamKind.CHOICE if declaration["choices"] else ParamKind.TEXT
            return kind, allows_none, allows_auto, None
        return ParamKind.OBJECT, allows_none, allows_auto, part
    raise TypeError(f"no parameter kind for {hint}")


def parse_params(params_type: type[P], given: Mapping[str, object]) -> P:
    """Parameters from values or texts; one ParameterError names everything that is wrong."""
    specs = {spec.name: spec for spec in specs_of(params_type)}
    by_option = {spec.option: spec.name for spec in specs.values()}
    problems: dict[str, str] = {}
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = key if key in specs else by_option.get(key)
        if name is None:
            names = tuple(by_option) if "-" in key else tuple(specs)  # as they were written
            problems[key] = (
                f"is not a parameter here; there are {', '.join(names)}{_hint(key, names)}"
            )
            continue
        try:
            values[name] = parse_value(specs[name], value)
        except ValueError as wrong:
            problems[specs[name].option] = str(wrong)
    if problems:
        raise ParameterError(problems)
    return params_type(**values)


def parse_value(spec: ParamSpec, value: object) -> Any:
    """One value, from a text or a value of the right kind; ValueError states what is wrong."""
    if value is None or (isinstance(value, str) and value == spec.none_label):
        if spec.none_label is None:
            raise ValueError("needs a value")
        return None
    if spec.allows_auto and value == AUTO:
        return AUTO
    if spec.kind is ParamKind.OBJECT:
        if spec.object_type is not Any and not isinstance(value, spec.object_type):
            raise ValueError(f"needs an object, not {_shown(value)}")
        return value
    if spec.kind is ParamKind.CHOICE:
        if not isinstance(value, str) or value not in spec.choices:
            hint = _hint(value, spec.choices) if isinstance(value, str) else ""
            raise ValueError(f"{_shown(value)} is not one of {', '.join(spec.choices)}{hint}")
        return value
    if spec.kind is ParamKind.TEXT:
        if isinstance(value, bool) or not isinstance(value, str | Real):
            raise ValueError(f"{_shown(value)} is not a text")
        return str(value)
    if spec.kind is ParamKind.YES_NO:
        return _yes_no(value)
    if spec.is_list:
        parts: Sequence[object]
        if isinstance(value, str):
            parts = value.replace(";", " ").replace(",", " ").split()
        elif isinstance(value, Sequence):
            parts = value
        else:
            parts = [value]
        if not parts:
            raise ValueError("needs at least one number")
        return tuple(_number(spec, part) for part in parts)
    return _number(spec, value)


def _hint(name: str, known: Sequence[str]) -> str:
    near = nearest(name, known)
    return "" if near is None else f". Did you mean {near}?"


def _yes_no(value: object) -> bool:
    if isinstance(value, bool):
        return value
    words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    if not isinstance(value, str) or value.lower() not in words:
        raise ValueError(f"{_shown(value)} is neither yes nor no")
    return words[value.lower()]


def _number(spec: ParamSpec, value: object) -> int | float:
    whole = spec.kind in (ParamKind.WHOLE, ParamKind.WHOLES)
    if isinstance(value, bool) or not isinstance(value, str | Real):
        raise ValueError(f"{_shown(value)} is not a number")
    try:
        number: int | float = float(value.replace("−", "-") if isinstance(value, str) else value)
    except ValueError:
        raise ValueError(f"{_shown(value)} is not a number") from None
    except OverflowError:
        number = math.inf
    if math.isnan(number) or math.isinf(number):
        raise ValueError(f"{_shown(value)} is not a finite number")
    if whole:
        if number != int(number):
            raise ValueError(f"{_shown(value)} is not a whole number")
        if abs(number) > MAX_WHOLE:
            raise ValueError(f"{_shown(value)} is too large")
        number = int(value) if isinstance(value, Integral) else int(number)
    if spec.low is not None and (number < spec.low or (spec.low_open and number == spec.low)):
        raise ValueError(f"must be {'more than' if spec.low_open else 'at least'} {spec.low:g}")
    if spec.high is not None and (number > spec.high or (spec.high_open and number == spec.high)):
        raise ValueError(f"must be {'less than' if spec.high_open else 'at most'} {spec.high:g}")
    return number


def _shown(value: object) -> str:
    """The value as it would be typed, cut to the length of a line."""
    try:
        return _REPR.repr(value)
    except (ValueError, RecursionError):
        return f"a value of type {type(value).__name__}"


_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxlong = _REPR.maxother = 60


def params_to_dict(params: Any) -> dict[str, Any]:
    """The plain values of a parameter object, for JSON; objects stay as they are."""
    return {
        spec.name: (list(value) if isinstance(value, tuple) else value)
        for spec in specs_of(type(params))
        for value in [getattr(params, spec.name)]
    }
