"""`pgmstudio describe`: what a data or model file holds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows
from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import (
    count_of,
    percent,
    print_json,
    print_pairs,
    print_table,
    whole,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.io.models.files import ModelFile, is_model_path
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.sizes import SizeBreakdown, size_breakdown
from pgmstudio.core.model import DirectedModel

STATES_SHOWN = 60


def run(words: Sequence[str]) -> int:
    parser = CommandParser("describe", "What a data or model file holds.")
    parser.add_argument("file", metavar="FILE", help="a data file or a model file")
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    if is_model_path(args.file):
        _tell_model(open_model(args.file, line), args)
    else:
        _tell_data(read_rows(args.file, args, line), args)
    return 0


def _tell_data(data: DataSet, args: argparse.Namespace) -> None:
    missing = [int(count) for count in data.missing_counts]
    if args.json:
        print_json(
            {
                "rows": data.row_count,
                "variables": [
                    {"name": variable.name, "states": variable.states, "missing": count}
                    for variable, count in zip(data.domain, missing, strict=True)
                ],
            }
        )
        return
    cells = data.row_count * len(data.domain)
    share = f" ({percent(sum(missing) / cells)})" if cells else ""
    pairs = [
        ("Rows", whole(data.row_count)),
        ("Variables", whole(len(data.domain))),
        ("Missing cells", f"{whole(sum(missing))} of {whole(cells)}{share}"),
    ]
    if data.weights is not None:
        pairs.insert(1, ("Total weight", whole(data.total_weight)))
    print_pairs(pairs)
    print()
    print_table(
        ("Variable", "Missing", "States", ""),
        [
            (v.name, whole(count), whole(v.cardinality), _listed(v.states))
            for v, count in zip(data.domain, missing, strict=True)
        ],
        "<>><",
    )


def _listed(states: Sequence[str]) -> str:
    text = ", ".join(states)
    if len(text) <= STATES_SHOWN:
        return text
    return text[: STATES_SHOWN - 1].rsplit(",", 1)[0] + ", …"


def _tell_model(file: ModelFile, args: argparse.Namespace) -> None:
    model = file.model
    edges = model.edges if isinstance(model, DirectedModel) else None
    if args.json:
        told = {
            "kind": model.kind,
            "variables": [
                {"name": variable.name, "states": variable.states} for variable in model.domain
            ],
            "representation_size": model.representation_size(),
            "effective_size": model.effective_size(),
        }
        if edges is not None:
            told["edges"] = [list(edge) for edge in edges]
        if isinstance(model, DecisionGraph):
            told["nodes"] = dict(zip(model.domain.names, model.node_counts, strict=True))
        told |= sizes_json(size_breakdown(model))
        print_json(told)
        return
    pairs = [("Kind", model.kind)]
    if file.title:
        pairs.append(("Title", file.title))
    pairs.append(("Variables", whole(len(model.domain))))
    if edges is not None:
        pairs.append(("Edges", whole(len(edges))))
    if isinstance(model, DecisionGraph):
        pairs.append(("Nodes", whole(sum(model.node_counts))))
    pairs += [
        ("Free parameters", whole(model.representation_size())),
        ("Effective size", whole(model.effective_size())),
    ]
    sizes = size_breakdown(model)
    if sizes.triangulator:
        pairs[-1] = ("Effective size", f"{pairs[-1][1]} ({sizes.triangulator})")
    if file.provenance:
        pairs.append(("Learned", _learned(file)))
    print_pairs(pairs)
    print()
    parents: dict[str, list[str]] = {variable.name: [] for variable in model.domain}
    for source, target in edges or ():
        parents[target].append(source)
    print_table(
        ("Variable", "States", "Parents") if edges is not None else ("Variable", "States"),
        [
            (
                v.name,
                _listed(v.states),
                *([", ".join(parents[v.name])] if edges is not None else []),
            )
            for v in model.domain
        ],
        "<<<" if edges is not None else "<<",
    )


def sizes_json(sizes: SizeBreakdown) -> dict[str, Any]:
    """What the two sizes are made of, where the language has tables and cliques."""
    told: dict[str, Any] = {}
    if sizes.families:
        told["families"] = [
            {
                "variable": f.variable,
                "parents": f.parents,
                "rows": f.rows,
                "free_parameters": f.free,
            }
            for f in sizes.families
        ]
    if sizes.cliques:
        told["cliques"] = [{"variables": c.variables, "cells": c.cells} for c in sizes.cliques]
        told["triangulator"] = sizes.triangulator
    return told


def _learned(file: ModelFile) -> str:
    told = file.provenance or {}
    data = told.get("data", {})
    rows = data.get("rows")
    of = f" from {count_of(rows, 'row')} of {data.get('file')}" if rows is not None else ""
    return f"{told.get('learner', 'by hand')}, seed {told.get('seed', '–')}{of}"
