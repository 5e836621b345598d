"""The bar of a separation query: the variables A and B, the given ones, and the answer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QWidget,
)

from pgmstudio.gui.canvas.two_line_bar import TwoLineBar
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import allow, button, literal, tool_button
from pgmstudio.gui.widgets.elided_label import ElidedLabel

ROLES = {
    "A": ("A", "The next click on a node chooses A (key A)"),
    "B": ("B", "The next click on a node chooses B (key B)"),
    "Z": ("Given", "The next clicks on nodes choose the given variables (key Z)"),
}
_WIDEST_CHIP = 210


class SeparationBar(TwoLineBar):
    """A bar to choose A, B and the given variables, and to show whether they are separated."""

    role_chosen = Signal(str)
    evidence_requested = Signal()
    check_requested = Signal()
    clear_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("separationBar", "d-separation", parent)
        self._chips: dict[str, QToolButton] = {}
        self._names: dict[str, Sequence[str]] = dict.fromkeys(ROLES, ())
        self._group = QButtonGroup(self)
        top = QHBoxLayout()
        top.setSpacing(6)
        for role, (_, tip) in ROLES.items():
            chip = QToolButton()
            chip.setObjectName(f"separation.{role}")
            chip.setProperty("role", "segment")
            chip.setProperty("place", "only")
            chip.setCheckable(True)
            chip.setToolTip(tip)
            chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            chip.clicked.connect(lambda _=False, role=role: self.role_chosen.emit(role))
            self._group.addButton(chip)
            self._chips[role] = chip
            top.addWidget(chip)
        top.addStretch(1)
        self._evidence = button(
            "Evidence as given",
            self.evidence_requested.emit,
            role="link",
            icon_name="flag-fill",
            tip="Take the observed variables as given",
            name="separation.evidence",
        )
        self._clear = button(
            "Clear",
            self.clear_requested.emit,
            role="link",
            icon_name="eraser",
            tip="Clear A, B and the given variables",
            name="separation.clear",
        )
        top.addWidget(self._evidence)
        top.addWidget(self._clear)
        top.addWidget(
            tool_button(
                "x", "Close d-separation", self.close_requested.emit, name="separation.close"
            )
        )
        self._icon = QLabel()
        self._heading = ElidedLabel("", "heading", is_snug=True)
        self._heading.setObjectName("separation.heading")
        self._detail = ElidedLabel("", "secondary")
        self._detail.setObjectName("separation.detail")
        self._detail.elide = Qt.TextElideMode.ElideRight  # a sentence, not a name
        self._check = button(
            "Check in numbers",
            self.check_requested.emit,
            tip="I(A;B|Z) in the model's own distribution, in bits",
            name="separation.check",
        )
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self._icon)
        below.addWidget(self._heading)
        below.addWidget(self._detail, 1)
        below.addWidget(self._check)
        self._lay_out(top, below)
        theme().changed.connect(self._fold)
        self.show_role("A")

    @property
    def detail(self) -> str:
        return self._detail.text()

    def show_role(self, role: str) -> None:
        self._chips[role].setChecked(True)

    def show_names(self, names: dict[str, Sequence[str]]) -> None:
        """Titles by role."""
        self._names = dict(names)
        self._fold()

    def show_text(
        self, heading: str, detail: str, icon_name: str = "", color: str = "text", *, tip: str = ""
    ) -> None:
        """Show the answer and its details; the tooltip has the full text."""
        self._heading.setText(heading)
        self._detail.setText(detail)
        whole = "\n".join(filter(None, [f"{heading}. {detail}", tip]))
        self._detail.setToolTip(whole)
        self._heading.setToolTip(whole)
        self.setAccessibleDescription(f"{heading}. {detail}" if detail else heading)
        self._icon.setVisible(bool(icon_name))
        if icon_name:
            size = theme().px("icon")
            self._icon.setPixmap(icon(icon_name, color).pixmap(size, size))
        self.updateGeometry()

    def allow(self, *, evidence: str = "", check: str = "", clear: str = "") -> None:
        """Set the reason why each button is disabled; empty: it is enabled."""
        for made, reason in (
            (self._evidence, evidence),
            (self._check, check),
            (self._clear, clear),
        ):
            allow(made, reason)

    def show_check(self, shown: bool) -> None:
        """Show or hide the check button; the numbers take its space."""
        self._heading.setMinimumHeight(self._check.sizeHint().height())
        self._check.setVisible(shown)

    def _fold(self) -> None:
        """Shorten the chips to the available width."""
        shown = (self._evidence, self._clear)
        available = self.width() - 70 - sum(made.sizeHint().width() + 6 for made in shown)
        each = max(60, min(_WIDEST_CHIP, available // len(ROLES)))
        for role, chip in self._chips.items():
            word, names = ROLES[role][0], self._names.get(role, ())
            whole = ", ".join(names) if names else "…"
            metrics = QFontMetrics(chip.font())
            left = each - 24 - metrics.horizontalAdvance(f"{word}: ")
            text = whole
            if metrics.horizontalAdvance(whole) > left and len(names) > 1:
                text = f"{len(names)} variables"
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, max(24, left))
            chip.setText(literal(f"{word}: {text}"))
            chip.ensurePolished()
            chip.setMinimumHeight(chip.sizeHint().height())
            chip.setAccessibleName(f"{word}: {whole}. {ROLES[role][1]}")
            chip.setToolTip(f"{word}: {whole}\n{ROLES[role][1]}" if names else ROLES[role][1])

    def minimumSizeHint(self) -> QSize:
        return QSize(320, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()
