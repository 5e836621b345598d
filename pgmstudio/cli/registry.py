"""The table of words the command line knows; a module is imported when its word is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

Run = Callable[[Sequence[str]], int]


@dataclass(frozen=True, slots=True)
class Command:
    """One word: what follows it, and what it does."""

    name: str
    follows: str
    help: str

    def load(self) -> Run:
        """The function that takes the words after this one and returns the exit code."""
        run: Run = import_module(f"pgmstudio.cli.commands.{self.name.replace('-', '_')}").run
        return run


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("learners", "", "every learner with its parameters"),
        Command("describe", "FILE", "what a data or model file holds"),
        Command("associations", "DATA --target V", "which columns tell something about one"),
        Command("learn", "KEY DATA", "run one learner"),
        Command("evaluate", "MODEL DATA", "log-likelihood of rows, and sizes"),
        Command("query", "MODEL", "beliefs given evidence"),
        Command("sensitivity", "MODEL --target V=s", "what a belief depends on"),
        Command("sample", "MODEL -n N -o DATA", "draw rows from a model"),
        Command("curve", "DATA --learners KEY,… -o OUT", "size against likelihood, many models"),
        Command("sweep", "PLAN --out FOLDER", "an experiment from a plan; goes on where it ended"),
        Command("compare", "DATA MODEL MODEL…", "models side by side on the same rows"),
        Command(
            "compare-languages", "DATA --budget S", "which language for these rows, and its cost"
        ),
        Command("disagree", "MODEL MODEL… --given V=s", "where models differ on the same evidence"),
        Command("bootstrap", "KEY DATA", "how often a learner finds each edge"),
        Command("diff", "MODEL MODEL", "how two structures differ"),
        Command("why", "MODEL DATA A B", "what speaks for and against an edge"),
        Command("moves", "MODEL DATA", "the best next moves of a search, and taking some"),
        Command("strengths", "MODEL DATA", "what the rows say for each edge"),
        Command("convert", "IN OUT [--to KIND]", "between model formats and languages"),
        Command("draw", "MODEL OUT.svg", "the picture of a model"),
        Command("generate", "NAME -n N -o DATA", "a synthetic data set"),
        Command("recipe", "[NAME]", "an experiment of the sources, published beside obtained"),
        Command("study", "NAME --out FOLDER", "languages on the sources' data, with verdicts"),
        Command("report", "PROJECT -o OUT.html", "one page: data, curves, models; --reproduce"),
        Command("tour", "[--out FOLDER]", "a walk through a sample, kept as numbered files"),
    )
}
