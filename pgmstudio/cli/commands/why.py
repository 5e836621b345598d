"""`pgmstudio why`: what speaks for and against one edge of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows_for
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import print_json
from pgmstudio.core.analysis.edge_explanation import (
    EdgeWhy,
    OptimaTask,
    PcTask,
    as_dict,
    data_tests,
    optima_share,
    scores_for,
    sentences,
    why_edge,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequency
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import PcParams
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.params import KesParams
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.structures import dag_of
from pgmstudio.core.params import ParamKind, parse_params, specs_of


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "why",
        "Why there is an edge between two variables, or why not: the change of the score for\n"
        "adding, removing and reversing it now (in bits, above 0 is better), cycles, tests, rules.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("data", metavar="DATA", help="the rows to ask")
    parser.add_argument("one", metavar="A", help="a variable")
    parser.add_argument("other", metavar="B", help="another variable")
    parser.add_argument("--knowledge", metavar="FILE", help="rules about edges that may touch it")
    parser.add_argument(
        "--bootstrap",
        metavar="FILE",
        help="what bootstrap --json or bootstrap -o wrote, for the frequency of the edge",
    )
    parser.add_argument(
        "--searches",
        action="store_true",
        help="repeat the search that made the model (PC or KES) and tell what it saw of the pair",
    )
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    file = open_model(args.model, line)
    model, dag = file.model, dag_of(file.model)
    for name in (args.one, args.other):
        model.domain.index(name)  # says which is nearest
    if args.one == args.other:
        raise UsageError("An edge joins two different variables.")
    knowledge = None
    if args.knowledge is not None:
        from pgmstudio.core.io.background_knowledge import read_knowledge

        knowledge = read_knowledge(args.knowledge)
    data = read_rows_for(model, args.data, args, line)
    learner, params, seed = _made_by(file.provenance)
    why = why_edge(
        dag,
        scores_for(data, dag, params),
        data_tests(data),
        args.one,
        args.other,
        knowledge=knowledge,
    )
    if args.bootstrap is not None:
        why = why.with_frequency(*_frequency(args.bootstrap, args.one, args.other))
    if args.searches:
        why = _with_searches(why, learner, params, seed, data)
    if args.json:
        print_json(as_dict(why))
        return 0
    if why.is_edge:
        print(f"{why.source} → {why.target} is an edge of this model.\n")
    else:
        print(f"{why.source} and {why.target} have no edge between them in this model.\n")
    for sentence in sentences(why):
        print(f"- {sentence}")
    for test in why.pc_tests:
        print(f"    {test}")
    return 0


def _made_by(provenance: Mapping[str, Any] | None) -> tuple[str, Any, int]:
    """The learner that made a model, its parameters where they can be read, and its seed."""
    told = provenance or {}
    key = str(told.get("learner", ""))
    learner = all_learners().get(key)
    if learner is None or not isinstance(told.get("parameters"), Mapping):
        return key, None, 0
    objects = {s.name for s in specs_of(learner.params_type) if s.kind is ParamKind.OBJECT}
    given = {n: v for n, v in told["parameters"].items() if n not in objects}
    try:
        params: Any = parse_params(learner.params_type, given)
    except PgmStudioError:  # written by another version; the question can be answered without
        return key, None, 0
    return key, params, int(told.get("seed", 0))


def _with_searches(why: EdgeWhy, learner: str, params: Any, seed: int, data: DataSet) -> EdgeWhy:
    if isinstance(params, PcParams):
        return why.with_records(tests=next(PcTask(data, params)(NEVER)))
    if isinstance(params, KesParams):
        found = next(OptimaTask(data, params, seed)(NEVER))
        return why.with_records(optima=optima_share(found, why.source, why.target))
    made = f"by {learner}" if learner else "by no learner that its file names"
    raise UsageError(f"--searches: the model was made {made}; bn.pc and bn.kes can be repeated.")


def _frequency(path: str, one: str, other: str) -> tuple[EdgeFrequency, int]:
    """The shares of a pair from a file of the command bootstrap, and how many replicates it had."""
    from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
    from pgmstudio.core.io.models.files import read_bytes

    try:
        told = json.loads(read_bytes(Path(path)))
        kept = (told.get("provenance") or {}).get("bootstrap")
        if kept is not None:
            found = EdgeFrequencies.restored(kept)
            return found.of_pair(one, other), found.graphs
        for edge in told["edges"]:
            if {edge["from"], edge["to"]} == {one, other}:
                shares = (edge["from_to"], edge["to_from"], edge["undirected"])
                return EdgeFrequency(edge["from"], edge["to"], *shares), told["replicates"]
        return EdgeFrequency(one, other, 0.0, 0.0), int(told["replicates"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FileError(path, "is not what pgmstudio bootstrap --json or -o writes.") from None
