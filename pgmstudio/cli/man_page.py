"""The manual page of the program for `man`, made when a wheel is built; no other imports."""

from __future__ import annotations

from pgmstudio.cli.registry import COMMANDS
from pgmstudio.version import __version__

_DESCRIPTION = (
    "PGM Studio learns probabilistic graphical models from tables, shows and edits them, and "
    "answers questions with them. Without a command it opens the window."
)
_OPTIONS = (
    ("--format table|csv|json, --json", "tables for people, rows as CSV, or one JSON object"),
    ("-q, --quiet", "no progress, notes or outcome on standard error"),
    ("-o, --output FILE", "the file or folder to write"),
    ("-j, --jobs N", "number of processes, where a command uses several"),
    ("--time-limit S", "stop after S seconds and keep what was found"),
    ("--seed N", "seed of the random numbers; the same seed gives the same result"),
    ("--help", "the options of a command; after a learner's key, its parameters"),
    ("--version", "the version"),
)
_NOTES = (
    "A file called - is standard input or output: rows are CSV there, models JSON, drawings SVG. "
    "Names can be typed in any case; lists are separated by commas or blanks."
)
_EXIT = (("0", "done"), ("2", "something to fix"), ("1", "a bug"), ("130", "interrupted"))
_EXAMPLES = (
    "pgmstudio learn hc rows.csv -o model.json",
    "pgmstudio query model.json --given smoking=yes --of pressure",
    "cat rows.csv | pgmstudio learn chow-liu - -o - | pgmstudio draw - tree.svg",
)


def man_page() -> str:
    """The page in the language of `man`."""
    lines = [
        f'.TH PGMSTUDIO 1 "" "PGM Studio {__version__}" "User Commands"',
        *(".SH NAME", r"pgmstudio \- learn, view, edit and query probabilistic graphical models"),
        *(".SH SYNOPSIS", ".B pgmstudio", "[FILE...]", ".br", ".B pgmstudio"),
        *(r"COMMAND ARGUMENTS [\-\-OPTION VALUE ...]", ".SH DESCRIPTION", _text(_DESCRIPTION)),
        ".SH COMMANDS",
    ]
    group = ""
    for command in COMMANDS.values():
        if command.group != group:
            group = command.group
            lines.append(f".SS {group}")
        lines += _entry(f"{command.name} {command.arguments}".rstrip(), command.help)
    lines.append(".SH COMMON OPTIONS")
    for option, meaning in _OPTIONS:
        lines += _entry(option, meaning)
    lines += [".SH FILES AND NAMES", _text(_NOTES), ".SH EXIT STATUS"]
    for code, meaning in _EXIT:
        lines += _entry(code, meaning)
    lines += [".SH EXAMPLES", ".nf", *map(_text, _EXAMPLES), ".fi"]
    return "\n".join(lines) + "\n"


def _entry(name: str, meaning: str) -> list[str]:
    return [".TP", f".B {_text(name)}", _text(meaning)]


def _text(plain: str) -> str:
    """Text in which nothing is a command: hyphens stay as they are, no line starts with a dot."""
    escaped = plain.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    return rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped
