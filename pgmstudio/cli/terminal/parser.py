"""The options of a command: argparse with suggestions for misspelled names."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, Protocol

from pgmstudio.cli.terminal.streams import STANDARD
from pgmstudio.core.errors import PgmStudioError, UnknownNameError

FORMATS = ("table", "csv", "json")


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
        self._lists: dict[str, Callable[[str], bool]] = {}
        output = self.add_argument_group("output")
        output.add_argument(
            "--format",
            type=one_of(FORMATS),
            default=FORMATS[0],
            metavar="|".join(FORMATS),
            help="print tables and text for people, the rows of the result as CSV with all digits, "
            "or one JSON object (default table)",
        )
        output.add_argument(
            "--json", dest="format", action="store_const", const="json", help="as --format json"
        )
        output.add_argument(
            "-q",
            "--quiet",
            action="store_true",
            help="do not print progress, notes or the outcome",
        )

    def options(self) -> list[str]:
        """The names of all options."""
        return list(self._option_string_actions)

    def choices_of(self, option: str) -> list[str]:
        """The words that an option takes, where its help lists them: `a|b|c`."""
        action = self._option_string_actions.get(option)
        metavar = "" if action is None else str(action.metavar or "")
        parts = metavar.split("|")
        return parts if len(parts) > 1 and metavar.islower() else []

    def has_option(self, option: str) -> bool:
        return option in self._option_string_actions

    def take_words(self, option: str, accepts: Callable[[str], bool]) -> None:
        """Let the list of this option go on over further words, as long as they are accepted."""
        self._lists[option] = accepts

    def _joined(self, argv: Sequence[str]) -> list[str]:
        """The arguments with the words of each list in one of them."""
        joined: list[str] = []
        accepts = None
        for index, argument in enumerate(argv):
            is_value = index > 0 and argv[index - 1] in self._lists
            if is_value:
                accepts = self._lists[argv[index - 1]]
            elif accepts is not None and accepts(argument):
                joined[-1] += f",{argument}"
                continue
            else:
                accepts = None
            joined.append(argument)
        return joined

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        args, unknown = self.parse_known_args(self._joined(argv))
        for argument in unknown:
            if argument.startswith("-"):
                options = [option for option in self._option_string_actions if len(option) > 2]
                raise UnknownNameError(f"option of {self.prog}", argument.split("=")[0], options)
        if unknown:
            raise UsageError(f"Unexpected: {' '.join(unknown)}. See {self.prog} --help.")
        if "last" in args:
            self._take_last(args)
        return args

    def _take_last(self, args: argparse.Namespace) -> None:
        """The file to write may be the last argument or the value of -o."""
        if args.last is None and args.output is None:
            self.error("Missing: OUT")
        if args.last is not None and args.output is not None:
            raise UsageError(f"Two files to write: {args.output} and {args.last}. Choose one.")
        args.output = args.output or args.last

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

    def add_jobs(self, *old_names: str) -> None:
        """Add --jobs, which may have older names."""
        self.add_argument(
            "-j",
            "--jobs",
            *old_names,
            dest="jobs",
            type=whole_number(1),
            metavar="N",
            help="number of runs at the same time (default: one for each core); the result is "
            "the same for any number",
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


def is_number(text: str) -> bool:
    """Whether the text is a number or several with commas."""
    try:
        return bool([float(part) for part in listed(text)])
    except ValueError:
        return False


def folder(text: str) -> str:
    """A type for options: the folder of results."""
    if text == STANDARD:
        raise argparse.ArgumentTypeError("the results are a folder, not a file for a pipe")
    return text


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """A type for options: one of a few texts, in any case."""

    def read(text: str) -> str:
        known = spelled(text, choices)
        if known not in choices:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(choices)}")
        return known

    return read


def spelled(name: str, known: Iterable[str]) -> str:
    """The known name that is meant: itself, or the only one that differs in case; else `name`."""
    names = tuple(known)
    matches = [other for other in names if other.casefold() == name.casefold()]
    return matches[0] if name not in names and len(matches) == 1 else name


def listed(text: str | Iterable[str] | None) -> list[str]:
    """The names of a list, separated by commas or blanks, in one argument or in several."""
    texts = [text] if isinstance(text, str) else list(text or ())
    return [name for one in texts for name in one.replace(",", " ").split()]


def listed_names(text: str | Iterable[str] | None, known: Iterable[str]) -> list[str]:
    """The same for names that may hold commas and blanks themselves: an argument that is a known
    name is one name, and a name that differs in case only is that of `known`."""
    names = tuple(known)
    result: list[str] = []
    for one in [text] if isinstance(text, str) else list(text or ()):
        commas = [part.strip() for part in one.split(",") if part.strip()]
        for parts in ([one], commas, listed(one)):
            spelled_parts = [spelled(part, names) for part in parts]
            if set(spelled_parts) <= set(names):
                break
        result += spelled_parts
    return result
