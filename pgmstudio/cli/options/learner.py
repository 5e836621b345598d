"""The learner that a command names."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from pgmstudio.cli.options.parameters import add_param_options, option_defaults
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    listed,
)
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.languages.learners import (
    alias_settings,
    all_learners,
    full_key,
    learner_keys,
    learner_of,
    preset_of,
    presets_of,
)
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.params import Preset


def learner_parser(
    argv: Sequence[str], build: Callable[[Learner[Any] | None], CommandParser]
) -> CommandParser:
    """The parser with the parameters of the learner that the arguments name."""
    name, learner = _named_learner(argv)
    parser = build(learner)
    parser.set_defaults(**option_defaults(alias_settings(name)))
    if learner is None:
        args, _ = parser.parse_known_args(list(argv))  # ends here with --help
        learner_of(args.key)  # raises, with the nearest key
        raise UsageError("Missing: KEY. pgmstudio learners lists them.")
    return parser


def _named_learner(argv: Sequence[str]) -> tuple[str, Learner[Any] | None]:
    """The argument that names a learner, a full key before a short one; others are not loaded
    unless it is one of a plug-in."""
    keys = learner_keys()
    for known in (lambda word: word in keys, lambda word: full_key(word) in keys):
        for argument in filter(known, argv):
            return argument, learner_of(argument)
    every = all_learners()
    name = next((argument for argument in argv if argument in every), "")
    return name, every.get(name)


def is_learner(text: str) -> bool:
    """Whether the text is a key or a short name of a learner, or several with commas."""
    names = listed(text)
    return bool(names) and all(
        full_key(name) in learner_keys() or name in all_learners() for name in names
    )


def add_learner_arguments(
    parser: CommandParser, learner: Learner[Any] | None, example: str
) -> None:
    """Add KEY and DATA, and an option for each parameter of the learner."""
    parser.add_argument(
        "key",
        metavar="KEY",
        help=f"key of a learner, such as {example}, or a short name such as hc, ges or pc",
    )
    parser.add_argument("data", metavar="DATA", help="data file")
    if learner is not None:
        add_param_options(parser, learner.params_type, f"parameters of {learner.key}")
        if presets := presets_of(learner):
            listed_presets = "; ".join(f"{one.name}: {one.help}" for one in presets)
            parser.add_argument(
                "--preset",
                type=partial(_read_preset, learner),
                metavar="|".join(one.name for one in presets),
                help=f"settings under a name, which other options replace. {listed_presets}",
            )


def _read_preset(learner: Learner[Any], text: str) -> Preset:
    try:
        return preset_of(learner, text.lower())
    except UnknownNameError as unknown:
        raise argparse.ArgumentTypeError(str(unknown)) from None
