"""The steps of the guided tour: text, preparation, and the part of the window each points at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF
from PySide6.QtWidgets import QPushButton, QWidget

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import (
    open_import_page,
    open_learn_page,
    open_model_page,
    open_welcome,
)
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.live_model import live_models, open_best
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.welcome.samples import SAMPLES
from pgmstudio.gui.window.main_window import MainWindow, panel_widget

_FILES = {sample.file: sample.path for sample in SAMPLES}
ASIA = _FILES["asia.json"]
ROWS = _FILES["asia_sample.csv"]
OBSERVED = "smoke"
QUERIED = "lung"
EDITED = "dysp"
# Enough to keep the search running; the next step ends it.
MANY_RESTARTS = 1_000_000


class TourScene:
    """What the tour has opened so far; every `prepare_…` opens what its step needs.

    They are called repeatedly until they return True, because files are read and models are learned
    in the background.
    """

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.app = window.app
        self.run: LearningRun | None = None
        self._model_id = self._data_id = ""
        self._known_data = set(self.app.project.data)

    # -- preparation

    def prepare_welcome(self) -> bool:
        current = self.app.center.current
        if current is None or current.key != "welcome":
            open_welcome(self.app)
        return True

    def prepare_model(self) -> bool:
        """Open the sample and wait for its layout."""
        if self._model_id not in self.app.project.models:
            file = read_model(ASIA)
            layouts = {structure_diagram(file.model): dict(file.layout)} if file.layout else {}
            entry = ModelEntry(title=file.title or "Asia", model=file.model, layouts=layouts)
            self._model_id = self.app.project.next_model_id()
            self.app.change("Open Asia", partial(add_model, entry=entry))
        current = self.app.center.current
        if current is None or current.model_id != self._model_id:
            open_model_page(self.app, self._model_id)
        page = self._model_page()
        live = self.app.workspace.beliefs(self._model_id)
        return page is not None and bool(page.scene().nodes) and not live.is_stale

    def prepare_evidence(self) -> bool:
        if not self.prepare_model():
            return False
        live = self.app.workspace.beliefs(self._model_id)
        if OBSERVED not in live.evidence:
            live.set_finding(OBSERVED, Observed("yes"))
        return not live.is_stale

    def prepare_table(self) -> bool:
        if not self.prepare_model():
            return False
        if self.app.workspace.selection.nodes != (EDITED,):
            self.app.workspace.select((EDITED,))
        if not self.window.folding.is_shown("tablePanel"):
            self.window.folding.reveal("tablePanel", take_focus=False)
        return True

    def prepare_import(self) -> bool:
        if self._has_data():
            return self.prepare_data()
        key = f"import:{ROWS}"
        current = self.app.center.current
        if current is None or current.key != key:
            open_import_page(self.app, ROWS)
        return self._widget("importFinish") is not None

    def prepare_data(self) -> bool:
        """Import the rows with the button of the page."""
        if self._has_data():
            return True
        finish = self._widget("importFinish")
        if finish is None and not self.prepare_import():
            return False
        if isinstance(finish, QPushButton) and finish.isEnabled():
            self._known_data = set(self.app.project.data)
            finish.click()
        return False

    def prepare_sheet(self) -> bool:
        if not self.prepare_data():
            return False
        current = self.app.center.current
        if current is None or current.key != "learn":
            open_learn_page(self.app).choose(learner="bn.hill-climb", data_id=self._data_id)
        return True

    def prepare_run(self) -> bool:
        """Start a run and show the model that follows it."""
        if not self.prepare_data():
            return False
        if self.run is None or (self.run.state.is_end and not self._has_result()):
            params = replace(HillClimbParams(), restarts=MANY_RESTARTS)
            request = RunRequest("Hill climbing", "bn.hill-climb", params, 1, self._data_id)
            self.run = run_recorder(self.app).start(request)
        if self.run.best is None:
            return False
        if not self.window.folding.is_shown("runsPanel"):
            self.window.folding.reveal("runsPanel", take_focus=False)
        if not self._shows_best():
            open_best(self.app, self.run)
        page = self.app.center.current
        return isinstance(page, ModelPage) and bool(page.scene().nodes)

    def prepare_end(self) -> bool:
        """Stop the run, which keeps its best model, and show the history."""
        if self.run is None:
            return self.prepare_run() and False
        if not self.run.state.is_end:
            self.run.stop()
            return False
        if not self.window.folding.is_shown("historyPanel"):
            self.window.folding.reveal("historyPanel", take_focus=False)
        return True

    def _has_data(self) -> bool:
        fresh = [key for key in self.app.project.data if key not in self._known_data]
        if self._data_id not in self.app.project.data and fresh:
            self._data_id = fresh[-1]
        return self._data_id in self.app.project.data

    def _has_result(self) -> bool:
        run = self.run
        return run is not None and run.model_id in self.app.project.models

    def _shows_best(self) -> bool:
        current, run = self.app.center.current, self.run
        if current is None or run is None or current.model_id is None:
            return False
        follower = live_models(self.app).of_model(current.model_id)
        return current.model_id == run.model_id or (follower is not None and follower.run is run)

    # -- targets

    def _model_page(self) -> ModelPage | None:
        page = self.app.center.page(f"model:{self._model_id}")
        return page if isinstance(page, ModelPage) else None

    def _widget(self, name: str) -> QWidget | None:
        visible = [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]
        return visible[-1] if visible else None

    def widget_rect(self, name: str) -> QRect | None:
        """The rectangle of a widget in the window."""
        widget = self._widget(name)
        return None if widget is None else self._in_window(widget, widget.rect())

    def panel_rect(self, name: str) -> QRect | None:
        panel = panel_widget(self.window, name)
        return self._in_window(panel, panel.rect()) if panel.isVisible() else None

    def node_rect(self, name: str) -> QRect | None:
        page = self._model_page()
        item = None if page is None else page.scene().nodes.get(name)
        return None if item is None else self._on_canvas(item.box)

    def bar_rect(self, name: str, state: str) -> QRect | None:
        """The row of a state on its node, with its name and number."""
        page = self._model_page()
        item = None if page is None else page.scene().nodes.get(name)
        if item is None or state not in item.face.states:
            return None
        number = item.face.states.index(state)
        if not item.face.shows_rows or number not in item.geometry.shown:
            return self.node_rect(name)
        bar = item.geometry.bar(item.geometry.shown.index(number))
        corner = item.pos() + item.corner
        row = QRectF(item.box.left(), corner.y() + bar.top() - 4, item.box.width(), 0)
        row.setHeight(bar.height() + 8)
        return self._on_canvas(row)

    def _on_canvas(self, part: QRectF) -> QRect | None:
        page = self._model_page()
        if page is None or not page.isVisible():
            return None
        view = page.canvas.view
        visible = view.mapFromScene(part).boundingRect() & view.viewport().rect()
        return None if visible.isEmpty() else self._in_window(view.viewport(), visible)

    def _in_window(self, widget: QWidget, part: QRect) -> QRect:
        corner = widget.mapTo(self.window, QPointF(part.topLeft())).toPoint()
        return QRect(QPoint(corner), part.size()) & self.window.rect()


@dataclass(frozen=True, slots=True)
class TourStep:
    """A step; `prepare` opens what it needs and returns whether that is ready."""

    title: str
    text: str
    prepare: Callable[[TourScene], bool]
    target: Callable[[TourScene], QRect | None]


STEPS = (
    TourStep(
        "Samples",
        "Click a sample to open it. Next opens Asia, a network of eight binary variables about "
        "chest diseases.",
        TourScene.prepare_welcome,
        lambda scene: scene.widget_rect("sample.asia.json"),
    ),
    TourStep(
        "Evidence",
        "Click a bar to observe a state. Try it, or press Next to observe that the patient smokes.",
        TourScene.prepare_model,
        lambda scene: scene.bar_rect(OBSERVED, "yes"),
    ),
    TourStep(
        "Beliefs and priors",
        "All beliefs are updated. The outline around a bar is the prior, the belief without "
        "evidence.",
        TourScene.prepare_evidence,
        lambda scene: scene.node_rect(QUERIED),
    ),
    TourStep(
        "Tables",
        "Each node has a conditional probability table. Type a number; the beliefs follow when its "
        "column sums to 1.",
        TourScene.prepare_table,
        lambda scene: scene.panel_rect("tablePanel"),
    ),
    TourStep(
        "Data",
        "Import data from files. Check types, bin edges and missing cells first. Next imports "
        "these rows.",
        TourScene.prepare_import,
        lambda scene: scene.widget_rect("importFinish") or scene.widget_rect("center"),
    ),
    TourStep(
        "Learning",
        "Choose a learner and its settings. The page states how missing cells are treated. Next "
        "starts a search that runs until you stop it.",
        TourScene.prepare_sheet,
        lambda scene: scene.widget_rect("learnStart"),
    ),
    TourStep(
        "Runs",
        "The run works in the background. The canvas shows its best model so far; Stop keeps it.",
        TourScene.prepare_run,
        lambda scene: scene.panel_rect("runsPanel"),
    ),
    TourStep(
        "Undo",
        "Undo every change with Ctrl+Z or in this list. Done undoes the changes of the tour and "
        "restores the window.",
        TourScene.prepare_end,
        lambda scene: scene.panel_rect("historyPanel"),
    ),
)
