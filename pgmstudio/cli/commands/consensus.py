"""`pgmstudio consensus`: the most probable states of all variables in every class."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import open_model, refuse_without_probabilities, save_table
from pgmstudio.cli.terminal.output import Block, Record, Table, decimal, percent
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.consensus import Consensus, consensus_of, consensus_table
from pgmstudio.core.analysis.tables import table_text
from pgmstudio.core.model import ProbabilisticModel


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "consensus",
        "For every state of a class variable: the most probable state of each other variable, its\n"
        "probability and its information content, log2 r - H(X | class) bits. The consensus is a\n"
        "state or group of states that has a probability of at least 80 %, else -.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument(
        "--target",
        metavar="V",
        help="the class variable; without it, the classes or components of a mixture",
    )
    parser.add_argument("-o", "--output", metavar="FILE.csv", help="write all digits as a table")
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> ConsensusReport:
    model = open_model(args.model, line).model
    if not isinstance(model, ProbabilisticModel):
        refuse_without_probabilities(
            model, "A consensus is read from probabilities", "Use pgmstudio query."
        )
    result = consensus_of(model, args.target)
    if args.output is not None:
        save_table(args.output, table_text(consensus_table(result)), quoted=args.quote_formulas)
        line.message(f"Wrote {args.output}.")
    return ConsensusReport(result)


@dataclass(frozen=True, eq=False)
class ConsensusReport:
    """A table of the classes."""

    consensus: Consensus
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        names, *lines = consensus_table(self.consensus)
        records = [dict(zip(map(str, names), line, strict=True)) for line in lines]
        return {"target": self.consensus.target, "consensus": records}

    def records(self) -> Sequence[Record]:
        records: Sequence[Record] = self.as_dict()["consensus"]
        return records

    def blocks(self) -> Iterator[Block]:
        consensus = self.consensus
        head = ["Variable"]
        for state, weight in zip(consensus.states, consensus.weights, strict=True):
            head += [f"{state} ({percent(float(weight))})", "P", "Bits"]
        rows = []
        for name in consensus.variables:
            row = [name]
            for state in consensus.states:
                one = consensus.cells[state, name]
                row += [one.text, percent(one.probability), decimal(one.information_bits)]
            rows.append([*row, decimal(consensus.information_bits(name))])
        yield f"Consensus of the states of {consensus.target}; I is the information about it."
        yield Table([*head, "I"], rows, "<" + "<>>" * len(consensus.states) + ">")
