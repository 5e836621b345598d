"""The project panel: models, data, runs and other entries as a tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSignalBlocker, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import brief, counted, grouped
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.files.model_menu import add_model_entries
from pgmstudio.gui.navigation import (
    open_curves_page,
    open_data_page,
    open_model_page,
    open_saved_comparison,
)
from pgmstudio.gui.runs.live_model import live_models
from pgmstudio.gui.theme.icons import icon, language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import popup
from pgmstudio.gui.widgets.basic import Note, label, named, row, tool_button, vbox
from pgmstudio.gui.widgets.short_names import ShortNames

FACTS = 1  # the column of facts
_MARGIN = 5  # px, of the row
_GAP = 8  # between icon, title and fact


def _size_text(model: Model) -> str:
    """The size of the tables in short: “11 par.”, “12 tuples”."""
    title = language_of(model).size_title.lower()
    return f"{grouped(model.representation_size())} {title.replace('free parameters', 'par.')}"


class TitleAndFact(QStyledItemDelegate):
    """Paints a title and, where the title leaves it space, a fact at the right. Titles of a group
    that are too long are shortened so that no two look the same."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._short = ShortNames()

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        area: QRect = option.rect
        if area.width() <= 0:
            return  # only its size is asked for
        names = [
            str(index.sibling(number, 0).data())
            for number in range(index.model().rowCount(index.parent()))
        ]
        if self._short.names != tuple(dict.fromkeys(names)):
            self._short = ShortNames(names)
        font = option.font.toString()
        room = _room(option)
        option.text = self._short.shorten(option.text, QFontMetrics(option.font), font, room)

    @staticmethod
    def shown_fact(option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> str:
        """The fact, if it has space beside the whole title."""
        fact = str(index.sibling(index.row(), FACTS).data() or "")
        needed = QFontMetrics(option.font).horizontalAdvance(str(index.data())) + _GAP
        needed += QFontMetrics(theme().font("caption")).horizontalAdvance(fact)
        return fact if needed <= _room(option) else ""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        filled = QStyleOptionViewItem(option)
        super().initStyleOption(filled, index)
        if not (fact := self.shown_fact(filled, index)):
            return
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text" if is_chosen else "text_tertiary"))
        area = option.rect.adjusted(0, 0, -_MARGIN, 0)
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, fact)
        painter.restore()


def _room(option: QStyleOptionViewItem) -> int:
    """The width of a row without its icon, px."""
    area: QRect = option.rect
    icon_width = 0 if option.icon.isNull() else option.decorationSize.width() + _GAP
    return max(0, area.width() - 2 * _MARGIN - icon_width)


KIND, KEY = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


class ProjectPanel(QWidget):
    """Double-click opens, F2 renames, Del deletes (undoable)."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("project")
        self._app = app
        self._name = label("", "heading", size="dense", name="projectName")
        self._add = tool_button(
            "plus",
            "Import data or open a model",
            lambda: app.actions["file.open"].trigger(),
            name="projectAdd",
        )
        self._tree = named(
            QTreeWidget(), "projectTree", "Project", "Double-click opens, F2 renames, Del deletes."
        )
        self._tree.setColumnCount(2)
        self._tree.setColumnHidden(FACTS, True)  # they stand in the same line
        self._tree.setHeaderHidden(True)
        self._tree.setItemDelegate(TitleAndFact(self._tree))
        self._tree.setIndentation(theme().px("icon"))
        self._tree.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self._tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._tree.customContextMenuRequested.connect(self._on_menu)
        self._tree.itemDoubleClicked.connect(lambda item, _: self._open(item))
        self._tree.itemChanged.connect(self._on_edited)
        head = row(self._name, None, self._add)
        head.setContentsMargins(8, 0, 4, 0)
        self.none = Note(
            "Data sets, models and runs are listed here. Import data, open a model or draw one.",
            "info",
            "projectEmpty",
        )
        vbox(self, head, self.none, (self._tree, 1), margins=(4, 4, 4, 0), spacing=2)
        self._following = live_models(app)
        self._following.changed.connect(self._on_following)
        app.document.changed.connect(self._on_changed)
        app.document.file_changed.connect(self._retitle)
        app.center.page_changed.connect(self._mark_current_page)
        theme().changed.connect(self._rebuild)
        self._retitle()
        self._rebuild()

    def _retitle(self) -> None:
        document = self._app.document
        name = document.path.name if document.path is not None else "untitled"
        self._name.setText(name + ("" if document.is_saved else " •"))

    def _on_changed(self, before: Project, after: Project) -> None:
        if any(getattr(before, part) is not getattr(after, part) for part in _PARTS):
            self._rebuild()

    def _on_following(self, model_id: str) -> None:
        """Update the badges when a run starts or ends; its progress is shown elsewhere."""
        follower = self._following.of_model(model_id)
        live = follower is not None and follower.is_on
        shown = {i.data(0, KEY) for i in self._items() if i.text(FACTS) == "live"}
        if live != (model_id in shown):
            self._rebuild()

    def _rebuild(self) -> None:
        project = self._app.project
        with QSignalBlocker(self._tree):
            self._tree.clear()
            if project.data:
                head = self._head("Data", "database")
                for key, data in project.data.items():
                    rows, columns = data.data.row_count, len(data.data.domain)
                    item = self._row(head, "data", key, data.name, f"{brief(rows)} × {columns}")
                    item.setToolTip(0, f"{data.name}, {grouped(rows)} × {columns}")
                    item.setIcon(0, icon("table"))
            if not project.knowledge.is_empty:
                head = self._head("Knowledge", "checks")
                count = project.knowledge.rule_count()
                item = self._row(head, "knowledge", "", counted(count, "rule"), "")
                item.setIcon(0, icon("prohibit"))
            if project.models or project.unknown.models:
                head = self._head("Models", "share-network")
                for key, model in project.models.items():
                    badge = "stale" if project.is_stale(key) else ""
                    follower = self._following.of_model(key)
                    if follower is not None and follower.is_on:
                        badge = "live"
                    fact = badge or _size_text(model.model)
                    item = self._row(head, "model", key, model.title, fact)
                    item.setIcon(0, language_icon(model.model.kind))
                for key, unknown in project.unknown.models.items():
                    self._row(head, "unknown", key, unknown.title, f"unknown: {unknown.kind}")
            if project.evidence_cases:
                head = self._head("Evidence scenarios", "bookmark-simple")
                for name, case in project.evidence_cases.items():
                    item = self._row(head, "case", name, name, f"{len(case.evidence)}")
                    item.setIcon(0, icon("flag"))
            if project.curves:
                head = self._head("SL-curves", "chart-line")
                for key, curve in project.curves.items():
                    fact = counted(len(curve.points), "point") if curve.points else ""
                    item = self._row(head, "curve", key, curve.title, fact)
                    item.setIcon(0, icon("chart-line"))
            if project.comparisons:
                head = self._head("Comparisons", "scales")
                for key, comparison in project.comparisons.items():
                    fact = counted(len(comparison.model_ids), "model")
                    item = self._row(head, "comparison", key, comparison.title, fact)
                    item.setIcon(0, icon("scales"))
            if project.runs:
                head = self._head("Runs", "clock-counter-clockwise")
                for key, run in project.runs.items():
                    self._row(head, "run", key, run.title or run.learner, f"{run.seconds:.1f} s")
                head.setExpanded(False)
        self.none.setVisible(not self._tree.topLevelItemCount())
        self._mark_current_page()

    def _head(self, text: str, icon_name: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self._tree, [text])
        item.setIcon(0, icon(icon_name))
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setFont(0, theme().font("body", "medium"))
        item.setExpanded(True)
        return item

    def _row(
        self, head: QTreeWidgetItem, kind: str, key: str, title: str, fact: str
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem(head, [title, fact])
        item.setData(0, KIND, kind)
        item.setData(0, KEY, key)
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{title}, {fact}" if fact else title)
        item.setToolTip(0, f"{title}, {fact}" if fact else title)
        if kind in _RENAMERS:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        return item

    def _items(self) -> list[QTreeWidgetItem]:
        heads = [self._tree.topLevelItem(i) for i in range(self._tree.topLevelItemCount())]
        rows = [head.child(i) for head in heads if head for i in range(head.childCount())]
        return [item for item in rows if item is not None]

    def _mark_current_page(self, *_: object) -> None:
        """Select the row of the current page, or of the model it is about."""
        page = self._app.center.current
        wanted = () if page is None else (page.key, f"model:{page.model_id}")
        keys = ((item, f"{item.data(0, KIND)}:{item.data(0, KEY)}") for item in self._items())
        marked = (item for item, key in keys if key.rstrip(":") in wanted)
        if (item := next(marked, None)) is not None:
            self._tree.setCurrentItem(item)
        else:
            self._tree.setCurrentIndex(QModelIndex())

    def _open(self, item: QTreeWidgetItem, *, split: bool = False) -> None:
        kind, key = item.data(0, KIND), item.data(0, KEY)
        if kind == "model":
            open_model_page(self._app, key, split=split)
        elif kind == "data":
            open_data_page(self._app, key, split=split)
        elif kind == "case":
            live = self._app.workspace.active_beliefs
            if live is not None:
                live.set_all(self._app.project.evidence_cases[key].evidence)
        elif kind == "knowledge" and "knowledge.edit" in self._app.actions.by_id:
            self._app.actions["knowledge.edit"].trigger()
        elif kind == "curve":
            open_curves_page(self._app, key)
        elif kind == "comparison":
            open_saved_comparison(self._app, key)
        elif kind == "run":
            run = self._app.project.runs[key]
            if run.model_id in self._app.project.models:
                open_model_page(self._app, run.model_id or "")

    def _on_edited(self, item: QTreeWidgetItem, column: int) -> None:
        rename = _RENAMERS.get(item.data(0, KIND))
        text = item.text(0).strip()
        if rename is None or column != 0:
            return
        if not text or not self._app.change(f"Rename to {text}", rename(item.data(0, KEY), text)):
            self._rebuild()

    def _delete(self, item: QTreeWidgetItem) -> None:
        remove = _REMOVERS.get(item.data(0, KIND))
        if remove is not None:
            title = item.text(0)
            if self._app.change(f"Delete {title}", remove(item.data(0, KEY))):
                self._app.notify(f"{title} was deleted.", undo=True)

    def _on_menu(self, point: QPoint) -> None:
        item = self._tree.itemAt(point)
        if item is None or item.data(0, KIND) is None:
            return
        menu = QMenu(self)
        menu.addAction("Open", lambda: self._open(item))
        if item.data(0, KIND) in ("model", "data"):
            menu.addAction("Open in split view", lambda: self._open(item, split=True))
        if item.data(0, KIND) == "model":
            add_model_entries(menu, self._app, item.data(0, KEY))
        if item.data(0, KIND) in _RENAMERS:
            self._add_with_key(menu, "Rename", "F2", lambda: self._tree.editItem(item, 0))
        if item.data(0, KIND) in _REMOVERS:
            self._add_with_key(menu, "Delete", "Del", lambda: self._delete(item))
        popup(menu, self._tree.viewport().mapToGlobal(point))

    def _add_with_key(self, menu: QMenu, text: str, key: str, run: Callable[[], object]) -> None:
        action = menu.addAction(text, run)
        action.setShortcut(key)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # the tree handles it
        action.setShortcutVisibleInContextMenu(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self._tree.currentItem()
        if item is not None and item.data(0, KIND) is not None:
            if event.key() == Qt.Key.Key_Delete:
                self._delete(item)
                return
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._open(item)
                return
        super().keyPressEvent(event)


Maker = Callable[[Project], Project]
# What of a project stands in the tree.
_PARTS = (
    "data",
    "models",
    "evidence_cases",
    "curves",
    "comparisons",
    "runs",
    "knowledge",
    "unknown",
)


def _rename_data(key: str, text: str) -> Maker:
    return partial(edits.rename_data, data_id=key, name=text)


def _rename_model(key: str, text: str) -> Maker:
    return partial(edits.rename_model, model_id=key, title=text)


def _rename_case(key: str, text: str) -> Maker:
    return partial(edits.rename_evidence_case, old=key, new=text)


def _rename_curve(key: str, text: str) -> Maker:
    return partial(edits.rename_curve, curve_id=key, title=text)


def _rename_comparison(key: str, text: str) -> Maker:
    return partial(edits.rename_comparison, comparison_id=key, title=text)


_RENAMERS: dict[str, Callable[[str, str], Maker]] = {
    "data": _rename_data,
    "model": _rename_model,
    "case": _rename_case,
    "curve": _rename_curve,
    "comparison": _rename_comparison,
}
_REMOVERS: dict[str, Callable[[str], Maker]] = {
    "data": lambda key: partial(edits.remove_data, data_id=key),
    "model": lambda key: partial(edits.remove_model, model_id=key),
    "case": lambda key: partial(edits.delete_evidence_case, name=key),
    "curve": lambda key: partial(edits.remove_curve, curve_id=key),
    "comparison": lambda key: partial(edits.remove_comparison, comparison_id=key),
    "run": lambda key: partial(edits.remove_run, run_id=key),
}
