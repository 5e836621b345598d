"""Edge strengths on a model page: the measure chosen in the toolbar, progress and refusals."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.edge_strengths import StrengthKeeper, Strengths
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.model_page.toolbar import ModelBar
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.basic import Note, button


class StrengthController(QObject):
    """The edge strengths of one model page; `note` shows the progress with a Stop button."""

    def __init__(self, app: AppContext, model_id: str, canvas: Canvas, bar: ModelBar) -> None:
        super().__init__(canvas)
        self._app, self._model_id = app, model_id
        self._canvas, self._bar = canvas, bar
        self.note = Note(name="measuringNote")
        self.note.add_button(
            button(
                "Stop",
                self._on_stop,
                role="link",
                icon_name="stop",
                tip="Stop measuring; all edges get the same width.",
                name="stopMeasuring",
            )
        )
        sources = model_sources(app)
        self._keeper = StrengthKeeper(
            app.workspace.beliefs(model_id),
            self,
            rows=partial(sources.rows_or_why, model_id),
            replicates=partial(sources.frequencies_or_why, model_id),
        )
        self._keeper.changed.connect(self._on_strengths)
        self._keeper.measuring.connect(self.note.show_text)
        self._keeper.refused.connect(self._on_refused)
        self._keeper.failed.connect(self._on_failed)
        bar.strength_chosen.connect(self.choose)
        app.document.changed.connect(self._on_document_changed)

    @property
    def kind(self) -> str:
        """The measure shown as the width of edges."""
        return self._keeper.kind

    def choose(self, kind: str) -> None:
        """Choose the measure shown as the width of edges."""
        self._bar.show_strength(kind)
        self._keeper.choose(kind)

    def follow(self) -> None:
        """Measure again if the model has changed."""
        self._keeper.follow()

    def tooltip_for(self, source: str, target: str) -> str:
        """The strength of an edge as a text for its tooltip."""
        shown = self._canvas.strengths
        return "" if shown is None else shown.tooltip_for((source, target))

    def stop(self) -> None:
        self._keeper.stop()

    def _on_document_changed(self, _before: object, after: object) -> None:
        # The data or the bootstrap changed; a change of the model comes with its beliefs.
        if self._keeper.is_on and self._model_id in self._app.project.models:
            self._keeper.follow()

    def _on_strengths(self, strengths: Strengths | None) -> None:
        self._canvas.show_strengths(strengths)

    def _on_stop(self) -> None:
        self.choose("none")

    def _on_refused(self, text: str) -> None:
        self._bar.show_strength("none")
        self._canvas.show_strengths(None)
        self._canvas.refuse(text, self._canvas.view.rect().center())

    def _on_failed(self, error: BaseException) -> None:
        self.choose("none")
        self._app.errors.report(error)
