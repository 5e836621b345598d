"""Two structures in one picture: common, added, missing and reversed edges.

Which pictures each family of models has; the first is the one shown on opening.

Labels in words: one deciding variable by its name, else tuples of states, a star for any.

In a context a label says only what is still open; the edges that vanish there are drawn as such.

The multinet of a labelled graph: the graph of each state of one variable, side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
)
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.comparison import EdgeChange, GraphDifference
from pgmstudio.core.graphs.pdag import Pdag, cpdag_of, pattern_of
from pgmstudio.core.graphs.triangulation import moral_edges
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.contexts import (
    deciding_variables,
    is_satisfied,
    label_in,
    shortened,
    vanished_edges,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Label
from pgmstudio.core.languages.pdg.diagrams import node_numbers
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.diagrams import (
    PARTITION,
    has_partition,
    latent_picture,
    overlay_picture,
    partition_picture,
    shown_trees,
    side_by_side_picture,
    star_picture,
    trees_name,
    trees_picture,
)
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model

STYLES = {
    EdgeChange.COMMON: EdgeStyle.DIRECTED,
    EdgeChange.ADDED: EdgeStyle.ADDED,
    EdgeChange.MISSING: EdgeStyle.MISSING,
    EdgeChange.REVERSED: EdgeStyle.REVERSED,
}
# What stands on an edge, so that its colour is never the only sign.
SIGNS = {
    EdgeChange.COMMON: "",
    EdgeChange.ADDED: "+",
    EdgeChange.MISSING: "−",
    EdgeChange.REVERSED: "⇄",
}


def difference_picture(difference: GraphDifference) -> GraphPicture:
    """The nodes of both, the first graph's first; a reversed edge points as in the second."""
    names = (*difference.first.names, *difference.only_second)
    nodes = tuple(PictureNode(name, name, variable=name) for name in names)
    edges = tuple(
        PictureEdge(edge.source, edge.target, SIGNS[edge.change], STYLES[edge.change])
        for edge in difference.edges
    )
    return GraphPicture(nodes, edges)


# Longer ones are counted on the edge and read on hover.
MAX_CHARACTERS = 20
MIN_CHARACTERS = 6  # of a name, to be told from others
ANY = "∗"

NOWHERE: Mapping[int, int] = {}


def label_rows(model: LabelledDag, source: str, target: str) -> list[tuple[str, ...]]:
    """The contexts of an edge's label, a state of each other parent or ∗."""
    return named_rows(model, model.other_parents(source, target), model.label(source, target))


def named_rows(model: LabelledDag, others: Sequence[str], label: Label) -> list[tuple[str, ...]]:
    """Contexts over these variables with the names of their states."""
    return [
        tuple(
            ANY if state is None else model.domain[name].states[state]
            for name, state in zip(others, row, strict=True)
        )
        for row in shortened(label)
    ]


def open_rows(
    model: LabelledDag, source: str, target: str, context: Mapping[int, int] = NOWHERE
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The other parents that the context leaves open, and the label's contexts over them."""
    others = model.other_parents(source, target)
    fixed = [place for place, n in enumerate(others) if model.domain.index(n) in context]
    label = label_in(model, source, target, context).squeeze(tuple(fixed))
    left = tuple(name for place, name in enumerate(others) if place not in fixed)
    return left, named_rows(model, left, label)


def label_words(
    model: LabelledDag, source: str, target: str, context: Mapping[int, int] = NOWHERE
) -> str:
    """The whole label: `Smoking = no`, or `(no, no) (yes, ∗)`; empty without one."""
    others, rows = open_rows(model, source, target, context)
    deciding = {place for row in rows for place, state in enumerate(row) if state != ANY}
    if len(deciding) == 1:
        place = deciding.pop()
        states = ", ".join(row[place] for row in rows)
        sign = "=" if len(rows) == 1 else "∈"
        return f"{others[place]} {sign} {states}"
    if rows and not deciding:
        return "always"
    return " ".join(f"({', '.join(row)})" for row in rows)


def label_tag(
    model: LabelledDag, source: str, target: str, context: Mapping[int, int] = NOWHERE
) -> str:
    """What stands on the edge: the label, or how many contexts it has when it is long.

    Where one variable decides, its name is cut before that: `lip…ins = 3 or over`.
    """
    words = label_words(model, source, target, context)
    if len(words) <= MAX_CHARACTERS:
        return words
    for sign in (" = ", " ∈ "):
        name, found, states = words.partition(sign)
        room = MAX_CHARACTERS - len(found + states) - 1
        if found and not words.startswith("(") and room >= MIN_CHARACTERS:
            return f"{name[: room - room // 2]}…{name[-(room // 2) :]}{found}{states}"
    return f"⋯ ({len(open_rows(model, source, target, context)[1])})"


def labelled_picture(model: LabelledDag, context: Mapping[int, int] = NOWHERE) -> GraphPicture:
    """Arrows with their labels, the contexts in which they vanish; in a context as they are there.

    A label that no completion of the context satisfies is not drawn.
    """
    labelled, edges = set(model.labelled_edges), []
    for edge in model.edges:
        if edge not in labelled:
            edges.append(PictureEdge(*edge))
        elif is_satisfied(model, *edge, context):
            edges.append(PictureEdge(*edge, label_tag(model, *edge), EdgeStyle.VANISHED))
        else:
            tag = label_tag(model, *edge, context)
            style = EdgeStyle.LABELLED if tag else EdgeStyle.DIRECTED
            edges.append(PictureEdge(*edge, tag, style))
    nodes = tuple(PictureNode(name, name, variable=name) for name in model.domain.names)
    return GraphPicture(nodes, tuple(edges))


NODES = "nodes"  # of a decision graph: bands of nodes with flows, where they can be drawn

# A clique's label: about this many characters a line, and at most this many lines.
_LINE_CHARACTERS, _MAX_LINES = 22, 6


def _variables(names: Iterable[str]) -> tuple[PictureNode, ...]:
    return tuple(PictureNode(name, name, variable=name) for name in names)


def _edges(pairs: Iterable[tuple[str, str]], style: EdgeStyle) -> tuple[PictureEdge, ...]:
    return tuple(PictureEdge(source, target, style=style) for source, target in pairs)


def dag_picture(model: BayesianNetwork | LabelledDag) -> GraphPicture:
    """Variables and arrows from parents to children."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.DIRECTED))


def cpdag_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows where every equivalent graph has them; edges that could be reversed have none."""
    return _partly_directed(cpdag_of(model.dag), EdgeStyle.COMPELLED, EdgeStyle.REVERSIBLE)


def pattern_picture(model: BayesianNetwork) -> GraphPicture:
    """Arrows of v-structures only: x → z ← y where no edge joins x and y."""
    return _partly_directed(pattern_of(model.dag), EdgeStyle.COLLIDING, EdgeStyle.UNDIRECTED)


def _partly_directed(graph: Pdag, arrow: EdgeStyle, line: EdgeStyle) -> GraphPicture:
    edges = _edges(graph.directed, arrow) + _edges(graph.undirected, line)
    return GraphPicture(_variables(graph.names), edges)


def moral_picture(model: BayesianNetwork) -> GraphPicture:
    """The edges without direction, and what marrying parents adds."""
    names = model.domain.names
    married = ((names[a], names[b]) for a, b in moral_edges(model.dag.parent_indices))
    return GraphPicture(
        _variables(names),
        _edges(model.edges, EdgeStyle.UNDIRECTED) + _edges(married, EdgeStyle.MORAL),
    )


def triangulated_picture(model: BayesianNetwork) -> GraphPicture:
    """The moral graph and the fill-ins that leave no cycle of four and more without a chord."""
    names, moral = model.domain.names, moral_picture(model)
    added = ((names[a], names[b]) for a, b in model.clique_tree.fill_ins)
    return GraphPicture(moral.nodes, moral.edges + _edges(added, EdgeStyle.FILL_IN))


def clique_tree_picture(model: BayesianNetwork) -> GraphPicture:
    """Cliques as boxes with the size of their tables, joined by lines that name separators."""
    tree, names = model.clique_tree, model.domain.names
    ids = [", ".join(names[v] for v in clique) for clique in tree.cliques]
    nodes = tuple(
        PictureNode(
            identity,
            f"{_wrapped([names[v] for v in clique])}\n{counted_cells(cells)}",
            NodeShape.BOX,
        )
        for identity, clique, cells in zip(ids, tree.cliques, tree.cells, strict=True)
    )
    edges = tuple(
        PictureEdge(
            ids[parent], identity, ", ".join(names[v] for v in shared), EdgeStyle.UNDIRECTED
        )
        for identity, parent, shared in zip(ids, tree.parents, tree.separators, strict=True)
        if parent is not None
    )
    return GraphPicture(nodes, edges)


def counted_cells(cells: int) -> str:
    """The size of a table in words, with thin spaces between thousands."""
    return f"{cells:,} cell{'' if cells == 1 else 's'}".replace(",", "\u2009")


def tree_picture(model: Tree) -> GraphPicture:
    """Lines without arrows: the direction of a tree's edges says nothing about its distribution."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.UNDIRECTED))


def directed_tree_picture(model: Tree) -> GraphPicture:
    """The tree as it is stored, arrows leading away from its roots."""
    return dag_picture(model.as_bayesian_network)


def forest_picture(model: DecisionGraph) -> GraphPicture:
    """The forest of variables: who is decided after whom."""
    return GraphPicture(_variables(model.domain.names), _edges(model.edges, EdgeStyle.DIRECTED))


def nodes_picture(model: DecisionGraph) -> GraphPicture:
    """Every node of every variable as a box, with an arrow to each node its states lead to.

    Where there is room for bands, `bands` draws the same with distributions and flows.
    """
    names = model.domain.names
    ids = [[f"ν{number}" for number in numbers] for numbers in node_numbers(model)]
    nodes = tuple(
        PictureNode(name, f"{name} of {names[i]}", NodeShape.BOX)
        for i in model.order
        for name in ids[i]
    )
    edges = []
    for i in model.order:
        above, heads = model.forest[i], model.successors[i]
        if above is None or heads is None:
            continue
        states = model.domain.variables[above].states
        for node, row in enumerate(heads.tolist()):
            for head in dict.fromkeys(row):
                words = ", ".join(s for s, to in zip(states, row, strict=True) if to == head)
                edge = PictureEdge(ids[above][node], ids[i][head], words, EdgeStyle.DIRECTED)
                edges.append(edge)
    return GraphPicture(nodes, tuple(edges))


PICTURES: Mapping[str, Mapping[str, Callable[[Any], GraphPicture]]] = {
    BayesianNetwork.kind: {
        "dag": dag_picture,
        "cpdag": cpdag_picture,
        "pattern": pattern_picture,
        "moral": moral_picture,
        "triangulated": triangulated_picture,
        "clique-tree": clique_tree_picture,
    },
    Tree.kind: {"tree": tree_picture, "dag": directed_tree_picture},
    TreeMixture.kind: {  # and one for each tree
        "overlay": overlay_picture,
        "side-by-side": side_by_side_picture,
        "latent": latent_picture,
        PARTITION: partition_picture,
    },
    LatentClasses.kind: {"star": star_picture},
    DecisionGraph.kind: {NODES: nodes_picture, "forest": forest_picture},
    LabelledDag.kind: {"labels": labelled_picture, "dag": dag_picture},
}


def picture_names(model: Model) -> tuple[str, ...]:
    """The names of the pictures of this model, the one shown on opening first."""
    try:
        names = tuple(PICTURES[model.kind])
    except KeyError:
        raise UnknownNameError("family with pictures", model.kind, PICTURES) from None
    if isinstance(model, TreeMixture):
        if not has_partition(model):
            names = tuple(name for name in names if name != PARTITION)
        names += tuple(trees_name((number,)) for number in range(len(model.trees)))
    return names


def picture_of(model: Model, name: str | None = None) -> GraphPicture:
    """The named picture of a model, or the one shown on opening; `tree-1+3` shows two trees."""
    names = picture_names(model)
    name = names[0] if name is None else name
    if isinstance(model, TreeMixture):
        shown = shown_trees(name, len(model.trees))
        if shown is not None:
            return trees_picture(model, shown)
    if name not in names:
        raise UnknownNameError("picture of this model", name, names)
    return PICTURES[model.kind][name](model)


def _wrapped(words: list[str]) -> str:
    """Words on as many lines as they need; what does not fit is counted."""
    lines = [words[0]]
    for number, word in enumerate(words[1:], start=1):
        if len(lines[-1]) + len(word) + 2 <= _LINE_CHARACTERS:
            lines[-1] += f", {word}"
        elif len(lines) < _MAX_LINES - 1 or number == len(words) - 1:
            lines[-1] += ","
            lines.append(word)
        else:
            lines[-1] += ","
            lines.append(f"{len(words) - number} more")
            break
    return "\n".join(lines)


MULTINET = "multinet"


def multinet_variable(model: LabelledDag) -> str:
    """Whose states have a graph each when nobody chose: the one that decides most edges."""
    decides = deciding_variables(model)

    def gone(name: str) -> int:
        place = model.domain.index(name)
        states = range(model.domain[name].cardinality)
        return max(len(vanished_edges(model, {place: code})) for code in states)

    return max(model.domain.names, key=lambda name: (gone(name), name in decides))


def multinet_picture(
    model: LabelledDag, variable: str, context: Mapping[int, int] = NOWHERE
) -> GraphPicture:
    """A panel for each state; all of them have the same places, and the context holds in each."""
    place = model.domain.index(variable)
    nodes: list[PictureNode] = []
    edges: list[PictureEdge] = []
    groups: list[str] = []
    for code, state in enumerate(model.domain[variable].states):
        name = f"{variable} = {state}"
        here = labelled_picture(model, {**context, place: code})
        groups.append(name)
        nodes.append(PictureNode(f"{name}:", name, NodeShape.BOX, group=name))
        nodes += [replace(node, id=f"{name}: {node.id}", group=name) for node in here.nodes]
        edges += [
            replace(edge, source=f"{name}: {edge.source}", target=f"{name}: {edge.target}")
            for edge in here.edges
        ]
    return GraphPicture(tuple(nodes), tuple(edges), tuple(groups), "panels")
