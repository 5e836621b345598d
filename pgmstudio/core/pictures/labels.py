"""Labels in words: one deciding variable by its name, else tuples of states, a star for any.

In a context a label says only what is still open; the edges that vanish there are drawn as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pgmstudio.core.models.contexts import is_satisfied, label_in, shortened
from pgmstudio.core.models.label_partitions import Label
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.pictures.picture import EdgeStyle, GraphPicture, PictureEdge, PictureNode

# Longer ones are counted on the edge and read on hover.
MOST_CHARACTERS = 20
LEAST_CHARACTERS = 6  # of a name, to be told from others
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
    if len(words) <= MOST_CHARACTERS:
        return words
    for sign in (" = ", " ∈ "):
        name, found, states = words.partition(sign)
        room = MOST_CHARACTERS - len(found + states) - 1
        if found and not words.startswith("(") and room >= LEAST_CHARACTERS:
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
