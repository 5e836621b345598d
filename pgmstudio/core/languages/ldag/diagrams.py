"""Diagrams of a labelled DAG: its edges with their labels, in a context, and as a multinet.

A label is written as the states of one deciding variable, or as tuples of states with a star for
any state. In a context, edges that vanish are drawn as such and labels show what is still open. The
multinet has one graph for each state of a variable, side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.diagram import (
    EdgeStyle,
    GraphPicture,
    PictureEdge,
    PictureNode,
    side_by_side,
)
from pgmstudio.core.languages.ldag.contexts import (
    deciding_variables,
    is_satisfied,
    label_in,
    shortened,
    vanished_edges,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Label

# Longer labels are counted on the edge and shown on hover.
MAX_CHARACTERS = 20


MIN_CHARACTERS = 6  # of a shortened name, so that it stays recognizable


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


def edge_contexts(model: LabelledDag, source: str, target: str) -> list[str]:
    """The contexts in which an edge vanishes; parents in any state are left out."""
    if (source, target) not in model.labelled_edges:
        return []
    others = model.other_parents(source, target)
    return [
        ", ".join(f"{n} = {state}" for n, state in zip(others, row, strict=True) if state != ANY)
        for row in label_rows(model, source, target)
    ]


def open_rows(
    model: LabelledDag, source: str, target: str, context: Mapping[int, int] = NOWHERE
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The other parents that the context leaves open, and the label's contexts over them."""
    others = model.other_parents(source, target)
    fixed = [position for position, n in enumerate(others) if model.domain.index(n) in context]
    label = label_in(model, source, target, context).squeeze(tuple(fixed))
    left = tuple(name for position, name in enumerate(others) if position not in fixed)
    return left, named_rows(model, left, label)


def label_text(
    model: LabelledDag, source: str, target: str, context: Mapping[int, int] = NOWHERE
) -> str:
    """The whole label: `Smoking = no`, or `(no, no) (yes, ∗)`; empty without one."""
    return contexts_text(*open_rows(model, source, target, context))


def contexts_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Contexts over these variables: `Smoking = no`, or `(no, no) (yes, ∗)`; empty without one."""
    deciding = {index for row in rows for index, state in enumerate(row) if state != ANY}
    if len(deciding) == 1:
        index = deciding.pop()
        states = ", ".join(row[index] for row in rows)
        relation = "=" if len(rows) == 1 else "∈"
        return f"{names[index]} {relation} {states}"
    if rows and not deciding:
        return "always"
    return " ".join(f"({', '.join(row)})" for row in rows)


def label_tag(
    model: LabelledDag, source: str, target: str, context: Mapping[int, int] = NOWHERE
) -> str:
    """The text on the edge: the label, or the number of its contexts if it is long."""
    return contexts_tag(*open_rows(model, source, target, context))


def contexts_tag(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Contexts as they stand on an edge; a count if their text is long.

    Where one variable decides, its name is shortened first: `lip…ins = 3 or over`.
    """
    text = contexts_text(names, rows)
    if len(text) <= MAX_CHARACTERS:
        return text
    for relation in (" = ", " ∈ "):
        name, matched, states = text.partition(relation)
        available = MAX_CHARACTERS - len(matched + states) - 1
        if matched and not text.startswith("(") and available >= MIN_CHARACTERS:
            return (
                f"{name[: available - available // 2]}…{name[-(available // 2) :]}{matched}{states}"
            )
    return f"⋯ ({len(rows)})"


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


MULTINET = "multinet"


def multinet_variable(model: LabelledDag) -> str:
    """The default variable of the multinet: the one whose states let most edges vanish."""
    decides = deciding_variables(model)

    def gone(name: str) -> int:
        position = model.domain.index(name)
        states = range(model.domain[name].cardinality)
        return max(len(vanished_edges(model, {position: code})) for code in states)

    return max(model.domain.names, key=lambda name: (gone(name), name in decides))


def multinet_picture(
    model: LabelledDag, variable: str, context: Mapping[int, int] = NOWHERE
) -> GraphPicture:
    """A panel for each state, with the same node positions in all; the context holds in each."""
    return panels(model.domain, variable, context, partial(labelled_picture, model))


def panels(
    domain: Domain,
    variable: str,
    context: Mapping[int, int],
    draw: Callable[[Mapping[int, int]], GraphPicture],
) -> GraphPicture:
    """The diagram of each state of a variable, side by side."""
    position = domain.index(variable)
    titles = [f"{variable} = {state}" for state in domain[variable].states]
    return side_by_side(
        (title, title, draw({**context, position: code})) for code, title in enumerate(titles)
    )
