"""A decision graph with all that floats over it: legend, zoom, minimap, search, refusals."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.legend import LegendEntry, Sample
from pgmstudio.gui.canvas.node_view import Detail
from pgmstudio.gui.languages.pdg.arcs import DASHED_FROM, MAX_DRAWN, is_solid_at, stroke_arcs
from pgmstudio.gui.languages.pdg.graphics_view import BandView
from pgmstudio.gui.languages.pdg.scene import BandScene
from pgmstudio.gui.theme.theme import theme

# The name of a state and the look of its lines, where they are wide enough to show it.
_STATES = (
    ("first state", ""),
    ("second state", " (hollow, dashed when thin)"),
    ("third state", " (dashed)"),
    ("fourth state", " (dotted)"),
    ("further states", ""),
)
_MARGIN = 12.0  # around the bands, which have margins of their own
_SAMPLE_WIDTHS = (5.0, 6.0, 2.5, 2.5, 2.5)


class BandCanvas(Canvas):
    """One view of the bands of one graph."""

    hidden_at_right = Signal(int)  # so many pixels, by a panel over them

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bandCanvas")
        self.view.keep_margin(_MARGIN)

    def _new_scene(self) -> BandScene:
        self.bands = BandScene(self)
        return self.bands

    def _new_view(self) -> BandView:
        self.band_view = BandView(self.bands, self)
        return self.band_view

    def rect_of(self, nodes: Sequence[str]) -> QRect | None:
        """That of the chosen node, where one is: a band is often wider than what is free."""
        chosen = self.bands.chosen
        if chosen is None or chosen[0] not in nodes:
            return super().rect_of(nodes)
        return self._on_screen(self.bands.box_of(chosen))

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        super().keep_clear(covered)
        self.hidden_at_right.emit(self.view.hidden_at_right)

    def _how_to_see(self) -> list[LegendEntry]:
        """On the screen not all of many arcs are drawn; on paper they are."""
        entries = super()._how_to_see()
        if any(arcs.count > MAX_DRAWN for arcs in self.bands.arcs.values()):
            entries.append(LegendEntry(f"of many arcs the {MAX_DRAWN} with most flow"))
        if self._is_far and self._most_states > 1:
            entries.append(LegendEntry(f"zoom to {100 * DASHED_FROM:.0f} % for dashes"))
        return entries

    @property
    def _is_far(self) -> bool:
        return is_solid_at(self.view.pixels_per_unit)

    @property
    def _most_states(self) -> int:
        """So many kinds of arcs there are."""
        graph = self.bands.graph
        if graph is None:
            return 0
        above = [graph.domain.cardinalities[i] for i in graph.forest if i is not None]
        return min(max(above, default=0), len(_STATES))

    def legend_entries(self) -> list[LegendEntry]:
        """On the screen arcs are drawn as the zoom allows; in a file as near by."""
        entries = super().legend_entries()
        if self._is_far:
            for state in range(self._most_states):
                entries[state] = LegendEntry(_STATES[state][0], _arc_sample(state, is_far=True))
        return entries

    def drawn_entries(self, detail: Detail) -> list[LegendEntry]:
        if self.bands.graph is None:
            return []
        most = self._most_states
        entries = [
            LegendEntry("".join(_STATES[state]), _arc_sample(state)) for state in range(most)
        ]
        has_evidence = any(item.face.weights for item in self.bands.nodes.values())
        if most:
            given = "flow given evidence" if has_evidence else "probability of passing"
            entries.append(LegendEntry(f"width = {given}"))
        flows = self.bands.flows
        if flows is not None and any((visits <= 0).any() for visits in flows.visits):
            entries.append(LegendEntry("not reached", _unreached_sample))
        if any(item.nodes.marked for item in self.bands.items_by_variable.values()):
            entries.append(LegendEntry("changed by the step", _marked_sample))
        own = [e for e in super().drawn_entries(detail) if "edge" not in e.text]
        return entries + own


def _arc_sample(state: int, *, is_far: bool = False) -> Sample:
    def paint(painter: QPainter, position: QRectF) -> None:
        path = QPainterPath(position.center())
        path.moveTo(position.left(), position.center().y())
        path.lineTo(position.right(), position.center().y())
        width = _SAMPLE_WIDTHS[0 if is_far else state]
        stroke_arcs(painter, path, state, width, plain=is_far, solid=is_far)

    return paint


def _unreached_sample(painter: QPainter, position: QRectF) -> None:
    pen = QPen(theme().color("border_control"), 1.25)
    pen.setDashPattern([3.0, 2.0])
    painter.setPen(pen)
    painter.setBrush(theme().color("sunken"))
    painter.drawRoundedRect(position.adjusted(2, 4, -2, -4), 3, 3)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _marked_sample(painter: QPainter, position: QRectF) -> None:
    painter.setPen(QPen(theme().color("virtual_ink"), theme().line("node_selected")))
    painter.setBrush(theme().color("surface"))
    painter.drawRoundedRect(position.adjusted(2, 4, -2, -4), 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
