"""`pgmstudio bootstrap`: how often a learner finds each edge in bootstrap samples."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import add_data_options, check_model_path, read_rows, save_model
from pgmstudio.cli.options.learner import add_learner_arguments, learner_parser
from pgmstudio.cli.options.parameters import params_from
from pgmstudio.cli.terminal.output import Block, Table, count_of, percent
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, one_of, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_task
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.bootstrap import (
    ORIENTATIONS,
    BootstrapParams,
    BootstrapPlan,
    Counted,
    bootstrap,
    processes_for,
)
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.run_checks import knowledge_of
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.params import specs_of


def make_parser(argv: Sequence[str]) -> CommandParser:
    return learner_parser(argv, _build_parser)


def _build_parser(learner: Learner[Any] | None) -> CommandParser:
    description = "Learn from many data sets drawn from the rows, and count the edges."
    if learner is not None:
        description += f"\n{learner.key}: {learner.title} ({learner.kind})."
    parser = CommandParser("bootstrap", description)
    parser.add_jobs("--workers")  # before the learner's own of that name
    add_learner_arguments(parser, learner, "bn.hill-climb")
    help_of = {spec.name: spec.help.replace("%", "%%") for spec in specs_of(BootstrapParams)}
    parser.add_argument(
        "-n",
        "--replicates",
        type=whole_number(1),
        default=200,
        metavar="N",
        help=f"{help_of['replicates']} (default 200)",
    )
    parser.add_argument(
        "--orientation",
        type=one_of(ORIENTATIONS),
        default="class",
        metavar="|".join(ORIENTATIONS),
        help=f"{help_of['orientation']} (default class)",
    )
    parser.add_argument(
        "--threshold",
        type=number(0, 1, low_open=True),
        default=0.5,
        metavar="X",
        help=f"{help_of['threshold']} (default 0.5)",
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="write the averaged network")
    parser.add_argument("--edges", metavar="OUT.csv", help="write the table of edges")
    parser.add_time_limit("the replicates done")
    parser.add_seed()
    add_data_options(parser)
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> BootstrapReport:
    learner = learner_of(args.key)
    params: Any = params_from(args, learner.params_type)
    if args.output is not None:
        check_model_path(args.output)
    data = read_rows(args.data, args, line)
    knowledge = knowledge_of(params)
    if knowledge is not None:
        knowledge.check(data.domain.names)
    settings = BootstrapParams(
        replicates=args.replicates, orientation=args.orientation, threshold=args.threshold
    )
    workers = args.jobs or processes_for(data, args.replicates)
    plan = BootstrapPlan(learner.key, data, params, args.seed, settings, workers)
    started = time.monotonic()
    frequencies, was_interrupted = _run_replicates(plan, args.time_limit, line)
    seconds = time.monotonic() - started
    if frequencies is None:
        message = f"Stopped after {seconds:.1f} s, before the first replicate was done"
        if was_interrupted:
            raise Cancelled(f"{message}.")
        raise UsageError(f"{message}; raise --time-limit.")
    report = BootstrapReport(plan, frequencies, seconds, args.output, 130 if was_interrupted else 0)
    replicates = count_of(frequencies.graphs, "replicate")
    line.message(f"{report.outcome.capitalize()} after {seconds:.1f} s with {replicates}.")
    for omission in plan.omissions(frequencies):
        line.message(omission)
    if args.edges is not None:
        write_csv(args.edges, frequencies.as_csv(), quoted=args.quote_formulas)
    if args.output is not None:
        _save(args.output, plan, frequencies, line)
        line.message(f"Wrote {spoken(args.output)}.")
    return report


def _run_replicates(
    plan: BootstrapPlan, time_limit: float | None, line: ProgressLine
) -> tuple[EdgeFrequencies | None, bool]:
    """The frequencies of all replicates, or of those done before Ctrl+C or the time limit."""
    latest: EdgeFrequencies | None = None

    def replicates(cancel: CancelToken) -> Iterator[Progress | Counted]:
        return bootstrap(plan, cancel=cancel)

    def take(event: Progress | Counted) -> None:
        nonlocal latest
        if isinstance(event, Counted):
            latest = event.frequencies

    end = run_task(replicates, take, line, time_limit=time_limit)
    return latest, end.was_interrupted


def _save(path: str, plan: BootstrapPlan, frequencies: EdgeFrequencies, line: ProgressLine) -> None:
    network, measures = plan.averaged(frequencies)
    provenance = {
        "learner": plan.learner_key,
        "seed": plan.seed,
        "measures": measures,
        "data": {"fingerprint": plan.data.fingerprint, "rows": plan.data.row_count},
        "bootstrap": frequencies.plain(),
    }
    save_model(path, ModelFile(network, title=Path(path).stem, provenance=provenance), line)


@dataclass(frozen=True, eq=False)
class BootstrapReport:
    """The frequency of each edge over the replicates."""

    plan: BootstrapPlan
    frequencies: EdgeFrequencies
    seconds: float
    output: str | None
    exit_code: int

    @property
    def outcome(self) -> str:
        is_finished = self.frequencies.graphs == self.plan.settings.replicates
        return "finished" if is_finished else "stopped"

    def as_dict(self) -> Mapping[str, Any]:
        plan = self.plan
        frequencies = self.frequencies
        averaged = frequencies.averaged(plan.settings.threshold)
        document: dict[str, Any] = {
            "learner": plan.learner_key,
            "seed": plan.seed,
            "rows": plan.data.row_count,
            "variables": len(plan.data.domain),
            "replicates": self.frequencies.graphs,
            "outcome": self.outcome,
            "orientation": plan.settings.orientation if frequencies.has_directions else None,
            "seconds": self.seconds,
            "edges": [edge.as_dict() for edge in self.frequencies.edges],
            "threshold": plan.settings.threshold,
            "averaged": [list(edge) for edge in averaged.dag.edges],
            "left_out": [[edge.source, edge.target] for edge in averaged.left_out],
        }
        return document if self.output is None else {**document, "model": self.output}

    def blocks(self) -> Iterator[Block]:
        threshold, has_directions = self.plan.settings.threshold, self.frequencies.has_directions
        rows = [
            (
                "●" if edge.joined >= threshold else "",
                f"{edge.source} {'→' if has_directions else '–'} {edge.target}",
                percent(edge.joined),
                *map(percent, (edge.forward, edge.backward, edge.undirected)),
            )
            for edge in self.frequencies.edges
        ]
        head = ("", "Edge", "Joined", "→", "←", "Undirected")
        shown = len(head) if has_directions else 3
        yield Table(head[:shown], [row[:shown] for row in rows], "<<>>>>"[:shown])
        replicates = count_of(self.frequencies.graphs, "replicate")
        yield f"● joined in at least {percent(threshold)} of {replicates}"
