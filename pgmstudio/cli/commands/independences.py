"""`pgmstudio independences`: the graph of stated independences by PC, step by step."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import save_model
from pgmstudio.cli.terminal.output import Block, Table
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    stated_network,
    stated_steps,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc_steps import PcSteps


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "independences",
        "Find the class of Bayesian networks in which exactly the stated independences hold, by "
        "the PC\nalgorithm, and list its steps. No data are needed.",
    )
    parser.add_argument(
        "statements",
        metavar="STATEMENTS",
        help="independences separated by semicolons: 'A _||_ B; A _||_ D | C'",
    )
    parser.add_argument(
        "--variables",
        default="",
        metavar="NAMES",
        help="all variables, separated by commas (default: those of the statements)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="MODEL",
        help="write a network of the class, with two states each and uniform tables",
    )
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> IndependencesReport:
    steps = stated_steps(args.statements, args.variables)
    if args.output is not None:
        save_model(args.output, ModelFile(stated_network(steps)), line)
    return IndependencesReport(steps)


@dataclass(frozen=True, eq=False)
class IndependencesReport:
    """Every test, then every direction, and the edges of the class."""

    steps: PcSteps
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        head, rows = self.steps.table()
        columns = [head.index(name) for name in ("step", "phase", "edge", "given", "result")]
        return {
            "variables": list(self.steps.names),
            "steps": [{head[i]: row[i] for i in columns} for row in rows],
            "directed": [list(edge) for edge in self.steps.directed],
            "undirected": [list(edge) for edge in self.steps.undirected],
        }

    def blocks(self) -> Iterator[Block]:
        _, rows = self.steps.table()
        lines = [[str(row[0]), str(row[1]), str(row[2]), str(row[3]), str(row[-1])] for row in rows]
        yield Table(["Step", "Phase", "Edge", "Given", "Result"], lines, "><<<<")
        edges = [f"{a} → {b}" for a, b in self.steps.directed]
        edges += [f"{a} – {b}" for a, b in self.steps.undirected]
        yield f"\nClass  {', '.join(edges) or 'no edges'}"
