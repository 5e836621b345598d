"""The panel of next moves of a search, to accept, veto or force one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDockWidget, QPushButton, QStackedLayout, QWidget

from pgmstudio.core.learning.edge_moves import (
    MoveKey,
    MoveList,
)
from pgmstudio.core.number_format import change, counted, decimal
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.structure.move_search import MoveSearch, move_search
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    button,
    hbox,
    label,
    named,
    row,
    tool_button,
    vbox,
    wide_first,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.number_box import decimal_box, whole_box
from pgmstudio.gui.widgets.param_form import choice_label
from pgmstudio.gui.widgets.table import Column, Table

SIDE_WIDTH = 282  # px at 100 %
STEPS = 5
_BY_BIC = -0.01  # below every λ: as in BIC


COLUMNS = (
    Column("#", str, is_number=True, tip="The number at the edge on the canvas"),
    Column("Move", stretches=True, tip="The edge or context to add, remove or reverse"),
    Column("Δ score", change, is_number=True, tip="Change in score in bits; above 0 is better"),
    Column(
        "Δ par.",
        partial(change, digits=0),
        is_number=True,
        tip="Change in the number of free parameters",
    ),
)


class MovesPanel(QWidget):
    """The next moves of the active model; nothing is computed while the panel is hidden."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("moves")
        self._app = app
        self._search = move_search(app)
        self._list: MoveList | None = None
        self._vetoes: tuple[MoveKey, ...] = ()
        self._is_showing = False
        self._dock: QDockWidget | None = None
        self._soon = one_shot(self, self._look)
        self.summary = named(ElidedLabel("", "secondary"), "movesSummary")
        self.summary.elide = Qt.TextElideMode.ElideRight
        self.table = Table(
            "movesTable", "Next moves, best first; Enter accepts, Delete vetoes.", COLUMNS
        )
        self.table.selected.connect(self._on_selected)
        self.table.chosen.connect(self._on_accept)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._on_veto)
        left = QWidget()
        vbox(left, self.summary, (self.table, 1), spacing=2)
        self._side = self._make_side()
        whole = QWidget()
        hbox(whole, (left, 1), self._side, margins=(8, 4, 8, 6), spacing=12)
        self._reason = label("", "secondary", wrap=True, name="movesReason")
        self._reason.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(whole)
        self._stack.addWidget(self._reason)
        self._search.changed.connect(self._show)
        theme().changed.connect(self._restyle)
        self._restyle()
        self._show()

    def _make_side(self) -> QWidget:
        side = QWidget()
        self.score = ChoiceBox("movesScore", "Score of the moves")
        self.score.setMinimumContentsLength(6)
        self.score.show_choices(_score_choices(self._search), "bic")
        self.score.picked.connect(self._on_score)
        title = "Weight of the size in the λ-score"
        self.lambda_ = decimal_box(
            "movesLambda", title, f"{title}.", _BY_BIC, 1, _BY_BIC, step=0.01, lowest_text="as BIC"
        )
        self.lambda_.setPrefix("λ ")
        title = "Equivalent sample size"
        self.ess = decimal_box(
            "movesEss", title, f"{title}.", 0.1, 10_000, 1, decimals=1, suffix=" rows"
        )
        title = "Maximum number of parents"
        self.parents = whole_box("movesParents", title, f"{title}.", 0, 99, lowest_text="no limit")
        for box in (self.lambda_, self.ess, self.parents):
            box.valueChanged.connect(self._on_measure)
        self.accept = button(
            "Accept",
            self._on_accept,
            role="primary",
            name="movesAccept",
            tip="Make the selected move; the affected CPTs are fitted to the data. (Enter)",
        )
        self.veto = button(
            "Veto",
            self._on_veto,
            name="movesVeto",
            tip="Exclude the selected move from this search. (Delete)",
        )
        self.force = button(
            "Force",
            self._on_force,
            name="movesForce",
            tip="Make the selected move and add it as a rule for every later search.",
        )
        title = "Number of best moves to make"
        self.steps = whole_box("movesSteps", title, f"{title}.", 1, 999, STEPS)
        self.best = button(
            "Best moves",
            self._on_best,
            name="movesBest",
            tip="Make the best move this many times, as one undoable step.",
        )
        self.run = button(
            "Optimum",
            self._on_run,
            name="movesRun",
            tip="Make the best move until none raises the score.",
        )
        self.stop = button("Stop", self._search.stop, name="movesStop", tip="Make no move.")
        self.vetoed = Table(
            "movesVetoed",
            "Moves excluded from this search; Enter allows one again.",
            (Column("Vetoed in this search", stretches=True, tip="Excluded until allowed again"),),
        )
        self.vetoed.chosen.connect(self._on_allow)
        self.allow = tool_button(
            "arrow-counter-clockwise",
            "Allow the selected vetoed move again",
            self._on_allow,
            name="movesAllow",
        )
        self._parents_text = label("Parents", "secondary", size="dense")
        layout = vbox(
            side,
            row(self.score, self.lambda_, self.ess, None, self._parents_text, self.parents),
            row(self.accept, self.veto, self.force, None),
            row(self.steps, self.best, self.run, self.stop, None),
            spacing=4,
        )
        self._vetoed_row = wide_first(row(self.vetoed, self.allow, spacing=4))
        layout.addWidget(self._vetoed_row, 1)
        layout.addStretch(0)
        return side

    # -- showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        dock = self.parentWidget()
        while dock is not None and not isinstance(dock, QDockWidget):
            dock = dock.parentWidget()
        if dock is not None and dock is not self._dock:  # a collapsed panel returns to its dock
            self._dock = dock
            dock.visibilityChanged.connect(self._on_tab)
        self._soon.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._search.watch(False)

    def _on_tab(self, is_in_front: bool) -> None:
        """Handle a change of tab: a panel behind another tab is not hidden, but not shown
        either."""
        if is_in_front:
            self._soon.start()
        else:
            self._search.watch(False)

    def _look(self) -> None:
        if self.isVisible() and not self.visibleRegion().isEmpty():
            self._search.watch(True)

    @property
    def selected(self) -> MoveKey | None:
        number = self.table.current
        if self._list is None or number is None or number >= len(self._list.moves):
            return None
        return self._list.moves[number].key

    def _show(self) -> None:
        search = self._search
        reason = search.disabled_reason()
        self._stack.setCurrentIndex(0 if reason is None else 1)
        self._reason.setText("" if reason is None else reason[0].upper() + reason[1:])
        self._is_showing = True
        if search.move_list is not self._list:
            self._list = search.move_list
            moves = () if self._list is None else self._list.moves
            self.table.show_rows(
                [(n, str(m), m.gain, m.parameters) for n, m in enumerate(moves, start=1)]
            )
            keys = [move.key for move in moves]
            if search.looked_at in keys:
                self.table.select(keys.index(search.looked_at))
        if search.vetoes != self._vetoes:
            self._vetoes = search.vetoes
            self.vetoed.show_rows([(str(key),) for key in self._vetoes])
            self.vetoed.select(len(self._vetoes) - 1)
        self._is_showing = False
        self._show_status()

    def _show_status(self) -> None:
        search, result = self._search, self._list
        is_undirected, score = search.is_undirected, search.score
        self.score.show_choices(_score_choices(search), score)
        for widget in (self._parents_text, self.parents):
            widget.setVisible(not is_undirected)
        name = _score_choices(search)[score]
        if search.status:
            text = search.status
        elif result is None:
            text = "Scoring the moves…"
        else:
            total = decimal(result.score, 1)
            if result.is_optimum:
                shown = "a local optimum: no move raises it"
            else:
                verb = "raises" if result.better == 1 else "raise"
                shown = f"{result.better} of {counted(result.legal, 'move')} {verb} it"
            text = f"{name} {total} bits · {shown}"
        self.summary.setText(text)
        self.summary.setToolTip(text)
        busy = search.is_taking
        is_ready = result is not None and not busy
        _allow(is_ready and self.selected is not None, self.accept, self.veto, self.force)
        _allow(is_ready and result is not None and not result.is_optimum, self.best, self.run)
        self.run.setVisible(not busy)
        self.stop.setVisible(busy)
        self.lambda_.setVisible(score == "lambda")
        self.ess.setVisible(score == "bdeu")
        self._vetoed_row.setVisible(bool(self._vetoes))

    # -- commands

    def _on_selected(self, _number: int) -> None:
        if not self._is_showing:
            self._search.look_at(self.selected)

    def _on_accept(self, *_: object) -> None:
        self._use(self._search.take)

    def _on_veto(self) -> None:
        self._use(self._search.veto)

    def _on_force(self) -> None:
        self._use(self._search.force)

    def _use(self, command: Callable[[MoveKey], None]) -> None:
        if self.selected is not None:
            self.table.setFocus()
            command(self.selected)

    def _on_best(self) -> None:
        self.table.setFocus()
        self._search.take_best(self.steps.value())

    def _on_run(self) -> None:
        self.table.setFocus()
        self._search.take_best(None)

    def _on_allow(self, *_: object) -> None:
        number = self.vetoed.current
        if number is not None and number < len(self._vetoes):
            self._search.allow(self._vetoes[number])

    def _on_score(self, score: str) -> None:
        self._search.measure(replace(self._search.params, score=score))

    def _on_measure(self, *_: object) -> None:
        lambda_ = self.lambda_.value()
        self._search.measure(
            replace(
                self._search.params,
                lambda_=None if lambda_ < 0 else lambda_,
                ess=self.ess.value(),
                max_parents=self.parents.value() or None,
            )
        )

    def _restyle(self) -> None:
        scale = theme().scale
        self._side.setFixedWidth(round(SIDE_WIDTH * scale))
        self.steps.setFixedWidth(round(68 * scale))


def _score_choices(search: MoveSearch) -> dict[str, str]:
    """The scores of moves by key, as the language calls them."""
    return {key: choice_label(name) for key, name in search.scores.items()}


def _allow(can: bool, *buttons: QPushButton) -> None:
    for made in buttons:
        made.setEnabled(can)
