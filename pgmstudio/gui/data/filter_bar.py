"""Row filters of the table: a button to add one, a chip for each active filter."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from pgmstudio.core.data.variables import Domain
from pgmstudio.gui.data.table_model import MISSING_SYMBOL, MISSING_TEXT
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import button, empty, literal

Filters = dict[str, frozenset[str | None]]

_MAX_STATES = 60  # listed in a menu


class FilterBar(QWidget):
    """Row filters; `filters` maps a column to the states shown, None meaning missing."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("filterBar")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._domain = Domain(())
        self._filters: Filters = {}
        self._chips = QHBoxLayout()
        self._chips.setSpacing(6)
        self.add = button(
            "Filter",
            self._on_add,
            icon_name="funnel",
            tip="Show only rows with some states of a column",
            name="addFilter",
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.add)
        layout.addLayout(self._chips)
        layout.addStretch(1)

    @property
    def filters(self) -> Filters:
        return dict(self._filters)

    def show_domain(self, domain: Domain) -> None:
        """Set the columns to choose from; drop filters on columns and states that are gone."""
        if domain == self._domain:
            return
        self._domain = domain
        self._filters = {
            name: existing
            for name, states in self._filters.items()
            if name in domain
            and (existing := frozenset(s for s in states if s is None or s in domain[name].states))
        }
        self._rebuild()

    def set_filter(self, column: str, states: frozenset[str | None]) -> None:
        """Show only rows with these states; an empty set removes the filter."""
        if states:
            self._filters[column] = states
        else:
            self._filters.pop(column, None)
        self._rebuild()
        self.changed.emit()

    def toggle(self, column: str, state: str | None) -> None:
        self.set_filter(column, self._filters.get(column, frozenset()) ^ {state})

    def menu_of(self, column: str, parent: QWidget) -> QMenu:
        """Menu of the states of a column with check marks."""
        menu = QMenu(f"Show only {column}", parent)
        menu.setObjectName("filterMenu")
        chosen = self._filters.get(column, frozenset())
        states: list[str | None] = [*self._domain[column].states[:_MAX_STATES], None]
        for state in states:
            text = f"{MISSING_SYMBOL} {MISSING_TEXT}" if state is None else state
            action = menu.addAction(literal(text))
            action.setCheckable(True)
            action.setChecked(state in chosen)
            action.triggered.connect(partial(self._on_toggled, column, state))
        menu.addSeparator()
        menu.addAction("Show all rows", partial(self.set_filter, column, frozenset()))
        return menu

    def _on_toggled(self, column: str, state: str | None, _checked: bool) -> None:
        self.toggle(column, state)

    def _on_add(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("filterColumns")
        for name in self._domain.names:
            sub = menu.addMenu(
                icon("funnel") if name in self._filters else icon("tag"), literal(name)
            )
            sub.aboutToShow.connect(partial(self._fill, sub, name))
        menu.popup(self.add.mapToGlobal(self.add.rect().bottomLeft()))

    def _fill(self, menu: QMenu, column: str) -> None:
        if menu.isEmpty():
            menu.addActions(self.menu_of(column, menu).actions())

    def _rebuild(self) -> None:
        empty(self._chips)
        for column, states in self._filters.items():
            text = " or ".join(MISSING_TEXT if s is None else s for s in _in_order(states))
            if len(text) > 28:
                text = f"{len(states)} states"
            chip = QPushButton(f"{column} = {text}")
            chip.setObjectName(f"filter:{column}")
            chip.setIcon(icon("x"))
            chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            chip.setToolTip(f"Remove the filter on {column}")
            chip.setAccessibleName(f"Filter: {column} is {text}. Click to remove it.")
            chip.clicked.connect(partial(self._on_chip, column))
            self._chips.addWidget(chip)

    def _on_chip(self, column: str, _checked: bool = False) -> None:
        self.set_filter(column, frozenset())


def _in_order(states: frozenset[str | None]) -> list[str | None]:
    return sorted(states, key=lambda state: (state is None, state or ""))
