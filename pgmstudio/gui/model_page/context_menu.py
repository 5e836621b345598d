"""The context menus of the canvas: of a node, an edge and the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from pgmstudio.core.model import UndirectedModel, edge_text
from pgmstudio.core.number_format import percent
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Project
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_item import EdgeItem
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_view import MODE_TITLES, NodeMode, NodeView
from pgmstudio.gui.canvas.overlays import BLANKET
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.evidence.action_conditions import no_probabilities_reason
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import literal, named

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


def do_menu(
    face: NodeView, node: str, canvas: Canvas, parent: QWidget, disabled_reason: str = ""
) -> QMenu:
    """Every state, also one that never happens by itself; the one that is set has a tick."""
    menu = named(QMenu("Do", parent), "menu.do")
    menu.setIcon(icon("lock-simple"))
    menu.setToolTipsVisible(True)
    menu.menuAction().setToolTip(
        f"Not now: {disabled_reason}"
        if disabled_reason
        else "Intervene: fix its state and cut the edges from its parents."
    )
    menu.setEnabled(not disabled_reason)
    group = QActionGroup(menu)
    mark = face.mark
    for state in face.states:
        action = menu.addAction(literal(f"do = {state}"))
        action.setObjectName(f"menu.do.{state}")
        action.setCheckable(True)
        action.setChecked(mark is not None and mark.is_done and mark.chosen == state)
        action.setToolTip(f"do({face.title} = {state})")
        action.triggered.connect(lambda _=False, state=state: canvas.signals.do.emit(node, state))
        group.addAction(action)
    return menu


def add_why(menu: QMenu, page: ModelPage, hit: Hit) -> None:
    """On an edge, or on one of two selected nodes: why (not) this edge."""
    nodes = page.scene().selected_nodes
    if hit.node is None and hit.edge is not None:
        text = "Why this edge?"
    elif hit.node is not None and len(nodes) == 2 and hit.node.id in nodes:
        text = f"Explain edge {nodes[0]} – {nodes[1]}…"
    else:
        return
    menu.addSeparator()
    action = menu.addAction(icon("question"), literal(text))
    action.setObjectName("menu.why")
    action.setToolTip("Scores, tests, rules and searches, in the inspector.")
    action.triggered.connect(page.selecting.ask_why)


Command = Callable[[], object]
# Entries that show the keys of an action.
_ACTIONS = {
    "clear": "evidence.retract",
    "target": "evidence.target",
    "rename": "model.rename",
    "copy": "edit.copy",
    "delete": "model.delete",
    "reverse": "model.reverse",
    "add": "model.add-node",
    "paste": "edit.paste",
    "fit": "view.fit",
    "find": "model.find",
}


def canvas_menu(page: ModelPage, hit: Hit, parent: QWidget) -> QMenu:
    """The context menu of the item under the pointer."""
    menu = named(QMenu(parent), "canvasMenu")
    menu.setToolTipsVisible(True)
    if hit.node is not None and hit.node.node.variable is not None:
        _node_menu(menu, page, hit.node)
    elif hit.edge is not None and page.is_editable:
        _edge_menu(menu, page, hit.edge)
    else:
        _ground_menu(menu, page, hit)
    add_why(menu, page, hit)
    _show_keys(menu, page)
    return menu


def _show_keys(menu: QMenu, page: ModelPage) -> None:
    """The keys that the entries have in the menu bar."""
    for entry in menu.actions():
        action = _ACTIONS.get(entry.objectName().removeprefix("menu."))
        if action is not None:
            entry.setShortcut(page.app.actions[action].shortcut())
            entry.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # handled elsewhere
            entry.setShortcutVisibleInContextMenu(True)


def _add(
    menu: QMenu,
    name: str,
    text: str,
    command: Command,
    icon_name: str | None = None,
    disabled_reason: str = "",
) -> None:
    action = menu.addAction(literal(text))
    action.setObjectName(f"menu.{name}")
    if icon_name is not None:
        action.setIcon(icon(icon_name))
    action.triggered.connect(lambda _=False: command())
    action.setEnabled(not disabled_reason)
    action.setToolTip(f"Not now: {disabled_reason}" if disabled_reason else text)


def _node_menu(menu: QMenu, page: ModelPage, item: NodeItem) -> None:
    name, face, signals = item.id, item.face, page.canvas.signals
    if face.beliefs:
        _state_menu(menu, "evidence", "Set evidence", face, signals.click_state.emit, name, "flag")
        _state_menu(menu, "not", "Not", face, signals.exclude_state.emit, name, "prohibit")
        _add(
            menu,
            "likelihood",
            "Likelihood…",
            lambda: page.asking.begin_likelihood(name),
            "sliders-horizontal",
            no_probabilities_reason(page.entry.model) or "",
        )
        menu.addMenu(do_menu(face, name, page.canvas, menu, page.asking.no_do_reason()))
        no_evidence = "" if face.weights else "there is no evidence on this node."
        clear = lambda: signals.clear_evidence.emit(name)  # noqa: E731
        _add(menu, "clear", "Clear evidence", clear, "eraser", no_evidence)
        menu.addSeparator()
    text = "No longer the target" if face.is_target else "Make target"
    _add(menu, "target", text, lambda: signals.target.emit(name), "crosshair")
    _add(menu, "table", "Show table", lambda: signals.open_node.emit(name), "table")
    around = page.canvas.show_around
    _add(menu, "neighbourhood", "Show only its neighbourhood", lambda: around(name, 1))
    _add(menu, "blanket", "Show only its Markov blanket", lambda: around(name, BLANKET))
    _separation_menu(menu, page, name)
    modes = menu.addMenu("Show as")
    for mode, title in MODE_TITLES.items():
        has_bits = mode is NodeMode.ENTROPY
        reason = no_probabilities_reason(page.entry.model) if has_bits else ""
        choose = partial(page.set_mode, mode, [name])
        _add(modes, f"mode.{mode.value}", title, choose, disabled_reason=reason or "")
    if page.is_editable:
        menu.addSeparator()
        _add(menu, "rename", "Rename", lambda: page.canvas.view.begin_rename(name))
        _add(menu, "copy", "Copy", page.editing.copy)
        _add(menu, "delete", "Delete", lambda: page.editing.delete([name]))


def _state_menu(
    menu: QMenu,
    key: str,
    title: str,
    face: NodeView,
    request: Callable[[str, str], object],
    name: str,
    icon_name: str,
) -> None:
    states = menu.addMenu(icon(icon_name), literal(title))
    states.setObjectName(f"menu.{key}")
    for index, state in enumerate(face.states):
        reason = "this state is impossible." if face.is_impossible(index) else ""
        text = f"{state}\t{percent(face.beliefs[index])} %"
        _add(states, f"{key}.{state}", text, partial(request, name, state), None, reason)


def _edge_menu(menu: QMenu, page: ModelPage, item: EdgeItem) -> None:
    ends = item.ends
    if not isinstance(page.entry.model, UndirectedModel):
        _add(menu, "reverse", "Reverse", lambda: page.editing.reverse([ends]))
        covered, inheriting = page.editing.turning(*ends)
        turn = lambda: page.editing.turn(*ends)  # noqa: E731
        _add(menu, "turn", "Reverse, keep the distribution", turn, "arrows-left-right", covered)
        if covered and inheriting:
            _add(menu, "turn-inheriting", inheriting, turn, "arrows-left-right")
    _pin_menu(menu, page, ends)
    _add(menu, "delete", "Delete", lambda: page.editing.delete((), [ends]))


def _pin_menu(menu: QMenu, page: ModelPage, ends: tuple[str, str]) -> None:
    """Rules about this edge, for the next time something is learned."""
    rules, edge = page.canvas.rules.knowledge, edge_text(page.entry.model, *ends)

    def rule(word: str, edit: Callable[..., Project]) -> Command:
        changed = edits.rule_edit(edit, page.entry.model, *ends)
        return lambda: page.editing.change(f"{word} {edge}", changed)

    if ends in rules.required:
        free = rule("Unpin", edits.forget_edge_rule)
        _add(menu, "unpin", "Unpin: learning may drop it", free, "push-pin-slash")
    else:
        _add(menu, "pin", "Require when learning", rule("Pin", edits.require_edge), "push-pin")
    if ends in rules.forbidden:
        _add(menu, "allow", "Allow when learning", rule("Allow", edits.forget_edge_rule))
    else:
        forbid = rule("Forbid", edits.forbid_edge)
        _add(menu, "forbid", "Forbid when learning", forbid, "prohibit")


def _separation_menu(menu: QMenu, page: ModelPage, name: str) -> None:
    parts = menu.addMenu(icon("path"), "Separation")
    parts.setObjectName("menu.separation")
    parts.setToolTipsVisible(True)
    reason = page.separation.disabled_reason()
    for role, text in (("A", "As A"), ("B", "As B"), ("Z", "As given")):
        command = partial(page.separation.pick, name, role)
        _add(parts, f"separation.{role}", text, command, None, reason)


def _ground_menu(menu: QMenu, page: ModelPage, hit: Hit) -> None:
    point = (round(hit.point.x()), round(hit.point.y()))
    if page.is_editable:
        _add(menu, "add", "Add node", lambda: page.canvas.view.begin_node(hit.point), "plus-circle")
        _add(menu, "paste", "Paste", lambda: page.editing.paste(point))
        menu.addSeparator()
    _add(menu, "fit", "Fit into view", page.canvas.view.fit, "frame-corners")
    _add(menu, "find", "Find a node…", page.canvas.open_find)
