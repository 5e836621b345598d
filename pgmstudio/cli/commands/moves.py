"""`pgmstudio moves`: the best next moves of a greedy search from a model."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    check_model_path,
    open_model,
    read_knowledge_file,
    read_rows_for,
    save_model,
)
from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, signed, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.learning.score_based.candidate_moves import (
    SMOOTHING,
    TOP,
    ClimbResult,
    MoveList,
    MoveParams,
    NextMove,
    NextMoves,
    refitted,
    rules_for,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.languages.markov_network.edge_moves import (
    MARKOV_SCORES,
    EdgeScores,
    moved,
)
from pgmstudio.core.languages.markov_network.fitting import fit
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.learning.undirected_rules import UndirectedRules
from pgmstudio.core.model import Model

ALL = "all"
HEADER = ("Move", "Δ score, bits", "Δ parameters")


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "moves",
        "List the best next moves of a greedy search from the graph of a model: edges to add,\n"
        "remove or reverse, each with the change of the score (bits, above 0 is better) and of\n"
        "the number of free parameters. --steps takes the best moves first. Of a Markov network:\n"
        "edges and contexts to add or remove, by pseudo-likelihood (PIC; --score bdeu for the\n"
        "marginal pseudo-likelihood).",
    )
    parser.add_argument("model", metavar="MODEL", help="model file with edges")
    parser.add_argument("data", metavar="DATA", help="data file")
    parser.add_argument(
        "--top",
        type=whole_number(1),
        default=TOP,
        metavar="N",
        help=f"list this many moves (default {TOP})",
    )
    parser.add_argument(
        "--knowledge", metavar="FILE", help="background knowledge that every move obeys"
    )
    parser.add_argument(
        "--steps",
        metavar="N|all",
        help="take the best move N times, or until none raises the score, then list",
    )
    parser.add_argument(
        "-o", dest="output", metavar="MODEL", help="write the model after --steps, tables fitted"
    )
    add_param_options(parser, MoveParams, "score of a move")
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> MoveReport:
    params = params_from(args, MoveParams)
    steps = _steps(args.steps)
    if args.output is not None:
        if args.steps is None:
            raise UsageError(
                "-o writes the model after some moves; give their number with --steps."
            )
        check_model_path(args.output)
    file = open_model(args.model, line)
    knowledge = read_knowledge_file(args.knowledge)
    if isinstance(file.model, MarkovNetwork):
        return _markov_moves(args, file, file.model, params, knowledge, line)
    dag = dag_of(file.model)
    if knowledge is not None:
        knowledge.check(dag.names)
    rules = rules_for(dag.names, knowledge, params.max_parents)
    data = read_rows_for(file.model, args.data, args, line)
    search = NextMoves.over(data, params, dag)
    taken: tuple[NextMove, ...] = ()
    if args.steps is not None:
        for event in search.climb(dag, rules, steps):
            if isinstance(event, ClimbResult):
                dag, taken = event.dag, event.moves
            else:
                line.show(event)
    for progress in search.score_graph(dag):
        line.show(progress)
    line.clear()
    moves = search.list_moves(rules, args.top)
    if args.output is not None:
        save_model(args.output, replace(file, model=_fitted(file.model, dag, data)), line)
    return MoveReport(moves, taken, params.score, data.row_count, args.output)


def _markov_moves(
    args: argparse.Namespace,
    file: ModelFile,
    model: MarkovNetwork,
    params: MoveParams,
    knowledge: Knowledge | None,
    line: ProgressLine,
) -> MoveReport:
    rules = UndirectedRules.of(model.domain.names, knowledge)
    data = read_rows_for(model, args.data, args, line)
    if params.score not in MARKOV_SCORES:
        raise UsageError(f"--score: a Markov network has {', '.join(MARKOV_SCORES)}.")
    scores = EdgeScores(
        data,
        MARKOV_SCORES[params.score],
        ess=params.ess,
        lambda_=params.lambda_,
        max_table_cells=params.max_table_cells,
    )
    structure = model.structure
    taken: list[NextMove] = []
    steps = 0 if args.steps is None else _steps(args.steps)
    while steps is None or len(taken) < steps:
        best = scores.moves(structure, rules, 1)
        if best.is_optimum:
            break
        taken.append(best.moves[0])
        structure = moved(structure, best.moves[0].key)
        line.show(Progress(None, f"{len(taken)} moves taken, score {best.score:,.1f} bits"))
    line.clear()
    moves = scores.moves(structure, rules, args.top)
    if args.output is not None:
        fitted = run_to_end(fit(structure, data, smoothing=SMOOTHING)).network
        save_model(args.output, replace(file, model=fitted), line)
    score = MARKOV_SCORES[params.score]
    return MoveReport(moves, taken, score, data.row_count, args.output)


def _steps(text: str | None) -> int | None:
    if text is None or text == ALL:
        return None
    if not text.isdecimal():
        raise UsageError(f"--steps: {text!r} is not a whole number or “all”.")
    return int(text)


def _fitted(model: Model, dag: Dag, data: DataSet) -> BayesianNetwork:
    """The network of this graph with tables fitted to the rows."""
    return refitted(through_network(model), dag, data, SMOOTHING)


@dataclass(frozen=True, eq=False)
class MoveReport:
    """The moves taken, and the best next ones."""

    moves: MoveList
    taken: Sequence[NextMove]
    score: str
    row_count: int
    output: str | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "rows": self.row_count,
            "score": self.score,
            "value": self.moves.score,
            "taken": [_move_json(move) for move in self.taken],
            "moves": [_move_json(move) for move in self.moves.moves],
            "better": self.moves.better,
            "legal": self.moves.legal,
            "is_optimum": self.moves.is_optimum,
        }
        return document if self.output is None else {**document, "model": self.output}

    def blocks(self) -> Iterator[Block]:
        moves = self.moves
        if self.taken:
            yield f"{count_of(len(self.taken), 'move')} taken:"
            yield Table(HEADER, [_row(move) for move in self.taken], "<>>")
            yield ""
        if moves.is_optimum:
            yield f"A local optimum of {self.score}: no move raises it."
        else:
            yield f"{count_of(moves.better, 'move')} of {whole(moves.legal)} would raise the score."
        yield f"Score {decimal(moves.score, 1)} bits\n"
        yield Table(HEADER, [_row(move) for move in moves.moves], "<>>")


def _move_json(move: NextMove) -> dict[str, Any]:
    key = move.key
    document = {
        "action": key.action,
        "from": key.source,
        "to": key.target,
        "gain": move.gain,
        "parameters": move.parameters,
    }
    return document if key.is_directed else {**document, "context": key.context}


def _row(move: NextMove) -> tuple[str, str, str]:
    parameters = f"{move.parameters:+d}" if move.parameters else "0"
    return str(move), signed(move.gain, 1), parameters
