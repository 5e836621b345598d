"""Context menus on the bands of a decision graph: of a variable, and of one of its nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.decision_graph_choices import (
    Deed,
    Prospect,
    Step,
    merges_of,
    prospect,
    redirections_from,
)
from pgmstudio.core.models.decision_graph_measures import node_counts
from pgmstudio.core.models.decision_graph_reach import is_under
from pgmstudio.core.pictures.band_words import node_name, step_words
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.document.graph_nodes import NodeKey
from pgmstudio.gui.document.graph_rows import rows_of, take
from pgmstudio.gui.style.icons import icon
from pgmstudio.gui.views.canvas_menu import canvas_menu
from pgmstudio.gui.views.wishes import Hit

if TYPE_CHECKING:
    from pgmstudio.gui.pages.model_page import ModelPage
    from pgmstudio.gui.views.band_desk import BandDesk

# A menu with more lines is not read.
MOST_LISTED = 12


def band_menu(page: ModelPage, desk: BandDesk, hit: Hit) -> QMenu:
    """What can be done with a variable, and with its nodes as a whole."""
    menu = canvas_menu(page, hit, page)
    graph = desk.graph
    menu.addSeparator()
    if hit.node is not None and graph is not None:
        name = hit.node.id
        is_folded = name in desk.canvas.bands.collapsed
        fold = menu.addAction("Expand nodes" if is_folded else "Collapse nodes")
        fold.setObjectName("menu.collapse")
        has_several = graph.node_counts[graph.domain.index(name)] > 1
        fold.setEnabled(has_several)
        fold.setToolTip("" if has_several else "Not now: it has one node.")
        fold.triggered.connect(partial(desk.toggle, name))
        _add_move(menu, desk, graph, name)
    else:
        for words, on in (("Collapse all nodes", True), ("Expand all nodes", False)):
            action = menu.addAction(words)
            action.triggered.connect(partial(desk.collapse_all, on))
    return menu


def _add_move(menu: QMenu, desk: BandDesk, graph: DecisionGraph, name: str) -> None:
    i = graph.domain.index(name)
    places = menu.addMenu(icon("tree-structure"), "Move in the forest")
    places.setObjectName("menu.move")
    if graph.forest[i] is not None:
        places.addAction("To the top").triggered.connect(partial(desk.move, name, None))
    for other, title in enumerate(graph.domain.names):
        if other != i and other != graph.forest[i] and not is_under(graph, other, i):
            action = places.addAction(f"Below {title}")
            action.triggered.connect(partial(desk.move, name, title))
    places.setEnabled(bool(places.actions()))


def told(found: Prospect) -> str:
    """ΔL and Δsize in short."""
    if found.bits is None:
        return f"size {_signed(found.size)}"
    return f"{found.bits:+.1f} bits, size {_signed(found.size)}".replace("-", "−")


def _signed(number: int) -> str:
    return f"{number:+d}".replace("-", "−")


def graph_node_menu(shell: Shell, model_id: str, desk: BandDesk, key: NodeKey) -> QMenu:
    """Merge, split, redirect: each with what it brings."""
    menu = QMenu(desk.canvas)
    menu.setObjectName("graphNodeMenu")
    menu.setToolTipsVisible(True)
    entry = shell.project.models[model_id]
    graph = entry.model
    if not isinstance(graph, DecisionGraph):
        return menu
    rows = rows_of(shell.project, entry)
    counts = None if rows is None else node_counts(graph, rows)
    merges = menu.addMenu(icon("git-merge"), "Merge with")
    merges.setObjectName("menu.merge")
    found = merges_of(graph, *key, counts)
    legal = sorted((p for p in found if not p.refusal), key=lambda p: -(p.bits or 0.0))
    for choice in legal[:MOST_LISTED]:
        name = node_name(graph, key[0], choice.step.other)
        action = merges.addAction(f"{name}\t{told(choice)}")
        action.triggered.connect(partial(take, shell, model_id, choice.step))
    merges.setEnabled(bool(legal))
    refused = next((p.refusal for p in found if p.refusal), "its variable has no other node.")
    merges.menuAction().setToolTip("" if legal else f"Not now: {refused}")
    split = prospect(graph, Step(Deed.SPLIT, *key), rows)
    words = "Split" if split.refusal else f"Split\t{told(split)}"
    action = menu.addAction(icon("git-fork"), words)
    action.setObjectName("menu.split")
    action.setEnabled(not split.refusal)
    action.setToolTip(f"Not now: {split.refusal}" if split.refusal else "One node for each arc.")
    action.triggered.connect(partial(take, shell, model_id, split.step))
    arcs = menu.addMenu(icon("path"), "Redirect an arc")
    arcs.setObjectName("menu.redirect")
    steps = list(redirections_from(graph, *key))[:MOST_LISTED]
    for step in steps:
        arc = arcs.addAction(step_words(graph, step))
        arc.triggered.connect(partial(take, shell, model_id, step))
    arcs.setEnabled(bool(steps))
    menu.addSeparator()
    fold = menu.addAction("Collapse the nodes of this variable")
    fold.triggered.connect(partial(desk.toggle, key[0]))
    return menu
