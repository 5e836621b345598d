"""`pgmstudio sample`: rows drawn from a model, also given evidence."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pgmstudio.cli.options.data import (
    check_memory,
    open_model,
    save_rows,
)
from pgmstudio.cli.options.evidence import add_evidence_options, evidence_from_args, finding_json
from pgmstudio.cli.terminal.output import FilesWritten, count_of
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_task
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.sessions import Sampled, SamplePlan, sample_rows
from pgmstudio.core.model import (
    Model,
    ProbabilisticModel,
)


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "sample", "Draw independent rows from a model; with evidence, rows given that evidence."
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument(
        "-n", "--rows", type=whole_number(0), required=True, metavar="N", help="number of rows"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DATA", help="file to write")
    parser.add_argument(
        "--missing",
        type=number(0, 1),
        default=0.0,
        metavar="X",
        help="probability that a cell is missing, whatever its value (default 0)",
    )
    add_evidence_options(parser)
    parser.add_seed()
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> FilesWritten:
    model = open_model(args.model, line).model
    if not isinstance(model, ProbabilisticModel):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} is no probability distribution; it cannot be sampled."
        )
    check_memory(args.rows, model.domain)
    given = evidence_from_args(model.domain, args)
    plan = SamplePlan(args.rows, args.seed, args.missing, given or None)
    sampled = _sampled(model, plan, line)
    data = sampled.data
    if sampled.note:
        line.message(sampled.note)
    save_rows(args.output, data, quoted=args.quote_formulas)
    rows, columns = count_of(data.row_count, "row"), count_of(len(data.domain), "column")
    line.message(f"Wrote {rows} of {columns} to {spoken(args.output)}.")
    document = {
        "kind": model.kind,
        "seed": args.seed,
        "rows": data.row_count,
        "variables": len(data.domain),
        "data": args.output,
    }
    if given:
        document["evidence"] = {name: finding_json(finding) for name, finding in given.items()}
    if sampled.note:
        document["note"] = sampled.note
    return FilesWritten(document)


def _sampled(model: Model, plan: SamplePlan, line: ProgressLine) -> Sampled:
    result: list[Sampled] = []

    def take(event: Progress | Sampled) -> None:
        if isinstance(event, Sampled):
            result.append(event)

    run_task(lambda cancel: sample_rows(model, plan, cancel), take, line)
    if not result:
        raise Cancelled("Interrupted before all rows were drawn; nothing was written.")
    return result[0]
