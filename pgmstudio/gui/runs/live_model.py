"""Opening the best model of a run: while it runs as a model that follows it, then its result.

Models of the project that show the best so far of a run, and follow it as it improves.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from pgmstudio.core.model import Model, edges_of, has_edges
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.model_edits import show_best
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.navigation import add_and_show_model, open_model_page
from pgmstudio.gui.runs.recorded_run import AnyRun, RecordedRun, model_of
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import BEST_SO_FAR

# Better models come faster than anybody can look at them.
FOLLOW_MS = 250


def position_text(word: str, number: float) -> str:
    """`restart 4`; before the first restart there is a first climb."""
    return f"{word} {grouped(int(number))}" if number or word != "restart" else "first climb"


class LiveModel(QObject):
    """One model that follows one run until it is pinned, edited, or the run ends."""

    changed = Signal()

    def __init__(self, app: AppContext, run: LearningRun, model_id: str, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self.run, self.model_id = run, model_id
        self._shown = app.project.models[model_id].model
        self._best_found_at = dict(run.best_found_at)
        self._is_on = True
        self._soon = one_shot(self, self._catch_up, FOLLOW_MS)
        run.best_changed.connect(self._on_better_model)
        run.changed.connect(self.changed)
        app.document.changed.connect(self._on_document_changed)

    @property
    def is_on(self) -> bool:
        """Whether better models will be shown."""
        return self._is_on

    @property
    def disabled_reason(self) -> str | None:
        """Why it cannot be switched on again; None when it can."""
        entry = self._app.project.models.get(self.model_id)
        if entry is not None and entry.is_edited:
            return "this model was edited; Open best shows the newest one as a copy."
        return None

    def switch(self, on: bool) -> None:
        """Follow, or stay at the current model."""
        self._is_on = on and self.disabled_reason is None
        if self._is_on:
            self._shown = self._app.project.models[self.model_id].model
            self._catch_up()
        self.changed.emit()

    def text(self) -> str:
        """The restart it was found in, its edges and parameters."""
        counted_at, parts = self._best_found_at, []
        for name, word in (("restart", "restart"), ("runs", "run")):
            if name in counted_at:
                parts.append(position_text(word, counted_at[name]))
        if has_edges(self._shown):
            parts.append(counted(len(edges_of(self._shown)), "edge"))
        parts.append(counted(self._shown.representation_size(), "parameter"))
        return " · ".join(parts)

    def _on_better_model(self) -> None:
        if self._is_on and not self._soon.isActive():
            self._soon.start()

    def _catch_up(self) -> None:
        best = self.run.best
        if not self._is_on or best is None or best is self._shown or self.run.state.is_end:
            return
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._soon.start()  # nothing moves under a hand that is at work
            return
        self._shown, self._best_found_at = best, dict(self.run.best_found_at)
        edit = partial(show_best, model_id=self.model_id, model=best)
        self._app.change(f"Follow {self.run.request.title}", edit, merge=f"follow:{self.model_id}")
        self.changed.emit()

    def _on_document_changed(self, _before: Project, after: Project) -> None:
        entry = after.models.get(self.model_id)
        shown: Model | None = None if entry is None else entry.model
        if self._is_on and shown is not self._shown:
            self._is_on = False  # edited or taken back: the person goes another way
            self.changed.emit()


class LiveModels(QObject):
    """All live models of a window; `changed` sends the model whose chip, badge or facts are new."""

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._followers: dict[str, LiveModel] = {}
        app.document.replaced.connect(self._on_replaced)

    def _on_replaced(self) -> None:
        for follower in self._followers.values():
            follower.deleteLater()
        self._followers.clear()

    def follow(self, run: LearningRun, model_id: str) -> LiveModel:
        """Let a model of the project follow a run from now on."""
        follower = LiveModel(self._app, run, model_id, self)
        follower.changed.connect(self._on_changed)
        self._followers[model_id] = follower
        self.changed.emit(model_id)
        return follower

    def of_model(self, model_id: str | None) -> LiveModel | None:
        """The live model, while its run is in progress."""
        follower = self._followers.get(model_id or "")
        if follower is None or follower.model_id not in self._app.project.models:
            return None
        return follower

    def of_run(self, run: LearningRun) -> LiveModel | None:
        """The follower that shows the newest of a run; None when all stay or none is there."""
        for follower in self._followers.values():
            known = follower.model_id in self._app.project.models
            if follower.run is run and follower.is_on and known:
                return follower
        return None

    def _on_changed(self) -> None:
        follower = self.sender()
        assert isinstance(follower, LiveModel)
        self.changed.emit(follower.model_id)

    def forget(self, run: LearningRun) -> None:
        """The run has ended and its model has landed: nothing follows it any more."""
        for model_id in [k for k, f in self._followers.items() if f.run is run]:
            self._followers.pop(model_id).deleteLater()
            self.changed.emit(model_id)


def live_models(app: AppContext) -> LiveModels:
    """The `LiveModels` of a window, made on first use."""
    return app.service(LiveModels)


def open_best(app: AppContext, run: AnyRun) -> None:
    """The model in a tab of its own, to be looked at, questioned and edited."""
    model_id = model_of(app.project, run)
    if model_id is not None:
        open_model_page(app, model_id)
        return
    if isinstance(run, RecordedRun) or run.best is None:
        return
    following = live_models(app)
    follower = following.of_run(run)
    if follower is not None:
        open_model_page(app, follower.model_id)
        return
    data_id = run.request.data_id if run.request.data_id in app.project.data else None
    title = f"{run.request.title}, {BEST_SO_FAR}"
    entry = ModelEntry(title=title, model=run.best, data_id=data_id)
    model_id = add_and_show_model(app, entry, f"Open the best of {run.request.title}")
    if model_id is not None and not run.state.is_end:
        following.follow(run, model_id)
