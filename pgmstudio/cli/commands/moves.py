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
    refuse_without_probabilities,
    save_model,
)
from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, signed, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.languages.registry import a_kind, edge_analysis
from pgmstudio.core.learning.edge_moves import (
    SMOOTHING,
    TOP,
    ClimbResult,
    MoveList,
    MoveParams,
    NextMove,
    climb,
)

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
        "-o", "--output", metavar="MODEL", help="write the model after --steps, tables fitted"
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
    refuse_without_probabilities(
        file.model,
        "Moves are scored by the likelihood of rows",
        "Use a learner of its language; pgmstudio learners lists them.",
    )
    knowledge = read_knowledge_file(args.knowledge)
    analysis = edge_analysis(file.model.kind)
    graph, names = analysis.graph_of(file.model), file.model.domain.names
    if knowledge is not None:
        knowledge.check(names)
    rules = analysis.rules(names, knowledge, params.max_parents)
    data = read_rows_for(file.model, args.data, args, line)
    if params.score not in analysis.move_scores:
        known = ", ".join(analysis.move_scores)
        raise UsageError(f"--score: {a_kind(file.model.kind)} has {known}.")
    search = analysis.search(data, params, graph)
    taken: tuple[NextMove, ...] = ()
    if args.steps is not None:
        for event in climb(search, graph, rules, steps):
            if isinstance(event, ClimbResult):
                graph, taken = event.graph, event.moves
            else:
                line.show(event)
    for listed in search.list_moves(graph, rules, args.top):
        if isinstance(listed, MoveList):
            moves = listed
        else:
            line.show(listed)
    line.clear()
    if args.output is not None:
        model = analysis.fitted(file.model, graph, data, SMOOTHING)
        save_model(args.output, replace(file, model=model), line)
    score = analysis.move_scores[params.score]
    return MoveReport(moves, taken, score, data.row_count, args.output)


def _steps(text: str | None) -> int | None:
    if text is None or text == ALL:
        return None
    if not text.isdecimal():
        raise UsageError(f"--steps: {text!r} is not a whole number or “all”.")
    return int(text)


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
