"""The canvas by keyboard: moving between nodes, entering a node, setting evidence in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QKeyCombination, QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent, QKeySequence

from pgmstudio.core.drawing.diagram import Point
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.canvas.tools import MIN_WEIGHT, EdgeTool, Modifiers, SeparationTool
from pgmstudio.gui.widgets.actions import CANVAS_KEYS

if TYPE_CHECKING:
    from pgmstudio.gui.canvas.view import CanvasView


# The direction of each arrow key.
DIRECTIONS: Mapping[str, Point] = {
    "left": (-1.0, 0.0),
    "right": (1.0, 0.0),
    "up": (0.0, -1.0),
    "down": (0.0, 1.0),
}


def nearest(
    start: Point, positions: Mapping[str, Point], among: Iterable[str], direction: str
) -> str | None:
    """The nearest node of `among` that lies more forward than sideways.

    If there is none, the nearest that is forward at all; None if there is none.
    """
    fx, fy = DIRECTIONS[direction]
    best: tuple[int, float, str] | None = None
    for name in among:
        dx, dy = positions[name][0] - start[0], positions[name][1] - start[1]
        forward, sideways = dx * fx + dy * fy, abs(dx * fy - dy * fx)
        if forward <= 1e-6:
            continue
        rank = (0 if forward >= sideways else 1, forward + sideways, name)
        if best is None or rank < best:
            best = rank
    return None if best is None else best[2]


def first_of(positions: Mapping[str, Point], among: Iterable[str]) -> str | None:
    """The first node in reading order: topmost, then leftmost."""
    return min(among, key=lambda name: (positions[name][1], positions[name][0]), default=None)


Command = Callable[[], object]
Key = Qt.Key

_ARROWS = {Key.Key_Left: "left", Key.Key_Right: "right", Key.Key_Up: "up", Key.Key_Down: "down"}
WEIGHT_STEP = 0.05
_ACTION_OF_KEY = {
    QKeySequence(key).toString(): action for action, keys in CANVAS_KEYS.items() for key in keys
}
# With both keys held, arrows align the selection: shortcuts of the Model menu.
ALIGNING = Modifiers.ControlModifier | Modifiers.ShiftModifier


class CanvasKeys:
    """Keyboard handling of a canvas view: the focused node and, inside it, the focused state."""

    def __init__(self, view: CanvasView) -> None:
        self._view = view
        self.node: str | None = None
        self.state: int | None = None  # the index of the focused state; None outside of nodes

    def wants(self, event: QKeyEvent) -> bool:
        """Whether the canvas handles this key, so that no shortcut of the window takes it."""
        return self._handler(event) is not None

    def press(self, event: QKeyEvent) -> bool:
        handler = self._handler(event)
        if handler is not None:
            handler()
        return handler is not None

    # -- what a key means now

    def _handler(self, event: QKeyEvent) -> Command | None:
        if event.matches(QKeySequence.StandardKey.Find):  # of the whole window
            return self._view.signals.find.emit
        key, modifiers = Key(event.key()), event.modifiers() & ~Modifiers.KeypadModifier
        item = self._item
        if item is not None and self.state is not None:
            handler = self._inside(item, self.state, key, modifiers)
            if handler is not None:
                return handler
        if key in _ARROWS and modifiers & ALIGNING != ALIGNING and self._view.graph.nodes:
            return partial(self._walk, _ARROWS[key], modifiers)
        own = self._own(item, modifiers).get(key)
        if own is not None:
            return own
        if key == Key.Key_Plus:
            modifiers &= ~Modifiers.ShiftModifier  # needed to type it on many keyboards
        sequence = QKeySequence(QKeyCombination(modifiers, key)).toString()
        return self._actions(item).get(_ACTION_OF_KEY.get(sequence, ""))

    def _own(self, item: NodeItem | None, modifiers: Modifiers) -> dict[Qt.Key, Command]:
        """Keys that move within the canvas, or answer its tools."""
        view = self._view
        if modifiers == Modifiers.ShiftModifier:
            return {Key.Key_F10: self.open_menu}
        if modifiers != Modifiers.NoModifier:
            return {}
        commands: dict[Qt.Key, Command] = {Key.Key_Menu: self.open_menu}
        chosen = view.graph.selected_nodes or view.graph.selected_edges
        if view.tool.is_busy or view.tool.name != "select" or chosen:
            commands[Key.Key_Escape] = self._escape
        step = view.step_match
        if step is not None:  # a search is open
            commands |= {Key.Key_N: lambda: step(1), Key.Key_P: lambda: step(-1)}
        if item is not None:
            name = item.id
            # With a node selected, 1 sets its first state; else it zooms to 100 %.
            if tuple(view.graph.selected_nodes) == (name,):
                for number in range(min(9, len(item.face.states))):
                    commands[Key(Key.Key_1 + number)] = partial(
                        view.use_state, item, number, modifiers
                    )
            commands |= dict.fromkeys((Key.Key_Return, Key.Key_Enter), partial(self._enter, item))
            if isinstance(view.tool, SeparationTool):
                pick = view.tool.pick
                keys = {"A": Key.Key_A, "B": Key.Key_B, "Z": Key.Key_Z}
                commands |= {key: partial(pick, name, role) for role, key in keys.items()}
        return commands

    def _actions(self, item: NodeItem | None) -> dict[str, Command]:
        """What the actions of CANVAS_KEYS do here now."""
        view, signals = self._view, self._view.signals
        commands: dict[str, Command] = {
            "view.fit": view.fit,
            "view.actual-size": lambda: view.set_zoom(1.0),
            "view.zoom-in": lambda: view.zoom_by(1.25),
            "view.zoom-out": lambda: view.zoom_by(0.8),
            "edit.copy": signals.copy.emit,
            "edit.cut": signals.cut.emit,
            "edit.paste": lambda: signals.paste.emit(None),
            "edit.duplicate": signals.duplicate.emit,
            "edit.select-all": self._select_all,
        }
        if view.is_editable or view.is_pruned:
            commands["model.delete"] = signals.delete.emit
        if view.is_editable or (view.is_pruned and view.is_joinable):
            commands["model.draw-edges"] = lambda: signals.tool.emit("edge")
        if view.is_editable:
            commands["model.add-node"] = lambda: view.begin_node(view.pointer)
            commands["model.reverse"] = signals.reverse.emit
        if item is not None:
            name = item.id
            commands |= {
                "evidence.retract": lambda: signals.clear_evidence.emit(name),
                "evidence.target": lambda: signals.target.emit(name),
                "evidence.do": partial(self._choose_done, item),
                "model.rename": lambda: view.begin_rename(name),
            }
        return commands

    def _inside(
        self, item: NodeItem, state: int, key: Qt.Key, modifiers: Modifiers
    ) -> Command | None:
        view, signals = self._view, self._view.signals
        if key == Key.Key_Space:
            return lambda: view.use_state(item, state, modifiers)
        if Key.Key_1 <= key <= Key.Key_9:
            number = key - Key.Key_1
            if number < len(item.face.states):
                return lambda: view.use_state(item, number, modifiers)
            return lambda: None
        if modifiers != Modifiers.NoModifier:
            return None
        mark = item.face.mark
        if key in (Key.Key_Left, Key.Key_Right) and mark is not None and mark.is_soft:
            step = WEIGHT_STEP if key == Key.Key_Right else -WEIGHT_STEP
            return lambda: self._shift_weight(item, state, step)
        commands: dict[Qt.Key, Command] = {
            Key.Key_Up: lambda: self._step_state(item, -1),
            Key.Key_Down: lambda: self._step_state(item, 1),
            Key.Key_L: lambda: self._shift_weight(item, state, 0.0),
            Key.Key_C: lambda: signals.clear_evidence.emit(item.id),
            Key.Key_T: lambda: signals.target.emit(item.id),
            Key.Key_D: lambda: signals.do.emit(item.id, item.face.states[state]),
            Key.Key_Escape: self.leave,
            Key.Key_Return: self.leave,
            Key.Key_Enter: self.leave,
        }
        return commands.get(key)

    # -- walking

    @property
    def _item(self) -> NodeItem | None:
        return self._view.graph.nodes.get(self.node or "")

    def go_to(self, node: str | None) -> None:
        """Focus a node, outside of its states."""
        graph = self._view.graph
        before = self._item
        self.node, self.state = node, None
        if before is not None:
            before.change_look(has_focus=False, focus_state=None)
        item = self._item
        if item is not None:
            item.change_look(has_focus=True)
            self._announce(item.face.description)
        if graph.nodes and self._view.detail.value == "dot":
            self._view.viewport().update()

    def _walk(self, direction: str, modifiers: Modifiers) -> None:
        graph = self._view.graph
        positions = {i: n.centre for i, n in graph.nodes.items() if n.isVisible()}
        item = self._item
        if item is None:
            chosen = [n for n in graph.selected_nodes if n in positions]
            goal = chosen[0] if chosen else first_of(positions, positions)
        else:
            along = bool(modifiers & Modifiers.AltModifier)
            others = graph.picture.neighbours[item.id] if along else positions
            among = [n for n in others if n != item.id and n in positions]
            goal = nearest(item.centre, positions, among, direction)
        if goal is None:
            return
        self.go_to(goal)
        self._view.ensure_node_visible(goal)
        tool = self._view.tool
        if isinstance(tool, EdgeTool) and tool.is_busy:
            tool.aim(goal)
        elif modifiers & Modifiers.ShiftModifier:
            nodes = tuple(dict.fromkeys((*graph.selected_nodes, goal)))
            self._view.signals.select.emit(nodes, graph.selected_edges)
        elif not modifiers & Modifiers.ControlModifier:
            self._view.signals.select.emit((goal,), ())

    def _enter(self, item: NodeItem) -> None:
        tool = self._view.tool
        if isinstance(tool, EdgeTool | SeparationTool):
            tool.pick(item.id)
        elif item.face.shows_rows and item.geometry.shown:
            if self._view.detail.value != "full":
                self._view.set_zoom(1.0)
            self._view.ensure_node_visible(item.id)
            self._set_state(item, item.geometry.shown[0])
        else:
            self._view.signals.open_node.emit(item.id)

    def _choose_done(self, item: NodeItem) -> None:
        corner: QPoint = self._view.mapFromScene(item.box.bottomLeft())
        self._view.signals.do_menu.emit(item.id, self._view.viewport().mapToGlobal(corner))

    def enter(self, node: str) -> None:
        """Go to the first state of a node."""
        self.go_to(node)
        item = self._item
        if item is not None:
            self._enter(item)

    def leave(self) -> None:
        """Back from the states to the node."""
        self.state = None
        item = self._item
        if item is not None:
            item.change_look(focus_state=None)

    def _set_state(self, item: NodeItem, state: int) -> None:
        self.state = state
        item.change_look(focus_state=state)
        self._announce(f"{item.face.title}, {item.face.states[state]}")

    def _step_state(self, item: NodeItem, by: int) -> None:
        shown = item.geometry.shown
        at = shown.index(self.state) if self.state in shown else 0
        self._set_state(item, shown[min(len(shown) - 1, max(0, at + by))])

    def _shift_weight(self, item: NodeItem, state: int, by: float) -> None:
        """Change the likelihood of a state; without a likelihood, start with equal weights."""
        face = item.face
        if not face.beliefs or face.is_impossible(state):
            return
        mark = face.mark
        soft = mark is not None and mark.is_soft
        weights = list(face.weights) if soft else [1.0] * len(face.states)
        weights[state] = min(1.0, max(MIN_WEIGHT, round(weights[state] + by, 2)))
        self._view.signals.likelihood.emit(item.id, dict(zip(face.states, weights, strict=True)))

    def _escape(self) -> None:
        view = self._view
        if view.tool.is_busy:
            view.tool.cancel()
        elif view.tool.name != "select":
            view.signals.tool.emit("select")
        else:
            view.signals.select.emit((), ())

    def _select_all(self) -> None:
        graph = self._view.graph
        shown = tuple(i for i, n in graph.nodes.items() if n.isVisible())
        self._view.signals.select.emit(shown, ())

    def open_menu(self) -> None:
        """Open the context menu of the focused node, or of the background."""
        item, view = self._item, self._view
        if item is None:
            middle = view.viewport().rect().center()
            view.signals.menu.emit(
                Hit(view.mapToScene(middle)), view.viewport().mapToGlobal(middle)
            )
            return
        corner: QPoint = view.mapFromScene(item.box.bottomLeft())
        hit = Hit(item.pos(), item, state=self.state)
        view.signals.menu.emit(hit, view.viewport().mapToGlobal(corner))

    # -- focus

    def follow_pointer(self, hit: Hit) -> None:
        """Move the keyboard focus to a clicked node without showing a ring."""
        item = self._item
        if item is not None:
            item.change_look(has_focus=False, focus_state=None)
        self.node = None if hit.node is None else hit.node.id
        self.state = None

    def focus_came(self, reason: Qt.FocusReason) -> None:
        if reason in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            if self._item is None and self._view.graph.nodes:
                positions = {i: n.centre for i, n in self._view.graph.nodes.items()}
                chosen = [n for n in self._view.graph.selected_nodes if n in positions]
                self.go_to(chosen[0] if chosen else first_of(positions, positions))
            elif self.node is not None:
                self.go_to(self.node)

    def focus_went(self, reason: Qt.FocusReason) -> None:
        item = self._item
        if item is not None and reason != Qt.FocusReason.PopupFocusReason:
            item.change_look(has_focus=False, focus_state=None)
            self.state = None

    def _announce(self, text: str) -> None:
        """Announce a text to screen readers."""
        self._view.setAccessibleDescription(text)
        event = QAccessibleEvent(self._view, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(event)
