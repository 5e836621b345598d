"""From words to an exit code: 0 done, 2 the person can fix it, 1 a bug, 130 interrupted."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from pgmstudio import __version__
from pgmstudio.cli.registry import COMMANDS
from pgmstudio.core.errors import Cancelled, ParameterError, PgmStudioError, UnknownNameError

DONE, BUG, FIXABLE, INTERRUPTED = 0, 1, 2, 130


def main(words: Sequence[str]) -> int:
    """Do what the words say; people's mistakes end in a sentence and 2, bugs in a traceback."""
    _never_fail_on_a_letter()
    out, err = PlainStream(sys.stdout, "\n\t"), PlainStream(sys.stderr, "\n\t\r")  # \r: progress
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        return _main(words)


class PlainStream:
    """A stream without control characters: names in files of others may hold terminal escapes."""

    def __init__(self, stream: TextIO, kept: str) -> None:
        self._stream = stream
        self._dropped = dict.fromkeys({*range(32), *range(127, 160)} - set(map(ord, kept)))

    def write(self, text: str) -> int:
        return self._stream.write(text.translate(self._dropped))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _main(words: Sequence[str]) -> int:
    try:
        status = _dispatch(words)
        sys.stdout.flush()  # a full disk is noticed here, not when Python has ended
        return status
    except ParameterError as wrong:
        sentences = [f"--{name}: {message}" for name, message in wrong.problems.items()]
        return _say("\n".join(sentences))
    except PgmStudioError as wrong:
        return _say(str(wrong))
    except (KeyboardInterrupt, Cancelled):
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except MemoryError as problem:
        why = f" ({problem})" if str(problem) else ""
        return _say(f"There is not enough memory{why}. Take fewer rows, columns or states.")
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python must not complain when it flushes.
        _drop_output()
        return DONE
    except OSError as problem:
        _drop_output()
        why = problem.strerror or str(problem)
        if problem.filename is None:
            return _say(f"The output cannot be written: {why}. Make room, or write elsewhere.")
        return _say(f"{problem.filename} cannot be read or written: {why}.")


def _drop_output() -> None:
    """What is left of the output goes nowhere, so that Python has nothing to complain about."""
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(words: Sequence[str]) -> int:
    first, rest = (words[0], words[1:]) if words else ("--help", ())
    if first in ("-h", "--help", "help"):
        if rest and rest[0] in COMMANDS:
            return COMMANDS[rest[0]].load()(["--help"])
        print(overview())
        return DONE
    if first == "--version":
        print(f"PGM Studio {__version__}")
        return DONE
    if first not in COMMANDS:
        what = "option" if first.startswith("-") else "command"
        known = ["--help", "--version"] if what == "option" else list(COMMANDS)
        raise UnknownNameError(what, first, known)
    return COMMANDS[first].load()(rest)


def overview() -> str:
    """The text of `pgmstudio --help`."""
    calls = [(f"pgmstudio {c.name} {c.follows}".rstrip(), c.help) for c in COMMANDS.values()]
    calls.insert(0, ("pgmstudio [FILE…]", "open the window"))
    width = max(len(call) for call, _ in calls)
    lines = [f"  {call:<{width}}  {text}" for call, text in calls]
    return "\n".join(
        [
            "PGM Studio: learn, look at, edit and question probabilistic graphical models.",
            "",
            *lines,
            "",
            "pgmstudio COMMAND --help tells the options of a command,",
            "pgmstudio learn KEY --help the parameters of a learner.",
            "--json gives one JSON object, --quiet no progress; --version says the version.",
            "Exit codes: 0 done, 2 something to fix, 1 a bug, 130 interrupted.",
        ]
    )


def _say(sentence: str) -> int:
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(sentence, file=sys.stderr)
    return FIXABLE


def _never_fail_on_a_letter() -> None:
    """A terminal that cannot show − or λ gets a question mark, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and (stream.encoding or "").lower() != "utf-8":
            stream.reconfigure(errors="replace")
