"""What other parts ask about the graph of a Markov network: roles, rules on edges, sizes."""

from __future__ import annotations

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.sizes import CliqueSize, SizeBreakdown


def neighbour_roles(model: MarkovNetwork, target: str) -> dict[str, str]:
    """The neighbours of a variable, which are its Markov blanket."""
    near = model.structure.neighbours[model.domain.index(target)]
    return {model.domain.names[v]: "neighbour" for v in sorted(near)}


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
