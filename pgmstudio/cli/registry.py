"""The commands of the command line; the module of a command is imported when it is used."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from pgmstudio.cli.terminal.output import Result
    from pgmstudio.cli.terminal.parser import CommandParser
    from pgmstudio.cli.terminal.progress import ProgressLine


class CommandModule(Protocol):
    """What a module in `cli/commands` offers."""

    def make_parser(self, argv: Sequence[str]) -> CommandParser:
        """The parser of these arguments; its options may depend on a learner named in them."""
        ...

    def run(self, args: argparse.Namespace, line: ProgressLine) -> Result: ...


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, its arguments, a short help, and its group in the list of commands."""

    name: str
    arguments: str
    help: str
    group: str = ""

    def load(self) -> CommandModule:
        """Import the module of this command."""
        module = import_module(f"pgmstudio.cli.commands.{self.name.replace('-', '_')}")
        return cast(CommandModule, module)


# Groups of commands in the order in which a person needs them.
_GROUPS = {
    "Look at data": (
        Command("describe", "FILE", "summarise a data or model file"),
        Command("associations", "DATA --target V", "test or measure which columns are associated"),
        Command("generate", "NAME -n N -o DATA", "draw rows of a synthetic data set"),
        Command("possibility", "DATA|MODEL", "list degrees of possibility and their α-cuts"),
        Command("decomposition", "DATA [MODEL]", "count the tuples that graphs add to the data"),
    ),
    "Learn a model": (
        Command("learners", "[KEY|DATA]", "list the learners and their parameters"),
        Command("learn", "KEY DATA -o MODEL", "learn a model from the rows of a file"),
        Command("independences", "STATEMENTS", "find the graph of stated independences by PC"),
        Command("average", "MODEL MODEL… --data DATA", "average models by their posterior"),
        Command("moves", "MODEL DATA", "list or take the best next moves of a greedy search"),
        Command("bootstrap", "KEY DATA", "count how often a learner finds each edge"),
    ),
    "Ask a model": (
        Command("query", "MODEL --given V=s", "compute beliefs given evidence"),
        Command("consensus", "MODEL --target V", "read the typical states of every class"),
        Command("sensitivity", "MODEL --target V=s", "show what a belief depends on"),
        Command("sample", "MODEL -n N -o DATA", "draw rows from a model, also given evidence"),
        Command("draw", "MODEL OUT.svg", "draw a model as SVG, PNG or PDF"),
        Command("convert", "IN OUT [--to KIND]", "convert between model formats and languages"),
    ),
    "Measure and compare": (
        Command("evaluate", "MODEL DATA", "compute the log-likelihood of rows, and sizes"),
        Command("compare", "DATA MODEL MODEL…", "compare models on the same rows"),
        Command("compare-languages", "DATA --budget S", "compare model languages on the same rows"),
        Command(
            "cross-validate",
            "DATA --learners KEY,…",
            "compare learners on rows they have not learned from",
        ),
        Command("curve", "DATA --learners KEY,… -o OUT", "compute SL-curves: size and likelihood"),
        Command("disagree", "MODEL MODEL… --given V=s", "compare the beliefs of several models"),
        Command("diff", "MODEL MODEL", "compare two structures"),
        Command("why", "MODEL DATA A B", "explain why an edge is there or not"),
        Command("strengths", "MODEL DATA", "measure the strength of each edge in the data"),
    ),
    "Run experiments": (
        Command("sweep", "PLAN -o FOLDER", "run or resume an experiment from a plan"),
        Command("recipe", "[NAME]", "rerun a published experiment and compare the results"),
        Command("study", "NAME -o FOLDER", "rerun a published study of several languages"),
    ),
    "Share": (
        Command("export-page", "MODEL OUT.html", "write a model as an interactive web page"),
        Command(
            "replay", "SCRIPT [DATA…] -o PROJECT", "rebuild a project from an exported session"
        ),
        Command(
            "report", "PROJECT -o OUT.html", "write a report as HTML or PDF, or reproduce a project"
        ),
        Command("tour", "[-o FOLDER]", "work through a sample and save each step"),
        Command("completion", "bash|zsh|fish", "print a script that completes words in a shell"),
    ),
}

COMMANDS: dict[str, Command] = {
    command.name: replace(command, group=group)
    for group, commands in _GROUPS.items()
    for command in commands
}
