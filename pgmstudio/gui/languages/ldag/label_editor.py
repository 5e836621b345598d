"""The contexts of a label: in which states of the other parents an edge vanishes."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import Classes, is_implied, is_regular, label_of
from pgmstudio.core.languages.ldag.partitions import with_context as with_one
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.languages.contexts.context_rows import MAX_CONTEXTS, ContextRow

MAX_ROWS = 512  # larger tables take too long to look at


def context_rows(model: LabelledDag, source: str, target: str) -> list[ContextRow] | None:
    """Every context of the label, in order; None when there are too many."""
    others = [model.domain[name] for name in model.other_parents(source, target)]
    classes: Classes = model.classes[model.domain.index(target)]
    axis = model.dag.parents(target).index(source)
    label_here = label_of(classes, axis)
    if label_here.size > MAX_CONTEXTS or classes.size > MAX_ROWS:
        return None
    rows = []
    for context in itertools.product(*(range(v.cardinality) for v in others)):
        states = tuple(v.states[code] for v, code in zip(others, context, strict=True))
        is_in = bool(label_here[context])
        rows.append(
            ContextRow(
                context,
                states,
                is_in,
                is_implied=is_in and is_implied(classes, axis, context),
                is_locked=not is_in and not is_regular(with_one(classes, axis, context)),
            )
        )
    return rows


def merged_text(
    row: ContextRow, counts: NDArray[np.float64] | None, axis: int, *, most: int = 3
) -> str:
    """The rows of data that come together in a context: `146 + 394`."""
    if not row.is_in:
        return "not merged"
    if counts is None:
        return "merged"
    rows = np.moveaxis(counts.sum(axis=-1), axis, -1)[row.context]
    listed = [grouped(round(float(count))) for count in rows[:most]]
    return " + ".join(listed) + (" + …" if rows.size > most else "")
