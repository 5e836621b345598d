"""`pgmstudio report`: a project or an experiment as HTML or PDF, or run again and compared."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import check_ending
from pgmstudio.cli.options.evidence import split_at_variable
from pgmstudio.cli.terminal.output import Block, Table, count_of
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    listed,
    one_of,
    spelled,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import RunEnd, run_task
from pgmstudio.core.errors import FileError, named
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.experiments.plans.runner import ProcessExecutor
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.project.project import Project
from pgmstudio.core.reports.report import SECTIONS, ReportInfo, ReportOptions, ReportTask
from pgmstudio.core.reports.reproduction import Reproduced, ReproduceFolder, ReproduceProject

STATUS = {True: "same", False: "differs", None: "not done"}


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "report",
        "Write a project, or the folder of a sweep, as one self-contained HTML page or as PDF:\n"
        "data, curves, tables, drawings of the models, evidence scenarios, provenance.\n"
        "With --reproduce, run everything again and compare; the exit code is 2 when something\n"
        "differs.",
    )
    parser.add_argument(
        "source", metavar="PROJECT|FOLDER", help="a .pgmz file, or the folder of a sweep"
    )
    parser.add_argument("-o", "--output", metavar="OUT", help=".html or .pdf file to write")
    parser.add_argument(
        "--sections",
        metavar="NAME,…",
        help=f"write only these sections of a project: {', '.join(SECTIONS)} (default: all)",
    )
    parser.add_argument("--without", metavar="NAME,…", help="leave out these sections of a project")
    parser.add_argument(
        "--target",
        metavar="V=s",
        help="the state whose belief the section on sensitivity is about; without it there is none",
    )
    parser.add_argument(
        "--look",
        type=one_of(("auto", "light", "dark")),
        default="auto",
        metavar="LOOK",
        help="light, dark, or auto: as the browser (the default)",
    )
    parser.add_argument("--title", default="", metavar="TEXT", help="title of the report")
    parser.add_argument(
        "--reproduce",
        action="store_true",
        help="run everything again from the recorded rows, settings and seeds, and compare",
    )
    parser.add_jobs("--processes")
    parser.add_time_limit("what was compared by then")
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> ReportResult:
    if args.output is None and not args.reproduce:
        raise UsageError("report needs -o OUT.html or -o OUT.pdf, or --reproduce.")
    check_ending(args.output, [".html", ".htm", ".pdf"], "reports")
    source = Path(args.source)
    if not source.exists():
        raise FileError(source, "does not exist.")
    project = None if source.is_dir() else _read_project(source, line)
    reproduced: list[Reproduced] = []
    end = None
    if args.reproduce:
        end = _reproduce(project, source, args, reproduced, line)
    if args.output is not None:
        _write(args, project, reproduced if args.reproduce else None)
        line.message(f"Wrote {args.output}.")
    result = ReportResult(args.source, args.output, end, reproduced)
    if result.differences:
        line.message(f"{count_of(result.differences, 'result')} differ from the recorded ones.")
    return result


def _read_project(source: Path, line: ProgressLine) -> Project:
    left_out: list[str] = []
    project = read_project(source, left_out=left_out)
    for message in left_out:
        line.message(message)
    return project


def _reproduce(
    project: Project | None,
    source: Path,
    args: argparse.Namespace,
    reproduced: list[Reproduced],
    line: ProgressLine,
) -> RunEnd:
    task: Callable[[CancelToken], Iterator[Progress | Reproduced]]
    if project is None:
        task = ReproduceFolder(source, ProcessExecutor(args.jobs))
    else:
        task = ReproduceProject(project)

    def take(event: Progress | Reproduced) -> None:
        if isinstance(event, Reproduced):
            reproduced.append(event)

    return run_task(task, take, line, time_limit=args.time_limit)


def _write(
    args: argparse.Namespace, project: Project | None, reproduced: list[Reproduced] | None
) -> None:
    info = ReportInfo(args.source, datetime.now(), reproduced, _options(args, project))
    subject = Path(args.source) if project is None else project
    for _ in ReportTask(subject, Path(args.output), info)(NEVER):
        pass


def _options(args: argparse.Namespace, project: Project | None) -> ReportOptions:
    chosen = _names(args.sections) or tuple(SECTIONS)
    left_out = _names(args.without)
    for name in (*chosen, *left_out):
        named("section", name, SECTIONS)
    return ReportOptions(
        tuple(name for name in chosen if name not in left_out),
        args.look,
        args.title,
        None if args.target is None else _target(args.target, project),
    )


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(spelled(name, SECTIONS) for name in listed(text))


def _target(text: str, project: Project | None) -> tuple[str, str]:
    """The variable and state of `V=s` in the first model that has the variable."""
    models = [] if project is None else [entry.model for entry in project.models.values()]
    if not models:
        raise UsageError("--target needs a project with a model.")
    name = text.partition("=")[0].strip()
    domain = next((m.domain for m in models if name in m.domain), models[0].domain)
    if name in domain and "=" not in text:
        return name, domain[name].states[0]
    variable, state = split_at_variable(domain, text, "--target V=s")
    return variable.name, variable.states[variable.code(state)]


@dataclass(frozen=True, eq=False)
class ReportResult:
    """The page that was written, and the reproduced results."""

    source: str
    output: str | None
    end: RunEnd | None
    reproduced: Sequence[Reproduced]

    @property
    def differences(self) -> int:
        return sum(one.is_same is False for one in self.reproduced)

    @property
    def exit_code(self) -> int:
        if self.differences:
            return 2
        return 0 if self.end is None else self.end.exit_code

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "source": self.source,
            "file": self.output,
            "outcome": "finished" if self.end is None else self.end.outcome,
            "same": self.differences == 0 if self.reproduced else None,
            "reproduced": [one.as_dict() for one in self.reproduced],
        }

    def blocks(self) -> Iterator[Block]:
        if self.reproduced:
            rows = [(one.title, STATUS[one.is_same], one.summary) for one in self.reproduced]
            yield Table(("What", "", "Compared"), rows, "<<<")
