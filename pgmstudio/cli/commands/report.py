"""`pgmstudio report`: a project or an experiment as one page of HTML, or all of it done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import follow
from pgmstudio.cli.terminal.tables import count_of, print_json, print_table
from pgmstudio.core.errors import FileError
from pgmstudio.core.execution.events import CancelToken, Progress

ENDINGS = (".html", ".htm")


def run(words: Sequence[str]) -> int:
    args = _parser().parse(words)
    if args.output is None and not args.reproduce:
        raise UsageError("report needs -o OUT.html, or --reproduce.")
    if args.output is not None and Path(args.output).suffix.lower() not in ENDINGS:
        raise UsageError(f"{args.output} does not end in .html, the only kind of report written.")
    from pgmstudio.core.experiments.plans.runner import ProcessExecutor
    from pgmstudio.core.io.atomic import replace_file
    from pgmstudio.core.io.project.project_file import read_project
    from pgmstudio.core.reports.report import ReportWords, folder_report, project_report
    from pgmstudio.core.reports.reproduction import Reproduced, ReproduceFolder, ReproduceProject

    line, source = ProgressLine(quiet=args.quiet), Path(args.source)
    if not source.exists():
        raise FileError(source, "is not there.")
    is_folder = source.is_dir()
    left_out: list[str] = []
    project = None if is_folder else read_project(source, left_out=left_out)
    for sentence in left_out:
        line.say(sentence)
    found, end = list[Reproduced](), None

    def take(event: object) -> None:
        if isinstance(event, Reproduced):
            found.append(event)

    if args.reproduce:
        task: Callable[[CancelToken], Iterator[Progress | Reproduced]]
        if project is None:
            task = ReproduceFolder(source, ProcessExecutor(args.processes))
        else:
            task = ReproduceProject(project)
        end = follow(task, take, line, time_limit=args.time_limit)
    about = ReportWords(args.source, datetime.now(), found if args.reproduce else None)
    if args.output is not None:
        page = folder_report(source, about) if project is None else project_report(project, about)
        replace_file(args.output, page.encode())
        line.say(f"Wrote {args.output}.")
    differ = [one for one in found if one.is_same is False]
    if args.json:
        print_json(
            {
                "source": args.source,
                "file": args.output,
                "outcome": "finished" if end is None else end.outcome,
                "same": (not differ) if found else None,
                "reproduced": [one.as_dict() for one in found],
            }
        )
    elif found:
        said = {True: "same", False: "differs", None: "not done"}
        print_table(
            ("What", "", "Compared"), [(r.title, said[r.is_same], r.words) for r in found], "<<<"
        )
    if differ:
        line.say(f"{count_of(len(differ), 'result')} came out differently.")
        return 2
    return 0 if end is None else end.code


def _parser() -> CommandParser:
    parser = CommandParser(
        "report",
        "Writes a project, or the folder of a sweep, as one page of HTML that needs no other "
        "file: data, curves, tables, models as pictures, where all of it comes from.\n"
        "With --reproduce everything is run again and compared; the exit code is 2 when "
        "something came out differently.",
    )
    parser.add_argument(
        "source", metavar="PROJECT|FOLDER", help="a .pgmz file, or the folder of a sweep"
    )
    parser.add_argument("-o", "--output", metavar="OUT.html", help="the page to write")
    parser.add_argument(
        "--reproduce",
        action="store_true",
        help="run everything again from the recorded rows, settings and seeds, and compare",
    )
    parser.add_argument(
        "--processes",
        type=whole_number(1),
        metavar="N",
        help="how many runs of a sweep at once (default: one for each core)",
    )
    parser.add_time_limit("what was compared by then")
    parser.add_json()
    parser.add_quiet()
    return parser
