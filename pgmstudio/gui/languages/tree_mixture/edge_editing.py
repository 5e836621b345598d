"""Drawing an edge in a tree of a mixture: what it costs is said at the pointer, and then done."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.tree_mixture.edits import TreeEdit, joining
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_tool import EdgeTool
from pgmstudio.gui.canvas.signals import EdgeAdvice
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.tree_mixture.component_controller import (
    ComponentController,
    TriedEdit,
    gain_words,
    tried,
)
from pgmstudio.gui.widgets.debounce import one_shot

# The pointer passes over many nodes on its way; only where it rests is worth measuring.
REST_MS = 60


class TreeJoining(QObject):
    """The edge tool of a page whose one tree is in view."""

    def __init__(self, app: AppContext, canvas: Canvas, controller: ComponentController) -> None:
        super().__init__(controller)
        self._app, self._canvas, self._controller = app, canvas, controller
        self._wanted: TreeEdit | None = None
        self.found: TriedEdit | None = None  # what the edge under the pointer would do
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_tried)
        self._latest_task.failed.connect(app.errors.report)
        self._rest = one_shot(self, self._ask, REST_MS)

    def stop(self) -> None:
        self._rest.stop()
        self._latest_task.forget()

    def _edit(self, one: str, other: str) -> TreeEdit | str:
        mixture, tree = self._controller.mixture, self._controller.tree
        if mixture is None or tree is None:
            return "Show one tree alone first: click its card."
        if mixture.choice in (one, other):
            return f"{mixture.choice} chooses the tree and stands in none."
        try:
            return joining(mixture, tree, one, other)
        except GraphError as refused:
            return str(refused)

    def advise(self, one: str, other: str) -> EdgeAdvice:
        """Which edge makes room; what the rows gain by it follows."""
        self.stop()
        self._wanted = self.found = None
        edit = self._edit(one, other)
        if isinstance(edit, str):
            return EdgeAdvice("cannot be joined", refusal=edit)
        self._wanted = edit
        self._rest.start()
        replaced = "" if edit.removed is None else f"replaces {' – '.join(edit.removed)}"
        return EdgeAdvice(replaced or "connects two parts")

    def _ask(self) -> None:
        mixture, edit = self._controller.mixture, self._wanted
        if mixture is not None and edit is not None:
            self._latest_task.ask(partial(tried, mixture, edit, self._controller.rows))

    def _on_tried(self, found: TriedEdit) -> None:
        if found.edit != self._wanted:
            return
        self.found = found
        tool = self._canvas.view.tool
        if isinstance(tool, EdgeTool) and found.edit.added is not None:
            is_loss = found.gain is not None and found.gain < 0
            tool.add_forecast(*found.edit.added, gain_words(found.gain), is_loss)

    def join(self, one: str, other: str) -> bool:
        """Let go over a node: what was measured is done; else the bar offers it, measured there."""
        result = self.found
        if result is not None and result.edit.added == (one, other):
            self.found = None
            self._controller.do(result)
        else:
            self._canvas.signals.select.emit((one, other), ())
        return True
