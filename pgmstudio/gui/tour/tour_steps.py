"""The steps of the guided tour: what each says, what it needs, and which part it points at."""

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
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import (
    open_import_page,
    open_learn_page,
    open_model_page,
    open_welcome,
)
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.learning_run import LearningRun
from pgmstudio.gui.runs.live_model import open_best
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.welcome.samples import SAMPLES
from pgmstudio.gui.window.main_window import MainWindow, panel_widget

_FILES = {sample.file: sample.path for sample in SAMPLES}
ASIA, ROWS = _FILES["asia.json"], _FILES["asia_sample.csv"]
SEEN, ASKED, EDITED = "smoke", "lung", "dysp"
# Longer than anybody looks at a run; the next step ends it.
MANY_RESTARTS = 1_000_000


class TourScene:
    """What the tour has made so far; every `…_is_there` makes it when it is missing.

    They are asked again and again until they say True: files are read and models are found beside
    the window.
    """

    def __init__(self, window: MainWindow) -> None:
        self.window, self.app = window, window.app
        self.run: LearningRun | None = None
        self._model_id = self._data_id = ""
        self._known_data = set(self.app.project.data)

    # -- what the steps need

    def welcome_is_there(self) -> bool:
        current = self.app.center.current
        if current is None or current.key != "welcome":
            open_welcome(self.app)
        return True

    def model_is_there(self) -> bool:
        """The sample in front, laid out, without evidence of another step."""
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

    def evidence_is_there(self) -> bool:
        if not self.model_is_there():
            return False
        live = self.app.workspace.beliefs(self._model_id)
        if SEEN not in live.evidence:
            live.set_finding(SEEN, Observed("yes"))
        return not live.is_stale

    def table_is_there(self) -> bool:
        if not self.model_is_there():
            return False
        if self.app.workspace.selection.nodes != (EDITED,):
            self.app.workspace.select((EDITED,))
        if not self.window.folding.is_shown("tablePanel"):
            self.window.folding.reveal("tablePanel", take_focus=False)
        return True

    def import_is_there(self) -> bool:
        if self._has_data():
            return self.data_is_there()
        key = f"import:{ROWS}"
        current = self.app.center.current
        if current is None or current.key != key:
            open_import_page(self.app, ROWS)
        return self._widget("importFinish") is not None

    def data_is_there(self) -> bool:
        """The rows as a data set, imported by the button of the page."""
        if self._has_data():
            return True
        finish = self._widget("importFinish")
        if finish is None and not self.import_is_there():
            return False
        if isinstance(finish, QPushButton) and finish.isEnabled():
            self._known_data = set(self.app.project.data)
            finish.click()
        return False

    def sheet_is_there(self) -> bool:
        if not self.data_is_there():
            return False
        current = self.app.center.current
        if current is None or current.key != "learn":
            open_learn_page(self.app).choose(learner="bn.hill-climb", data_id=self._data_id)
        return True

    def run_is_there(self) -> bool:
        """A run under way with a model that follows it in front."""
        if not self.data_is_there():
            return False
        if self.run is None or (self.run.state.is_end and not self._has_result()):
            params = replace(HillClimbParams(), restarts=MANY_RESTARTS)
            request = RunRequest("Hill climbing", "bn.hill-climb", params, 1, self._data_id)
            self.run = run_recorder(self.app).start(request)
        if self.run.best is None:
            return False
        if not self.window.folding.is_shown("runsPanel"):
            self.window.folding.reveal("runsPanel", take_focus=False)
        if not self._is_best_in_front():
            open_best(self.app, self.run)
        page = self.app.center.current
        return isinstance(page, ModelPage) and bool(page.scene().nodes)

    def end_is_there(self) -> bool:
        """The run has ended, its best model is kept, and the history shows it."""
        if self.run is None:
            return self.run_is_there() and False
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

    def _is_best_in_front(self) -> bool:
        from pgmstudio.gui.runs.live_model import live_models

        current, run = self.app.center.current, self.run
        if current is None or run is None or current.model_id is None:
            return False
        follower = live_models(self.app).of_model(current.model_id)
        return current.model_id == run.model_id or (follower is not None and follower.run is run)

    # -- what the steps point at

    def _model_page(self) -> ModelPage | None:
        page = self.app.center.page(f"model:{self._model_id}")
        return page if isinstance(page, ModelPage) else None

    def _widget(self, name: str) -> QWidget | None:
        found = [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]
        return found[-1] if found else None

    def place_of(self, name: str) -> QRect | None:
        """Where in the window the widget of that name is."""
        widget = self._widget(name)
        return None if widget is None else self._in_window(widget, widget.rect())

    def place_of_panel(self, name: str) -> QRect | None:
        panel = panel_widget(self.window, name)
        return self._in_window(panel, panel.rect()) if panel.isVisible() else None

    def place_of_node(self, name: str) -> QRect | None:
        page = self._model_page()
        item = None if page is None else page.scene().nodes.get(name)
        return None if item is None else self._on_canvas(item.box)

    def place_of_bar(self, name: str, state: str) -> QRect | None:
        """The row of a state on its node, with its name and number."""
        page = self._model_page()
        item = None if page is None else page.scene().nodes.get(name)
        if item is None or state not in item.face.states:
            return None
        number = item.face.states.index(state)
        if not item.face.shows_rows or number not in item.geometry.shown:
            return self.place_of_node(name)
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
        seen = view.mapFromScene(part).boundingRect() & view.viewport().rect()
        return None if seen.isEmpty() else self._in_window(view.viewport(), seen)

    def _in_window(self, widget: QWidget, part: QRect) -> QRect:
        corner = widget.mapTo(self.window, QPointF(part.topLeft())).toPoint()
        return QRect(QPoint(corner), part.size()) & self.window.rect()


@dataclass(frozen=True, slots=True)
class TourStep:
    """`is_there` makes what the step speaks of and says when it is ready."""

    title: str
    text: str
    is_there: Callable[[TourScene], bool]
    place: Callable[[TourScene], QRect | None]


STEPS = (
    TourStep(
        "Samples",
        "Every sample opens with one click. Next opens Asia: eight yes-or-no variables of a "
        "chest clinic.",
        TourScene.welcome_is_there,
        lambda scene: scene.place_of("sample.asia.json"),
    ),
    TourStep(
        "Evidence",
        "A click on a bar says that this state was seen. Try it, or let Next see that the patient "
        "smokes.",
        TourScene.model_is_there,
        lambda scene: scene.place_of_bar(SEEN, "yes"),
    ),
    TourStep(
        "Beliefs and priors",
        "Every belief follows at once. The outline around a bar is the prior: what was believed "
        "before anything was seen.",
        TourScene.evidence_is_there,
        lambda scene: scene.place_of_node(ASKED),
    ),
    TourStep(
        "Tables",
        "Behind each node is a table. Type a number; once its column sums to 1 the beliefs follow.",
        TourScene.table_is_there,
        lambda scene: scene.place_of_panel("tablePanel"),
    ),
    TourStep(
        "Data",
        "Rows come from files. Types, cuts and missing cells are shown before anything is taken "
        "over; Next imports these rows.",
        TourScene.import_is_there,
        lambda scene: scene.place_of("importFinish") or scene.place_of("center"),
    ),
    TourStep(
        "Learning",
        "Choose how to learn; what happens to missing cells is said before the start. Next starts "
        "a search that goes on until it is stopped.",
        TourScene.sheet_is_there,
        lambda scene: scene.place_of("learnStart"),
    ),
    TourStep(
        "Runs",
        "The run works beside the window. Its best model is on the canvas and follows it; Stop "
        "keeps the best.",
        TourScene.run_is_there,
        lambda scene: scene.place_of_panel("runsPanel"),
    ),
    TourStep(
        "Undo",
        "Every step can be taken back, with Ctrl+Z or in this list. Done takes back what the tour "
        "did and leaves everything as it was.",
        TourScene.end_is_there,
        lambda scene: scene.place_of_panel("historyPanel"),
    ),
)
