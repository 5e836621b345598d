"""The options of a command: argparse with suggestions for misspelled names."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from pgmstudio.core.errors import PgmStudioError, UnknownNameError


class UsageError(PgmStudioError):
    """The arguments do not fit the command."""


class Experiment(Protocol):
    """A recipe or study: it has a name and settings of its own."""

    @property
    def title(self) -> str: ...

    @property
    def place(self) -> str: ...

    @property
    def help(self) -> str: ...


class CommandParser(argparse.ArgumentParser):
    """The parser of one command; it suggests the nearest option for an unknown one."""

    def __init__(self, command: str, description: str) -> None:
        super().__init__(
            prog=f"pgmstudio {command}",
            description=description,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        output = self.add_argument_group("output")
        output.add_argument("--json", action="store_true", help="print one JSON object")
        output.add_argument(
            "--quiet", action="store_true", help="do not print progress, notes or the outcome"
        )

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        args, unknown = self.parse_known_args(list(argv))
        for argument in unknown:
            if argument.startswith("-"):
                options = [option for option in self._option_string_actions if len(option) > 2]
                raise UnknownNameError(f"option of {self.prog}", argument.split("=")[0], options)
        if unknown:
            raise UsageError(f"Unexpected: {' '.join(unknown)}. See {self.prog} --help.")
        return args

    def describe(self, experiment: Experiment | None, command: str) -> None:
        """Describe one experiment in the help, or how to get the help of each."""
        if experiment is not None:
            self.description = f"{experiment.title} ({experiment.place}). {experiment.help}"
        else:
            self.epilog = f"pgmstudio {command} NAME --help lists the settings of a {command}."

    def format_usage(self) -> str:
        return f"usage: {self._usage()}\n"

    def format_help(self) -> str:
        self.usage = self._usage()  # positional arguments first, options by name below
        return super().format_help()

    def _usage(self) -> str:
        names = [
            f"{action.metavar}…" if action.nargs == "+" else str(action.metavar)
            for action in self._get_positional_actions()
        ]
        return " ".join([self.prog, *names, "[options]"]).replace("%", "%%")

    def error(self, message: str) -> NoReturn:
        for prefix, replacement in (
            ("the following arguments are required: ", "Missing: "),
            ("argument ", ""),
        ):
            if message.startswith(prefix):
                message = replacement + message.removeprefix(prefix)
        raise UsageError(f"{message}. See {self.prog} --help.")

    def add_quote_formulas(self) -> None:
        self.add_argument(
            "--quote-formulas",
            action="store_true",
            help="in .csv files, put ' before cells that a spreadsheet would read as formulas "
            "(those that start with = + - @)",
        )

    def add_time_limit(self, result: str) -> None:
        self.add_argument(
            "--time-limit",
            type=number(0, low_open=True),
            metavar="S",
            help=f"stop after S seconds and keep {result}",
        )

    def add_data_folder(self) -> None:
        self.add_argument(
            "--data",
            metavar="DIR",
            help="the folder of data sets (default: shared/data beside the checkout)",
        )

    def add_processes(self) -> None:
        self.add_argument(
            "--processes",
            type=whole_number(1),
            metavar="N",
            help="number of runs at the same time (default: one for each core)",
        )

    def add_seed(self) -> None:
        self.add_argument(
            "--seed",
            type=whole_number(0),
            default=0,
            metavar="N",
            help="seed of the random numbers; the same seed gives the same result (default 0)",
        )


def whole_number(low: int) -> Callable[[str], int]:
    """A type for options: whole numbers of at least `low`."""

    def read(text: str) -> int:
        try:
            value = int(text.replace(" ", "").replace("_", ""))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < low:
            raise argparse.ArgumentTypeError(f"must be at least {low}, not {value}")
        return value

    return read


def number(low: float, high: float = math.inf, *, low_open: bool = False) -> Callable[[str], float]:
    """A type for options: finite numbers within bounds."""

    def read(text: str) -> float:
        try:
            value = float(text.replace("−", "-"))
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not math.isfinite(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
        if value < low or value > high or (low_open and value == low):
            bound = f"{'more than' if low_open else 'at least'} {low:g}"
            upper = "" if math.isinf(high) else f" and at most {high:g}"
            raise argparse.ArgumentTypeError(f"must be {bound}{upper}, not {value:g}")
        return value

    return read


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """A type for options: one of a few texts."""

    def read(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")
        return text

    return read
