"""What other parts ask about the graph of a Markov network: roles, rules on edges, sizes."""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge
from pgmstudio.core.languages.markov_network.structure_text import context_rows
from pgmstudio.core.languages.sizes import CliqueSize, SizeBreakdown


def neighbour_roles(model: MarkovNetwork, target: str) -> dict[str, str]:
    """The neighbours of a variable, which are its Markov blanket."""
    near = model.structure.neighbours[model.domain.index(target)]
    return {model.domain.names[v]: "neighbour" for v in sorted(near)}


def deciding_variables(model: MarkovNetwork) -> set[str]:
    """The variables whose states decide whether some edge vanishes."""
    structure, names = model.structure, model.domain.names
    return {
        names[v]
        for edge in structure.contexts
        for row in context_rows(structure, edge)
        for v, state in row.items()
        if state is not None
    }


def vanished_edges(model: MarkovNetwork, context: Mapping[int, int]) -> frozenset[Edge]:
    """The edges that vanish in a context."""
    return model.structure.vanished_edges(context)


def violations(model: MarkovNetwork, knowledge: Knowledge) -> list[str]:
    """One message for each rule that the edges break.

    An edge without direction is required by a rule for either direction, and forbidden where both
    directions are.
    """
    names = model.domain.names
    present = {frozenset((names[i], names[j])) for i, j in model.structure.edges}
    broken = [
        f"{a} – {b} is required but absent."
        for a, b in sorted(knowledge.required)
        if frozenset((a, b)) not in present
    ]
    for a, b in sorted(tuple(sorted(edge)) for edge in present):
        reason = knowledge.why_forbidden(a, b)
        if reason is not None and knowledge.why_forbidden(b, a) is not None:
            broken.append(f"{a} – {b} is present, but: {reason}")
    return broken


def markov_sizes(model: MarkovNetwork) -> SizeBreakdown:
    """The cliques of the junction tree."""
    tree, names = model.clique_tree, model.domain.names
    cliques = tuple(
        CliqueSize(tuple(names[v] for v in clique), cells)
        for clique, cells in zip(tree.cliques, tree.cells, strict=True)
    )
    return SizeBreakdown((), cliques, tree.method)
