"""`python -m pgmstudio`: the window, or the command line when a command follows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

_BEFORE_QT = (
    "pgmstudio.core.explained_numbers",
    "pgmstudio.core.io.models.project_entry",
    "pgmstudio.core.io.project.project_file",
    "pgmstudio.core.languages.learn_task",
    "pgmstudio.core.languages.run_checks",
    "pgmstudio.core.languages.sessions",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window with the given files, or run a command; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if _is_for_the_window(arguments):
        return _open_window(arguments)
    from pgmstudio.cli.main import main as command_line

    return command_line(arguments)


def _is_for_the_window(arguments: Sequence[str]) -> bool:
    from pgmstudio.cli.registry import COMMANDS

    if not arguments:
        return True
    if arguments[0].lower() in COMMANDS or arguments[0].startswith("-") or arguments[0] == "help":
        return False
    # What looks like a file goes to the window, which reports a missing one; any other text is a
    # mistyped command.
    return Path(arguments[0]).exists() or bool(Path(arguments[0]).suffix)


def _open_window(files: Sequence[str]) -> int:
    from importlib.util import find_spec

    absent = [name for name in files if not Path(name).exists()]
    if absent:
        print(f"There is no file {', '.join(absent)}.", file=sys.stderr)
        return 2
    if find_spec("PySide6") is None or find_spec("pyqtgraph") is None:
        print(
            "The window is not installed; install it with: pip install 'pgmstudio[gui]'. "
            "`pgmstudio --help` lists what the command line does.",
            file=sys.stderr,
        )
        return 2
    from importlib import import_module

    # Before Qt: once loaded, it reads the source of every module imported after it.
    for name in _BEFORE_QT:
        import_module(name)
    window = import_module("pgmstudio.gui.window.application")
    return int(window.main(list(files)) or 0)


if __name__ == "__main__":
    sys.exit(main())
