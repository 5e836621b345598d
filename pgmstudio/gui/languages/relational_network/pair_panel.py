"""The projection to a pair of variables with the arithmetic of its Hartley information gain."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.languages.relational_network.pairs import PairProjection, hartley_text
from pgmstudio.core.number_format import decimal
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.languages.relational_network.relation_drawing import Codes, PairGrid
from pgmstudio.gui.languages.relational_network.relation_source import RelationCache
from pgmstudio.gui.widgets.basic import Section, label, vbox


class PairPanel(QWidget):
    """A grid of the pairs that occur, and below it the numbers in the formula."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.grid = PairGrid(f"{name}Grid")
        self.count = label("", "secondary", size="dense", wrap=True, name=f"{name}Count")
        self.gain = label("", size="dense", wrap=True, name=f"{name}Gain")
        vbox(self, self.grid, self.count, self.gain, None, spacing=6)

    def show_pair(
        self, relation: Relation, projection: PairProjection, spurious: Sequence[Codes] = ()
    ) -> None:
        self.grid.show_pair(relation, projection, spurious)
        first, second = (relation.domain.names[v] for v in (projection.first, projection.second))
        part = decimal(100 * projection.relative, 0)
        count = f"{projection.counts[2]} of {projection.occurs.size} pairs occur ({part} %)"
        self.count.setText(f"{first} × {second}: {count}.")
        self.gain.setText(f"Hartley gain: {hartley_text(projection.counts)}")


class EdgeSection(QWidget):
    """The section of the inspector about an edge of a relational network."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._relations = RelationCache(app)
        section = Section("Projection", line=False)
        self._panel = PairPanel("inspectorPair")
        section.add(self._panel)
        vbox(self, section)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        relation = self._relations.relation(subject.model_id)
        self.setVisible(relation is not None)
        if relation is not None:
            first, second = sorted(map(relation.domain.index, names[:2]))
            self._panel.show_pair(relation, PairProjection.of(relation, first, second))
