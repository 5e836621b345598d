"""The variables panel: the variables of the active model with mini bars to set evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from math import ceil
from operator import attrgetter
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAction,
    QActionGroup,
    QContextMenuEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QListView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.summary import ColumnSummary, summarise
from pgmstudio.core.inference.base import Done, Observed, Scale
from pgmstudio.core.inference.belief_text import belief_text, necessity_of
from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.inference.information_measures import (
    entropies_bits,
    largest_changes,
    shifts_bits,
)
from pgmstudio.core.number_format import grouped
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.evidence.active_model import ActiveModel, data_around, subject_around
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.evidence.state_gestures import show_tooltip_at, state_tip, use_state
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.bar_painting import INNER_DARKER
from pgmstudio.gui.widgets.basic import Note, label, literal, named, row, tool_button
from pgmstudio.gui.widgets.belief_bars import digit_of
from pgmstudio.gui.widgets.chip import chip_size, paint_chip
from pgmstudio.gui.widgets.debounce import BeforePaint
from pgmstudio.gui.widgets.short_names import ShortNames

SORTS = (
    ("data", "Order of the data", "The order of the variables in the model or the data."),
    ("name", "Name", "By title, A to Z."),
    ("shift", "Shift from prior", "Largest change by the evidence first."),
    ("entropy", "Entropy", "Most uncertain first."),
)


Modifiers = Qt.KeyboardModifier
Key = Qt.Key


MINI_GAP = 9
V_CENTER = int(Qt.AlignmentFlag.AlignVCenter)
# As integers: flags are slow, and every row needs them.
SELECTED = QStyle.StateFlag.State_Selected.value
HOVERED = QStyle.StateFlag.State_MouseOver.value
FOCUSED = QStyle.StateFlag.State_HasFocus.value


Index = QModelIndex | QPersistentModelIndex
MINI_WIDTH, MINI_HEIGHT = 46, 14
MARGIN = 8
MAX_STATES = 8
MAX_ALONE = 24


@dataclass(frozen=True, slots=True)
class VariableRow:
    """The contents of a row; a row is repainted only when this value changes."""

    name: str
    title: str
    states: tuple[str, ...]
    fractions: tuple[float, ...] = ()  # beliefs, or fractions of rows; empty: not known
    chip: Chip | None = None
    chosen: str | None = None  # the observed state
    is_stale: bool = False
    cursor: int | None = None  # the focused state
    scale: Scale = Scale.PROBABILITY

    def shown(self) -> tuple[int, ...]:
        """All states, or the eight tallest in their order."""
        count = len(self.states)
        if count <= MAX_STATES:
            return tuple(range(count))
        size = self.fractions or (0.0,) * count
        return tuple(sorted(sorted(range(count), key=lambda i: (-size[i], i))[:MAX_STATES]))

    @property
    def description(self) -> str:
        parts = [self.title]
        if self.chip is not None:
            parts.append(self.chip.text)
        pairs = zip(self.states, self.fractions, strict=False)
        texts = (f"{s} {belief_text(v, self.scale, unit=' percent')}" for s, v in pairs)
        return ", ".join([*parts, *texts])

    def columns(self, full: int, ratio: float) -> list[tuple[int, float]]:
        """The states of the mini bars and their heights in whole pixels of the screen.

        Rows with equal columns that differ only in fractions look the same.
        """
        if not self.fractions:
            return [(index, 1.0) for index in self.shown()]
        most, fractions = full * ratio, self.fractions
        # Half a pixel is not drawn: the lower edge is fixed and the upper one is rounded down.
        return [
            (i, max(1.0, ceil(most * min(1.0, fractions[i]) - 0.5) / ratio)) for i in self.shown()
        ]

    def differs_only_in_fractions(self, other: VariableRow) -> bool:
        """Whether only the beliefs differ, and both rows have them."""
        has_both = bool(self.fractions) and bool(other.fractions)
        return has_both and bool(_without_fractions(self) == _without_fractions(other))


_without_fractions = attrgetter(*(f.name for f in fields(VariableRow) if f.name != "fractions"))


class VariableRows(QAbstractListModel):
    """A list model; the panel sorts and filters."""

    bars_changed = Signal(object)  # row number → the row before, if only its bars changed

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[VariableRow, ...] = ()
        self._row_numbers: dict[str, int] = {}

    def show(self, rows: Sequence[VariableRow]) -> bool:
        """Show rows; True when rows were added, removed or moved, so that the selection is lost."""
        rows = tuple(rows)
        if [row.name for row in rows] == [row.name for row in self.rows]:
            before, self.rows = self.rows, rows
            self._emit_changes(before)
            return False
        self.beginResetModel()
        self.rows = rows
        self._row_numbers = {row.name: position for position, row in enumerate(rows)}
        self.endResetModel()
        return True

    def _emit_changes(self, before: Sequence[VariableRow]) -> None:
        others: list[int] = []
        bars: dict[int, VariableRow] = {}
        has_screen_reader = QAccessible.isActive()  # a screen reader needs every change
        for position, (old, new) in enumerate(zip(before, self.rows, strict=True)):
            if old is new or old == new:
                continue
            if not has_screen_reader and new.differs_only_in_fractions(old):
                bars[position] = old
            else:
                others.append(position)
        # For one row a view repaints that row, for a range everything it shows.
        few = len(others) <= MAX_ALONE
        for first, last in [(i, i) for i in others] if few else [(others[0], others[-1])]:
            self.dataChanged.emit(self.index(first), self.index(last))
        if bars:
            self.bars_changed.emit(bars)

    def index_of(self, name: str) -> QModelIndex:
        position = self._row_numbers.get(name)
        return QModelIndex() if position is None else self.index(position)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = 0) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.description
        return None


def mini_rect(row: QRect) -> QRect:
    """Where the mini bars of a row are; the whole height reacts to the pointer."""
    height = round(MINI_HEIGHT * theme().scale)
    return QRect(
        row.left() + MARGIN,
        row.center().y() - height // 2,
        round(MINI_WIDTH * theme().scale),
        height,
    )


def state_at(row: VariableRow, position: QRect, point: QPoint) -> int | None:
    """The state whose mini bar is under the point."""
    mini, shown = mini_rect(position), row.shown()
    if not shown or not mini.left() - 3 <= point.x() <= mini.right() + 3:
        return None
    step = mini.width() / len(shown)
    return shown[min(len(shown) - 1, max(0, int((point.x() - mini.left()) / step)))]


class VariableDelegate(QStyledItemDelegate):
    """Paints the rows; only the bars if nothing else of a row is exposed."""

    def __init__(self, rows: VariableRows, parent: QObject) -> None:
        super().__init__(parent)
        self._rows = rows
        self.exposed: QRegion | None = None  # the region to paint; None: everything
        self.short_names = ShortNames()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        metrics = QFontMetrics(theme().font("body"))
        return QSize(120, max(theme().px("row") + 1, metrics.height() + 6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        position: QRect = option.rect
        exposed = self.exposed
        if exposed is not None and not exposed.intersects(position):
            return  # Qt paints every row between the first and the last
        row = self._rows.rows[index.row()]
        mini = mini_rect(position)
        self._paint_background(painter, position, option.state.value)
        paint_mini(painter, mini, row)
        left, right = mini.right() + MINI_GAP, position.right() - MARGIN
        text_rect = QRect(QPoint(mini.right() + 1, position.top()), position.bottomRight())
        if exposed is None or exposed.intersects(text_rect):
            self._paint_text(painter, position, row, left, right)

    def _paint_text(
        self, painter: QPainter, position: QRect, row: VariableRow, left: int, right: int
    ) -> None:
        if row.chip is not None:
            name = _wide(row.title, theme().scale)
            size = chip_size(row.chip, max((right - left) * 3 // 5, right - left - name - 8))
            at = QRect(QPoint(0, 0), size)
            at.moveCenter(QPoint(right - size.width() // 2, position.center().y()))
            paint_chip(painter, at, row.chip)
            right = at.left() - 6
        hidden = len(row.states) - len(row.shown())
        if hidden:
            left = self._paint_more(painter, position, left, hidden)
        painter.setFont(theme().font("body"))
        painter.setPen(theme().color("text"))
        font = theme().font("body")
        text = self.short_names.shorten(
            row.title, QFontMetrics(font), f"{theme().scale}", max(0, right - left)
        )
        rect = QRect(left, position.top(), max(0, right - left), position.height())
        painter.drawText(rect, V_CENTER, text)

    def _paint_background(self, painter: QPainter, position: QRect, state: int) -> None:
        if not state & (SELECTED | HOVERED | FOCUSED):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(position).adjusted(1, 0.5, -1, -0.5)
        radius = theme().radius("control")
        if state & (SELECTED | HOVERED):
            name = "selection" if state & SELECTED else "hover"
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().color(name))
            painter.drawRoundedRect(frame, radius, radius)
        if state & FOCUSED:
            painter.setPen(QPen(theme().color("focus"), theme().line("focus")))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(frame.adjusted(1, 1, -1, -1), radius, radius)

    def _paint_more(self, painter: QPainter, position: QRect, left: int, hidden: int) -> int:
        font = theme().font("micro")
        painter.setFont(font)
        painter.setPen(theme().color("text_secondary"))
        text = f"+{hidden}"
        width = QFontMetrics(font).horizontalAdvance(text)
        rect = QRect(left - 5, position.top(), width + 2, position.height())
        painter.drawText(rect, V_CENTER, text)
        return left + width + 2


@lru_cache(maxsize=2048)
def _wide(title: str, scale: float) -> int:
    return QFontMetrics(theme().font("body")).horizontalAdvance(title)


def paint_mini(painter: QPainter, position: QRect, row: VariableRow) -> None:
    """Paint one column per state, as high as its belief and at least one pixel."""
    columns = row.columns(position.height(), painter.device().devicePixelRatio())
    if not columns:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    colors = theme()
    plain = "border" if not row.fractions else "stale" if row.is_stale else "belief"
    chosen = plain
    if row.fractions and not row.is_stale:
        chosen = "evidence" if row.chip is None else row.chip.tint  # observed, or an intervention
    inner = necessity_of(row.fractions) if row.scale is Scale.POSSIBILITY else ()
    step, left, bottom = position.width() / len(columns), position.left(), position.bottom() + 1
    for number, (index, height) in enumerate(columns):
        x = round(left + number * step)
        width = max(1.0, round(left + (number + 1) * step) - x - 1)
        fill = chosen if row.states[index] == row.chosen else plain
        painter.fillRect(QRectF(x, bottom - height, width, height), colors.color(fill))
        if inner and inner[index] > 0:
            high = round(position.height() * inner[index])
            area = QRectF(x + width / 4, bottom - high, width / 2, high)
            painter.fillRect(area, colors.color(fill).darker(INNER_DARKER))
        if row.cursor == index:
            painter.fillRect(QRectF(x, bottom + 1, width, 2), colors.color("focus"))


class VariableList(QListView):
    """Keys: ↑↓ variables, ←→ states, Enter or 1…9 sets, Shift not, Ctrl several, C clears, T."""

    cursor_moved = Signal()

    def __init__(self, app: AppContext, rows: VariableRows) -> None:
        super().__init__()
        self.setObjectName("variablesList")
        self.setAccessibleName("Variables")
        self.setToolTip("Click a bar to set evidence, a name to select; T makes the target.")
        self._app, self._rows = app, rows
        self.live: BeliefService | None = None
        self.titles: Mapping[str, str] = {}
        self.state_cursor: tuple[str, int] | None = None  # the variable and the focused state
        self._pressed: tuple[str, int] | None = None
        self._is_following = False
        self.setModel(rows)
        self._delegate = VariableDelegate(rows, self)
        self.setItemDelegate(self._delegate)
        rows.bars_changed.connect(self._paint_bars)
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.doubleClicked.connect(self._on_double_clicked)

    def show_names(self, titles: Sequence[str]) -> None:
        """All titles of the list, which are shortened so that no two look the same."""
        if self._delegate.short_names.names != tuple(dict.fromkeys(titles)):
            self._delegate.short_names = ShortNames(titles)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        self._delegate.exposed = event.region()
        super().paintEvent(event)
        self._delegate.exposed = None

    def _paint_bars(self, changed: Mapping[int, VariableRow]) -> None:
        """Repaint the visible mini bars that changed."""
        first, sight, ratio = self.visualRect(self._rows.index(0)), self.height(), 0.0
        top, step = first.top(), first.height()
        for position, before in changed.items():
            if not -step < top + position * step < sight:
                continue
            mini = mini_rect(first.translated(0, position * step))
            ratio = ratio or self.devicePixelRatio()
            columns = self._rows.rows[position].columns(mini.height(), ratio)
            if columns != before.columns(mini.height(), ratio):
                self.viewport().update(mini)

    # -- selection

    def show_selection(self, names: Sequence[str]) -> None:
        """Select these rows without emitting a signal."""
        indexes = [i for i in map(self._rows.index_of, names) if i.isValid()]
        chosen = {i.row() for i in self.selectionModel().selectedIndexes()}
        if {i.row() for i in indexes} == chosen:
            return
        selection = QItemSelection()
        for index in indexes:
            selection.select(index, index)
        self._is_following = True
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(selection, flags.ClearAndSelect)
        if indexes:
            self.selectionModel().setCurrentIndex(indexes[-1], flags.NoUpdate)
            self.scrollTo(indexes[-1])
        self._is_following = False

    def _on_selected(self, *_: object) -> None:
        if self._is_following or self.live is None:
            return
        before = self._app.workspace.selection.nodes
        rows = sorted(i.row() for i in self.selectionModel().selectedIndexes())
        names = [self._rows.rows[r].name for r in rows]
        selected = [name for name in before if name in names]
        self._app.workspace.select([*selected, *(name for name in names if name not in selected)])

    def _on_double_clicked(self, _index: QModelIndex) -> None:
        if self.live is not None:
            self._app.reveal("tablePanel")

    # -- pointer

    def _hit(self, event: QMouseEvent | QHelpEvent) -> tuple[VariableRow, int] | None:
        point = event.pos() if isinstance(event, QHelpEvent) else event.position().toPoint()
        index = self.indexAt(point)
        if not index.isValid():
            return None
        row = self._rows.rows[index.row()]
        state = state_at(row, self.visualRect(index), point)
        return None if state is None else (row, state)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event)
        if (
            hit is not None
            and self.live is not None
            and event.button() == Qt.MouseButton.LeftButton
        ):
            self._pressed = (hit[0].name, hit[1])
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None:
            super().mouseReleaseEvent(event)
            return
        hit = self._hit(event)
        if hit is not None and (hit[0].name, hit[1]) == pressed:
            self._use(hit[0], hit[1], event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_bar = self.live is not None and self._hit(event) is not None
        shape = Qt.CursorShape.PointingHandCursor if on_bar else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        if self._pressed is None:
            super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Two quick clicks on a bar set and retract; they do not open the CPT.
        if self._hit(event) is not None and self.live is not None:
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event), self)
            return True
        return super().viewportEvent(event)

    def _tip(self, event: QHelpEvent) -> str:
        index = self.indexAt(event.pos())
        if not index.isValid():
            return ""
        row, hit = self._rows.rows[index.row()], self._hit(event)
        if hit is not None and self.live is not None:
            return state_tip(self.live, row.name, row.states[hit[1]], self.titles)
        named = row.title if row.title == row.name else f"{row.title} ({row.name})"
        return f"{named}\n{row.description}"

    def _use(self, row: VariableRow, state: int, held: Modifiers) -> None:
        if self.live is not None and state < len(row.states):
            refusal = use_state(self.live, row.name, row.states[state], held, self.titles)
            position = mini_rect(self.visualRect(self._rows.index_of(row.name))).center()
            show_tooltip_at(self.viewport(), refusal, position)

    # -- keys

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of a variable; by key, of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if self.live is None or not index.isValid():
            return
        at = self.visualRect(index).center() if by_key else event.pos()
        row = self._rows.rows[index.row()]
        self._app.workspace.select((row.name,))
        popup(self.menu_of(row), self.viewport().mapToGlobal(at))

    def menu_of(self, row: VariableRow) -> QMenu:
        """Evidence, target, and what the window can do with a selected node."""
        live, workspace = self.live, self._app.workspace
        menu = named(QMenu(self), "variableMenu")
        states = menu.addMenu(icon("flag"), "Set evidence")
        for number, state in enumerate(row.states):
            states.addAction(literal(state), partial(self._use, row, number, Modifiers.NoModifier))
        clear = menu.addAction(icon("eraser"), "Clear evidence")
        if live is not None:
            clear.triggered.connect(lambda: live.retract(row.name))
            clear.setEnabled(row.name in live.evidence)
        is_target = workspace.target == row.name
        menu.addAction(
            icon("crosshair"),
            "No longer the target" if is_target else "Make target",
            lambda: workspace.set_target(None if is_target else row.name),
        )
        menu.addSeparator()
        actions = self._app.actions
        actions.refresh()
        for key in ("model.only-neighbourhood", "model.only-blanket"):
            if key in actions.by_id:
                added = menu.addAction(actions[key].text(), actions[key].trigger)
                added.setEnabled(actions[key].isEnabled())
        menu.addSeparator()
        copy = menu.addAction("Copy name")
        copy.triggered.connect(lambda: QApplication.clipboard().setText(row.name))
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if self.live is None or not index.isValid():
            super().keyPressEvent(event)
            return
        row = self._rows.rows[index.row()]
        number, key, held = digit_of(event), event.key(), event.modifiers()
        if number is not None:
            self._use(row, number, held)
        elif key in (Key.Key_Left, Key.Key_Right) and row.states:
            self._move_cursor(row, 1 if key == Key.Key_Right else -1)
        elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space):
            if self._cursor_in(row) is None:
                self._move_cursor(row, 1)
            self._use(row, self._cursor_in(row) or 0, held)
        elif key == Key.Key_C and held == Modifiers.NoModifier:
            self.live.retract(row.name)
        elif key == Key.Key_T and held == Modifiers.NoModifier:
            workspace = self._app.workspace
            workspace.set_target(None if workspace.target == row.name else row.name)
        else:
            super().keyPressEvent(event)

    def _cursor_in(self, row: VariableRow) -> int | None:
        return (
            self.state_cursor[1]
            if self.state_cursor is not None and self.state_cursor[0] == row.name
            else None
        )

    def _move_cursor(self, row: VariableRow, by: int) -> None:
        shown, at = row.shown(), self._cursor_in(row)
        position = shown.index(at) + by if at in shown else 0
        self.state_cursor = (row.name, shown[min(len(shown) - 1, max(0, position))])
        self.cursor_moved.emit()


class VariablesPanel(QWidget):
    """The list of variables; without an active model the columns of the data."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("variables")
        self._app = app
        self._sort = "data"
        self._cached_rows: dict[str, tuple[object, tuple[object, ...], VariableRow]] = {}
        self._rows = VariableRows(self)
        self.list = VariableList(app, self._rows)
        self._head = label("Variables", "heading", size="dense")
        self._count = label("", "tertiary", size="dense", name="variablesCount")
        self._filter_button = tool_button(
            "funnel", "Filter the variables", checkable=True, name="variablesFilterButton"
        )
        self._filter_button.toggled.connect(self._on_filter_toggled)
        self._filter = named(QLineEdit(), "variablesFilter")
        self._filter.setPlaceholderText("Part of a name")
        self._filter.setAccessibleName("Filter the variables")
        self._filter.setToolTip("List only variables whose name contains this text.")
        self._filter.setClearButtonEnabled(True)
        self._filter.textChanged.connect(self._refresh)
        self._filter.hide()
        self._none = Note(name="variablesNone")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.setSpacing(2)
        head = row(self._head, self._count, None, self._filter_button, self._sort_button())
        head.setContentsMargins(8, 0, 4, 0)
        layout.addWidget(head)
        layout.addWidget(self._filter)
        layout.addWidget(self._none)
        layout.addWidget(self.list, 1)
        self._air = QWidget()  # fills the panel below the message while there is no list
        layout.addWidget(self._air, 1)
        self.setFocusProxy(self.list)
        self._data_fractions: dict[str, tuple[float, ...]] = {}
        self._summed: object = None
        self._summaries = LatestTask(
            self, self._on_summaries, app.errors.at("variablesPanel").report
        )
        self._soon = BeforePaint(self, self._refresh)
        self.list.cursor_moved.connect(self._refresh)
        app.document.changed.connect(self._later)
        app.workspace.active_model_changed.connect(self._later)
        app.workspace.beliefs_changed.connect(self._later)
        app.workspace.target_changed.connect(self._later)
        context_views(app).changed.connect(self._later)
        app.workspace.selection_changed.connect(self._follow_selection)
        app.center.page_changed.connect(self._later)
        self._refresh()

    def _sort_button(self) -> QToolButton:
        made = tool_button("sort-ascending", "Order of the variables", name="variablesSort")
        menu = QMenu(made)
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        for key, text, tip in SORTS:
            action = QAction(text, menu)
            action.setObjectName(f"variablesSort.{key}")
            action.setToolTip(tip)
            action.setCheckable(True)
            action.setChecked(key == self._sort)
            action.triggered.connect(partial(self.sort_by, key))
            group.addAction(action)
            menu.addAction(action)
            if key == "entropy":
                menu.aboutToShow.connect(partial(self._allow_entropy, action, tip))
        made.setMenu(menu)
        made.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return made

    def sizeHint(self) -> QSize:
        # The list takes most of the height; the project tree above it is short.
        return QSize(theme().px("left"), 2 * theme().px("left"))

    def _allow_entropy(self, action: QAction, tip: str) -> None:
        """Degrees of possibility have no entropy."""
        subject = subject_around(self._app)
        reason = None if subject is None else no_probabilities_reason(subject.model)
        action.setEnabled(reason is None)
        action.setToolTip(tip if reason is None else f"Not now: {reason}")

    def sort_by(self, key: str, *_: object) -> None:
        """data, name, shift or entropy."""
        self._sort = key
        self._refresh()

    def _on_filter_toggled(self, on: bool) -> None:
        self._filter.setVisible(on)
        if on:
            self._filter.setFocus()
        else:
            self._filter.clear()

    # -- rows

    def _later(self, *_: object) -> None:
        self._soon.start()

    def _refresh(self, *_: object) -> None:
        self._soon.stop()
        subject = subject_around(self._app)
        around = data_around(self._app) if subject is None else None
        data = self._app.project.data.get(around or "")
        self.list.live = None if subject is None else subject.live
        self.list.titles = {} if subject is None else subject.entry.node_titles
        rows: list[VariableRow] = []
        if subject is not None:
            rows = self._model_rows(subject)
        elif data is not None:
            rows = self._data_rows(data)
        wanted = self._filter.text().strip().casefold()
        listed = [r for r in rows if wanted in r.title.casefold() or wanted in r.name.casefold()]
        self._count.setText(
            grouped(len(rows)) if len(listed) == len(rows) else f"{len(listed)} of {len(rows)}"
        )
        message = (
            "" if listed else "The variables of the active model or of the data are listed here."
        )
        if rows and not listed:
            message = f"No variable matches “{self._filter.text().strip()}”."
        self._none.show_text(message)
        self.list.setVisible(bool(listed))
        self._air.setVisible(not listed)
        self.list.show_names([r.title for r in rows])
        if self._rows.show(self._sorted(listed, subject)):
            self._follow_selection()

    def _sorted(self, rows: list[VariableRow], subject: ActiveModel | None) -> list[VariableRow]:
        if self._sort == "name":
            return sorted(rows, key=lambda r: (r.title.casefold(), r.title))
        if subject is not None and self._sort in ("shift", "entropy"):
            live = subject.live
            if live.scale is not Scale.PROBABILITY:
                if self._sort == "entropy":
                    return rows
                bits = largest_changes(live.beliefs, live.priors)
            elif self._sort == "shift":
                bits = shifts_bits(live.beliefs, live.priors)
            else:
                bits = entropies_bits(live.beliefs)
            # Rounded, so that rows that are equal up to rounding keep their order.
            return sorted(rows, key=lambda r: -round(bits.get(r.name, 0.0), 9))
        return rows

    def _model_rows(self, subject: ActiveModel) -> list[VariableRow]:
        """The rows of the model; rows of unchanged variables are reused."""
        live, is_stale, listed = subject.live, subject.live.is_stale, self._cached_rows
        beliefs, evidence, cursor = live.beliefs, live.evidence, self.list.state_cursor
        self._cached_rows = {}
        rows = []
        for variable in subject.model.domain:
            name = variable.name
            values, finding = beliefs.get(name), evidence.get(name)
            title, is_target = subject.title(name), name == subject.target
            at = cursor[1] if cursor is not None and cursor[0] == name else None
            key = (variable, title, finding, is_target, subject.context.get(name), is_stale, at)
            before = listed.get(name)
            if before is not None and before[0] is values and before[1] == key:
                row = before[2]
            else:
                is_marked = finding is not None or is_target or name in subject.context
                is_known = values is not None and len(values) == variable.cardinality
                row = VariableRow(
                    name,
                    title,
                    variable.states,
                    tuple(values.tolist()) if values is not None and is_known else (),
                    subject.chip(name) if is_marked else None,
                    finding.state if isinstance(finding, Observed | Done) else None,
                    is_stale,
                    at,
                    live.scale,
                )
            self._cached_rows[name] = values, key, row
            rows.append(row)
        return rows

    # -- without a model

    def _data_rows(self, entry: DataEntry) -> list[VariableRow]:
        if self._summed is not entry.data:
            self._summed, self._data_fractions = entry.data, {}
            data = entry.data
            self._summaries.ask(lambda _cancel: (data, summarise(data)))
        return [
            VariableRow(v.name, v.name, v.states, self._data_fractions.get(v.name, ()))
            for v in entry.data.domain
        ]

    def _on_summaries(self, key: tuple[object, tuple[ColumnSummary, ...]]) -> None:
        data, summaries = key
        if data is self._summed:
            self._data_fractions = {s.name: _fractions(s) for s in summaries}
            self._refresh()

    # -- selection

    def _follow_selection(self, *_: object) -> None:
        nodes = self._app.workspace.selection.nodes
        self.list.show_selection(nodes)


def _fractions(summary: ColumnSummary) -> tuple[float, ...]:
    total = float(summary.counts.sum())
    return tuple((summary.counts / total).tolist()) if total else ()
