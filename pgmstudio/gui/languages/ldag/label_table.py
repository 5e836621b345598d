"""The table of a labelled DAG: a cell for each context, rows that a label merges, or a tree."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHeaderView,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.languages.ldag.diagrams import ANY
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import default_class, star_rows
from pgmstudio.core.number_format import class_letter, counted, grouped, parse_probability
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.ldag.csi_tree import LabelTree
from pgmstudio.gui.languages.ldag.label_statistics import LabelCounter, LabelNumbers
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Note, Segments, button, row, scrolled, set_role, text_width
from pgmstudio.gui.widgets.chip import category_chip
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.grid_view import MARKS, CellMarks, GridView

Index = QModelIndex | QPersistentModelIndex
Floats = NDArray[np.float64]

MAX_ROWS = 4096
OTHERS = "others"  # the states of a default row


@dataclass(frozen=True, eq=False, slots=True)
class GridRow:
    """A class and the configurations it stands for, ∗ for any state; rows of data by state."""

    number: int
    states: tuple[str, ...]
    counts: Floats | None

    @property
    def count(self) -> float | None:
        return None if self.counts is None else float(self.counts.sum())

    def observed(self, state: int) -> float | None:
        """The fraction of rows of data with a state; None without any rows."""
        total = self.count
        return None if self.counts is None or not total else float(self.counts[state] / total)


def full_rows(model: LabelledDag, name: str, counts: Floats | None) -> list[GridRow]:
    """Every configuration of the parents with its class."""
    classes = model.classes[model.domain.index(name)]
    parents = [model.domain[p] for p in model.dag.parents(name)]
    indices = itertools.islice(itertools.product(*(range(c) for c in classes.shape)), MAX_ROWS)
    return [
        GridRow(
            int(classes[position]),
            tuple(p.states[code] for p, code in zip(parents, position, strict=True)),
            None if counts is None else counts[position],
        )
        for position in indices
    ]


def reduced_rows(model: LabelledDag, name: str, counts: Floats | None) -> list[GridRow]:
    """The blocks of the classes, ∗ where a parent has no effect; the default row of a default
    table is one row, and the last."""
    classes = model.classes[model.domain.index(name)]
    parents = [model.domain[p] for p in model.dag.parents(name)]
    rows = []
    blocks = star_rows(classes)[:MAX_ROWS]
    default = default_class(classes)
    own = sum(number != default for number, _ in blocks)
    if len(blocks) - own <= max(1, own):
        default = None  # its blocks are as easy to read
    if default is not None:
        inside = None if counts is None else counts[classes == default].sum(axis=0)
        rows.append(GridRow(default, (OTHERS,) * len(parents), inside))
        blocks = [(number, block) for number, block in blocks if number != default]
    for number, block in blocks:
        states = tuple(
            ANY if code is None else p.states[code] for p, code in zip(parents, block, strict=True)
        )
        chosen = tuple(slice(None) if code is None else slice(code, code + 1) for code in block)
        inside = None if counts is None else counts[chosen].reshape(-1, counts.shape[-1])
        rows.append(GridRow(number, states, None if inside is None else inside.sum(axis=0)))
    return sorted(rows, key=lambda row: (row.number == default, row.number))


class LabelGrid(QAbstractTableModel):
    """Columns: class, a parent each, rows of data where known, then probabilities.

    A variable with two states also has a column for the observed fraction.
    """

    edited = Signal(int, int, float)  # class, state, probability

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.variable: Variable | None = None
        self.parents: tuple[str, ...] = ()
        self.rows: list[GridRow] = []
        self.values: Floats = np.zeros((0, 0))  # by class and state
        self.has_counts = False

    def show(
        self, variable: Variable, parents: tuple[str, ...], rows: list[GridRow], values: Floats
    ) -> None:
        self.beginResetModel()
        self.variable, self.parents, self.rows, self.values = variable, parents, rows, values
        self.has_counts = any(row.counts is not None for row in rows)
        self.endResetModel()

    # -- positions

    @property
    def shown_states(self) -> tuple[int, ...]:
        """Of two states only the second is shown; the first follows from it."""
        count = 0 if self.variable is None else self.variable.cardinality
        return (1,) if count == 2 else tuple(range(count))

    @property
    def first_number(self) -> int:
        """The first column with probabilities."""
        return 1 + len(self.parents) + (1 if self.has_counts else 0) + self._has_observed

    @property
    def _has_observed(self) -> bool:
        return self.has_counts and len(self.shown_states) == 1

    @property
    def observed_column(self) -> int:
        """The column of the observed fractions; −1 when each would need a column of its own."""
        return self.first_number - 1 if self._has_observed else -1

    def state_of(self, index: Index) -> int | None:
        position = index.column() - self.first_number
        return self.shown_states[position] if 0 <= position < len(self.shown_states) else None

    # -- Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if self.variable is None else self.first_number + len(self.shown_states)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or self.variable is None:
            return None
        is_number = section > len(self.parents)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == 0:
            return "Class"
        if section <= len(self.parents):
            return self.parents[section - 1]
        if section == self.observed_column:
            return "Observed"
        if self.has_counts and section == len(self.parents) + 1:
            return "Rows"
        state = self.shown_states[section - self.first_number]
        return f"P({self.variable.name} = {self.variable.states[state]})"

    def flags(self, index: Index) -> Qt.ItemFlag:
        base = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return base | Qt.ItemFlag.ItemIsEditable if self.state_of(index) is not None else base

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column, state = self.rows[index.row()], index.column(), self.state_of(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column, state)
        if role == Qt.ItemDataRole.EditRole and state is not None:
            return f"{self.values[row.number, state]:.12g}"
        if role == MARKS and state is not None:
            value = float(self.values[row.number, state])
            return CellMarks(bar=Bar(value, tick=row.observed(state)))
        if role == MARKS and column == 0:
            return CellMarks(chip=category_chip(class_letter(row.number), row.number))
        if role == Qt.ItemDataRole.ForegroundRole and column == self.observed_column:
            return theme().color("text_tertiary")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft
            if column > len(self.parents):
                side = Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, state)
        return None

    def _text(self, row: GridRow, column: int, state: int | None) -> str:
        if column == 0:
            return class_letter(row.number)
        if column <= len(self.parents):
            return row.states[column - 1]
        if column == self.observed_column:
            seen = row.observed(self.shown_states[0])
            return "–" if seen is None else f"{seen:.3f}"
        if state is None:
            return "" if row.count is None else grouped(round(row.count))
        return f"{self.values[row.number, state]:.3f}"

    def _tip(self, row: GridRow, state: int | None) -> str:
        letter = class_letter(row.number)
        many = sum(other.number == row.number for other in self.rows)
        if state is None or self.variable is None:
            return f"Class {letter}: {many} rows here share one distribution."
        given = ", ".join(f"{p} = {s}" for p, s in zip(self.parents, row.states, strict=True))
        what = f"P({self.variable.name} = {self.variable.states[state]}"
        text = f"{what} | {given})" if given else f"{what})"
        seen = row.observed(state)
        observed = "" if seen is None else f"\nObserved: {seen:.3f}, the tick on the bar."
        value = self.values[row.number, state]
        return (
            f"{text} = {value:.6g}, class {letter}. Editing it changes the whole class.{observed}"
        )

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        state, number = self.state_of(index), parse_probability(str(value))
        if state is None or number is None:
            return False
        row = self.rows[index.row()]
        if number != self.values[row.number, state]:
            self.edited.emit(row.number, state, number)
        return True


def with_probability(row: Floats, state: int, value: float) -> Floats:
    """The row with one number changed; the other states keep their proportions."""
    others = np.delete(row, state)
    rest, total = 1.0 - value, float(others.sum())
    fraction = others / total if total > 0 else np.full(others.size, 1 / max(1, others.size))
    return np.insert(fraction * rest, state, value)


_MOVES = (
    QEvent.Type.Show,
    QEvent.Type.Hide,
    QEvent.Type.Resize,
    QEvent.Type.Move,
    QEvent.Type.ParentChange,
)


class TabRowHead(QObject):
    """Keeps the header in the tab row while it fits there, else on top of the panel.

    The window owns the tabs of its docks and offers no slot for other widgets there: the header
    stands over the empty end of that row. In a floating or folded panel there are no tabs.
    """

    def __init__(
        self, panel: QWidget, head: QWidget, layout: QVBoxLayout, least: Callable[[], int]
    ) -> None:
        """`layout` is the panel's, with the head in it; `least` is how narrow the head may be."""
        super().__init__(panel)
        self._panel, self._head, self._layout, self._least = panel, head, layout, least
        self._watched: list[QObject] = []
        self._watch(panel)

    @property
    def is_in_tab_row(self) -> bool:
        return self._layout.indexOf(self._head) < 0

    def reposition(self) -> None:
        """Put the head where it belongs now."""
        free = self._free_area() if self._panel.isVisible() else None
        if free is not None:
            window = self._panel.window()
            if self._head.parentWidget() is not window:
                self._layout.removeWidget(self._head)
                self._head.setParent(window)
                self._keep_order()
            self._head.setGeometry(free)
            self._head.show()
            self._head.raise_()
        elif not self._panel.isVisible() and self.is_in_tab_row:
            self._head.hide()
        elif self.is_in_tab_row:
            self._layout.insertWidget(0, self._head)
            self._head.show()

    def _keep_order(self) -> None:
        """The keyboard still comes to the head first, then to what is below it."""
        before = self._panel
        for one in self._head.findChildren(QWidget):
            if one.focusPolicy() & Qt.FocusPolicy.TabFocus:
                QWidget.setTabOrder(before, one)
                before = one

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES:
            self.reposition()
        return False

    def _free_area(self) -> QRect | None:
        """The free part of the tab row, up to the edge of the panel; None if it is too small."""
        window, dock = self._panel.window(), self._dock()
        if dock is None or not isinstance(window, QMainWindow):
            return None
        self._watch(dock)
        for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if bar.isVisible() and bar.tabText(bar.currentIndex()) == dock.windowTitle():
                self._watch(bar)
                start = bar.x() + bar.tabRect(bar.count() - 1).right() + theme().space(5)
                end = self._panel.mapTo(window, QPoint(self._panel.width(), 0)).x()
                is_above = bar.geometry().bottom() <= dock.y()
                if is_above and end - start >= self._least():
                    return QRect(start, bar.y(), end - start, bar.height())
        return None

    def _dock(self) -> QDockWidget | None:
        parent = self._panel.parentWidget()
        while parent is not None and not isinstance(parent, QDockWidget):
            parent = parent.parentWidget()
        return parent

    def _watch(self, what: QObject) -> None:
        if what not in self._watched:
            self._watched.append(what)
            what.installEventFilter(self)


FILL = "Fill from data"
VIEWS = (
    ("full", "Full", "Every configuration of the parents with the letter of its class"),
    ("reduced", "Reduced", "A row for each block of a class, ∗ where a parent has no effect"),
    ("tree", "Tree", "The classes as a tree of questions to the parents, or as a cube"),
)


class LabelTable(QWidget):
    """One variable of a labelled graph; a number changes for the whole class."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("labelTable")
        self._app = app
        self._model_id, self._name = "", ""
        self._model: LabelledDag | None = None
        self._numbers: LabelNumbers | None = None
        self._counter = LabelCounter(app, self)
        self._counter.computed.connect(self._on_computed)
        self._title = ElidedLabel("", "heading", size="dense", is_snug=True)
        self._title.setObjectName("labelTableTitle")
        self.views = Segments(VIEWS, "labelView")
        self.views.chosen.connect(self._on_view)
        self._fill = button(
            FILL,
            self._on_fill,
            icon_name="database",
            name="labelTableFill",
            tip="Estimate every class from the rows of the model's data set.",
        )
        self.grid = LabelGrid(self)
        self.grid.edited.connect(self._on_edited)
        self.table = GridView(
            "labelGrid",
            "Classes of the selected variable's table",
            tip="Type a number or a percentage: it is that of the whole class.",
        )
        self.table.setTabKeyNavigation(True)
        self.table.setModel(self.grid)
        set_role(self.table.horizontalHeader(), "low")
        self.tree = LabelTree()
        self.note = Note(name="labelTreeNote")
        drawing = QWidget()
        inner = QVBoxLayout(drawing)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.tree)
        inner.addWidget(self.note)  # below: in a low panel the picture is what one must see
        inner.addStretch(1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        area = scrolled(drawing, "labelTreeScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        area.setCornerWidget(QWidget())
        self._stack.addWidget(area)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._bar = row(self._title, None, self._fill, self.views)
        self._bar.setMinimumWidth(1)
        self._bar.installEventFilter(self)
        layout.addWidget(self._bar)
        layout.addWidget(self._stack, 1)
        self.head = TabRowHead(self, self._bar, layout, lambda: self._needed(is_brief=True))
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_variable(self, model_id: str, entry: ModelEntry, name: str) -> None:
        """The table of this variable; counts follow when they are known."""
        model = entry.model
        assert isinstance(model, LabelledDag)
        numbers = self._numbers
        if numbers is not None and (
            numbers.variable != name or numbers.model.domain != model.domain
        ):
            self._numbers = None
        self._model_id, self._model, self._name = model_id, model, name
        i = model.domain.index(name)
        classes = model.classes[i]
        phrase = counted(len(model.rows[i]), "class", "classes")
        title = entry.node_titles.get(name, name)
        whole = f"Table of {title} · {phrase} of {counted(classes.size, 'row')}"
        self._title.setText(whole if classes.ndim else f"Table of {title}")
        self._title.setToolTip(self._title.text())
        self._title.brief = f"{title} · {phrase}" if classes.ndim else title
        self._fold()
        self._show()
        self._counter.ask(model_id, model, name, {})

    @property
    def _counts(self) -> np.ndarray | None:
        numbers, model = self._numbers, self._model
        if (
            numbers is None
            or model is None
            or numbers.counts is None
            or numbers.variable != self._name
        ):
            return None
        i = model.domain.index(self._name)
        shape = (*model.classes[i].shape, model.domain.cardinalities[i])
        return numbers.counts if numbers.counts.shape == shape else None

    def _show(self) -> None:
        model = self._model
        if model is None:
            return
        i, view = model.domain.index(self._name), self.views.current
        parents = model.dag.parents(self._name)
        if view == "tree":
            variables = tuple(model.domain[p] for p in parents)
            text = self.tree.show_classes(model.classes[i], variables, model.rows[i])
            self.note.show_text(text)
            self._stack.setCurrentIndex(1)
        else:
            make = full_rows if view == "full" else reduced_rows
            rows = make(model, self._name, self._counts)
            current = self.table.currentIndex()
            at = (current.row(), current.column())
            self.grid.show(model.domain.variables[i], parents, rows, model.rows[i])
            self._widths()
            if 0 <= at[0] < self.grid.rowCount() and 0 <= at[1] < self.grid.columnCount():
                self.table.setCurrentIndex(self.grid.index(*at))
            self._stack.setCurrentIndex(0)
            self._fit_rows()
        self._fill.setAccessibleName(FILL)
        self._fill.setEnabled(self._counts is not None)
        tip = "Estimate every class from the rows of the model's data set."
        why = "Not now: no data set of this project has these columns."
        self._fill.setToolTip(tip if self._counts is not None else why)

    def _widths(self) -> None:
        head, last = self.table.horizontalHeader(), self.grid.columnCount() - 1
        is_single = len(self.grid.shown_states) == 1
        for column in range(last + 1):
            modes = QHeaderView.ResizeMode
            is_wide = is_single and column == last
            head.setSectionResizeMode(column, modes.Stretch if is_wide else modes.Interactive)
            self.table.resizeColumnToContents(column)
            width = self.table.columnWidth(column) + 10
            if not is_wide:
                is_number = column >= self.grid.first_number
                self.table.setColumnWidth(column, max(width, 150) if is_number else width)

    # -- layout

    def _needed(self, *, is_brief: bool) -> int:
        """The width of the header, with all its texts or with the fewest."""
        gaps = 3 * theme().space(3)
        title = 0 if is_brief else text_width(self._title, self._title.text())
        fill = 2 * theme().px("control") if is_brief else self._fill.sizeHint().width()
        return gaps + title + fill + self.views.sizeHint().width()

    def _fold(self) -> None:
        """When narrow, show the button as an icon; the title then elides by itself."""
        self._fill.setText(FILL)
        if self._needed(is_brief=False) > self._bar.width():
            self._fill.setText("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._bar and event.type() == QEvent.Type.Resize:
            self._fold()
        return super().eventFilter(watched, event)

    # -- requests

    def _on_view(self, _view: str) -> None:
        self._show()

    def _on_computed(self, numbers: LabelNumbers) -> None:
        if numbers.model is self._model and numbers.variable == self._name:
            self._numbers = numbers
            self._show()

    def _on_edited(self, number: int, state: int, value: float) -> None:
        model = self._model
        if model is None:
            return
        i = model.domain.index(self._name)
        rows = model.rows[i].copy()
        rows[number] = with_probability(rows[number], state, value)
        what = f"{self._name} = {model.domain[self._name].states[state]}"
        self._change(f"Edit P({what}) of class {class_letter(number)}", rows)

    def _on_fill(self) -> None:
        model, numbers = self._model, self._numbers
        if model is not None and numbers is not None and self._counts is not None:
            i = model.domain.index(self._name)
            rows = numbers.score.rows(self._counts, model.classes[i])
            self._change(f"Fill the table of {self._name} from data", rows)

    def _change(self, text: str, rows: np.ndarray) -> None:
        edit = partial(
            edit_language,
            edit="set_class_rows",
            model_id=self._model_id,
            variable=self._name,
            rows=rows,
        )
        self._app.change(text, edit)

    def _restyle(self) -> None:
        self.table.horizontalHeader().setFixedHeight(theme().px("row") - 2)
        self._fit_rows()

    def _fit_rows(self) -> None:
        """As many rows as there are, a little lower, where all can be seen so; else as usual."""
        usual, count = theme().px("row") - 2, max(1, self.grid.rowCount())
        least = self.table.fontMetrics().height() + theme().space(1)
        equal = self.table.viewport().height() // count
        side = self.table.verticalHeader()
        side.setMinimumSectionSize(least)
        side.setDefaultSectionSize(min(usual, equal) if equal >= least else usual)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_rows()
        self.tree.fit(self._stack.size())
