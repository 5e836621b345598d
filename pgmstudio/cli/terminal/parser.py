"""Options of a command: argparse with our words, suggestions and errors a person can act on."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from pgmstudio.core.errors import PgmStudioError, UnknownNameError


class UsageError(PgmStudioError):
    """The words of a call do not fit the command."""


class Experiment(Protocol):
    """What is called by its name and has settings of its own."""

    @property
    def title(self) -> str: ...

    @property
    def place(self) -> str: ...

    @property
    def help(self) -> str: ...


class CommandParser(argparse.ArgumentParser):
    """The parser of one command; what it does not know is answered with the nearest it does."""

    def __init__(self, command: str, description: str) -> None:
        super().__init__(
            prog=f"pgmstudio {command}",
            description=description,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        args, unknown = self.parse_known_args(list(words))
        for word in unknown:
            if word.startswith("-"):
                options = [option for option in self._option_string_actions if len(option) > 2]
                raise UnknownNameError(f"option of {self.prog}", word.split("=")[0], options)
        if unknown:
            raise UsageError(f"Nothing to do with {' '.join(unknown)}. See {self.prog} --help.")
        return args

    def describe(self, named: Experiment | None, word: str) -> None:
        """The help is about one experiment, or says where that of each is."""
        if named is not None:
            self.description = f"{named.title} ({named.place}). {named.help}"
        else:
            self.epilog = f"pgmstudio {word} NAME --help tells the settings of a {word}."

    def format_usage(self) -> str:
        return f"usage: {self._call()}\n"

    def format_help(self) -> str:
        self.usage = self._call()  # positional words first, options by name below
        return super().format_help()

    def _call(self) -> str:
        words = [
            f"{action.metavar}…" if action.nargs == "+" else str(action.metavar)
            for action in self._get_positional_actions()
        ]
        return " ".join([self.prog, *words, "[options]"]).replace("%", "%%")

    def error(self, message: str) -> NoReturn:
        for theirs, ours in (
            ("the following arguments are required: ", "Missing: "),
            ("argument ", ""),
        ):
            if message.startswith(theirs):
                message = ours + message.removeprefix(theirs)
        raise UsageError(f"{message}. See {self.prog} --help.")

    def add_json(self) -> None:
        self.add_argument("--json", action="store_true", help="one JSON object on standard output")

    def add_quote_formulas(self) -> None:
        self.add_argument(
            "--quote-formulas",
            action="store_true",
            help="in .csv files, put ' before cells that a spreadsheet takes for formulas "
            "(= + - @ at the beginning)",
        )

    def add_quiet(self) -> None:
        self.add_argument("--quiet", action="store_true", help="no progress, notes or outcome")

    def add_time_limit(self, kept: str) -> None:
        self.add_argument(
            "--time-limit",
            type=number(0, low_open=True),
            metavar="S",
            help=f"stop after S seconds and keep {kept}",
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
            help="how many runs at once (default: one for each core)",
        )

    def add_seed(self) -> None:
        self.add_argument(
            "--seed",
            type=whole_number(0),
            default=0,
            metavar="N",
            help="the same seed gives the same result (default 0)",
        )


def whole_number(low: int) -> Callable[[str], int]:
    """A reader of whole numbers that are at least `low`."""

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
    """A reader of finite numbers within bounds."""

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
    """A reader of one word out of a few."""

    def read(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")
        return text

    return read
