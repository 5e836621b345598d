"""`pgmstudio describe`: a summary of a data or model file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows
from pgmstudio.cli.terminal.output import Block, Fields, Result, Table, count_of, percent, whole
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.streams import STANDARD, input_file
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.io.models.files import ModelFile, is_model_path
from pgmstudio.core.languages.base import NodeModel
from pgmstudio.core.languages.diagrams import edge_contexts, has_contexts
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sizes import SizeBreakdown, size_breakdown
from pgmstudio.core.model import UndirectedModel, edge_text, edges_of, has_edges

MAX_STATES_WIDTH = 60


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser("describe", "Summarise a data or model file.")
    parser.add_argument("file", metavar="FILE", help="data file or model file")
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Result:
    if args.file == STANDARD:
        with input_file(args.file, "") as source:
            is_model = Path(source).read_bytes().lstrip()[:1] == b"{"
            path = str(Path(source).rename(f"{source}{'.json' if is_model else '.csv'}"))
            return _summary(path, args, line)
    return _summary(args.file, args, line)


def _summary(path: str, args: argparse.Namespace, line: ProgressLine) -> Result:
    if is_model_path(path):
        return ModelSummary(open_model(path, line))
    return DataSummary(read_rows(path, args, line))


@dataclass(frozen=True, eq=False)
class DataSummary:
    """Rows, variables, states and missing cells of a data set."""

    data: DataSet
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        data = self.data
        return {
            "rows": data.row_count,
            "variables": [
                {"name": variable.name, "states": variable.states, "missing": int(count)}
                for variable, count in zip(data.domain, data.missing_counts, strict=True)
            ],
        }

    def blocks(self) -> Iterator[Block]:
        data = self.data
        missing = [int(count) for count in data.missing_counts]
        cells = data.row_count * len(data.domain)
        fraction = f" ({percent(sum(missing) / cells)})" if cells else ""
        pairs = [
            ("Rows", whole(data.row_count)),
            ("Variables", whole(len(data.domain))),
            ("Missing cells", f"{whole(sum(missing))} of {whole(cells)}{fraction}"),
        ]
        if data.weights is not None:
            pairs.insert(1, ("Total weight", whole(data.total_weight)))
        yield Fields(pairs)
        yield ""
        rows = [
            (v.name, whole(count), whole(v.cardinality), _list_states(v.states))
            for v, count in zip(data.domain, missing, strict=True)
        ]
        yield Table(("Variable", "Missing", "States", ""), rows, "<>><")


def _list_states(states: Sequence[str]) -> str:
    text = ", ".join(states)
    if len(text) <= MAX_STATES_WIDTH:
        return text
    return text[: MAX_STATES_WIDTH - 1].rsplit(",", 1)[0] + ", …"


@dataclass(frozen=True, eq=False)
class ModelSummary:
    """Kind, variables, edges and sizes of a model."""

    file: ModelFile
    exit_code: int = 0

    @property
    def edges(self) -> Sequence[tuple[str, str]] | None:
        model = self.file.model
        return edges_of(model) if has_edges(model) else None

    @property
    def contexts(self) -> list[tuple[tuple[str, str], tuple[str, ...]]]:
        """The edges that vanish in contexts, with these."""
        model = self.file.model
        result = [(edge, edge_contexts(model, *edge) or ()) for edge in edges_of(model)]
        return [(edge, contexts) for edge, contexts in result if contexts]

    def as_dict(self) -> Mapping[str, Any]:
        model = self.file.model
        document: dict[str, Any] = {
            "kind": model.kind,
            "variables": [
                {"name": variable.name, "states": variable.states} for variable in model.domain
            ],
            "representation_size": model.representation_size(),
            "effective_size": model.effective_size(),
        }
        if self.edges is not None:
            document["edges"] = [list(edge) for edge in self.edges]
        if has_contexts(model):
            document["contexts"] = [
                {"edge": list(edge), "contexts": list(contexts)} for edge, contexts in self.contexts
            ]
        if isinstance(model, NodeModel):
            document["nodes"] = dict(zip(model.domain.names, model.node_counts, strict=True))
        return document | sizes_json(size_breakdown(model))

    def blocks(self) -> Iterator[Block]:
        model = self.file.model
        pairs = [("Kind", model.kind)]
        if self.file.title:
            pairs.append(("Title", self.file.title))
        pairs.append(("Variables", whole(len(model.domain))))
        if self.edges is not None:
            pairs.append(("Edges", whole(len(self.edges))))
        if isinstance(model, NodeModel):
            pairs.append(("Nodes", whole(sum(model.node_counts))))
        triangulator = size_breakdown(model).triangulator
        method = f" ({triangulator})" if triangulator else ""
        pairs += [
            (language_of(model).size_title, whole(model.representation_size())),
            ("Effective size", f"{whole(model.effective_size())}{method}"),
        ]
        if self.file.provenance:
            pairs.append(("Learned", _origin(self.file.provenance)))
        yield Fields(pairs)
        yield ""
        yield self._variables()
        if self.contexts:
            yield ""
            rows = [(edge_text(model, *edge), "; ".join(each)) for edge, each in self.contexts]
            yield Table(("Edge", "Vanishes where"), rows, "<<")

    def _variables(self) -> Table:
        domain = self.file.model.domain
        if self.edges is None:
            rows = [(v.name, _list_states(v.states)) for v in domain]
            return Table(("Variable", "States"), rows, "<<")
        parents: dict[str, list[str]] = {variable.name: [] for variable in domain}
        is_undirected = isinstance(self.file.model, UndirectedModel)
        for source, target in self.edges:
            parents[target].append(source)
            if is_undirected:
                parents[source].append(target)
        with_parents = [
            (v.name, _list_states(v.states), ", ".join(parents[v.name])) for v in domain
        ]
        others = "Neighbours" if is_undirected else "Parents"
        return Table(("Variable", "States", others), with_parents, "<<<")


def sizes_json(sizes: SizeBreakdown) -> dict[str, Any]:
    """The parts of both sizes, for languages with tables and cliques."""
    document: dict[str, Any] = {}
    if sizes.families:
        document["families"] = [
            {
                "variable": f.variable,
                "parents": f.parents,
                "rows": f.rows,
                "free_parameters": f.free,
            }
            for f in sizes.families
        ]
    if sizes.cliques:
        document["cliques"] = [{"variables": c.variables, "cells": c.cells} for c in sizes.cliques]
        document["triangulator"] = sizes.triangulator
    return document


def _origin(provenance: Mapping[str, Any]) -> str:
    data = provenance.get("data", {})
    rows = data.get("rows")
    source = f" from {count_of(rows, 'row')} of {data.get('file')}" if rows is not None else ""
    return f"{provenance.get('learner', 'by hand')}, seed {provenance.get('seed', '-')}{source}"
