"""The command line: arguments to an exit code (0 done, 2 to fix, 1 a bug, 130 interrupted)."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from pgmstudio.cli.registry import COMMANDS, Command
from pgmstudio.core.errors import Cancelled, ParameterError, PgmStudioError, UnknownNameError
from pgmstudio.version import __version__

DONE, BUG, FIXABLE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str]) -> int:
    """Run a command; a user's mistake gives a message and 2, a bug a traceback."""
    _replace_unprintable_characters()
    out = PlainStream(sys.stdout, "\n\t")
    err = PlainStream(sys.stderr, "\n\t\r")  # \r: progress
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        return _main(argv)


class PlainStream:
    """A stream without control characters: names in third-party files may hold terminal escapes."""

    def __init__(self, stream: TextIO, allowed: str) -> None:
        self._stream = stream
        self._removed = dict.fromkeys({*range(32), *range(127, 160)} - set(map(ord, allowed)))

    def write(self, text: str) -> int:
        return self._stream.write(text.translate(self._removed))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _main(argv: Sequence[str]) -> int:
    try:
        status = _dispatch(argv)
        sys.stdout.flush()  # a full disk is noticed here, not when Python has ended
        return status
    except ParameterError as error:
        messages = [f"--{name}: {message}" for name, message in error.problems.items()]
        return _fail("\n".join(messages))
    except PgmStudioError as error:
        return _fail(str(error))
    except (KeyboardInterrupt, Cancelled) as stop:
        print(str(stop) or "Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except MemoryError as error:
        reason = f" ({error})" if str(error) else ""
        return _fail(f"There is not enough memory{reason}. Use fewer rows, columns or states.")
    except BrokenPipeError:
        # The reader (head, less) is done; Python must not complain when it flushes.
        _discard_output()
        return DONE
    except OSError as error:
        _discard_output()
        reason = error.strerror or str(error)
        if error.filename is None:
            return _fail(f"The output cannot be written: {reason}. Free space or write elsewhere.")
        return _fail(f"{error.filename} cannot be read or written: {reason}.")


def _discard_output() -> None:
    """Send the rest of the output nowhere, so that Python's last flush does not fail."""
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(argv: Sequence[str]) -> int:
    first, rest = (argv[0], argv[1:]) if argv else ("--help", ())
    if first in ("-h", "--help", "help"):
        if rest and rest[0].lower() in COMMANDS:
            return _run(COMMANDS[rest[0].lower()], ["--help"])
        print(overview())
        return DONE
    if first in ("-V", "--version"):
        print(f"PGM Studio {__version__}")
        return DONE
    if first == "--complete":
        from pgmstudio.cli.terminal.completion import completions

        print("\n".join(completions(rest)))
        return DONE
    if first.lower() not in COMMANDS:
        what = "option" if first.startswith("-") else "command"
        known = ["--help", "--version"] if what == "option" else list(COMMANDS)
        raise UnknownNameError(what, first, known)
    return _run(COMMANDS[first.lower()], rest)


def _run(command: Command, argv: Sequence[str]) -> int:
    # Here, so that `pgmstudio --help` does not wait for numpy.
    from pgmstudio.cli.terminal.output import print_result
    from pgmstudio.cli.terminal.parser import UsageError
    from pgmstudio.cli.terminal.progress import ProgressLine
    from pgmstudio.cli.terminal.streams import writes_to_standard_output

    module = command.load()
    args = module.make_parser(argv).parse(argv)
    is_piped = writes_to_standard_output(args)
    if is_piped and args.format != "table":
        raise UsageError(f"Either -o - or --format {args.format} can be on standard output.")
    result = module.run(args, ProgressLine(quiet=args.quiet))
    if not is_piped:
        print_result(result, args.format)
    elif not args.quiet:
        with contextlib.redirect_stdout(sys.stderr):
            print_result(result, args.format)
    return result.exit_code


def overview() -> str:
    """The text of `pgmstudio --help`."""
    calls = {name: f"pgmstudio {name} {c.arguments}".rstrip() for name, c in COMMANDS.items()}
    window = "pgmstudio [FILE…]"
    width = max(map(len, (window, *calls.values())))
    lines = [f"  {window:<{width}}  open the window"]
    group = ""
    for name, command in COMMANDS.items():
        if command.group != group:
            group = command.group
            lines += ["", group]
        lines.append(f"  {calls[name]:<{width}}  {command.help}")
    return "\n".join(
        [
            "PGM Studio: learn, view, edit and query probabilistic graphical models.",
            "",
            *lines,
            "",
            "pgmstudio COMMAND --help lists the options of a command,",
            "pgmstudio learn KEY --help the parameters of a learner.",
            "--json prints one JSON object, --format csv a table; -q or --quiet no progress;",
            "- stands for standard input or output; --version prints the version.",
            "Exit codes: 0 done, 2 something to fix, 1 a bug, 130 interrupted.",
        ]
    )


def _fail(message: str) -> int:
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(message, file=sys.stderr)
    return FIXABLE


def _replace_unprintable_characters() -> None:
    """Print a question mark for a character that the terminal's encoding lacks, such as λ."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (stream.encoding or "").lower() != "utf-8":
            stream.reconfigure(errors="replace")
