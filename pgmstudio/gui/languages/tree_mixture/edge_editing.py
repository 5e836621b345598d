"""Drawing an edge in a tree of a mixture, with its change in likelihood at the pointer."""

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
    EvaluatedEdit,
    evaluate_edit,
    gain_text,
)
from pgmstudio.gui.widgets.debounce import one_shot

# The pointer passes over many nodes on its way; only where it rests is worth measuring.
REST_MS = 60


class TreeJoining(QObject):
    """The edge tool of a page that shows a single tree."""

    def __init__(self, app: AppContext, canvas: Canvas, controller: ComponentController) -> None:
        super().__init__(controller)
        self._app, self._canvas, self._controller = app, canvas, controller
        self._wanted: TreeEdit | None = None
        self.evaluated: EvaluatedEdit | None = None  # what the edge under the pointer would do
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_evaluated)
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
        """Show which edge is replaced; the change in likelihood follows."""
        self.stop()
        self._wanted = self.evaluated = None
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
            self._latest_task.ask(partial(evaluate_edit, mixture, edit, self._controller.rows))

    def _on_evaluated(self, result: EvaluatedEdit) -> None:
        if result.edit != self._wanted:
            return
        self.evaluated = result
        tool = self._canvas.view.tool
        if isinstance(tool, EdgeTool) and result.edit.added is not None:
            is_loss = result.gain is not None and result.gain < 0
            tool.add_forecast(*result.edit.added, gain_text(result.gain), is_loss)

    def join(self, one: str, other: str) -> bool:
        """Let go over a node: what was measured is done; else the bar offers it, measured there."""
        result = self.evaluated
        if result is not None and result.edit.added == (one, other):
            self.evaluated = None
            self._controller.do(result)
        else:
            self._canvas.signals.select.emit((one, other), ())
        return True
