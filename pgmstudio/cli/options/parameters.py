"""Declared parameters as options `--name VALUE`, with help and JSON."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, TypeVar

from pgmstudio.cli.terminal.parser import CommandParser, is_number, spelled
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.params import ParamKind, ParamSpec, Preset, parse_params, specs_of

P = TypeVar("P")

_PREFIX = "param:"
_METAVARS = {
    ParamKind.WHOLE: "N",
    ParamKind.NUMBER: "X",
    ParamKind.WHOLES: "N,N…",
    ParamKind.NUMBERS: "X,X…",
    ParamKind.TEXT: "TEXT",
    ParamKind.OBJECT: "FILE",
}


def add_param_options(parser: CommandParser, params_type: type, title: str) -> None:
    """Add an option for each declared parameter, in a group of its own."""
    group = parser.add_argument_group(title)
    for spec in specs_of(params_type):
        settings: dict[str, Any] = {"dest": _PREFIX + spec.name, "default": argparse.SUPPRESS}
        if spec.kind is ParamKind.YES_NO:
            settings |= {"nargs": "?", "const": "yes", "metavar": "yes|no"}
        else:
            settings["metavar"] = _metavar(spec)
        names = [f"--{spec.option}"]
        if spec.option == "processes" and not parser.has_option("--jobs"):
            names = ["-j", "--jobs", *names]
        if spec.is_list:
            parser.take_words(names[-1], is_number)
        text = f"{spec.help} ({range_of(spec)})"
        group.add_argument(*names, help=text.replace("%", "%%"), **settings)


def option_defaults(settings: Mapping[str, str]) -> Mapping[str, str]:
    """Parameters as defaults of the options of `add_param_options`."""
    return {_PREFIX + name: text for name, text in settings.items()}


def _metavar(spec: ParamSpec) -> str:
    name = "|".join(spec.choices) if spec.choices else _METAVARS[spec.kind]
    return f"{name}|auto" if spec.allows_auto else name


def range_of(spec: ParamSpec) -> str:
    """Bounds and default as text: "at least 1, default 2"."""
    parts = []
    if spec.low is not None:
        parts.append(f"{'more than' if spec.low_open else 'at least'} {spec.low:g}")
    if spec.high is not None:
        parts.append(f"{'less than' if spec.high_open else 'at most'} {spec.high:g}")
    if spec.allows_auto:
        parts.append("or auto")
    parts.append(f"default {value_text(spec, spec.default)}")
    return ", ".join(parts)


def value_text(spec: ParamSpec, value: Any) -> str:
    """A value as it is typed on the command line."""
    if value is None:
        return spec.none_label or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(f"{part:g}" for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def params_from(args: argparse.Namespace, params_type: type[P]) -> P:
    """The parameters that were given; one ParameterError names everything wrong with them."""
    preset: Preset | None = getattr(args, "preset", None)
    given = {**({} if preset is None else preset.settings), **given_texts(args)}
    specs = {spec.name: spec for spec in specs_of(params_type)}
    values: dict[str, object] = {}
    problems: dict[str, str] = {}
    for name, text in given.items():
        spec = specs[name]
        if spec.kind is ParamKind.OBJECT and text != spec.none_label:
            values[name] = read_object(spec, text)
        else:
            values[name] = spelled(text, spec.choices)
    try:
        parsed = parse_params(params_type, values)
    except ParameterError as error:
        # Rules across parameters name fields; users typed options.
        for name, message in error.problems.items():
            problems[specs[name].option if name in specs else name] = message
        raise ParameterError(problems) from None
    return parsed


def given_texts(args: argparse.Namespace) -> Mapping[str, str]:
    """Name and text of every parameter that was given."""
    return {
        name.removeprefix(_PREFIX): text
        for name, text in vars(args).items()
        if name.startswith(_PREFIX)
    }


def read_object(spec: ParamSpec, text: str) -> object:
    """Read a parameter that is an object (knowledge, edge prices, a model) from a file."""
    if spec.object_type is Knowledge:
        from pgmstudio.core.io.background_knowledge import read_knowledge

        return read_knowledge(text)
    if spec.object_type is EdgePrices:
        from pgmstudio.core.io.edge_prices import read_edge_prices

        return read_edge_prices(text)
    from pgmstudio.core.io.models.files import read_model

    return read_model(text).model


def spec_json(spec: ParamSpec) -> dict[str, Any]:
    """A parameter as in `learners --json`."""
    return {
        "name": spec.option,
        "default": list(spec.default) if isinstance(spec.default, tuple) else spec.default,
        "low": spec.low,
        "high": spec.high,
        "choices": list(spec.choices),
        "help": spec.help,
    }
