"""Context menus on the bands of a decision graph: of a variable, and of one of its nodes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QMenu

from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    ScoreWeight,
    merges_of,
    operation_effect,
    redirections_from,
)
from pgmstudio.core.languages.pdg.diagrams import node_name, node_numbers, operation_text
from pgmstudio.core.languages.pdg.measures import node_counts
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.node_facts import is_under, move_of
from pgmstudio.core.number_format import change
from pgmstudio.gui.canvas.signals import Hit
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.pdg.node_rows import take
from pgmstudio.gui.languages.pdg.node_selection import NodeKey
from pgmstudio.gui.model_page.context_menu import canvas_menu
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import literal

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.page_extension import PdgExtension
    from pgmstudio.gui.model_page.page import ModelPage

T = TypeVar("T")

# A menu with more lines is not read.
MAX_LISTED = 12
# Items not measured by then have no numbers in the menu; the inspector shows them later.
MAX_SECONDS = 0.1  # of this thread
TAB = "\t"  # what follows it stands at the right of a menu


def band_menu(page: ModelPage, controller: PdgExtension, hit: Hit) -> QMenu:
    """Add the actions on a variable and on all its nodes."""
    menu = canvas_menu(page, hit, page)
    graph = controller.graph
    menu.addSeparator()
    if hit.node is not None and graph is not None:
        name = hit.node.id
        is_folded = name in controller.canvas.bands.collapsed
        fold = menu.addAction("Expand nodes" if is_folded else "Collapse nodes")
        fold.setObjectName("menu.collapse")
        has_several = graph.node_counts[graph.domain.index(name)] > 1
        fold.setEnabled(has_several)
        fold.setToolTip("" if has_several else "Not now: it has one node.")
        fold.triggered.connect(partial(controller.toggle, name))
        _add_move(menu, controller, graph, name)
    else:
        for text, on in (("Collapse all nodes", True), ("Expand all nodes", False)):
            action = menu.addAction(text)
            action.triggered.connect(partial(controller.collapse_all, on))
    return menu


def _add_move(menu: QMenu, controller: PdgExtension, graph: DecisionGraph, name: str) -> None:
    i = graph.domain.index(name)
    positions: list[str | None] = [] if graph.forest[i] is None else [None]
    for other, title in enumerate(graph.domain.names):
        if other != i and other != graph.forest[i] and not is_under(graph, other, i):
            positions.append(title)
    moves = menu.addMenu(icon("tree-structure"), "Move in the forest")
    moves.setObjectName("menu.move")
    moves.setToolTipsVisible(True)
    moves.setEnabled(bool(positions))
    actions = []
    for above in positions:
        action = moves.addAction("To the top" if above is None else literal(f"Below {above}"))
        action.triggered.connect(partial(controller.move, name, above))
        actions.append((action, above))

    def measure() -> None:
        """Measure when the menu is opened, and only as many positions as it lists."""
        rows, weight = controller.measured_by()
        for action, above in _in_time(actions[:MAX_LISTED]):
            result = move_of(graph, name, above, rows)
            action.setEnabled(not result.refusal)
            action.setToolTip(f"Not now: {result.refusal}" if result.refusal else "")
            if not result.refusal:
                message = effect_text(result.bits, result.size, result.free, weight)
                action.setText(f"{action.text().partition(TAB)[0]}{TAB}{message}")

    moves.aboutToShow.connect(measure)


def _in_time(entries: Sequence[T]) -> Iterator[T]:
    """One after the other, until a person would notice."""
    end = time.thread_time() + MAX_SECONDS
    for entry in entries:
        yield entry
        if time.thread_time() > end:
            return


def effect_text(bits: float | None, size: int, free: int, weight: ScoreWeight) -> str:
    """ΔL, Δsize and Δscore in short."""
    if bits is None:
        return f"size {change(size, 0)}"
    score = weight.gain(bits, size, free)
    return f"{change(bits)} bits, size {change(size, 0)}, score {change(score)}"


def add_merges(
    menu: QMenu, app: AppContext, model_id: str, controller: PdgExtension, key: NodeKey
) -> str:
    """A line for each node it can be merged with, the one that loses least first; why there is
    none when there is none."""
    graph = controller.graph
    if graph is None:
        return "its graph is gone."
    rows, weight = controller.measured_by()
    counts = None if rows is None else node_counts(graph, rows)
    result = merges_of(graph, *key, counts)
    legal = sorted((p for p in result if not p.refusal), key=lambda p: -(p.bits or 0.0))
    for choice in legal[:MAX_LISTED]:
        name = node_name(graph, key[0], choice.step.other)
        text = effect_text(choice.bits, choice.size, choice.free, weight)
        action = menu.addAction(literal(f"{name}{TAB}{text}"))
        action.triggered.connect(partial(take, app, model_id, choice.step))
    if legal:
        return ""
    return next((p.refusal for p in result if p.refusal), "its variable has no other node.")


def add_split(
    menu: QMenu, app: AppContext, model_id: str, controller: PdgExtension, key: NodeKey
) -> None:
    """One line, greyed with the reason where there is nothing to split."""
    graph = controller.graph
    if graph is None:
        return
    rows, weight = controller.measured_by()
    split = operation_effect(graph, CandidateOperation(Operation.SPLIT, *key), rows)
    effect = effect_text(split.bits, split.size, split.free, weight)
    text = "Split" if split.refusal else f"Split{TAB}{effect}"
    action = menu.addAction(icon("git-fork"), text)
    action.setObjectName("menu.split")
    action.setEnabled(not split.refusal)
    action.setToolTip(f"Not now: {split.refusal}" if split.refusal else "One node for each arc.")
    action.triggered.connect(partial(take, app, model_id, split.step))


def graph_node_menu(
    app: AppContext, model_id: str, controller: PdgExtension, key: NodeKey
) -> QMenu:
    """Add merge, split and redirect, each with its change in score."""
    menu = QMenu(controller.canvas)
    menu.setObjectName("graphNodeMenu")
    menu.setToolTipsVisible(True)
    entry = app.project.models[model_id]
    graph = entry.model
    if not isinstance(graph, DecisionGraph):
        return menu
    rows, weight = controller.measured_by()
    merges = menu.addMenu(icon("git-merge"), "Merge with")
    merges.setObjectName("menu.merge")
    refusal = add_merges(merges, app, model_id, controller, key)
    merges.setEnabled(not refusal)
    merges.menuAction().setToolTip(f"Not now: {refusal}" if refusal else "")
    add_split(menu, app, model_id, controller, key)
    arcs = menu.addMenu(icon("path"), "Redirect an arc")
    arcs.setObjectName("menu.redirect")
    numbers = dict(zip(graph.domain.names, node_numbers(graph), strict=True))
    steps = sorted(
        redirections_from(graph, *key),
        key=lambda one: (one.variable, one.state, numbers[one.variable][one.node]),
    )[:MAX_LISTED]
    arcs.setEnabled(bool(steps))
    why = "Not now: no arc of it has another node to go to."
    arcs.menuAction().setToolTip("" if steps else why)
    actions = [arcs.addAction(literal(operation_text(graph, step))) for step in steps]
    for arc, step in zip(actions, steps, strict=True):
        arc.triggered.connect(partial(take, app, model_id, step))

    def measure() -> None:
        """Only when it is opened: every arc is a walk through all rows."""
        for arc, step in _in_time(list(zip(actions, steps, strict=True))):
            result = operation_effect(graph, step, rows)
            text = effect_text(result.bits, result.size, result.free, weight)
            arc.setText(f"{operation_text(graph, step)}{TAB}{text}")

    arcs.aboutToShow.connect(measure)
    menu.addSeparator()
    fold = menu.addAction("Collapse the nodes of this variable")
    is_alone = graph.node_counts[graph.domain.index(key[0])] < 2
    fold.setEnabled(not is_alone)
    fold.setToolTip("Not now: it has one node." if is_alone else "")
    fold.triggered.connect(partial(controller.toggle, key[0]))
    return menu
