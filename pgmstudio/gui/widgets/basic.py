"""Small widgets in the house style, so that the same thing looks the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar, TypeVar, cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.style_sheet import mark
from pgmstudio.gui.theme.style_sheet import set_role as set_role  # one of the small widgets' tools
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.soft_breaks import BREAK, with_soft_breaks, without_soft_breaks

_STACKED_BELOW = 520  # px; a foot that is narrower has its buttons below its notes
_MAX_OF_WINDOW = 4  # of which this is one part; more is scrolled


class ScrollingNotes(QScrollArea):
    """Notes one below the other; with large fonts in a small window they scroll."""

    def __init__(self, text: Sequence[QWidget]) -> None:
        super().__init__()
        self.setObjectName("footWords")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._content = QWidget()
        self._layout = vbox(self._content, *text, spacing=4)
        self.setWidget(self._content)
        self._content.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        needed = self._layout.totalHeightForWidth(self.width())
        if needed < 0:  # nothing here wraps
            needed = self._layout.totalSizeHint().height()
        self.setFixedHeight(min(needed, self.window().height() // _MAX_OF_WINDOW))


W = TypeVar("W", bound=QWidget)


def named(widget: W, name: str, title: str = "", tip: str = "") -> W:
    """The widget with an object name, and a name for screen readers and a tooltip if given."""
    widget.setObjectName(name)
    if title:
        widget.setAccessibleName(title)
    if tip:
        widget.setToolTip(tip)
    return widget


def label(
    text: str = "",
    role: str = "",
    *,
    size: str = "body",
    wrap: bool = False,
    rich: bool = False,
    name: str = "",
) -> QLabel:
    """Roles: heading, secondary, tertiary, danger, warning, success, chip, chip-…

    Sizes: caption, dense, body, title, heading, display.
    With `rich` the text is HTML, and the caller escapes names in it.
    """
    made = _Label(text, role, size)
    made.setProperty("rich", rich)
    made.setWordWrap(wrap)
    return named(made, name)


def text_width(widget: QWidget, text: str) -> int:
    """The width of a text in the font that the style sheet gives the widget."""
    widget.ensurePolished()
    return widget.fontMetrics().horizontalAdvance(text)


def literal(text: str) -> str:
    """The text for a button, tab or menu, where Qt takes a single & for the mark of a shortcut."""
    return text.replace("&", "&&")


def button(
    text: str,
    on_click: Callable[[], object],
    *,
    role: str = "",
    icon_name: str | None = None,
    tip: str = "",
    name: str = "",
) -> PushButton:
    """Roles: "" (outlined), primary, link."""
    color = {"primary": "on_accent", "link": "accent"}.get(role, "text_secondary")
    made = PushButton(icon_name, color)
    made.setText(literal(text))
    made.setProperty("role", role)
    made.clicked.connect(lambda: on_click())
    return named(made, name, tip or text, tip or text)


def tool_button(
    icon_name: str,
    tip: str,
    on_click: Callable[[], object] | None = None,
    *,
    checkable: bool = False,
    name: str = "",
) -> QToolButton:
    """An icon without a word: it has a tooltip and an accessible name."""
    made = QToolButton()
    made.setIcon(icon(icon_name, on="accent"))
    made.setCheckable(checkable)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    if on_click is not None:
        made.clicked.connect(lambda: on_click())
    return named(made, name, tip, tip)


def allow(widget: QWidget, disabled_reason: str | None) -> None:
    """Enable a button, or disable it with a reason; its own tip is its accessible name."""
    widget.setEnabled(not disabled_reason)
    widget.setToolTip(f"Not now: {disabled_reason}" if disabled_reason else widget.accessibleName())


def progress_bar(name: str, title: str, most: int) -> QProgressBar:
    """A bar without text, in thousandths, at most so many px wide."""
    made = named(QProgressBar(), name, title, f"{title}.")
    made.setTextVisible(False)
    made.setRange(0, 1000)
    made.setMaximumWidth(most)
    return made


class _Label(QLabel):
    def __init__(self, text: str, role: str, size: str) -> None:
        super().__init__(text)
        self.setProperty("role", role)
        self.setProperty("textSize", size)
        self._whole = text
        self._has_links = False

    def text(self) -> str:
        """The text as it was set, without the breaks in its long words."""
        return self._whole

    def setWordWrap(self, on: bool) -> None:
        super().setWordWrap(on)
        self.setText(self._whole)

    def setText(self, text: str) -> None:
        self._whole = text
        is_broken = self.wordWrap() and not self.property("rich")
        super().setText(with_soft_breaks(text) if is_broken else text)
        if "<a " in text and not self._has_links:
            self._has_links = True
            # The theme outlives its listeners: only methods of a QObject are forgotten together
            # with it, a lambda would be called after the widget is gone.
            theme().changed.connect(self._renew_links)

    def _renew_links(self) -> None:
        """A rich text has the colour of its links from the palette it was set under."""
        super().setText("")
        self.setText(self._whole)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            self._copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if BREAK not in QLabel.text(self) or not self.hasSelectedText():
            super().contextMenuEvent(event)
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("&Copy", self._copy)
        menu.popup(event.globalPos())

    def _copy(self) -> None:
        QApplication.clipboard().setText(without_soft_breaks(self.selectedText()))


class IconLabel(QLabel):
    """An icon beside a text, in a size of the token file."""

    def __init__(self, shown: QIcon | None = None, size: str = "icon", *, factor: float = 1.0):
        super().__init__()
        self._icon = shown or QIcon()
        self._size = size
        self._factor = factor

    def show_icon(self, shown: QIcon) -> None:
        self._icon = shown
        self.update()

    def sizeHint(self) -> QSize:
        side = round(theme().px(self._size) * self._factor)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        side = self.sizeHint().width()
        self._icon.paint(QPainter(self), QRect(0, (self.height() - side) // 2, side, side))


class PushButton(QPushButton):
    """Button that elides a text that does not fit."""

    def __init__(self, icon_name: str | None, color: str) -> None:
        super().__init__()
        self._color = color
        if icon_name is not None:
            self.show_icon(icon_name)

    def show_icon(self, name: str) -> None:
        self.setIcon(icon(name, self._color))

    def paintEvent(self, event: QPaintEvent) -> None:
        lacking = self.sizeHint().width() - self.width()
        if lacking <= 0:
            super().paintEvent(event)
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        metrics = self.fontMetrics()
        space = metrics.horizontalAdvance(self.text()) - lacking
        option.text = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, space)
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)


class Segments(QWidget):
    """Segmented control: a row of buttons of which one is checked."""

    chosen = Signal(str)

    def __init__(self, options: Sequence[tuple[str, str, str]], name: str) -> None:
        """`options`: key, text, tooltip."""
        super().__init__()
        self.setObjectName(name)
        self._buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for number, (key, text, tip) in enumerate(options):
            made = named(QToolButton(), f"{name}.{key}", tip, tip)
            made.setText(text)
            made.setCheckable(True)
            made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            made.setProperty("role", "segment")
            made.setProperty("position", _segment_position(number, len(options)))
            made.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            self._group.addButton(made)
            self._buttons[key] = made
            layout.addWidget(made)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if options:
            self.choose(options[0][0])

    @property
    def current(self) -> str:
        return next((key for key, made in self._buttons.items() if made.isChecked()), "")

    def choose(self, key: str) -> None:
        """Mark a segment without a signal."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def button(self, key: str) -> QToolButton:
        return self._buttons[key]

    def show_only(self, keys: Collection[str]) -> None:
        """Hide the other options; the row keeps its round ends."""
        shown = [key for key in self._buttons if key in keys]
        for key, made in self._buttons.items():
            made.setVisible(key in keys)
            rect = _segment_position(shown.index(key), len(shown)) if key in keys else "only"
            mark(made, "position", rect)


def _segment_position(number: int, count: int) -> str:
    if count == 1:
        return "only"
    return "first" if number == 0 else "last" if number == count - 1 else "middle"


def hairline() -> QFrame:
    made = QFrame()
    made.setProperty("role", "line")
    made.setFrameShape(QFrame.Shape.NoFrame)
    return made


class Note(QFrame):
    """Message in a tinted box with an icon; level: info, warning, danger, success."""

    link_activated = Signal(str)

    _LOOKS: ClassVar[dict[str, tuple[str, str, str, str]]] = {
        "info": ("note", "info", "text_secondary", "secondary"),
        "warning": ("note-warning", "warning", "warning_ink", "warning"),
        "danger": ("note-danger", "warning-circle", "danger_ink", "danger"),
        "success": ("note-success", "check-circle", "success_ink", "success"),
    }

    def __init__(
        self, text: str = "", level: str = "info", name: str = "", *, rich: bool = False
    ) -> None:
        super().__init__()
        if name:
            self.setObjectName(name)
        self._icon = IconLabel()
        self._text = label(wrap=True, rich=rich)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self._text.linkActivated.connect(self.link_activated)
        self._level = level
        top = (self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._layout = hbox(self, top, (self._text, 1), margins=(10, 8, 10, 8), spacing=8)
        self.show_text(text, level)

    def show_text(self, text: str, level: str | None = None) -> None:
        """Set the message; an empty one hides the box."""
        wanted = level or self._level
        # Before it has a parent, "visible" would open it as a window of its own.
        self.setVisible(bool(text) and self.parent() is not None)
        if (text, wanted) == (self.text, self._level) and self.property("role"):
            return
        self._level = wanted
        self._text.setText(text)
        self.setAccessibleName(text)
        role, icon_name, color, text_role = self._LOOKS[wanted]
        set_role(self, role)
        set_role(self._text, text_role)
        self._icon.show_icon(icon(icon_name, color))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange and self.parent() is not None:
            self.setVisible(bool(self.text))
        return super().event(event)

    @property
    def text(self) -> str:
        return self._text.text()

    def add_button(self, made: QPushButton) -> None:
        self._layout.addWidget(made, 0, Qt.AlignmentFlag.AlignTop)


class Section(QWidget):
    """A heading, a fact at its right, and what stands below; split by air and a hairline."""

    def __init__(self, title: str, fact: str = "", *, line: bool = True) -> None:
        super().__init__()
        self.title = label(title, "heading", size="dense")
        self.fact = label(fact, "tertiary", size="dense")
        head = hbox(None, (self.title, 1), self.fact)
        above = (hairline(), 6) if line else ()
        self._layout = vbox(self, *above, head, margins=(16, 0, 16, 12), spacing=6)

    def add(self, *content: QWidget | QLayout) -> None:
        for one in content:
            if isinstance(one, QWidget):
                self._layout.addWidget(one)
            else:
                self._layout.addLayout(one)


Part = QWidget | QLayout
# A stretch factor and an alignment may follow a part; None is a stretch, a number a gap in px.
Item = Part | tuple[Part, int] | tuple[Part, int, Qt.AlignmentFlag] | int | None


def vbox(
    owner: QWidget | None,
    *items: Item,
    margins: int | tuple[int, int, int, int] | None = 0,
    spacing: int | None = None,
) -> QVBoxLayout:
    """Widgets and layouts one below the other; None for margins or spacing: as the style has it."""
    made = QVBoxLayout() if owner is None else QVBoxLayout(owner)
    _fill(made, items, margins, spacing)
    return made


def hbox(
    owner: QWidget | None,
    *items: Item,
    margins: int | tuple[int, int, int, int] | None = 0,
    spacing: int | None = None,
) -> QHBoxLayout:
    """Widgets and layouts side by side, as in `vbox`."""
    made = QHBoxLayout() if owner is None else QHBoxLayout(owner)
    _fill(made, items, margins, spacing)
    return made


def _fill(
    layout: QBoxLayout,
    items: Sequence[Item],
    margins: int | tuple[int, int, int, int] | None,
    spacing: int | None,
) -> None:
    if margins is not None:
        left, top, right, bottom = (margins,) * 4 if isinstance(margins, int) else margins
        layout.setContentsMargins(left, top, right, bottom)
    if spacing is not None:
        layout.setSpacing(spacing)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        else:
            part, *more = cast(tuple[Any, ...], item if isinstance(item, tuple) else (item,))
            add: Any = layout.addLayout if isinstance(part, QLayout) else layout.addWidget
            add(part, *more)


def row(*widgets: QWidget | None, spacing: int = 8) -> QWidget:
    """Widgets side by side; None is a stretch."""
    made = QWidget()
    hbox(made, *widgets, spacing=spacing)
    return made


def wide_first(made: QWidget) -> QWidget:
    """A row whose first widget takes the space that is left."""
    return widening(made, 0)


def widening(made: QWidget, index: int) -> QWidget:
    """A row whose widget at this index takes the space that is left."""
    layout = made.layout()
    assert isinstance(layout, QHBoxLayout)
    layout.setStretch(index, 1)
    return made


class TwoSides(QWidget):
    """Widgets at the left and at the right; one below the other where they do not fit."""

    def __init__(self, left: QWidget, right: QWidget) -> None:
        super().__init__()
        self._sides = (left, right)
        self._layout = hbox(self, left, None, right)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wanted = sum(side.sizeHint().width() for side in self._sides) + self._layout.spacing()
        ways = QBoxLayout.Direction
        self._layout.setDirection(ways.LeftToRight if self.width() >= wanted else ways.TopToBottom)

    def minimumSizeHint(self) -> QSize:
        widest = max(side.minimumSizeHint().width() for side in self._sides)
        return QSize(widest, super().minimumSizeHint().height())


class Foot(QWidget):
    """Labels and the buttons that act on them: side by side, one below the other where narrow."""

    def __init__(self, labels: Sequence[QWidget], buttons: Sequence[QWidget], margin: int) -> None:
        super().__init__()
        beside = row(*buttons, spacing=16)
        self._layout = hbox(
            self,
            (ScrollingNotes(labels), 1),
            (beside, 0, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight),
            margins=(margin, 8, margin, 8),
            spacing=16,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < _STACKED_BELOW * theme().scale
        ways = QBoxLayout.Direction
        self._layout.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)
        self._layout.setSpacing(8 if is_narrow else 16)


def foot_of(labels: Sequence[QWidget], *buttons: QWidget, margin: int = 24) -> QWidget:
    """Footer of a page: labels and the buttons that act on it."""
    return Foot(labels, buttons, margin)


def side_layout(owner: QWidget, left: QWidget, content: QWidget, foot: QWidget) -> None:
    """A page with a list at the left, and a foot below what belongs to the chosen one."""
    right = vbox(None, (content, 1), hairline(), foot, spacing=0)
    hbox(owner, left, (right, 1), spacing=0)


def empty(layout: QLayout) -> None:
    """Take all widgets out of a layout; they are gone from sight at once."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def form_of(*rows: tuple[str, QWidget], parent: QWidget | None = None) -> QFormLayout:
    """Form layout of fields, each with a quiet label before it."""
    form = QFormLayout(parent)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for text, widget in rows:
        form.addRow(label(text, "secondary"), widget)
    return form


def scrolled(content: QWidget, name: str, *, is_wide: bool = False) -> QScrollArea:
    """`content` in a scroll area without a frame that follows its width unless it `is_wide`."""
    area = QScrollArea()
    area.setObjectName(name)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if not is_wide:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    return area


def lay_out_now() -> None:
    """Lay out what was changed: sizes climb one widget a turn, and rows that are painted between
    the turns are squashed."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)


_AROUND_DIALOG = QSize(16, 48)  # px of the frame that a window manager adds


def resize_dialog(dialog: QDialog, width: float, height: float) -> None:
    """The size with which a dialog opens, no larger than its screen."""
    room = dialog.screen().availableGeometry().size() - _AROUND_DIALOG
    dialog.resize(QSize(round(width), round(height)).boundedTo(room))


def empty_state(message: str, *buttons: QPushButton) -> QWidget:
    """Empty state: one sentence on what will be here and at most two actions."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.addStretch(1)
    text = label(message, "secondary", wrap=True)
    text.setAlignment(Qt.AlignmentFlag.AlignCenter)
    layout.addWidget(text)
    layout.addWidget(row(None, *buttons, None))
    layout.addStretch(2)
    return made
