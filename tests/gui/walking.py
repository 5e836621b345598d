"""Walking through the window: situations, what can be touched, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.files.opening import open_files, show_project
from pgmstudio.gui.languages.pdg.nodes import graph_nodes
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.graph_pages import PRESSURE, add_graph, coronary, coronary_rows
from tests.gui.label_pages import EDGE, add_labelled
from tests.gui.samples import add_sprinkler, add_votes, sprinkler_rows

FURTHER = ("mixture", "one tree", "classes", "graph", "labels")
SITUATIONS = ("nothing", "data", "model", *FURTHER)

CONTROLS = (
    QAbstractButton,
    QLineEdit,
    QComboBox,
    QAbstractItemView,
    QAbstractSpinBox,
    QAbstractSlider,
    QPlainTextEdit,
    QTextEdit,
)


def press_keys(
    window: MainWindow,
    qtbot: QtBot,
    key: Qt.Key,
    held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """To whatever has the focus, as from a keyboard."""
    qtbot.keyClick(window.focusWidget() or window, key, held)


def trigger(window: MainWindow, action: str) -> None:
    """Choose an action that can be chosen now."""
    window.app.actions.refresh()
    assert window.app.actions[action].isEnabled(), window.app.actions[action].toolTip()
    window.app.actions[action].trigger()


def open_sprinkler(qtbot: QtBot, window: MainWindow) -> ModelPage:
    """The page of the sprinkler in front, drawn."""
    open_model_page(window.app, add_sprinkler(window.app))
    result = window.app.center.current
    assert isinstance(result, ModelPage)
    qtbot.waitUntil(lambda: len(result.scene().nodes) == len(result.scene().edges) == 3)
    return result


def point_at(widget: QWidget, position: QPoint) -> None:
    """The pointer of the system and the window's own idea of it, also where it stood already."""
    QCursor.setPos(widget.mapToGlobal(position))
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(position),
        QPointF(widget.mapToGlobal(position)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def arrange(window: MainWindow, situation: str) -> None:
    """Nothing open; a data set in front; or data and a model in front with a selection."""
    app = window.app
    project = Project()
    if situation == "data":
        project = edits.add_data(project, entry=DataEntry("garden", sprinkler_rows()))
    app.document.replace(project, None)
    if situation == "model":
        add_sprinkler(app)
        project = app.project
    elif situation in ("mixture", "one tree", "classes"):
        add_votes(app, "classes" if situation == "classes" else "mixture")
        project = app.project
    elif situation == "graph":
        add_graph(app, coronary(), coronary_rows(200))
        project = app.project
    elif situation == "labels":
        add_labelled(app, rows=100)
        project = app.project
    show_project(app, project, None)
    restore(window, situation)
    settle(window)


def restore(window: MainWindow, situation: str) -> None:
    """Bring the page of the situation to front again and select what is selected there."""
    app = window.app
    if situation == "data":
        open_data_page(app, next(iter(app.project.data)))
    elif situation == "model":
        open_model_page(app, next(iter(app.project.models)))
        app.workspace.select(["sprinkler"], [("rain", "wet")])
    elif situation in ("mixture", "one tree", "classes"):
        model_id = next(iter(app.project.models))
        open_model_page(app, model_id)
        component_views(app).choose(model_id, (0,) if situation == "one tree" else ())
        app.workspace.select(["tax", "aid"])
    elif situation == "graph":
        model_id = next(iter(app.project.models))
        open_model_page(app, model_id)
        app.workspace.select([PRESSURE])
        graph_nodes(app).choose(model_id, (PRESSURE, 0))
    elif situation == "labels":
        open_model_page(app, next(iter(app.project.models)))
        app.workspace.select([], [EDGE])
    app.actions.refresh()


def settle(window: MainWindow) -> None:
    """Let what was posted happen."""
    for _ in range(4):
        QApplication.processEvents()
    assert window.isVisible()


def words_in(root: QWidget) -> set[str]:
    """Every text in sight: of labels, fields, buttons, lists, tables and their tips."""
    result: set[str] = set()
    for widget in [root, *root.findChildren(QWidget)]:
        if not widget.isVisible():
            continue
        result |= {widget.toolTip(), widget.accessibleName(), widget.windowTitle()}
        match widget:
            case QLabel() | QAbstractButton() | QLineEdit():
                result.add(widget.text())
            case QComboBox():
                result |= {widget.itemText(number) for number in range(widget.count())}
            case QPlainTextEdit() | QTextEdit():
                result.add(widget.toPlainText())
            case QTabBar():
                result |= {widget.tabText(number) for number in range(widget.count())}
            case QAbstractItemView():
                result |= _cells(widget, QModelIndex())
    result |= {action.text() for action in root.actions()}
    return result - {""}


def _cells(view: QAbstractItemView, parent: QModelIndex) -> set[str]:
    result: set[str] = set()
    model = view.model()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
    for row in range(min(50, model.rowCount(parent))):
        for column in range(columns):
            index = model.index(row, column, parent)
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                result.add(str(model.data(index, role) or ""))
        if isinstance(view, QTreeView):
            result |= _cells(view, model.index(row, 0, parent))
    return result


def opened_windows(window: MainWindow) -> list[QWidget]:
    """Dialogs and menus that stand over the window."""
    result = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window]
    return [w for w in result if isinstance(w, QMenu) or w.isWindow()]


def open_every_page(window: MainWindow, sample_data: Path) -> None:
    """A tab for everything that can be in one, over data and a model."""
    arrange(window, "model")
    app = window.app
    open_data_page(app, next(iter(app.project.data)))
    open_files(app, [sample_data / "survey.csv"])
    is_restored = False
    for action in list(app.actions.by_id.values()):
        if not action.text().endswith("…"):
            continue
        if not is_restored:
            restore(window, "model")
        is_restored = not action.isEnabled()
        if action.isEnabled():
            action.trigger()
            settle(window)
            for other in opened_windows(window):
                other.close()
    for opener in ("help.contents", "file.welcome"):
        app.actions[opener].trigger()
    settle(window)


# -- what can be touched


def controls_in(root: QWidget) -> Iterator[QWidget]:
    """Every visible control a person can use, without the parts Qt builds them of."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, CONTROLS) and widget.isVisibleTo(root) and not _is_part(widget):
            yield widget


def _is_part(widget: QWidget) -> bool:
    if isinstance(widget, QScrollBar | QHeaderView) or widget.objectName().startswith("qt_"):
        return True
    kind = widget.metaObject().className()
    if kind in ("QTableCornerButton", "QLineEditIconButton", "QComboBoxListView"):
        return True
    parent = widget.parentWidget()
    return isinstance(parent, QTabBar | QComboBox | QAbstractSpinBox)


def spoken_name(widget: QWidget) -> str:
    """How a screen reader calls it."""
    words = widget.accessibleName()
    if not words and isinstance(widget, QAbstractButton):
        words = widget.text()
    return words


def called(widget: QWidget) -> str:
    """A name for messages of tests."""
    kind = type(widget).__name__
    path = []
    at: QWidget | None = widget
    while at is not None and len(path) < 4:
        if at.objectName():
            path.append(at.objectName())
        at = at.parentWidget()
    return f"{kind} {' in '.join(path)} “{spoken_name(widget)[:40]}”"


# -- what does not fit


def misfits(root: QWidget) -> list[str]:
    """Controls and words in `root` that are cut off, squeezed or drawn over each other."""
    result = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisibleTo(root) or widget.visibleRegion().isEmpty():
            continue
        if isinstance(widget, CONTROLS) and not _is_part(widget):
            result += _outside(widget, root)
            if isinstance(widget, QAbstractButton):
                result += _squeezed(widget)
            if isinstance(widget, QListView):
                result += _rows_overlap(widget)
        elif isinstance(widget, QLabel):
            result += _cut_words(widget)
    return result


def _outside(widget: QWidget, root: QWidget) -> list[str]:
    """Beyond the edges of the nearest ancestor that cannot be scrolled in that direction."""
    at = widget.parentWidget()
    area = QRect(widget.mapTo(root, QPoint(0, 0)), widget.size())
    if at is None:
        return []
    while at is not None:
        edge = QRect(at.mapTo(root, QPoint(0, 0)), at.size()) if at is not root else root.rect()
        scroller = at.parentWidget()
        if isinstance(scroller, QAbstractScrollArea) and at is scroller.viewport():
            across = scroller.horizontalScrollBarPolicy()
            if across != Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
                return []
            if area.left() < edge.left() or area.right() > edge.right() + 1:
                return [
                    f"{called(widget)} is {area.right() - edge.right()} px beyond its scroll area"
                ]
            return []
        if at is root:
            if not edge.adjusted(-1, -1, 1, 1).contains(area):
                return [f"{called(widget)} lies at {area.getRect()} outside {edge.getRect()}"]
            return []
        at = at.parentWidget()
    return []


def _squeezed(widget: QAbstractButton) -> list[str]:
    needed = widget.minimumSizeHint()
    if widget.width() + 1 < needed.width() or widget.height() + 1 < needed.height():
        has = (widget.width(), widget.height())
        return [f"{called(widget)} has {has}, needs {(needed.width(), needed.height())}"]
    return []


def _rows_overlap(view: QListView) -> list[str]:
    model = view.model()
    if model is None or model.rowCount() < 2 or view.viewMode() == QListView.ViewMode.IconMode:
        return []
    first = view.visualRect(model.index(0, view.modelColumn()))
    second = view.visualRect(model.index(1, view.modelColumn()))
    if second.isValid() and first.isValid() and second.top() <= first.bottom():
        return [f"the rows of {called(view)} overlap"]
    return []


def _cut_words(made: QLabel) -> list[str]:
    if isinstance(made, ElidedLabel) and made.toolTip():
        return []  # gives way on purpose; the tooltip has it whole
    if isinstance(made, ElidedLabel):
        return []
    if made.wordWrap() or "<" in made.text() or not made.text() or not made.pixmap().isNull():
        return []
    needed = max(made.fontMetrics().horizontalAdvance(line) for line in made.text().split("\n"))
    if made.contentsRect().width() + 1 < needed:
        return [f"“{made.text()[:60]}” has {made.contentsRect().width()} px, needs {needed}"]
    return []
