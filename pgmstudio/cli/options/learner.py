"""The learner that a command names, and background knowledge among its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pgmstudio.cli.options.parameters import add_param_options
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.params import specs_of


def learner_parser(
    argv: Sequence[str], build: Callable[[Learner[Any] | None], CommandParser]
) -> CommandParser:
    """The parser with the parameters of the learner that the arguments name."""
    known = all_learners()
    key = next((argument for argument in argv if argument in known), None)
    parser = build(None if key is None else known[key])
    if key is None:
        args, _ = parser.parse_known_args(list(argv))  # ends here with --help
        learner_of(args.key)  # raises, with the nearest key
        raise UsageError("Missing: KEY. pgmstudio learners lists them.")
    return parser


def add_learner_arguments(
    parser: CommandParser, learner: Learner[Any] | None, example: str
) -> None:
    """Add KEY and DATA, and an option for each parameter of the learner."""
    parser.add_argument("key", metavar="KEY", help=f"key of a learner, such as {example}")
    parser.add_argument("data", metavar="DATA", help="data file")
    if learner is not None:
        add_param_options(parser, learner.params_type, f"parameters of {learner.key}")


def knowledge_in(params: Any) -> list[Knowledge]:
    """The background knowledge among the parameters of a run."""
    values = [getattr(params, spec.name) for spec in specs_of(type(params))]
    return [value for value in values if isinstance(value, Knowledge) and not value.is_empty]
