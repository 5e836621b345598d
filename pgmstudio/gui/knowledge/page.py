"""The background knowledge page: tiers, required and forbidden edges, and conflicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import (
    QAbstractTableModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QListWidget,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices, Price
from pgmstudio.core.io.background_knowledge import read_knowledge, write_knowledge
from pgmstudio.core.io.edge_prices import read_edge_prices, write_edge_prices
from pgmstudio.core.number_format import counted, general, grouped
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.progress_dialog import run_with_progress
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    button,
    empty,
    hbox,
    label,
    named,
    row,
    scrolled,
    text_width,
    tool_button,
    vbox,
)
from pgmstudio.gui.widgets.combo_box import Combo, chooser, offer
from pgmstudio.gui.widgets.file_dialog import ask_where, choose_file
from pgmstudio.gui.widgets.number_box import decimal_box
from pgmstudio.gui.widgets.page import EmbeddedPage

_WIDEST_TIER = 480  # px of a tier's text
ENDINGS = "Knowledge (*.json *.txt *.csv);;All files (*)"
PRICE_ENDINGS = "Edge prices (*.csv *.tsv *.json);;All files (*)"
_EDITS = {
    "required": (edits.require_edge, "Require"),
    "forbidden": (edits.forbid_edge, "Forbid"),
    "": (edits.forget_edge_rule, "Free"),
}


Index = QModelIndex | QPersistentModelIndex
_SYMBOLS = {"required": "✓", "forbidden": "⊘", "tier": "·", "": ""}


FREE = -1  # the lane of variables without a tier


class TierLanes(QWidget):
    """Lanes of all tiers; `changed` sends the tiers and the closed ones after an edit."""

    changed = Signal(object, object)  # list of lists of names, set of numbers

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("tierLanes")
        self._lanes: list[Lane] = []
        self._holder = QWidget()
        self._row = QHBoxLayout(self._holder)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(theme().space(4))
        self._row.addStretch(0)  # after the lanes, which have a maximum width
        self._add = button(
            "Add tier",
            self._on_add,
            role="link",
            icon_name="plus-circle",
            name="addTier",
            tip="Add a tier after the others.",
        )
        hint = label(
            "Drag variables into tiers, earlier → later; no edge may lead to an earlier tier.",
            "secondary",
            wrap=True,
        )
        head = hbox(None, (hint, 1), self._add)
        area = scrolled(self._holder, "tierScroll")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        vbox(self, head, (area, 1))
        self._followed: str | None = None  # variables moved by key keep the focus

    def show_tiers(
        self, names: Sequence[str], tiers: Sequence[Sequence[str]], closed: frozenset[int]
    ) -> None:
        """Show lanes for these tiers; variables without a tier are on the left."""
        for lane in self._lanes:
            self._row.removeWidget(lane)
            lane.hide()
            lane.deleteLater()
        assigned = {name for tier in tiers for name in tier}
        free = [name for name in names if name not in assigned]
        self._lanes = [Lane(FREE, "No tier", free, False)]
        self._lanes += [
            Lane(number, f"Tier {number + 1}", tier, number in closed)
            for number, tier in enumerate(tiers)
        ]
        for lane in self._lanes:
            lane.list.dragged.connect(self.move_variables)
            lane.stepped.connect(self._on_stepped)
            lane.closed_changed.connect(self._emit_changed)
            lane.removed.connect(self.remove)
            self._row.insertWidget(self._row.count() - 1, lane, 1)
            lane.show()
            if self._followed in lane.names:
                lane.list.setCurrentRow(lane.names.index(self._followed))
                lane.list.setFocus()
        self._followed = None

    def move_variables(self, names: Sequence[str], to: int) -> None:
        """Move variables to a tier, or to none with FREE."""
        tiers = [[n for n in lane.names if n not in names] for lane in self._lanes[1:]]
        if to != FREE:
            tiers[to] += names
        self._emit_changed(tiers)

    def _on_stepped(self, names: Sequence[str], by: int) -> None:
        present = next(i for i, lane in enumerate(self._lanes) if names[0] in lane.names)
        if 0 <= present + by < len(self._lanes):
            self._followed = names[0]
            self.move_variables(names, present + by - 1)

    def _on_add(self) -> None:
        self._emit_changed([*(lane.names for lane in self._lanes[1:]), []])

    def remove(self, number: int) -> None:
        """Remove a tier; its variables then have none."""
        closed = {n - (n > number) for n in self._closed() if n != number}
        tiers = [lane.names for lane in self._lanes[1:]]
        del tiers[number]
        self.changed.emit(tiers, closed)

    def _closed(self) -> set[int]:
        return {number for number, lane in enumerate(self._lanes[1:]) if lane.is_closed}

    def _emit_changed(self, tiers: list[list[str]] | None = None) -> None:
        if not isinstance(tiers, list):  # called by the check box with its state
            tiers = [lane.names for lane in self._lanes[1:]]
        self.changed.emit(tiers, self._closed())


class Lane(QFrame):
    """Lane of one tier: title, check box, and its variables as draggable chips."""

    stepped = Signal(list, int)  # names, lanes to the right
    closed_changed = Signal()
    removed = Signal(int)

    def __init__(self, number: int, title: str, names: Sequence[str], closed: bool) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.number = number
        self.setObjectName(f"lane{number}")
        self.setMinimumWidth(theme().px("left_min") - 40)
        self.setMaximumWidth(theme().px("right"))
        self.list = LaneList(self)
        self.list.setObjectName(f"laneList{number}")
        self.list.setAccessibleName(title)
        self.list.setToolTip("Drag a variable to another tier; Ctrl+← and Ctrl+→ move it too.")
        self.list.addItems(list(names))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        head = label(title, "heading", size="dense")
        self._closed = QCheckBox("No edges within")
        self._closed.setObjectName(f"laneClosed{number}")
        self._closed.setToolTip("Forbid every edge between two variables of this tier.")
        self._closed.setChecked(closed)
        self._closed.toggled.connect(self.closed_changed)
        remove = tool_button("x", f"Remove {title.lower()}", lambda: self.removed.emit(number))
        if number == FREE:
            below: QWidget = label("no constraint", "tertiary", size="dense")
            # As high as the header of a tier, so that the chips of all lanes are aligned.
            head.setMinimumHeight(remove.sizeHint().height())
            below.setMinimumHeight(self._closed.sizeHint().height())
            remove.deleteLater()
            layout.addWidget(head)
        else:
            below = self._closed
            layout.addWidget(row(head, None, remove))
        layout.addWidget(below)
        layout.addWidget(self.list, 1)

    @property
    def names(self) -> list[str]:
        items = (self.list.item(i) for i in range(self.list.count()))
        return [item.text() for item in items if item is not None]

    @property
    def is_closed(self) -> bool:
        return self._closed.isChecked()


class LaneList(QListWidget):
    """List of variable chips that can be dragged to another lane.

    The lanes are rebuilt after a change, so the move is requested when the drag has ended;
    the list itself never moves a row.
    """

    dragged = Signal(list, int)  # names, number of the target tier

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self._lane = lane
        self._dropped_on: int | None = None
        self._source: LaneList | None = None
        self.setProperty("role", "chips")
        self.ensurePolished()  # rows laid out before polishing keep their unstyled height
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    @property
    def chosen(self) -> list[str]:
        """The selected names in order, or the current one."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        current = self.currentItem()
        names = [self._lane.names[row] for row in rows]
        return names or ([current.text()] if current is not None else [])

    def startDrag(self, actions: Qt.DropAction) -> None:
        names = self.chosen
        self._dropped_on = None
        super().startDrag(actions)
        if self._dropped_on is not None and names:
            self.dragged.emit(names, self._dropped_on)

    def dropEvent(self, event: QDropEvent) -> None:
        source = event.source()
        self._source = source if isinstance(source, LaneList) and source is not self else None
        super().dropEvent(event)

    def dropMimeData(self, index: int, data: QMimeData, action: Qt.DropAction) -> bool:
        if self._source is not None:
            self._source._dropped_on = self._lane.number
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in steps and self.chosen:
            self._lane.stepped.emit(self.chosen, steps[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)


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
        keys = {Qt.Key.Key_Plus: "required", Qt.Key.Key_Minus: "forbidden", Qt.Key.Key_Delete: ""}
        index = self.currentIndex()
        if index.isValid() and event.key() in keys:
            self._request(index, keys[Qt.Key(event.key())])
        elif index.isValid() and event.key() == Qt.Key.Key_Space:
            self._on_clicked(index)
        else:
            super().keyPressEvent(event)


def _under(hint: str, content: QWidget) -> QWidget:
    """`content` with a hint above it."""
    made = QWidget()
    vbox(made, label(hint, "secondary", wrap=True), (content, 1))
    return made


ALL = "all"


MAX_PRICE = 9999  # nats, in the box
MAX_LISTED = 200  # a matrix may hold thousands
PRICES_HINT = (
    "An edge between two variables, in either direction, must gain its price in nats; a negative "
    "price favours it. Trees, mixtures of trees and searches with a score use them if their "
    "parameter Edge prices is set."
)


class PriceList(QWidget):
    """The prices of pairs, strongest first, each with a button to remove it."""

    def __init__(self, set_price: Callable[[str, str, float], None]) -> None:
        super().__init__()
        self._set_price = set_price
        self._layout = QVBoxLayout(self)

    def show_prices(self, prices: EdgePrices) -> None:
        empty(self._layout)
        strongest = sorted(prices.prices, key=lambda known: -abs(known[2]))
        for one, other, price in strongest[:MAX_LISTED]:
            go = partial(self._set_price, one, other, 0.0)
            remove = tool_button("x", f"Remove price: {one} – {other}", go)
            chip = "chip-evidence" if price > 0 else "chip-do"
            number = label(f"{general(price)} nats", chip, size="caption")
            self._layout.addWidget(row(number, label(f"{one} – {other}"), remove, None))
        if len(strongest) > MAX_LISTED:
            more = f"and {grouped(len(strongest) - MAX_LISTED)} more, nearer to 0"
            self._layout.addWidget(label(more, "secondary"))
        if not prices.prices:
            text = "No prices. Choose two variables above and enter one, or import a file."
            self._layout.addWidget(label(text, "secondary"))
        self._layout.addStretch(1)


class KnowledgePage(EmbeddedPage):
    """Tiers, matrix and list of the same constraints; prices of edges."""

    fixed_title = "Knowledge"
    icon_name = "checks"

    def __init__(
        self, app: AppContext, names_of: Callable[[Project], list[str]] | None = None
    ) -> None:
        """`names_of`: the variables to show, if not all of the project."""
        super().__init__("knowledge")
        self._app = app
        self._names_of = names_of or self._names_at_hand
        self._about = chooser("knowledgeAbout", "Variables to show.", 8)
        if names_of is not None:
            self._about.hide()
        self._about.currentIndexChanged.connect(self.refresh)
        self._offer_subjects()
        self._lanes = TierLanes()
        self._lanes.changed.connect(self._on_tiers)
        self._matrix = EdgeMatrix()
        self._matrix.rule_requested.connect(self.set_rule)
        self._list = QWidget()
        self._list_layout = QVBoxLayout(self._list)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._lanes)
        self._stack.addWidget(_under(MATRIX_HINT, self._matrix))
        self._stack.addWidget(scrolled(self._list, "ruleList"))
        self._prices = PriceList(self.set_price)
        self._stack.addWidget(_under(PRICES_HINT, scrolled(self._prices, "priceList")))
        self._segments = Segments(
            [
                ("tiers", "Tiers", "Tiers of variables, earlier to later."),
                ("matrix", "Matrix", "Required and forbidden edges, row → column."),
                ("rules", "Rules", "List of all constraints."),
                ("prices", "Prices", "What an edge must gain, for single pairs of variables."),
            ],
            "knowledgeLook",
        )
        self._segments.chosen.connect(self._on_look)
        self._source = self._combo("ruleSource", "Source of the edge.")
        self._target = self._combo("ruleTarget", "Target of the edge.")
        tip = "Price in nats: what the edge must gain; a negative one favours it, 0 removes it."
        self._price = decimal_box(
            "priceBox", "Price of the edge", tip, -MAX_PRICE, MAX_PRICE, 1.0, suffix=" nats"
        )
        self._rule_widgets = (
            button(
                "Require",
                lambda: self._rule_from_combos("required"),
                name="ruleRequire",
                tip="Require this edge in learned models.",
            ),
            button(
                "Forbid",
                lambda: self._rule_from_combos("forbidden"),
                name="ruleForbid",
                tip="Forbid this edge in learned models.",
            ),
        )
        self._price_widgets = (
            self._price,
            button(
                "Set price",
                self._price_from_field,
                name="priceSet",
                tip="Set the price of an edge between these variables, in either direction.",
            ),
        )
        self._count = label("", "secondary", name="ruleCount")
        self._between = label("→", "secondary", name="ruleBetween")
        self._clash = Note(level="warning", name="clashNote")
        self._clash.add_button(
            button(
                "View of the constraints",
                lambda: self._segments.button("rules").click(),
                role="link",
                name="clashRules",
                tip="All constraints, each with a button to remove it.",
            )
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*([theme().space(5)] * 4))
        layout.setSpacing(theme().space(3))
        layout.addWidget(
            row(
                self._segments,
                self._count,
                None,
                self._about,
                button(
                    "Import…",
                    self._on_import,
                    name="knowledgeImport",
                    tip="Read constraints from a JSON, Tetrad, two-column or arrow file; under "
                    "Prices, edge prices from a table, a matrix or a JSON file.",
                ),
                button(
                    "Export…",
                    self._on_export,
                    name="knowledgeExport",
                    tip="Write the constraints, or under Prices the prices, to a file.",
                ),
            )
        )
        layout.addWidget(
            row(
                self._source,
                self._between,
                self._target,
                *self._rule_widgets,
                *self._price_widgets,
                None,
            )
        )
        layout.addWidget(self._stack, 1)
        # Below the matrix, so that no cell moves under the pointer when a click causes a conflict.
        layout.addWidget(self._clash)
        app.document.changed.connect(self._on_changed)
        theme().follow(self.refresh)
        self._is_stale = False  # behind another page it changes when it is seen again
        self._on_look("tiers")
        self.refresh()

    def _combo(self, name: str, tip: str) -> QComboBox:
        combo = named(Combo(), name, tip, tip)
        combo.setMinimumWidth(theme().px("left_min") - 40)
        return combo

    # -- showing

    def show_about(self, subject: str) -> None:
        """Show the variables of a model or data set of the project."""
        self._offer_subjects()
        index = self._about.findData(subject)
        self._about.setCurrentIndex(max(0, index))

    def _offer_subjects(self) -> None:
        project = self._app.project
        titles = {ALL: "All variables"}
        titles |= {f"data:{key}": entry.name for key, entry in project.data.items()}
        titles |= {f"model:{key}": entry.title for key, entry in project.models.items()}
        offer(self._about, titles)

    def _names_at_hand(self, project: Project) -> list[str]:
        """The variables of the chosen model or data set, or all of the project."""
        kind, _, key = str(self._about.currentData() or ALL).partition(":")
        if kind == "data" and key in project.data:
            return list(project.data[key].data.domain.names)
        if kind == "model" and key in project.models:
            return list(project.models[key].model.domain.names)
        return variables_of(project)

    def _on_changed(self, before: Project, after: Project) -> None:
        if before.data is not after.data or before.models is not after.models:
            self._offer_subjects()
        known = (self._names_of(after), after.knowledge, after.edge_prices)
        if known != (self._names_of(before), before.knowledge, before.edge_prices):
            self._is_stale = True
            if self.isVisible():
                self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self.refresh()

    def refresh(self, *_: object) -> None:
        """Show the current constraints and variables."""
        self._is_stale = False
        project = self._app.project
        names, rules = self._names_of(project), project.knowledge
        self._lanes.show_tiers(names, rules.tiers, rules.closed_tiers)
        self._matrix.rules.show(names, rules)
        for index, combo in enumerate((self._source, self._target)):
            chosen = combo.currentText()
            combo.clear()
            combo.addItems(names)
            combo.setCurrentIndex(names.index(chosen) if chosen in names else index)
        if len(names) > 1 and self._source.currentText() == self._target.currentText():
            self._target.setCurrentIndex((self._source.currentIndex() + 1) % len(names))
        prices, listed = project.edge_prices, []
        if rules.rule_count() or not prices.prices:
            listed.append(counted(rules.rule_count(), "rule"))
        if prices.prices:
            listed.append(counted(len(prices.prices), "price"))
        self._count.setText(", ".join(listed))
        self._prices.show_prices(prices)
        clashes = rules.contradictions(variables_of(project))
        self._clash.show_text(" ".join(clashes[:6]))
        self._list_rules(rules)

    def _list_rules(self, rules: Knowledge) -> None:
        empty(self._list_layout)
        for kind, chosen in (("required", rules.required), ("forbidden", rules.forbidden)):
            for edge in sorted(chosen):
                self._list_layout.addWidget(self._rule_row(kind, edge))
        for number, tier in enumerate(rules.tiers):
            closed = ", no edges within" if number in rules.closed_tiers else ""
            text = f"Tier {number + 1}: {', '.join(tier) or 'empty'}{closed}"
            go = partial(self._lanes.remove, number)
            remove = tool_button("x", f"Remove constraint: tier {number + 1}", go)
            text_label = label(text, wrap=True)
            # A wrapping label has a small size hint; up to this width it stays on one line.
            whole = text_width(text_label, text) + 2
            text_label.setMinimumWidth(min(whole, round(_WIDEST_TIER * theme().scale)))
            self._list_layout.addWidget(row(text_label, remove, None))
        if rules.is_empty:
            self._list_layout.addWidget(
                label("No constraints. Draw tiers, or require and forbid edges above.", "secondary")
            )
        self._list_layout.addStretch(1)

    def _rule_row(self, kind: str, edge: Edge) -> QWidget:
        source, target = edge
        chip = label(kind, "chip-do" if kind == "required" else "chip-evidence", size="caption")
        remove = tool_button(
            "x",
            f"Remove constraint: {source} → {target}",
            partial(self.set_rule, source, target, ""),
        )
        return row(chip, label(f"{source} → {target}"), remove, None)

    def _on_look(self, key: str) -> None:
        self._stack.setCurrentIndex(["tiers", "matrix", "rules", "prices"].index(key))
        self._between.setText("–" if key == "prices" else "→")  # a price is of both directions
        for widgets, are_shown in (
            (self._rule_widgets, key != "prices"),
            (self._price_widgets, key == "prices"),
        ):
            for widget in widgets:
                widget.setVisible(are_shown)

    # -- edits

    def set_rule(self, source: str, target: str, rule: str) -> None:
        """Set the constraint of an edge as an undoable change; "" removes it."""
        edit, verb = _EDITS[rule]
        self._app.change(f"{verb} {source} → {target}", partial(edit, source=source, target=target))

    def _rule_from_combos(self, rule: str) -> None:
        self.set_rule(self._source.currentText(), self._target.currentText(), rule)

    def set_price(self, one: str, other: str, price: float) -> None:
        """Set the price of the edges of a pair as an undoable change; 0 removes it."""
        pair = {one, other}
        prices = [known for known in self._app.project.edge_prices.prices if {*known[:2]} != pair]
        if price:
            prices.append((one, other, price))
        self._change_prices(f"Set the price of {one} – {other}", prices)

    def _change_prices(self, text: str, prices: Iterable[Price]) -> None:
        try:
            edit = partial(edits.set_edge_prices, edge_prices=EdgePrices(tuple(prices)))
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.change(text, edit)

    def choose_price(self, one: str, other: str) -> None:
        """Show the prices, with the field of the price of this pair."""
        self._segments.button("prices").click()
        for combo, name in ((self._source, one), (self._target, other)):
            combo.setCurrentText(name)
        known = {frozenset(pair): price for *pair, price in self._app.project.edge_prices.prices}
        self._price.setValue(known.get(frozenset((one, other)), self._price.value()))
        self._price.setFocus()
        self._price.selectAll()

    def _price_from_field(self) -> None:
        one, other = self._source.currentText(), self._target.currentText()
        self.set_price(one, other, self._price.value())
        self._segments.button("prices").click()

    def _on_tiers(self, tiers: Iterable[Iterable[str]], closed: Iterable[int]) -> None:
        self._app.change("Change tiers", partial(edits.set_tiers, tiers=tiers, closed_tiers=closed))

    def _shows_prices(self) -> bool:
        return self._segments.button("prices").isChecked()

    def _on_import(self) -> None:
        if self._shows_prices():
            chosen = choose_file(self, "knowledge", "Import edge prices", PRICE_ENDINGS)
            if chosen is not None:
                self.import_prices(chosen)
            return
        chosen = choose_file(self, "knowledge", "Import knowledge", ENDINGS)
        if chosen is not None:
            self.import_file(chosen)

    def import_file(self, path: Path) -> None:
        def show(knowledge: Knowledge) -> None:
            edit = partial(edits.set_knowledge, knowledge=knowledge)
            self._app.change(f"Import knowledge from {path.name}", edit)

        def work(*_: object) -> Knowledge:
            return read_knowledge(path)

        run_with_progress(self, f"Opening {path.name}", work, show, self._app.errors.report)

    def import_prices(self, path: Path) -> None:
        try:
            prices = read_edge_prices(path)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._change_prices(f"Import edge prices from {path.name}", prices.prices)

    def export_prices(self, path: Path) -> None:
        try:
            write_edge_prices(path, self._app.project.edge_prices)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(f"Saved {path.name}.")

    def _on_export(self) -> None:
        if self._shows_prices():
            ask_where(
                self,
                "Export edge prices",
                "edge-prices.csv",
                PRICE_ENDINGS,
                self.export_prices,
                kind="knowledge",
            )
            return
        ask_where(
            self,
            "Export knowledge",
            "knowledge.json",
            ENDINGS,
            self.export_file,
            kind="knowledge",
        )

    def export_file(self, path: Path) -> None:
        try:
            lossy = write_knowledge(path, self._app.project.knowledge)
        except PgmStudioError as error:
            self._app.errors.report(error)
            return
        self._app.notify(" ".join([f"Saved {path.name}.", *lossy]))


def variables_of(project: Project) -> list[str]:
    """All variables of the project, in the order of its data sets and models."""
    domains = [entry.data.domain for entry in project.data.values()]
    domains += [entry.model.domain for entry in project.models.values()]
    return list(dict.fromkeys(name for domain in domains for name in domain.names))
