"""The chosen node of a decision graph stays the same one, whatever number it gets."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.languages.pdg.candidate_operations import CandidateOperation, Operation
from pgmstudio.core.languages.pdg.node_facts import reach_rules
from pgmstudio.core.languages.pdg.operators import merged, moved, redirected, split
from pgmstudio.gui.languages.pdg.nodes import NodeKey, graph_nodes, move, same_node, take
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.graph_pages import (
    FAMILY,
    PRESSURE,
    SMOKING,
    choose,
    controller_of,
    coronary,
    coronary_rows,
    graph_of_page,
    inspector_of,
    open_coronary,
)

# The only arc to the second node of Pressure leads to the third from now on.
LEAVE_SECOND = CandidateOperation(Operation.REDIRECT, PRESSURE, node=2, upper=0, state=1)


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ModelPage:
    return open_coronary(window, qtbot)


def chosen(window: MainWindow) -> NodeKey | None:
    model_id = window.app.workspace.model_id
    assert model_id is not None
    return graph_nodes(window.app).chosen(model_id)


def rules(page: ModelPage, key: NodeKey) -> list[str]:
    return [rule.text for rule in reach_rules(graph_of_page(page), *key).rules]


def test_in_the_same_graph_every_node_is_itself() -> None:
    graph = coronary()
    for variable, count in zip(graph.domain.names, graph.node_counts, strict=True):
        for node in range(count):
            assert same_node(graph, coronary(), (variable, node)) == (variable, node)


def test_a_node_is_found_again_after_each_kind_of_step() -> None:
    graph = coronary()
    assert same_node(graph, redirected(graph, PRESSURE, 0, 1, 2), (PRESSURE, 2)) == (PRESSURE, 1)
    assert same_node(graph, merged(graph, PRESSURE, 0, 1), (PRESSURE, 2)) == (PRESSURE, 1)
    assert same_node(graph, merged(graph, PRESSURE, 0, 1), (PRESSURE, 1)) == (PRESSURE, 0)
    assert same_node(graph, split(graph, SMOKING, 1), (SMOKING, 2)) == (SMOKING, 2)
    assert same_node(graph, split(graph, SMOKING, 1), (SMOKING, 1)) in {(SMOKING, 1), (SMOKING, 3)}


def test_below_other_variables_no_node_is_the_same() -> None:
    graph = coronary()
    after = moved(graph, SMOKING, FAMILY, coronary_rows(200)).graph
    assert same_node(graph, after, (SMOKING, 1)) is None
    assert same_node(graph, after, (PRESSURE, 1)) is None


def test_after_a_redirection_and_its_undo_the_same_node_is_chosen(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, PRESSURE, 2)
    before = rules(page, (PRESSURE, 2))
    assert take(window.app, page.model_id, LEAVE_SECOND)
    key = chosen(window)
    assert key == (PRESSURE, 1)
    assert set(before) <= set(rules(page, key))
    assert controller_of(page).canvas.bands.chosen == key
    window.app.document.undo_stack.undo()
    assert chosen(window) == (PRESSURE, 2)
    assert rules(page, (PRESSURE, 2)) == before
    assert controller_of(page).canvas.bands.chosen == (PRESSURE, 2)
    qtbot.waitUntil(lambda: inspector_of(window)._head.title.text().endswith(PRESSURE))


def test_a_merge_taken_back_gives_back_the_node_that_was_chosen(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    for node in (0, 1):
        choose(window, qtbot, page, PRESSURE, node)
        assert take(
            window.app, page.model_id, CandidateOperation(Operation.MERGE, PRESSURE, 0, other=1)
        )
        assert chosen(window) == (PRESSURE, 0)
        window.app.document.undo_stack.undo()
        assert chosen(window) == (PRESSURE, node)


def test_after_a_move_in_the_forest_no_node_is_chosen_until_it_is_undone(
    page: ModelPage, window: MainWindow, qtbot: QtBot
) -> None:
    choose(window, qtbot, page, SMOKING, 1)
    assert move(window.app, page.model_id, SMOKING, None)
    assert chosen(window) is None
    assert controller_of(page).canvas.bands.chosen is None
    window.app.document.undo_stack.undo()
    assert chosen(window) == (SMOKING, 1)
    assert controller_of(page).canvas.bands.chosen == (SMOKING, 1)
