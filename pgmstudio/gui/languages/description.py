"""Short texts and figures about a model, for the inspector and the status bar."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from pgmstudio.core.model import UndirectedModel, edges_of
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.runs.model_summary import ModelFacts
from pgmstudio.gui.widgets.fact_rows import Fact

Edge = tuple[str, str]


class TableSize(NamedTuple):
    """The size of the table of one variable, with an explanation for a tooltip."""

    columns: int
    free: int
    tip: str


class ModelDescription:
    """The texts for a model with or without directed edges; a language overrides what differs."""

    def facts(self, model: Any) -> list[str]:
        """The header of the inspector, after the language and the number of variables."""
        edges = edges_of(model)
        return [counted(len(edges), "edge")] if edges else []

    def variable_facts(self, model: Any, name: str) -> list[str]:
        """The header of a variable, after its states."""
        if isinstance(model, UndirectedModel):
            near = sum(name in edge for edge in edges_of(model))
            return [counted(near, "neighbour") if near else "no neighbours"]
        parents = sum(target == name for _, target in edges_of(model))
        children = sum(source == name for source, _ in edges_of(model))
        return [
            counted(parents, "parent") if parents else "no parents",
            counted(children, "child", "children") if children else "no children",
        ]

    def edge_facts(self, model: Any, edge: Edge) -> tuple[str, str]:
        """The header of an edge, and the name of an icon for it, which may be empty."""
        is_undirected = isinstance(model, UndirectedModel)
        return "edge without direction" if is_undirected else "edge: parent → child", ""

    def structure(self, model: Any) -> str:
        """The size of the graph, for the status bar."""
        return f"{counted(len(model.domain), 'node')} : {self.edges(model)}"

    def edges(self, model: Any) -> str:
        """The number of edges, for the status bar."""
        return counted(len(edges_of(model)), "edge")

    def size_facts(self, model: Any, computed: ModelFacts | None) -> list[Fact]:
        """Sizes below the number of free parameters; `computed` is None until it is known."""
        if computed is None:
            return [("Junction-tree cells", "…")]
        name = "Junction-tree cells" if computed.method else "Effective size"
        text = grouped(computed.effective_size) + computed.size_note
        method = f" ({computed.method})" if computed.method else ""
        return [(name, f"{text}{method}", "The cells that one update of all beliefs visits.")]

    def size_note(self, model: Any) -> str:
        """A text after the effective size. Runs in the background, since it may take a moment."""
        return ""

    def table_facts(self, model: Any, name: str) -> list[Fact]:
        """The size of the table of a variable, for the inspector."""
        columns, free, tip = self.table_size(model, name)
        sizes = [model.domain[p].cardinality for p, target in edges_of(model) if target == name]
        product = f" = {' × '.join(map(str, sizes))}" if len(sizes) > 1 else ""
        return [
            ("Columns", f"{grouped(columns)}{product}", tip),
            ("Free parameters", grouped(free), "(states − 1) in every column."),
        ]

    def table_size(self, model: Any, name: str) -> TableSize:
        """The table of a variable given its parents."""
        parents = [source for source, target in edges_of(model) if target == name]
        columns = math.prod(model.domain[parent].cardinality for parent in parents)
        free = columns * (model.domain[name].cardinality - 1)
        return TableSize(columns, free, "One for each combination of the parents' states.")


DEFAULT = ModelDescription()
