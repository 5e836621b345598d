"""The toolbar above the canvas of a model: diagrams, tools, node mode, layout, evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from pgmstudio.core.number_format import counted
from pgmstudio.gui.canvas.edge_strengths import KINDS
from pgmstudio.gui.canvas.layout_worker import METHODS
from pgmstudio.gui.canvas.node_view import MODE_TITLES, NodeMode
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, button, hbox, label, named, tool_button

_TOOLS = (
    ("select", "cursor", "Select and move (Esc)"),
    ("node", "plus-circle", "Add a node: click on the background (N)"),
    ("edge", "flow-arrow", "Draw an edge: drag from node to node (L)"),
    (
        "separation",
        "path",
        "Separation: click A, B and the given variables",
    ),
)
_MARGIN = 5
_WORDS, _SHORT = f"⚑ {counted(8, 'finding')}", "⚑ 88"  # the room that is kept for findings
QWIDGETSIZE_MAX = (1 << 24) - 1


class DiagramChoice(NamedTuple):
    """One diagram in the toolbar; details fold first when the toolbar is narrow."""

    name: str
    title: str
    tip: str
    is_detail: bool = False


class ModelBar(QFrame):
    """The toolbar of a model page. The `show_…` methods emit no signal."""

    picture_chosen = Signal(str)
    tool_chosen = Signal(str)
    mode_chosen = Signal(object)  # NodeMode
    layout_chosen = Signal(str)
    strength_chosen = Signal(str)
    clear_requested = Signal()

    def __init__(
        self, parent: QWidget | None = None, *, strengths: Collection[str] = tuple(KINDS)
    ) -> None:
        super().__init__(parent)
        self.setObjectName("modelBar")
        self.setProperty("role", "surface")
        self._picture_names: tuple[str, ...] = ()
        self._fold_order = _fold_order(())
        self._pictures = Segments((), "picture")
        self._tools: dict[str, QToolButton] = {}
        self._tool_box = QWidget()
        tools = QHBoxLayout(self._tool_box)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(2)
        for name, symbol, tip in _TOOLS:
            made = tool_button(symbol, tip, checkable=True, name=f"tool.{name}")
            made.clicked.connect(lambda _=False, name=name: self.tool_chosen.emit(name))
            tools.addWidget(made)
            self._tools[name] = made
        self._modes = self._combo(
            "modeCombo", "How nodes are drawn", {m.value: t for m, t in MODE_TITLES.items()}
        )
        self._modes.setPlaceholderText("Mixed")
        self._layouts = self._combo("layoutCombo", "Arrange all nodes", METHODS)
        self._strengths = self._combo(
            "strengthCombo", "Edge width", {key: KINDS[key].choice for key in strengths}
        )
        self._combos = {
            "modes": self._modes,
            "layouts": self._layouts,
            "strengths": self._strengths,
        }
        self._modes.activated.connect(self._on_mode)
        self._layouts.activated.connect(self._on_layout)
        self._strengths.activated.connect(self._on_strength)
        self._picture_menu = self._menu_button("pictureMenu", "More", "More diagrams of this model")
        self._view_menu = self._menu_button("viewMenu", "View", "Nodes, layout and edge width")
        self._tool_menu = self._menu_button("toolMenu", "Tools", "Select, add nodes, draw edges")
        self._chip = label("", "chip-evidence", name="evidenceChip")
        self._chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._clear = button(
            "Clear",
            self.clear_requested.emit,
            role="link",
            icon_name="eraser",
            tip="Clear all evidence of this model",
            name="clearEvidence",
        )
        row = hbox(
            self,
            self._pictures,
            self._picture_menu,
            self._tool_box,
            self._tool_menu,
            self._modes,
            self._layouts,
            self._strengths,
            self._view_menu,
            None,
            self._chip,
            self._clear,
            margins=(10, _MARGIN, 10, _MARGIN),
            spacing=8,
        )
        self._row = row
        self._pictures.hide()
        self._fill_menus()
        self.show_tool("select")
        self._own: QWidget | None = None
        self._is_plain = False  # without tools and what arranges a graph
        self._is_measurable = True
        self._shown_count = -1
        self._hidden: set[str] = set()  # what is folded now
        self._chip_padding = 0
        self._rooms = {_WORDS: 0, _SHORT: 0}  # px of the findings in words and shorter
        self._clear_widths: dict[str, int] = {}  # by text
        self.show_evidence(0)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _combo(self, name: str, tip: str, entries: Mapping[str, str]) -> QComboBox:
        made = named(QComboBox(), name, tip, tip)
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for key, text in entries.items():
            made.addItem(text, key)
        return made

    def _menu_button(self, name: str, text: str, tip: str) -> QToolButton:
        made = named(QToolButton(), name)
        made.setText(text)
        made.setToolTip(tip)
        made.setAccessibleName(tip)
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        made.setMenu(QMenu(made))
        made.hide()
        return made

    def _fill_menus(self) -> None:
        """Fill the menus that replace combos and tools in a narrow toolbar."""
        menu = self._view_menu.menu()
        for number, combo in enumerate((self._modes, self._layouts, self._strengths)):
            if number:
                menu.addSeparator()
            group = QActionGroup(menu)
            for index in range(combo.count()):
                action = QAction(combo.itemText(index), menu)
                action.setCheckable(True)
                action.triggered.connect(
                    lambda _=False, combo=combo, index=index: self._choose(combo, index)
                )
                group.addAction(action)
                menu.addAction(action)
                menu.aboutToShow.connect(
                    lambda action=action, combo=combo, index=index: action.setChecked(
                        combo.currentIndex() == index
                    )
                )
        self._strength_actions = group
        for name, symbol, tip in _TOOLS:
            action = self._tool_menu.menu().addAction(icon(symbol), tip)
            action.triggered.connect(lambda _=False, name=name: self.tool_chosen.emit(name))

    def set_diagrams(self, diagrams: Sequence[DiagramChoice]) -> None:
        """The diagrams to choose from; a single one needs no choice."""
        entries = [diagram[:3] for diagram in diagrams]
        before, self._pictures = self._pictures, Segments(entries, "picture")
        self._pictures.chosen.connect(self.picture_chosen)
        self._row.replaceWidget(before, self._pictures)
        before.deleteLater()
        self._pictures.setVisible(len(entries) > 1)
        self._picture_names = tuple(diagram.name for diagram in diagrams)
        self._fold_order = _fold_order(diagrams)
        self._picture_menu.menu().clear()
        for name, title, tip in entries:
            action = self._picture_menu.menu().addAction(title)
            action.setToolTip(tip)
            action.triggered.connect(lambda _=False, name=name: self.picture_chosen.emit(name))
        self._fold()

    @staticmethod
    def _choose(combo: QComboBox, index: int) -> None:
        combo.setCurrentIndex(index)
        combo.activated.emit(index)

    def _on_mode(self, index: int) -> None:
        self.mode_chosen.emit(NodeMode(self._modes.itemData(index)))

    def _on_layout(self, index: int) -> None:
        self.layout_chosen.emit(self._layouts.itemData(index))

    def _on_strength(self, index: int) -> None:
        self.strength_chosen.emit(self._strengths.itemData(index))

    # -- showing

    def show_picture(self, name: str) -> None:
        self._pictures.choose(name)
        self._fold()

    def show_tool(self, name: str) -> None:
        for key, made in self._tools.items():
            made.setChecked(key == name)

    def show_mode(self, mode: NodeMode | None) -> None:
        self._modes.setCurrentIndex(-1 if mode is None else self._modes.findData(mode.value))

    def show_layout(self, method: str) -> None:
        self._layouts.setCurrentIndex(self._layouts.findData(method))

    def show_strength(self, key: str) -> None:
        self._strengths.setCurrentIndex(self._strengths.findData(key))

    def show_evidence(self, count: int) -> None:
        if count == self._shown_count:
            return
        self._shown_count = count
        self._chip.setToolTip(counted(count, "finding"))
        self._chip.setAccessibleName(counted(count, "finding"))
        self._fix_chip()

    def _fix_chip(self) -> None:
        """Show the findings in the room that is left, in words or shorter; no button moves."""
        count = max(self._shown_count, 0)
        words = f"⚑ {counted(count, 'finding')}"
        room = self.width() - 20 - self._width(self._hidden)
        forms = ((words, "Clear"), (words, ""), (f"⚑ {count}", ""), ("", ""))
        fitting = [form for form in forms if self._width_of_evidence(*form) <= room]
        text, clear = (fitting or forms)[0 if fitting else -1]
        # Unchanged texts and sizes are not set again: each would lay out the whole window.
        if (text, clear) != (self._chip.text(), self._clear.text()):
            self._chip.setText(text)
            self._clear.setText(clear)
        size = QSize(self._chip_width(text), theme().px("view_bar") - 2 * _MARGIN)
        if size != self._chip.minimumSize():
            self._chip.setFixedSize(size)
        self._chip.setVisible(count > 0 and bool(text))
        self._clear.setVisible(count > 0 and bool(fitting))

    def _chip_width(self, text: str) -> int:
        """The same for one finding and nine: another width would lay out the whole window."""
        widest = re.sub(r"\d", "8", re.sub(r"\bfinding$", "findings", text))
        return self._chip_padding + self._chip.fontMetrics().horizontalAdvance(widest)

    def _width_of_evidence(self, text: str, clear: str) -> int:
        width = self._clear_widths.get(clear, 0) + self._row.spacing()
        return width + (self._chip_width(text) + self._row.spacing() if text else 0)

    def _reserve(self) -> None:
        """Measure the findings, for which room is kept free also without evidence."""
        self._chip.ensurePolished()
        self._chip.setMinimumSize(0, 0)  # a fixed size would be the hint of any text
        self._chip.setMaximumSize(QWIDGETSIZE_MAX, QWIDGETSIZE_MAX)
        self._chip.setText(_SHORT)
        advance = self._chip.fontMetrics().horizontalAdvance(_SHORT)
        self._chip_padding = self._chip.sizeHint().width() - advance
        for text in ("Clear", ""):
            self._clear.setText(text)
            self._clear_widths[text] = self._clear.sizeHint().width()
        self._rooms = {
            _WORDS: self._width_of_evidence(_WORDS, "Clear"),
            _SHORT: self._width_of_evidence(_SHORT, ""),
        }

    def set_separable(self, disabled_reason: str) -> None:
        """Enable the tool for separation, or explain why it is disabled."""
        made, tip = self._tools["separation"], next(t[2] for t in _TOOLS if t[0] == "separation")
        made.setEnabled(not disabled_reason)
        made.setToolTip(f"Not now: {disabled_reason}" if disabled_reason else tip)

    def set_measurable(self, measurable: bool) -> None:
        """Offer the choice of edge strengths, or hide it."""
        if measurable != self._is_measurable:
            self._is_measurable = measurable
            self._strength_actions.setVisible(measurable)
            self._fold()

    def set_editable(
        self, editable: bool, disabled_reason: str = "", *, joinable: bool = False
    ) -> None:
        """Enable the tools that edit the structure; `joinable`: the edge tool alone."""
        for name, _, tip in (tool for tool in _TOOLS if tool[0] in ("node", "edge")):
            can = editable or (joinable and name == "edge")
            self._tools[name].setEnabled(can)
            self._tools[name].setToolTip(tip if can else f"Not now: {disabled_reason}")

    def add_own(self, tools: QWidget) -> None:
        """Add the tools of a language that replace those for graphs in the plain toolbar."""
        self._own = tools
        self._row.insertWidget(self._row.indexOf(self._tool_box), tools)
        tools.setVisible(self._is_plain)

    def set_plain(self, plain: bool) -> None:
        """Hide the tools for graphs in a diagram that has no nodes to move, connect or lay out."""
        if plain != self._is_plain:
            self._is_plain = plain
            self._fold()

    # -- narrow

    def minimumSizeHint(self) -> QSize:
        """The folded width, so that the toolbar does not keep the window wide."""
        width = self._width({*self._fold_order}) + self._rooms[_SHORT] + 20
        return QSize(width, super().minimumSizeHint().height())

    def _restyle(self) -> None:
        self.setMinimumHeight(theme().px("view_bar"))
        self._reserve()
        self._fold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    @property
    def _offered(self) -> set[str]:
        """The choosers of the current diagram, folded or not."""
        if self._is_plain:
            return set()
        return {name for name in self._combos if self._is_measurable or name != "strengths"}

    def _fold(self) -> None:
        """Fold what is used least: combos into *View*, diagrams into *More*, tools into *Tools*.
        Combos and details of diagrams make room for findings in words, also while there is none;
        only tools and other diagrams in a very narrow toolbar take it."""
        hidden: set[str] = set()
        room = self.width() - 20
        for step in ("", *self._fold_order):
            hidden |= {step} if step else set()
            reserved = 0 if "modes" in hidden else self._rooms[_WORDS]
            if self._width(hidden) + reserved <= room:
                break
        offered = self._offered
        for name, combo in self._combos.items():
            combo.setVisible(name in offered - hidden)
        self._view_menu.setVisible(bool(hidden & offered))
        self._tool_box.setVisible("tools" not in hidden and not self._is_plain)
        if self._own is not None:
            self._own.setVisible(self._is_plain)
        self._tool_menu.setVisible("tools" in hidden and not self._is_plain)
        self._pictures.show_only(self._shown_pictures(hidden))
        self._picture_menu.setVisible(bool(hidden & set(self._picture_names)))
        self._hidden = hidden
        self._fix_chip()

    def _shown_pictures(self, hidden: set[str]) -> list[str]:
        """The current diagram is never hidden."""
        chosen = self._pictures.current
        return [name for name in self._picture_names if name not in hidden or name == chosen]

    def _width(self, hidden: set[str]) -> int:
        """The width without the hidden parts."""
        shown: list[QWidget] = []
        if self._is_plain and self._own is not None:
            shown.append(self._own)
        if not self._is_plain:
            shown.append(self._tool_menu if "tools" in hidden else self._tool_box)
        shown += [self._combos[name] for name in self._offered - hidden]
        if hidden & self._offered:
            shown.append(self._view_menu)
        if hidden & set(self._picture_names):
            shown.append(self._picture_menu)
        width = sum(w.sizeHint().width() + self._row.spacing() for w in shown)
        if len(self._picture_names) > 1:
            pictures = [self._pictures.button(name) for name in self._shown_pictures(hidden)]
            width += sum(made.sizeHint().width() for made in pictures) + self._row.spacing()
        return width


def _fold_order(diagrams: Sequence[DiagramChoice]) -> tuple[str, ...]:
    """The parts that are hidden in a narrow toolbar, the least used first."""
    details = [diagram.name for diagram in diagrams if diagram.is_detail]
    others = [diagram.name for diagram in diagrams if not diagram.is_detail]
    return ("strengths", "layouts", *reversed(details), "modes", "tools", *reversed(others))
