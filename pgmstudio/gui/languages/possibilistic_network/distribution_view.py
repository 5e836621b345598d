"""A possibility distribution: the degrees of its tuples, its largest degrees over pairs of
variables, and the relation of an α-cut, which follows the slider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from pgmstudio.core.data.relation import Relation
from pgmstudio.core.data.tuple_degrees import TupleDegrees
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text
from pgmstudio.core.languages.relational_network.pairs import PairProjection, all_pairs
from pgmstudio.core.number_format import counted, grouped, whole
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.possibilistic_network.alpha import AlphaSlider, alpha_text
from pgmstudio.gui.languages.possibilistic_network.degree_grid import MAX_STATES, DegreeGrid
from pgmstudio.gui.languages.relational_network.relation_drawing import RelationView
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Note, label, named, row, scrolled, vbox, widening
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.table import Column, Table

MAX_LISTED = 2_000  # tuples in the table
FEW_COLUMNS = 6  # whose names are written in full
MAX_PAIRS = 400  # whose grids are drawn
MAX_AT_ONCE = 300_000  # cells of tuples times variables whose cut takes less than a frame
_NARROW = 640  # px below which the two halves are one above the other
degree_text = partial(belief_text, scale=Scale.POSSIBILITY)


@dataclass(frozen=True, eq=False)
class ShownDistribution:
    """The tuples with their degrees, how they were found, and what is wrong with them."""

    tuples: TupleDegrees
    origin: str = ""
    warning: str = ""


def _cut(
    tuples: TupleDegrees, alpha: float, _cancel: CancelToken
) -> tuple[TupleDegrees, Relation, tuple[PairProjection, ...]]:
    """The relation of a cut with its pairs; α is at most the largest degree."""
    relation = tuples.cut(min(alpha, tuples.top))
    return tuples, relation, tuple(all_pairs(relation))


class DistributionView(QWidget):
    """Left the relation of the cut, right all degrees; `alpha_changed` follows the slider."""

    alpha_changed = Signal(float)

    def __init__(
        self, report: Callable[[BaseException], object], option: QWidget | None = None
    ) -> None:
        """`report`: takes errors; `option`: a control after the slider."""
        super().__init__()
        self._task = LatestTask(self, self._on_cut, report)
        self.shown: ShownDistribution | None = None
        self.alpha = 0.0
        self.slider = AlphaSlider("distributionAlpha")
        self.slider.changed.connect(self._on_slider)
        self.summary = named(ElidedLabel("", "secondary"), "distributionSummary")
        self.variable = chooser("distributionVariable", "The variable whose pairs are drawn.", 9)
        self.variable.currentIndexChanged.connect(self._on_variable)
        self.note = Note(name="distributionNote")
        self.relation = RelationView()
        self.relation.pair_chosen.connect(self.show_pair)
        self.tuples = Table("distributionTuples", "Degrees of tuples", is_sortable=False)
        self.pair = chooser(
            "distributionPair", "The pair of variables whose largest degrees are shown.", 18
        )
        self.pair.currentIndexChanged.connect(self._on_pair)
        self.grid = DegreeGrid("distributionGrid")
        self._grid_text = label("", "tertiary", size="dense", wrap=True)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(scrolled(self.relation, "distributionScroll"))
        self._split.addWidget(self._degrees_half())
        self._split.setSizes([280, 420])
        self._split.setStretchFactor(0, 1)
        self._split.setStretchFactor(1, 1)
        options = [] if option is None else [option]
        parts = [label("α", "heading"), self.slider, *options, self.variable, self.summary]
        head = widening(row(*parts), len(parts) - 1)
        vbox(self, head, self.note, (self._split, 1), spacing=8)

    def _degrees_half(self) -> QWidget:
        projection = QWidget()
        head = row(label("Largest degrees of", "heading", size="dense"), self.pair, None)
        vbox(projection, head, self.grid, self._grid_text, None, spacing=4)
        half = QSplitter(Qt.Orientation.Vertical)
        half.setChildrenCollapsible(False)
        half.addWidget(self.tuples)
        half.addWidget(scrolled(projection, "distributionPairScroll"))
        half.setSizes([320, 200])
        made = QWidget()
        vbox(made, half, margins=(8, 0, 0, 0))
        return made

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 240)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW
        self._split.setOrientation(
            Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        )

    # -- showing

    def show_problem(self, text: str) -> None:
        """There is no distribution, and why."""
        self.shown = None
        self.note.show_text(text, "warning")
        self._split.hide()
        self.summary.setText("")

    def show_distribution(self, shown: ShownDistribution, alpha: float) -> None:
        """Show degrees; α above the largest is brought down to it."""
        self.shown = shown
        self._split.show()
        self.note.show_text(shown.warning, "warning")
        tuples = shown.tuples
        names = tuples.domain.names
        count = len(names)
        columns = [Column(name, stretches=count > FEW_COLUMNS) for name in names]
        self.tuples.show_columns(
            [
                *columns,
                Column("Π", degree_text, True, tip="The degree of possibility of the tuple."),
                Column(
                    "",
                    marks=lambda line: CellMarks(
                        bar=Bar(line[count], cut=self.alpha if self.alpha else None)
                    ),
                    tip="The degree, and α as a dotted line.",
                    stretches=True,
                ),
            ]
        )
        offer(self.variable, dict(enumerate(names)))
        pairs = [(a, b) for a in range(count) for b in range(a + 1, count)][:MAX_PAIRS]
        offer(self.pair, {pair: f"{names[pair[0]]} × {names[pair[1]]}" for pair in pairs})
        self._list_tuples()
        self.show_alpha(min(alpha, tuples.top))

    def _list_tuples(self) -> None:
        assert self.shown is not None
        tuples = self.shown.tuples
        states = [variable.states for variable in tuples.domain]
        self.tuples.show_rows(
            [
                (*(known[code] for known, code in zip(states, codes, strict=True)), degree, degree)
                for codes, degree in zip(
                    tuples.tuples[:, :MAX_LISTED].T.tolist(),
                    tuples.degrees[:MAX_LISTED].tolist(),
                    strict=True,
                )
            ]
        )

    def show_alpha(self, alpha: float) -> None:
        """Cut the distribution at α."""
        self.alpha = alpha
        if self.shown is None:
            return
        tuples = self.shown.tuples
        self.slider.show_alpha(alpha, tuples.top)
        kept = tuples.count(alpha) if alpha else len(tuples)
        cut = "" if len(tuples) <= MAX_LISTED else f", {whole(MAX_LISTED)} listed"
        part = f"{grouped(kept)} of {counted(len(tuples), 'tuple')}"
        level = "possible" if not alpha else f"at least {alpha_text(alpha)} possible"
        largest = f"largest degree {degree_text(tuples.top)}"
        texts = (f"{part} {level}", f"{largest}{cut}", self.shown.origin)
        self.summary.setText(" · ".join(filter(None, texts)))
        self.summary.setToolTip(self.summary.text())
        self.tuples.viewport().update()
        self._show_grid()
        if len(tuples) * len(tuples.domain) ** 2 <= MAX_AT_ONCE:
            self._task.forget()
            self._on_cut(_cut(tuples, alpha, NEVER))
        else:
            self._task.ask(partial(_cut, tuples, alpha))

    def _on_cut(self, cut: tuple[TupleDegrees, Relation, tuple[PairProjection, ...]]) -> None:
        tuples, relation, pairs = cut
        if self.shown is not None and tuples is self.shown.tuples:
            self.relation.show_relation(relation, pairs)
            self.variable.setVisible(not self.relation.is_cube and len(tuples.domain) > 2)

    def _show_grid(self) -> None:
        pair = self.pair.currentData()
        if self.shown is None or not isinstance(pair, tuple):
            self.grid.hide()
            return
        tuples = self.shown.tuples
        first, second = (tuples.domain.variables[v] for v in pair)
        is_small = max(first.cardinality, second.cardinality) <= MAX_STATES
        self.grid.setVisible(is_small)
        if not is_small:
            self._grid_text.setText(f"At most {MAX_STATES} states of a variable are drawn.")
            return
        names = (first.name, second.name)
        degrees = tuples.projection(pair)
        self.grid.show_degrees(names, first.states, second.states, degrees, self.alpha)
        self._grid_text.setText(
            "The largest degree of a tuple with both states"
            + ("; dashed cells are below α." if self.alpha else "; degrees are not summed.")
        )

    def show_pair(self, first: int, second: int) -> None:
        """The largest degrees of a pair, and its wall or grid in the relation."""
        self.pair.setCurrentIndex(self.pair.findData((first, second)))
        self.relation.show_pair((first, second))

    def forget(self) -> None:
        """The page is closed."""
        self._task.forget()

    # -- requests

    def _on_slider(self, alpha: float) -> None:
        self.show_alpha(alpha)
        self.alpha_changed.emit(alpha)

    def _on_variable(self) -> None:
        number = self.variable.currentData()
        if number is not None:
            self.relation.show_variable(number)

    def _on_pair(self) -> None:
        self._show_grid()
        pair = self.pair.currentData()
        if isinstance(pair, tuple):
            self.relation.show_pair(pair)
