"""`pgmstudio bootstrap`: how often a learner finds each edge in rows drawn with replacement."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pgmstudio.cli.commands.learn import knowledge_in, learner_and_words
from pgmstudio.cli.options.data import add_data_options, check_model_target, read_rows
from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number, one_of, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import follow
from pgmstudio.cli.terminal.tables import count_of, percent, print_json, print_table
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
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.params import specs_of


def run(words: Sequence[str]) -> int:
    learner, args = learner_and_words(words, _parser)
    params: Any = params_from(args, learner.params_type)
    if args.output is not None:
        check_model_target(args.output)
    line = ProgressLine(quiet=args.quiet)
    data = read_rows(args.data, args, line)
    for rules in knowledge_in(params):
        rules.check(data.domain.names)
    settings = BootstrapParams(
        replicates=args.replicates, orientation=args.orientation, threshold=args.threshold
    )
    workers = args.workers or processes_for(data, args.replicates)
    plan = BootstrapPlan(learner.key, data, params, args.seed, settings, workers)
    started = time.monotonic()
    found, was_interrupted = _counted(plan, args.time_limit, line)
    seconds = time.monotonic() - started
    if found is None:
        line.say(f"Stopped after {seconds:.1f} s, before the first replicate was done.")
        if was_interrupted:
            return 130
        raise UsageError("No replicate was done in that time; give it more.")
    is_finished = found.graphs == args.replicates
    verb = "Finished" if is_finished else "Stopped"
    line.say(f"{verb} after {seconds:.1f} s with {count_of(found.graphs, 'replicate')}.")
    averaged = found.averaged(args.threshold)
    for edge in averaged.left_out:
        line.say(f"{edge.source} → {edge.target} would close a cycle and was left out.")
    if args.edges is not None:
        write_csv(args.edges, found.as_csv(), quoted=args.quote_formulas)
    if args.output is not None:
        _save(args.output, plan, found, line)
    if args.json:
        told: dict[str, Any] = {
            "learner": learner.key,
            "seed": args.seed,
            "rows": data.row_count,
            "variables": len(data.domain),
            "replicates": found.graphs,
            "outcome": "finished" if is_finished else "stopped",
            "orientation": args.orientation,
            "seconds": seconds,
            "edges": [edge.as_dict() for edge in found.edges],
            "threshold": args.threshold,
            "averaged": [list(edge) for edge in averaged.dag.edges],
            "left_out": [[edge.source, edge.target] for edge in averaged.left_out],
        }
        if args.output is not None:
            told["model"] = args.output
        print_json(told)
    else:
        _print(found, args.threshold)
    return 130 if was_interrupted else 0


def _counted(
    plan: BootstrapPlan, time_limit: float | None, line: ProgressLine
) -> tuple[EdgeFrequencies | None, bool]:
    """The frequencies of all replicates, or of those done before Ctrl+C or the time limit."""
    found: list[EdgeFrequencies] = []

    def counts(cancel: CancelToken) -> Iterator[Progress | Counted]:
        return bootstrap(plan, cancel=cancel)

    def take(event: object) -> None:
        if isinstance(event, Counted):
            found[:] = [event.frequencies]

    end = follow(counts, take, line, time_limit=time_limit)
    return (found[0] if found else None), end.was_interrupted


def _parser(learner: Learner[Any] | None) -> CommandParser:
    told = "Learns from many data sets drawn from the rows, and counts the edges."
    if learner is not None:
        told += f"\n{learner.key}: {learner.title} ({learner.kind})."
    parser = CommandParser("bootstrap", told)
    parser.add_argument("key", metavar="KEY", help="which learner, such as bn.hill-climb")
    parser.add_argument("data", metavar="DATA", help="a data file")
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
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the averaged network goes")
    parser.add_argument("--edges", metavar="OUT.csv", help="where the table of edges goes")
    parser.add_argument(
        "--workers",
        type=whole_number(1),
        metavar="N",
        help="over how many processes replicates are spread; the result is the same for any number",
    )
    parser.add_time_limit("the replicates done")
    parser.add_seed()
    if learner is not None:
        add_param_options(parser, learner.params_type, f"parameters of {learner.key}")
    add_data_options(parser)
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    return parser


def _save(target: str, plan: BootstrapPlan, found: EdgeFrequencies, line: ProgressLine) -> None:
    from pgmstudio.core.io.models.files import ModelFile, write_model

    network, measures = plan.averaged(found)
    told = {
        "learner": plan.learner_key,
        "seed": plan.seed,
        "measures": measures,
        "data": {"fingerprint": plan.data.fingerprint, "rows": plan.data.row_count},
        "bootstrap": found.plain(),
    }
    file = ModelFile(network, title=Path(target).stem, provenance=told)
    for sentence in write_model(target, file):
        line.say(sentence)
    line.say(f"Wrote {target}.")


def _print(found: EdgeFrequencies, threshold: float) -> None:
    rows = [
        (
            "●" if edge.joined >= threshold else "",
            f"{edge.source} → {edge.target}",
            percent(edge.joined),
            percent(edge.forward),
            percent(edge.backward),
            percent(edge.undirected),
        )
        for edge in found.edges
    ]
    print_table(("", "Edge", "Joined", "→", "←", "Either way"), rows, "<<>>>>")
    print(f"● joined in at least {percent(threshold)} of {count_of(found.graphs, 'replicate')}")
