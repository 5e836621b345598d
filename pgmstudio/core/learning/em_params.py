"""The settings of parameter learning by EM, and what they mean for a graph."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.em_steps import MOST_ITERATIONS, TOLERANCE
from pgmstudio.core.learning.network_params import knowledge_param, smoothing_param
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.params import param

CELLS, BDEU, MODEL = "cells", "bdeu", "model"
PRIORS = (CELLS, BDEU, MODEL)
DATA, RANDOM = "data", "random"
BEGINS = (DATA, MODEL, RANDOM)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmParams:
    """The settings of parameter learning."""

    start: DirectedModel | None = param(
        None,
        title="Model",
        none_label="not chosen",
        help="The model whose edges are kept and whose tables are learned.",
    )
    nodes: str | None = param(
        None,
        title="Nodes",
        none_label="all",
        help="Names separated by commas: only their tables are learned, the others stay as they "
        "are in the model.",
    )
    prior: str = param(
        CELLS,
        title="Pseudo-counts",
        choices=PRIORS,
        help="cells: the smoothing α in every cell of a table. bdeu: the equivalent sample size "
        "spread evenly over each table. model: as many rows as the equivalent sample size, "
        "distributed as the model says.",
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    ess: float = param(
        1.0,
        title="Equivalent sample size",
        low=0,
        help="For bdeu and model: how many imagined rows each table knows already; 0 is maximum "
        "likelihood.",
    )
    node_ess: str | None = param(
        None,
        title="Sample size of nodes",
        none_label="as above",
        help="For bdeu and model: other equivalent sample sizes, such as “smoke=50, lung=0”.",
    )
    begin: str = param(
        DATA,
        title="First tables",
        choices=BEGINS,
        help="data: from the rows that have a table's cells, at random where none has. model: "
        "those of the model. random: drawn by the seed.",
    )
    restarts: int | Literal["auto"] = param(
        "auto",
        title="Restarts",
        low=0,
        help="Further starts from random tables, of which the best is kept; auto makes 10 when a "
        "variable is hidden in every row, and otherwise none.",
    )
    tolerance: float = param(
        TOLERANCE,
        title="Tolerance",
        low=0,
        help="EM ends when an iteration gains fewer bits per row.",
        advanced=True,
    )
    iterations: int = param(
        MOST_ITERATIONS,
        title="Most iterations",
        low=1,
        help="EM ends after so many, converged or not.",
        advanced=True,
    )
    knowledge: Knowledge | None = knowledge_param(
        "the edges are those of the given model; the model is only checked."
    )

    def __post_init__(self) -> None:
        problems = {}
        if self.prior == CELLS and self.node_ess is not None:
            problems["node_ess"] = "is for the pseudo-counts bdeu or model; choose one of them"
        for name, choice in (("prior", self.prior), ("begin", self.begin)):
            if choice == MODEL and self.start is None:
                problems[name] = "takes tables of a model; choose one to start from"
        if self.nodes is not None and self.start is None:
            problems["nodes"] = "keeps the other tables of a model; choose one to start from"
        if problems:
            raise ParameterError(problems)


def named_nodes(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The variables a list such as “smoke, lung” names; ParameterError lists the unknown."""
    found = _listed(text)
    problems = [str(UnknownNameError("variable", n, names)) for n in found if n not in names]
    if problems or not found:
        raise ParameterError({"nodes": " ".join(problems) or "names no variable"})
    return tuple(found)


def sample_sizes(text: str | None, ess: float, names: tuple[str, ...]) -> Mapping[str, float]:
    """The equivalent sample size of every variable; “smoke=50, lung=0” gives some others."""
    sizes = dict.fromkeys(names, ess)
    problems = []
    for item in _listed(text or ""):
        name, _, number = (part.strip() for part in item.rpartition("="))
        if name not in sizes:
            problems.append(str(UnknownNameError("variable", name or item, names)))
            continue
        try:
            sizes[name] = float(number)
        except ValueError:
            problems.append(f"{number!r} of {name} is not a number.")
            continue
        if not 0 <= sizes[name] < float("inf"):
            problems.append(f"{name} needs a number of at least 0.")
    if problems:
        raise ParameterError({"node_ess": " ".join(problems)})
    return sizes


def _listed(text: str) -> list[str]:
    (items,) = csv.reader([text], skipinitialspace=True) if text.strip() else ([],)
    return [item.strip() for item in items if item.strip()]
