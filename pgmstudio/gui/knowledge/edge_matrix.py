"""Edge constraints as a matrix: the row is the source, the column the target."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.gui.theme.theme import theme

Index = QModelIndex | QPersistentModelIndex
_SYMBOLS = {"required": "✓", "forbidden": "⊘", "tier": "·", "": ""}


class EdgeRules(QAbstractTableModel):
    """Table model of the constraint of each pair: required, forbidden, by tiers, or none."""

    def __init__(self) -> None:
        super().__init__()
        self.names: tuple[str, ...] = ()
        self.knowledge = Knowledge()

    def show(self, names: Sequence[str], knowledge: Knowledge) -> None:
        if self.names == tuple(names) and names:
            self.knowledge = knowledge  # the current cell does not change
            last = self.index(len(names) - 1, len(names) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.names, self.knowledge = tuple(names), knowledge
        self.endResetModel()

    def rule(self, index: Index) -> str:
        edge = (self.names[index.row()], self.names[index.column()])
        if edge in self.knowledge.required:
            return "required"
        if edge in self.knowledge.forbidden:
            return "forbidden"
        return "" if edge[0] == edge[1] or self.knowledge.allows(*edge) else "tier"

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return len(self.names)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return len(self.names)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.names[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        source, target = self.names[index.row()], self.names[index.column()]
        rule = self.rule(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return "" if source == target else _SYMBOLS[rule]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignCenter)
        if role == Qt.ItemDataRole.ForegroundRole:
            names = {"required": "required", "forbidden": "forbidden"}
            return theme().color(names.get(rule, "text_tertiary"))
        if role == Qt.ItemDataRole.BackgroundRole and source == target:
            return theme().color("sunken")
        if role == Qt.ItemDataRole.BackgroundRole and rule in ("required", "forbidden"):
            return theme().color("do_soft" if rule == "required" else "evidence_soft")
        if role == Qt.ItemDataRole.ToolTipRole and source != target:
            why = self.knowledge.why_forbidden(source, target)
            text = "is required." if rule == "required" else why or "is free."
            return text if why and rule != "required" else f"{source} → {target} {text}"
        return None


MATRIX_HINT = (
    f"From row to column: click to require {_SYMBOLS['required']}, again to forbid "
    f"{_SYMBOLS['forbidden']}, a third time to clear; "
    f"{_SYMBOLS['tier']} is forbidden by the tiers"
)


class EdgeMatrix(QTableView):
    """Matrix view; a click cycles free, required, forbidden; +, − and Del set them by key."""

    rule_requested = Signal(str, str, str)  # source, target, rule ("" removes it)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("edgeMatrix")
        self.setAccessibleName("Edge constraints, from row to column")
        self.setToolTip("Row → column. Click: required, forbidden, free.")
        self.rules = EdgeRules()
        self.setModel(self.rules)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().setDefaultSectionSize(theme().px("left_min") // 3)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.verticalHeader().setDefaultSectionSize(theme().px("row"))
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self, index: QModelIndex) -> None:
        following = {"": "required", "tier": "required", "required": "forbidden", "forbidden": ""}
        self._request(index, following[self.rules.rule(index)])

    def _request(self, index: QModelIndex, rule: str) -> None:
        source, target = self.rules.names[index.row()], self.rules.names[index.column()]
        if source != target:
            self.rule_requested.emit(source, target, rule)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Plus: "required",
            Qt.Key.Key_Minus: "forbidden",
            Qt.Key.Key_Delete: "",
        }
        index = self.currentIndex()
        if index.isValid() and event.key() in keys:
            self._request(index, keys[Qt.Key(event.key())])
        elif index.isValid() and event.key() == Qt.Key.Key_Space:
            self._on_clicked(index)
        else:
            super().keyPressEvent(event)
