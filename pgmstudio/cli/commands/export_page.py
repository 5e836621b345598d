"""`pgmstudio export-page`: a model as one web page that computes beliefs itself."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pgmstudio.cli.options.data import add_output_file, check_ending, open_model, save_content
from pgmstudio.cli.options.evidence import add_evidence_options, evidence_from, evidence_from_args
from pgmstudio.cli.terminal.output import FilesWritten
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.errors import named
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.large_counts import in_units
from pgmstudio.core.model import Model
from pgmstudio.core.reports.interactive_page.page import (
    PageSubject,
    interactive_page,
    subject_of_entry,
    subject_of_file,
)

PROJECT_ENDING = ".pgmz"


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "export-page",
        "Write a model as one HTML file in which anyone can set evidence and see all beliefs "
        "change.\nThe page needs a browser and nothing else: it computes by itself and loads "
        "nothing.",
    )
    parser.add_argument(
        "model", metavar="MODEL", help="model file, or a project (.pgmz) with its scenarios"
    )
    add_output_file(parser, "OUT.html")
    parser.add_argument("--model", dest="entry", metavar="TITLE", help="which model of a project")
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    parser.add_argument(
        "--notes", metavar="TEXT", help="author's note at its top (default: the model's notes)"
    )
    parser.add_argument(
        "--scenario",
        nargs="+",
        action="append",
        default=[],
        metavar=("NAME", "V=s"),
        help="add evidence that can be chosen by its name; may be repeated",
    )
    add_evidence_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    check_ending(args.output, [".html", ".htm"], "pages")
    subject = _subject(args, line)
    model = subject.model
    subject = replace(
        subject,
        title=subject.title if args.title is None else args.title,
        notes=subject.notes if args.notes is None else args.notes,
        scenarios={**subject.scenarios, **_scenarios(model, args.scenario)},
        evidence=evidence_from_args(model.domain, args),
    )
    content = interactive_page(subject).encode()
    save_content(args.output, content)
    line.message(f"Wrote {spoken(args.output)} ({in_units(len(content))}).")
    return FilesWritten({"kind": model.kind, "file": args.output})


def _subject(args: argparse.Namespace, line: ProgressLine) -> PageSubject:
    path = Path(args.model)
    if path.suffix.lower() != PROJECT_ENDING:
        if args.entry is not None:
            raise UsageError(f"--model is for a project ({PROJECT_ENDING}).")
        return subject_of_file(open_model(args.model, line), path.stem)
    left_out: list[str] = []
    project = read_project(path, left_out=left_out)
    for message in left_out:
        line.message(message)
    ids = {entry.title: model_id for model_id, entry in project.models.items()}
    if args.entry is None and len(project.models) != 1:
        titles = ", ".join(ids) or "none"
        raise UsageError(f"{path.name} has these models: {titles}. Choose one: --model TITLE.")
    title = next(iter(ids)) if args.entry is None else args.entry
    return subject_of_entry(project, named("model", title, ids))


def _scenarios(model: Model, given: Sequence[Sequence[str]]) -> dict[str, dict[str, Finding]]:
    scenarios = {}
    for name, *findings in given:
        if not findings:
            raise UsageError(f"--scenario {name!r} has no findings; add V=s.")
        scenarios[name] = evidence_from(model.domain, findings)
    return scenarios
