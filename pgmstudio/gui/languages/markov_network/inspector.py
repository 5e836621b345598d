"""The inspector section of an edge of a Markov network: its contexts, and what they restrict."""

from __future__ import annotations

import itertools
from functools import partial

from pgmstudio.core.languages.markov_network.log_linear import element_rows, restriction_text
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge, edge_of
from pgmstudio.core.model import edge_text
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.languages.contexts.context_rows import (
    MAX_CONTEXTS,
    Context,
    ContextRow,
    ContextRows,
)
from pgmstudio.gui.widgets.basic import Section, label

MAX_RESTRICTIONS = 8


def context_rows(model: MarkovNetwork, edge: Edge) -> list[ContextRow] | None:
    """Every configuration of the common neighbours, in order; None when there are too many."""
    structure = model.structure
    if structure.configuration_count(edge) > MAX_CONTEXTS:
        return None
    common = [model.domain.variables[v] for v in structure.common_neighbours(*edge)]
    elements = structure.contexts.get(edge, frozenset())
    is_last = len(elements) == structure.configuration_count(edge) - 1
    return [
        ContextRow(
            context,
            tuple(v.states[code] for v, code in zip(common, context, strict=True)),
            context in elements,
            is_locked=is_last and context not in elements,
        )
        for context in itertools.product(*(range(v.cardinality) for v in common))
    ]


class EdgeContextsSection(Section):
    """Contexts to tick; a context sets sums of parameters to 0."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("The edge vanishes when", line=False)
        self.setObjectName("inspectorContexts")
        self._app = app
        self._subject: ActiveModel | None = None
        self._names = ("", "")
        self.rows = ContextRows()
        self.rows.ticked.connect(self._on_ticked)
        self._text = label("", "secondary", size="dense", wrap=True)
        self._text.setObjectName("contextsText")
        self.add(self.rows)
        self.add(self._text)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        """The contexts of the edge between two variables."""
        model = subject.model
        if not isinstance(model, MarkovNetwork):
            self.hide()
            return
        self._subject, self._names = subject, (names[0], names[1])
        edge = edge_of(*map(model.domain.index, self._names))
        common = model.structure.common_neighbours(*edge)
        rows = context_rows(model, edge) if common else None
        self.rows.setVisible(rows is not None)
        if rows is not None:
            heads = [subject.title(model.domain.names[v]) for v in common]
            self.rows.show_rows(heads, rows)
            text = "\n".join(_restrictions(model, edge))
        elif common:
            text = "This edge has too many contexts to tick one by one."
        else:
            text = "Its ends have no common neighbour, so there is no context to vanish in."
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.show()

    def _on_ticked(self, context: Context, on: bool) -> None:
        subject = self._subject
        if subject is None:
            return
        source, target = self._names
        edit = partial(
            edit_language,
            edit="add_context" if on else "remove_context",
            model_id=subject.model_id,
            source=source,
            target=target,
            context=context,
        )
        verb = "vanishes" if on else "stays"
        states = next(", ".join(row.states) for row in self.rows.rows if row.context == context)
        text = f"{edge_text(subject.model, source, target)} {verb} in ({states})"
        if not self._app.change(text, edit):
            self.show_subject(subject, self._names)


def _restrictions(model: MarkovNetwork, edge: Edge) -> list[str]:
    """What the contexts of an edge say of the parameters: `φ(2, 3) + φ(1, 2, 3) = 0`."""
    elements = sorted(model.structure.contexts.get(edge, ()))
    rows = [row for element in elements for row in element_rows(model.structure, edge, element)]
    texts = [restriction_text(model.domain, row) for row in rows[:MAX_RESTRICTIONS]]
    return [
        *texts,
        *([f"… and {len(rows) - MAX_RESTRICTIONS} more"] if rows[MAX_RESTRICTIONS:] else []),
    ]
