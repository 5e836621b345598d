"""`pgmstudio why`: the reasons for or against one edge of a model."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    open_model,
    read_knowledge_file,
    read_rows_for,
    refuse_without_probabilities,
)
from pgmstudio.cli.terminal.output import Block
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.edge_explanation import (
    OptimaTask,
    PcTask,
    as_dict,
    explanation_lines,
    optima_share,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies, EdgeFrequency
from pgmstudio.core.io.models.files import read_bytes
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import PcParams
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import KesParams
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.registry import edge_analysis
from pgmstudio.core.params import ParamKind, parse_params, specs_of
from pgmstudio.core.scores.edge_reports import EdgeWhy


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "why",
        "Explain why there is an edge between two variables, or why not: the change of the score\n"
        "for adding, removing and reversing it (in bits, above 0 is better), cycles, independence\n"
        "tests and background knowledge. Of a Markov network: pseudo-likelihood scores, tests\n"
        "given the neighbours, and the contexts of the edge.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument("data", metavar="DATA", help="data file")
    parser.add_argument("one", metavar="A", help="a variable")
    parser.add_argument("other", metavar="B", help="another variable")
    parser.add_argument("--knowledge", metavar="FILE", help="background knowledge to check")
    parser.add_argument(
        "--bootstrap",
        metavar="FILE",
        help="read the frequency of the edge from the output of bootstrap --json or bootstrap -o",
    )
    parser.add_argument(
        "--searches",
        action="store_true",
        help="repeat the search that learned the model (PC or KES) and report its tests or optima",
    )
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> EdgeReport:
    file = open_model(args.model, line)
    refuse_without_probabilities(
        file.model,
        "Edges are explained by scores and tests of probabilities",
        "Use pgmstudio associations --measure KEY.",
    )
    analysis = edge_analysis(file.model.kind)
    analysis.graph_of(file.model)  # raises for a language without edges
    for name in (args.one, args.other):
        file.model.domain.index(name)  # raises, with the nearest name
    if args.one == args.other:
        raise UsageError("An edge joins two different variables.")
    knowledge = read_knowledge_file(args.knowledge)
    data = read_rows_for(file.model, args.data, args, line)
    learner, params, seed = _made_by(file.provenance)
    explainer = analysis.explainer(data, params)
    why = explainer.explain(file.model, args.one, args.other, knowledge=knowledge)
    if args.bootstrap is not None:
        why = why.with_frequency(*_frequency(args.bootstrap, args.one, args.other))
    if args.searches:
        why = _with_searches(why, learner, params, seed, data)
    return EdgeReport(why)


@dataclass(frozen=True, eq=False)
class EdgeReport:
    """The reasons for or against an edge."""

    why: EdgeWhy
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return as_dict(self.why)

    def blocks(self) -> Iterator[Block]:
        why = self.why
        if why.is_edge:
            yield f"{why.edge_text} is an edge of this model.\n"
        else:
            yield f"{why.source} and {why.target} have no edge between them in this model.\n"
        for reason in explanation_lines(why):
            yield f"- {reason}"
        for test in why.pc_tests:
            yield f"    {test}"


def _made_by(provenance: Mapping[str, Any] | None) -> tuple[str, Any, int]:
    """The learner that made a model, its parameters where they can be read, and its seed."""
    origin = provenance or {}
    key = str(origin.get("learner", ""))
    learner = all_learners().get(key)
    if learner is None or not isinstance(origin.get("parameters"), Mapping):
        return key, None, 0
    objects = {s.name for s in specs_of(learner.params_type) if s.kind is ParamKind.OBJECT}
    given = {n: v for n, v in origin["parameters"].items() if n not in objects}
    try:
        params: Any = parse_params(learner.params_type, given)
    except PgmStudioError:  # written by another version; the edge can be explained without
        return key, None, 0
    return key, params, int(origin.get("seed", 0))


def _with_searches(why: EdgeWhy, learner: str, params: Any, seed: int, data: DataSet) -> EdgeWhy:
    if isinstance(params, PcParams):
        return why.with_records(tests=next(PcTask(data, params)(NEVER)))
    if isinstance(params, KesParams):
        optima = next(OptimaTask(data, params, seed)(NEVER))
        return why.with_records(optima=optima_share(optima, why.source, why.target))
    made = f"by {learner}" if learner else "by no learner that its file names"
    raise UsageError(f"--searches: the model was made {made}; bn.pc and bn.kes can be repeated.")


def _frequency(path: str, one: str, other: str) -> tuple[EdgeFrequency, int]:
    """The frequency of an edge in a file of `bootstrap`, and its number of replicates."""
    try:
        document = json.loads(read_bytes(Path(path)))
        saved = (document.get("provenance") or {}).get("bootstrap")
        if saved is not None:
            frequencies = EdgeFrequencies.restored(saved)
            return frequencies.of_pair(one, other), frequencies.graphs
        for edge in document["edges"]:
            if {edge["from"], edge["to"]} == {one, other}:
                fractions = (edge["from_to"], edge["to_from"], edge["undirected"])
                return EdgeFrequency(edge["from"], edge["to"], *fractions), document["replicates"]
        return EdgeFrequency(one, other, 0.0, 0.0), int(document["replicates"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FileError(path, "is not a file of pgmstudio bootstrap --json or -o.") from None
