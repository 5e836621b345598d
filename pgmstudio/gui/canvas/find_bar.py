"""The find bar: fuzzy search over node names, with stepping and a filter for the neighbourhood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLineEdit, QWidget

from pgmstudio.gui.widgets.basic import label, tool_button

_SCOPES = ("Everything", "1 edge away", "2 edges away", "3 edges away")


def match_rank(wanted: str, name: str) -> int | None:
    """The rank of a match: 0 starts with it, 1 contains it, more: its letters with gaps."""
    wanted, name = wanted.casefold(), name.casefold()
    if name.startswith(wanted):
        return 0
    if wanted in name:
        return 1
    at, gaps = -1, 0
    for letter in wanted:
        result = name.find(letter, at + 1)
        if result < 0:
            return None
        gaps += result - at - 1
        at = result
    return 2 + gaps


def matches(wanted: str, titles: Mapping[str, str]) -> list[str]:
    """Ids whose name or title matches, the best first."""
    if not wanted.strip():
        return []
    ranked: list[tuple[int, str, str]] = []
    for identity, title in titles.items():
        ranks = [match_rank(wanted.strip(), text) for text in {identity, title}]
        fitting = [rank for rank in ranks if rank is not None]
        if fitting:
            ranked.append((min(fitting), title.casefold(), identity))
    return [identity for _, _, identity in sorted(ranked)]


class FindBar(QFrame):
    """Enter or n steps on, Shift+Enter or p back, Esc closes."""

    looked_at = Signal(object)  # id or None
    matches_changed = Signal(object)  # list of ids
    scope_changed = Signal(object)  # (id, hops): show only nodes that near; None: all
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.setProperty("role", "card")
        self._titles: Mapping[str, str] = {}
        self._matches: list[str] = []
        self._at = 0
        self._field = _Field(self)
        self._field.setObjectName("find.field")
        self._field.setAccessibleName("Find a node by name")
        self._field.setPlaceholderText("Find a node")
        self._field.setToolTip("Part of a name, or some of its letters in order.")
        self._field.setMinimumWidth(80)  # between panels it gives way before the buttons do
        self._count = label("", "secondary")
        self._count.setObjectName("find.count")
        self._scope = QComboBox()
        self._scope.setObjectName("find.scope")
        self._scope.setAccessibleName("Show only the neighbourhood of the match")
        self._scope.setToolTip("Show only nodes within this many edges of the match.")
        self._scope.addItems(list(_SCOPES))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(6)
        layout.addWidget(self._field, 1)
        layout.addWidget(self._count)
        layout.addWidget(
            tool_button(
                "caret-up", "Previous match (Shift+Enter)", self.previous, name="find.previous"
            )
        )
        layout.addWidget(
            tool_button("caret-down", "Next match (Enter)", self.next, name="find.next")
        )
        layout.addWidget(self._scope)
        layout.addWidget(tool_button("x", "Close (Esc)", self.finish, name="find.close"))
        self._field.textChanged.connect(self._on_text_changed)
        self._scope.currentIndexChanged.connect(self._on_scope_changed)
        self.hide()

    def begin(self, titles: Mapping[str, str]) -> None:
        """Open the bar to search nodes with these titles."""
        self._titles = titles
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()
        self._on_text_changed()

    def finish(self) -> None:
        """Close the bar; hidden nodes are shown again."""
        self.hide()
        self._scope.setCurrentIndex(0)
        self.matches_changed.emit([])
        self.scope_changed.emit(None)
        self.closed.emit()

    def next(self) -> None:
        self.step(1)

    def previous(self) -> None:
        self.step(-1)

    @property
    def matching_ids(self) -> tuple[str, ...]:
        """The matches, the current one first."""
        return (*self._matches[self._at :], *self._matches[: self._at])

    @property
    def current(self) -> str | None:
        return self._matches[self._at] if self._matches else None

    def step(self, by: int) -> None:
        """Go to another match; wraps around at the end."""
        if self._matches:
            self._at = (self._at + by) % len(self._matches)
            self._show_position()

    def _on_text_changed(self) -> None:
        self._matches = matches(self._field.text(), self._titles)
        self._at = 0
        self.matches_changed.emit(list(self._matches))
        self._show_position()

    def _show_position(self) -> None:
        text = self._field.text().strip()
        if not text:
            self._count.setText("")
        elif not self._matches:
            self._count.setText(_nothing(text, self._titles.values()))
        else:
            self._count.setText(f"{self._at + 1} of {len(self._matches)}")
        self.adjustSize()
        self.looked_at.emit(self.current)
        self._on_scope_changed()

    def _on_scope_changed(self) -> None:
        hops = self._scope.currentIndex()
        near = (self.current, hops) if hops and self.current is not None else None
        self.scope_changed.emit(near)


def _nothing(text: str, titles: Iterable[str]) -> str:
    near = get_close_matches(text, list(titles), n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"No variable is called “{text}”.{hint}"


class _Field(QLineEdit):
    def __init__(self, bar: FindBar) -> None:
        super().__init__(bar)
        self._bar = bar

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self._bar.previous if back else self._bar.next)()
        elif event.key() == Qt.Key.Key_Down:
            self._bar.next()
        elif event.key() == Qt.Key.Key_Up:
            self._bar.previous()
        elif event.key() == Qt.Key.Key_Escape:
            self._bar.finish()
        else:
            super().keyPressEvent(event)
