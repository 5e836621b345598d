"""`pgmstudio moves`: the best next moves of a greedy search from a model, and taking some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    check_model_target,
    open_model,
    read_rows_for,
)
from pgmstudio.cli.options.parameters import add_param_options, params_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, print_json, print_table, whole
from pgmstudio.core.analysis.edge_explanation import signed
from pgmstudio.core.languages.bayesian_network.learning.score_based.candidate_moves import (
    SMOOTHING,
    TOP,
    Climbed,
    MoveList,
    MoveParams,
    NextMove,
    NextMoves,
    refitted,
    rules_for,
)
from pgmstudio.core.languages.structures import dag_of

ALL = "all"


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "moves",
        "The best next moves of a greedy search from the graph of a model: edges to add, remove\n"
        "or reverse, each with the change of the score (bits, above 0 is better) and of the\n"
        "number of free parameters. --steps takes the best ones first.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file with directed edges")
    parser.add_argument("data", metavar="DATA", help="the rows to ask")
    parser.add_argument(
        "--top", type=whole_number(1), default=TOP, metavar="N", help="how many are listed"
    )
    parser.add_argument("--knowledge", metavar="FILE", help="rules that every move obeys")
    parser.add_argument(
        "--steps",
        metavar="N|all",
        help="take the best move so many times, or until none raises the score, then list",
    )
    parser.add_argument(
        "-o", dest="output", metavar="MODEL", help="write the model after --steps, tables fitted"
    )
    add_param_options(parser, MoveParams, "what moves are measured by")
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    params = params_from(args, MoveParams)
    steps = _steps(args.steps)
    if args.output is not None:
        if args.steps is None:
            raise UsageError("-o writes the model after some moves; say how many with --steps.")
        check_model_target(args.output)
    line = ProgressLine(quiet=args.quiet)
    file = open_model(args.model, line)
    dag = dag_of(file.model)
    knowledge = None
    if args.knowledge is not None:
        from pgmstudio.core.io.background_knowledge import read_knowledge

        knowledge = read_knowledge(args.knowledge)
        knowledge.check(dag.names)
    rules = rules_for(dag.names, knowledge, params.max_parents)
    data = read_rows_for(file.model, args.data, args, line)
    search = NextMoves.over(data, params, dag)
    taken: tuple[NextMove, ...] = ()
    if args.steps is not None:
        for event in search.climbed(dag, rules, steps):
            if isinstance(event, Climbed):
                dag, taken = event.dag, event.moves
            else:
                line.show(event)
    for progress in search.placed(dag):
        line.show(progress)
    line.clear()
    found = search.listed(dag, rules, args.top)
    if args.output is not None:
        from pgmstudio.core.io.models.files import write_model
        from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
        from pgmstudio.core.languages.conversions import converted

        network = file.model
        if not isinstance(network, BayesianNetwork):
            network = converted(network, BayesianNetwork.kind)
        assert isinstance(network, BayesianNetwork)
        after = refitted(network, dag, data, SMOOTHING)
        for sentence in write_model(args.output, replace(file, model=after)):
            line.say(sentence)
    if args.json:
        print_json(_told(found, taken, params, data.row_count, args.output))
        return 0
    _print(found, taken, params)
    return 0


def _steps(text: str | None) -> int | None:
    if text is None or text == ALL:
        return None
    if not text.isdecimal():
        raise UsageError(f"--steps: {text!r} is neither a whole number nor all.")
    return int(text)


def _told(
    found: MoveList, taken: Sequence[NextMove], params: MoveParams, rows: int, target: str | None
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "rows": rows,
        "score": params.score,
        "value": found.score,
        "taken": [_plain(move) for move in taken],
        "moves": [_plain(move) for move in found.moves],
        "better": found.better,
        "legal": found.legal,
        "is_optimum": found.is_optimum,
    }
    return told if target is None else {**told, "model": target}


def _plain(move: NextMove) -> dict[str, Any]:
    key = move.key
    return {
        "deed": key.deed,
        "from": key.source,
        "to": key.target,
        "gain": move.gain,
        "parameters": move.parameters,
    }


def _print(found: MoveList, taken: Sequence[NextMove], params: MoveParams) -> None:
    if taken:
        print(f"{count_of(len(taken), 'move')} taken:")
        print_table(_HEAD, [_row(move) for move in taken], "<>>")
        print()
    if found.is_optimum:
        print(f"A local optimum of {params.score}: no move raises it.")
    else:
        print(f"{count_of(found.better, 'move')} of {whole(found.legal)} would raise the score.")
    print(f"Score {decimal(found.score, 1)} bits\n")
    print_table(_HEAD, [_row(move) for move in found.moves], "<>>")


_HEAD = ("Move", "Δ score, bits", "Δ parameters")


def _row(move: NextMove) -> tuple[str, str, str]:
    parameters = f"{move.parameters:+d}".replace("-", "−") if move.parameters else "0"
    return str(move), signed(move.gain), parameters
