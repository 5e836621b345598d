"""Decision graphs: steps on a node, collapsing, improving step by step, as actions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pgmstudio.core.languages.pdg.candidate_operations import (
    CandidateOperation,
    Operation,
    merges_of,
    operation_effect,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.languages.pdg.graph_tools import IMPROVE, MERGE, SPLIT
from pgmstudio.gui.languages.pdg.nodes import NodeKey, graph_nodes
from pgmstudio.gui.model_page.action_conditions import current_model_page
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.languages.pdg.page_extension import PdgExtension

_MENU = "Model/Decision graph"
_NO_GRAPH = "show a decision graph first, as nodes and flow."
_NO_NODE = "choose a node of a decision graph first: click one."


def graph_actions(app: AppContext) -> list[ActionSpec]:
    commands = _Commands(app)
    return [
        ActionSpec(
            MERGE,
            "Merge node with…",
            _MENU,
            "The nodes it can be merged with, each with what that costs; the least first.",
            partial(commands.offer, MERGE),
            icon="git-merge",
            needs=[commands.no_merge_reason],
        ),
        ActionSpec(
            SPLIT,
            "Split node…",
            _MENU,
            "A node for each arc into the selected one; the change in score is shown first.",
            partial(commands.offer, SPLIT),
            icon="git-fork",
            needs=[commands.no_split_reason],
        ),
        ActionSpec(
            IMPROVE,
            "Improve step by step…",
            _MENU,
            "The merge, split or redirection worth most, one at a time or in a row.",
            commands.improve,
            icon="skip-forward",
            needs=[commands.no_bands_reason],
            separator_before=True,
        ),
        ActionSpec(
            "model.graph.collapse",
            "Collapse all nodes",
            _MENU,
            "One box for the nodes of each variable.",
            partial(commands.collapse, True),
            needs=[commands.no_bands_reason],
            separator_before=True,
        ),
        ActionSpec(
            "model.graph.expand",
            "Expand all nodes",
            _MENU,
            "Every node of every variable.",
            partial(commands.collapse, False),
            needs=[commands.no_bands_reason],
        ),
    ]


class _Commands:
    def __init__(self, app: AppContext) -> None:
        self._app = app

    @property
    def _bands(self) -> PdgExtension | None:
        """The extension of the active page, if that shows a decision graph."""
        page = current_model_page(self._app)
        if page is None:
            return None
        from pgmstudio.gui.languages.pdg.page_extension import PdgExtension  # loads the canvas

        return page.extension if isinstance(page.extension, PdgExtension) else None

    def no_bands_reason(self) -> str | None:
        bands = self._bands
        return None if bands is not None and bands.is_open else _NO_GRAPH

    def _chosen(self) -> tuple[str, DecisionGraph, NodeKey] | None:
        model_id = self._app.workspace.model_id
        entry = self._app.project.models.get(model_id or "")
        if model_id is None or entry is None or not isinstance(entry.model, DecisionGraph):
            return None
        key = graph_nodes(self._app).chosen(model_id)
        return None if key is None else (model_id, entry.model, key)

    # -- steps

    def no_merge_reason(self) -> str | None:
        result = self._chosen()
        if result is None:
            return _NO_NODE
        every = merges_of(result[1], *result[2], None)
        if any(not one.refusal for one in every):
            return None
        return every[0].refusal if every else f"{result[2][0]} has no other node."

    def no_split_reason(self) -> str | None:
        result = self._chosen()
        if result is None:
            return _NO_NODE
        split = CandidateOperation(Operation.SPLIT, *result[2])
        return operation_effect(result[1], split, None).refusal

    def offer(self, command: str) -> None:
        """Open the menu next to the selected node, with the change in score of each item."""
        bands, result = self._bands, self._chosen()
        if bands is not None and result is not None:
            bands.offer(command, result[2])

    # -- the picture

    def improve(self) -> None:
        if self._bands is not None:
            self._bands.improving.open()

    def collapse(self, on: bool) -> None:
        if self._bands is not None:
            self._bands.collapse_all(on)
