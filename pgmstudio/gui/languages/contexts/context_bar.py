"""The bar of a context over a graph: a chip for each variable, and what vanishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.variables import Variable
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, allow, button, label, literal, tool_button

FOLLOW_TIP = "Evidence sets the context: what is observed is the context, live."
_MARGIN = 10


@dataclass(frozen=True, slots=True)
class Offer:
    """A variable that may be given a state: its title, and whether edges depend on it."""

    variable: Variable
    title: str
    decides: bool


class ContextChip(QFrame):
    """A chip with a variable and its state; a click opens a menu of states, × removes it."""

    chosen = Signal(str, str)
    dropped = Signal(str)

    def __init__(self, offer: Offer, state: str) -> None:
        super().__init__()
        name = self.name = offer.variable.name
        self.setObjectName(f"contextChip.{name}")
        self.setProperty("role", "context-chip")
        self.state_button = QToolButton()
        self.state_button.setObjectName(f"contextState.{name}")
        self.state_button.setText(literal(f"{offer.title} = {state}"))
        tip = f"{offer.title} is {state} in the context. Choose another state."
        self.state_button.setToolTip(tip)
        self.state_button.setAccessibleName(tip)
        self.state_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.state_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.state_button.setProperty("role", "context-text")
        menu = QMenu(self.state_button)
        for other in offer.variable.states:
            action = menu.addAction(literal(other))
            action.setCheckable(True)
            action.setChecked(other == state)
            action.triggered.connect(lambda _=False, other=other: self.chosen.emit(name, other))
        self.state_button.setMenu(menu)
        tip = f"Take {offer.title} out of the context"
        gone = tool_button("x", tip, lambda: self.dropped.emit(name), name=f"contextDrop.{name}")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 1, 0)
        layout.setSpacing(0)
        layout.addWidget(self.state_button)
        layout.addWidget(gone)


class ContextBar(QFrame):
    """The bar that shows the context and requests its changes."""

    chosen = Signal(str, str)  # variable, state
    dropped = Signal(str)
    follow_requested = Signal(bool)
    copy_requested = Signal()
    clear_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextBar")
        self.setProperty("role", "context")
        self.setAccessibleName("Context of the graph")
        self._offers: tuple[Offer, ...] = ()
        self._context: dict[str, str] = {}
        self._chips: list[ContextChip] = []
        self._symbol = IconLabel(icon("funnel", "label_ink"))
        self._title = label("In context", "context-title")
        self._title.setToolTip("States that are taken as given; it is not evidence, no bar moves.")
        self._more = label("", "secondary", size="dense")
        self._more.setObjectName("contextMore")
        self._add = QToolButton()
        self._add.setObjectName("contextAdd")
        self._add.setText("Add")
        self._add.setIcon(icon("plus", "accent"))
        self._add.setToolTip("Give another variable a state in the context.")
        self._add.setAccessibleName(self._add.toolTip())
        self._add.setProperty("role", "context-add")
        self._add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._add.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._add.setMenu(QMenu(self._add))
        self._add.menu().aboutToShow.connect(self._fill)
        self._text = label("", "secondary", size="dense")
        self._text.setObjectName("contextText")
        self._follow = tool_button(
            "link", FOLLOW_TIP, lambda: None, checkable=True, name="contextFollow"
        )
        self._follow.clicked.connect(self.follow_requested)
        self._clear = tool_button(
            "eraser", "Clear the context", self.clear_requested.emit, name="contextClear"
        )
        self._copy = button(
            "Copy to evidence",
            self.copy_requested.emit,
            icon_name="flag",
            tip="Set the context as evidence; the beliefs change.",
            name="contextCopy",
        )
        self._statement = label("", size="dense", wrap=True, rich=True)
        self._statement.setObjectName("contextStatement")
        self._statement.setContentsMargins(theme().px("icon") + 8, 0, 0, 4)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 4, _MARGIN, 4)
        column.setSpacing(4)
        column.addLayout(self._row)
        column.addWidget(self._statement)
        left: list[QWidget] = [self._symbol, self._title, self._more, self._add]
        right: list[QWidget] = [self._text, self._follow, self._clear, self._copy]
        for widget in left:
            self._row.addWidget(widget)
        self._row.addStretch(1)
        for widget in right:
            self._row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        """The number of edges that vanish, as shown."""
        return self._text.text()

    @property
    def context(self) -> dict[str, str]:
        return dict(self._context)

    def show_context(
        self,
        offers: Sequence[Offer],
        context: Mapping[str, str],
        text: str,
        *,
        follows: bool,
        statement: str = "",
    ) -> None:
        """Show the context as chips, its effect, and whether it follows the evidence.

        `statement`, in rich text, stands in a line of its own.
        """
        self._offers, self._context = tuple(offers), dict(context)
        for chip in self._chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        by_name = {offer.variable.name: offer for offer in offers}
        self._chips = [ContextChip(by_name[name], state) for name, state in context.items()]
        for index, chip in enumerate(self._chips):
            chip.chosen.connect(self.chosen)
            chip.dropped.connect(self.dropped)
            self._row.insertWidget(2 + index, chip)
        self._text.setText(text)
        self._text.setToolTip(text)
        self._statement.setText(statement)
        self._statement.setVisible(bool(statement))
        self._follow.setChecked(follows)
        self._clear.setEnabled(bool(context))
        why = "" if context else "the context is empty."
        allow(self._copy, "the context is the evidence." if follows else why)
        self._fold()

    def _fill(self) -> None:
        """Variables that edges depend on first, the others below."""
        menu = self._add.menu()
        menu.clear()
        free = [offer for offer in self._offers if offer.variable.name not in self._context]
        deciding = [offer for offer in free if offer.decides]
        others = [offer for offer in free if not offer.decides]
        for offer in deciding:
            self._offer(menu, offer)
        if deciding and others:
            menu.addSeparator()
        rest = menu.addMenu("Other variables") if deciding and others else menu
        for offer in others:
            self._offer(rest, offer)
        if not free:
            menu.addAction("Every variable has a state already").setEnabled(False)

    def _offer(self, menu: QMenu, offer: Offer) -> None:
        states, name = menu.addMenu(literal(offer.title)), offer.variable.name
        for state in offer.variable.states:
            action = states.addAction(literal(state))
            action.triggered.connect(lambda _=False, state=state: self.chosen.emit(name, state))

    # -- layout

    def minimumSizeHint(self) -> QSize:
        return QSize(320, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _fold(self) -> None:
        """Hide texts that have an icon, then chips, when the bar is narrow."""
        self._copy.setText("Copy to evidence")
        for shown in (self._text, self._title, self._clear):
            shown.show()
        for chip in self._chips:
            chip.show()
        self._more.hide()
        available = self.width()
        for less in (self._clear, self._title):
            if self._needed() > available:
                less.hide()
        if self._needed() > available:
            self._copy.setText("")
            self._title.show()  # the narrower of the two, where that is enough
            self._title.setVisible(self._needed() <= available)
        hidden = 0
        while self._needed() > available and hidden < len(self._chips):
            hidden += 1
            self._chips[-hidden].hide()
            self._more.setText(f"+{hidden}")
            names = list(self._context.items())[-hidden:]
            self._more.setToolTip(", ".join(f"{name} = {state}" for name, state in names))
            self._more.show()
        if self._needed() > available:
            self._text.hide()

    def _needed(self) -> int:
        parts: list[QWidget] = [self._symbol, self._title, self._more, self._add, *self._chips]
        parts += [self._text, self._follow, self._clear, self._copy]
        shown = [part for part in parts if not part.isHidden()]
        return sum(part.sizeHint().width() + 8 for part in shown) + 2 * _MARGIN

    def _restyle(self) -> None:
        self.setMinimumHeight(theme().px("control") + 10)
        self._fold()
