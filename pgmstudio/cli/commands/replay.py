"""`pgmstudio replay`: a project from a session that the window exported as Python."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pgmstudio.cli.terminal.output import FilesWritten
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.project.project_file import ENDING, write_project
from pgmstudio.core.io.session.script import read_script
from pgmstudio.core.project.project import without_loose_references


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "replay",
        "Carry out the steps of a session that was exported as Python (File ▸ Export session as\n"
        "Python…), also on other data. The script is read, not executed.",
    )
    parser.add_argument("script", metavar="SCRIPT", help="script of the session, a .py file")
    parser.add_argument(
        "data", metavar="DATA", nargs="*", help="tables instead of those of the session, in order"
    )
    parser.add_argument(
        "-o", "--output", metavar="PROJECT", required=True, help="project file to write (.pgmz)"
    )
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    if Path(args.output).suffix.lower() != ENDING:
        raise UsageError(f"{args.output} must end in {ENDING}, the format of projects.")
    script = read_script(Path(args.script))
    replay = script.start([Path(file) for file in args.data], NEVER)
    text = ""
    try:
        for progress in script.replay(replay, NEVER):
            text = progress.message
            line.show(progress)
        text = ""
        replay.check_data_used()
    except PgmStudioError as error:
        raise PgmStudioError(f"{text}: {error}" if text else str(error)) from None
    project = without_loose_references(replay.project)
    write_project(args.output, project)
    line.message(f"Wrote {args.output}.")
    document: dict[str, Any] = {
        "project": args.output,
        "steps": len(script.steps),
        "data": [entry.name for entry in project.data.values()],
        "models": [
            {"title": entry.title, "kind": entry.model.kind} for entry in project.models.values()
        ],
    }
    return FilesWritten(document)
