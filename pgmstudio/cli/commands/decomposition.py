"""`pgmstudio decomposition`: the tuples that a graph adds to the relation of the data."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.graphs.triangulation import moral_edges
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.relational_network.decomposition import (
    Decomposition,
    all_decompositions,
    decompose,
    spurious_tuples,
)
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.model import HasDag, UndirectedModel

MAX_COLUMNS = 6


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "decomposition",
        "Count the tuples that a graph represents, and those among them that the data do not have."
        f"\nWithout MODEL, for all graphs over at most {MAX_COLUMNS} columns; with MODEL, for its "
        "graph, with\nthe additional tuples. 0 additional tuples: the graph represents the "
        "relation exactly.",
    )
    parser.add_argument("data", metavar="DATA", help="data file")
    parser.add_argument("model", metavar="MODEL", nargs="?", help="model whose graph is tested")
    parser.add_argument(
        "--most",
        type=whole_number(1),
        default=20,
        metavar="N",
        help="number of graphs or additional tuples to list (default 20)",
    )
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> DecompositionReport:
    data = read_rows(args.data, args, line)
    if args.model is None:
        if len(data.domain) > MAX_COLUMNS:
            raise UsageError(
                f"{count_of(len(data.domain), 'column')} have too many graphs; {MAX_COLUMNS} are "
                "possible. Choose columns, or give a model."
            )
        relation = Relation.of(data)
        graphs = sorted(all_decompositions(relation), key=lambda one: one.rank)
        return DecompositionReport(relation, graphs, (), args.most)
    model = open_model(args.model, line).model
    relation = Relation.of(rows_over(data, model.domain))
    if isinstance(model, UndirectedModel):
        edges = [(model.domain.index(a), model.domain.index(b)) for a, b in model.undirected_edges]
    elif isinstance(model, HasDag):
        parents = model.dag.parent_indices
        edges = [(p, c) for c, above in enumerate(parents) for p in above]
        edges += moral_edges(parents)
    else:
        raise UsageError(f"{a_kind(model.kind, 'A')} has no graph over its variables.")
    structure = MarkovStructure(model.domain, frozenset(edges))
    result = decompose(relation, structure.edges)
    network = RelationalNetwork.of_relation(structure, relation)
    spurious = spurious_tuples(relation, network, args.most)
    return DecompositionReport(relation, [result], spurious, args.most)


@dataclass(frozen=True, eq=False)
class DecompositionReport:
    """The graphs with their tuples, the best first; of a single graph also additional tuples."""

    relation: Relation
    graphs: Sequence[Decomposition]
    spurious: Sequence[tuple[int, ...]]
    max_lines: int
    exit_code: int = 0

    def _edges(self, graph: Decomposition) -> list[list[str]]:
        names = self.relation.domain.names
        return [[names[a], names[b]] for a, b in graph.edges]

    def _states(self, codes: tuple[int, ...]) -> list[str]:
        return [v.states[code] for v, code in zip(self.relation.domain, codes, strict=True)]

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "tuples": len(self.relation),
            "graphs": [
                {
                    "edges": self._edges(graph),
                    "tuples": graph.tuples,
                    "additional": graph.additional,
                    "divergence_bits": graph.divergence_bits,
                }
                for graph in self.graphs
            ],
            "additional_tuples": list(map(self._states, self.spurious)),
        }

    def blocks(self) -> Iterator[Block]:
        yield f"{count_of(len(self.relation), 'tuple')} in the data\n"
        rows = [
            [
                ", ".join(" – ".join(edge) for edge in self._edges(graph)) or "no edges",
                whole(graph.tuples),
                whole(graph.additional),
                decimal(graph.divergence_bits),
            ]
            for graph in self.graphs[: self.max_lines]
        ]
        yield Table(["Graph", "Tuples", "Additional", "Bits"], rows, "<>>>")
        if self.spurious:
            yield f"\nAdditional tuples ({', '.join(self.relation.domain.names)})"
            for codes in self.spurious:
                yield f"  {', '.join(self._states(codes))}"
