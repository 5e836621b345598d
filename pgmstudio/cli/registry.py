"""The commands of the command line; the module of a command is imported when it is used."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
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
    """A command: its name, its arguments and a short help."""

    name: str
    arguments: str
    help: str

    def load(self) -> CommandModule:
        """Import the module of this command."""
        module = import_module(f"pgmstudio.cli.commands.{self.name.replace('-', '_')}")
        return cast(CommandModule, module)


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("learners", "", "list the learners and their parameters"),
        Command("describe", "FILE", "summarise a data or model file"),
        Command("associations", "DATA --target V", "test or measure which columns are associated"),
        Command("independences", "STATEMENTS", "find the graph of stated independences by PC"),
        Command("decomposition", "DATA [MODEL]", "count the tuples that graphs add to the data"),
        Command("possibility", "DATA|MODEL", "list degrees of possibility and their α-cuts"),
        Command("learn", "KEY DATA", "run a learner"),
        Command("evaluate", "MODEL DATA", "compute the log-likelihood of rows, and sizes"),
        Command("query", "MODEL", "compute beliefs given evidence"),
        Command("sensitivity", "MODEL --target V=s", "show what a belief depends on"),
        Command("sample", "MODEL -n N -o DATA", "draw rows from a model"),
        Command("curve", "DATA --learners KEY,… -o OUT", "compute SL-curves: size and likelihood"),
        Command("sweep", "PLAN --out FOLDER", "run or resume an experiment from a plan"),
        Command("compare", "DATA MODEL MODEL…", "compare models on the same rows"),
        Command("compare-languages", "DATA --budget S", "compare model languages on the same rows"),
        Command("disagree", "MODEL MODEL… --given V=s", "compare the beliefs of several models"),
        Command("bootstrap", "KEY DATA", "count how often a learner finds each edge"),
        Command("diff", "MODEL MODEL", "compare two structures"),
        Command("why", "MODEL DATA A B", "explain why an edge is there or not"),
        Command("moves", "MODEL DATA", "list or take the best next moves of a greedy search"),
        Command("strengths", "MODEL DATA", "measure the strength of each edge in the data"),
        Command("convert", "IN OUT [--to KIND]", "convert between model formats and languages"),
        Command("draw", "MODEL OUT.svg", "draw a model"),
        Command("generate", "NAME -n N -o DATA", "generate synthetic data"),
        Command("recipe", "[NAME]", "rerun a published experiment and compare the results"),
        Command("study", "NAME --out FOLDER", "rerun a published study of several languages"),
        Command(
            "report", "PROJECT -o OUT.html", "write a report as HTML or PDF, or reproduce a project"
        ),
        Command("tour", "[--out FOLDER]", "work through a sample and save each step"),
    )
}
