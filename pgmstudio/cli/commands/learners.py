"""`pgmstudio learners`: the learners and their parameters."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import add_data_options, read_rows
from pgmstudio.cli.options.parameters import range_of, spec_json
from pgmstudio.cli.terminal.output import Block
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import STANDARD
from pgmstudio.core.io.data.reader import data_format
from pgmstudio.core.languages.learners import (
    PLUGINS,
    all_learners,
    full_key,
    learner_of,
    presets_of,
)
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.number_format import ascii_numbers
from pgmstudio.core.params import specs_of


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "learners",
        "List the learners: key, title, model kind, and parameters with their bounds. With a key:\n"
        "that learner only; with a data file: those that suit its rows, best first, and why.",
    )
    parser.add_argument(
        "data", nargs="?", metavar="KEY|DATA", help="key of a learner, or data file"
    )
    add_data_options(
        parser, target="the variable to predict; class column of the mdl discretisation"
    )
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> LearnerList | Recommended:
    if args.data is not None and not _is_data(args.data):
        return LearnerList((learner_of(args.data),))
    if args.data is not None:
        from pgmstudio.core.analysis.learner_choice import recommended_learners

        rows = read_rows(args.data, args, line)
        if args.target is not None:
            rows.domain[args.target]  # an unknown name is reported
        return Recommended(recommended_learners(rows, args.target))
    learners = tuple(all_learners().values())
    for problem in PLUGINS.problems:
        line.message(problem)
    return LearnerList(learners)


def _is_data(text: str) -> bool:
    """Whether this names a data file, not a learner."""
    if full_key(text) in all_learners():
        return False
    return text == STANDARD or Path(text).exists() or data_format(Path(text)) is not None


@dataclass(frozen=True, eq=False)
class Recommended:
    """The learners that suit some rows, and why."""

    reasons: Mapping[str, str]
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {"recommended": [{"key": key, "why": why} for key, why in self.reasons.items()]}

    def blocks(self) -> Iterator[Block]:
        width = max(map(len, self.reasons), default=0)
        for key, why in self.reasons.items():
            yield f"{key:<{width}}  {ascii_numbers(why)}"


@dataclass(frozen=True, eq=False)
class LearnerList:
    """All learners."""

    learners: tuple[Learner[Any], ...]
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "learners": [
                {
                    "key": learner.key,
                    "title": learner.title,
                    "kind": learner.kind,
                    "presets": [
                        {"name": one.name, "title": one.title, "settings": dict(one.settings)}
                        for one in presets_of(learner)
                    ],
                    "parameters": [spec_json(spec) for spec in specs_of(learner.params_type)],
                }
                for learner in self.learners
            ]
        }

    def blocks(self) -> Iterator[Block]:
        for number, learner in enumerate(self.learners):
            if number > 0:
                yield ""
            yield f"{learner.key}  {learner.title} ({learner.kind})"
            for spec in specs_of(learner.params_type):
                first, *rest = textwrap.wrap(f"{spec.help} ({range_of(spec)})", width=68)
                yield f"    --{spec.option:<20} {first}"
                for text in rest:
                    yield " " * 27 + text
            for preset in presets_of(learner):
                first, *rest = textwrap.wrap(f"{preset.help} ({preset.options})", width=68)
                yield f"    {f'--preset {preset.name}':<22} {first}"
                for text in rest:
                    yield " " * 27 + text
