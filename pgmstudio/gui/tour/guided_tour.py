"""The guided tour: eight steps in the window, whose state is restored afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDockWidget,
    QFrame,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import (
    open_import_page,
    open_learn_page,
    open_model_page,
    open_welcome,
)
from pgmstudio.gui.project.document import DocumentSnapshot
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.live_model import live_models, open_best
from pgmstudio.gui.runs.run_recorder import run_recorder
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.welcome.samples import SAMPLES
from pgmstudio.gui.widgets.basic import IconLabel, button, label, row
from pgmstudio.gui.window.collapsible_docks import Overlay
from pgmstudio.gui.window.main_window import MainWindow, panel_widget
from pgmstudio.gui.window.registry import PANELS

# The target of a step moves without a signal: layouts arrive, panels collapse, files are read.
POLL_MS = 80


_FILES = {sample.file: sample.path for sample in SAMPLES}
ASIA = _FILES["asia.json"]
ROWS = _FILES["asia_sample.csv"]
OBSERVED = "smoke"
QUERIED = "lung"
EDITED = "dysp"
# Enough to keep the search running; the next step ends it.
MANY_RESTARTS = 1_000_000


WIDTH = 320  # px at 100 %
GAP = 12
RING = 5


class TourRing(QWidget):
    """An outline that is transparent for the mouse."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def surround(self, target: QRect | None) -> None:
        """Show the outline around a part of the window; None hides it."""
        self.setVisible(target is not None)
        if target is not None:
            around = target.adjusted(-RING, -RING, RING, RING)
            window = self.parentWidget()
            self.setGeometry(around & window.rect() if window is not None else around)
            self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().color("accent"), 3))
        inside = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.drawRoundedRect(inside, theme().radius("card"), theme().radius("card"))


class TourCard(QFrame):
    """Title, text and number of a step, with Back, Next and Leave; also Enter, ← and →."""

    next_requested = Signal()
    back_requested = Signal()
    leave_requested = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("tourCard")
        self.setProperty("role", "card")
        self.setAccessibleName("Guided tour")
        self._icon = IconLabel(icon("graduation-cap", "accent"))
        self._title = label("", "heading", size="title", name="tourTitle")
        self._number = label("", "tertiary", size="dense", name="tourNumber")
        self._text = label("", "secondary", wrap=True, name="tourText")
        self._done = label("✓ Done", "success", name="tourDone")
        self._done.hide()
        self.leave = button(
            "Leave",
            self.leave_requested.emit,
            role="link",
            name="tourLeave",
            tip="End the tour and restore the window (Esc)",
        )
        self.back = button(
            "Back", self.back_requested.emit, name="tourBack", tip="Previous step (←)"
        )
        self.next = button(
            "Next",
            self.next_requested.emit,
            role="primary",
            name="tourNext",
            tip="Next step (Enter or →)",
        )
        for made in (self.leave, self.back, self.next):
            made.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addWidget(row(self._icon, self._title, None, self._number))
        layout.addWidget(self._text)
        layout.addWidget(row(self.leave, None, self._done, self.back, self.next))
        theme().changed.connect(self._fit)
        self.hide()

    def show_step(self, number: int, count: int, title: str, text: str) -> None:
        """Show step `number` of `count`, counted from 0."""
        self._title.setText(title)
        self._number.setText(f"{number + 1} of {count}")
        self._text.setText(text)
        self.show_done(False)
        self.setAccessibleDescription(f"{title}. {text}")
        self.back.setEnabled(number > 0)
        self.back.setToolTip("Previous step (←)" if number else "This is the first step.")
        is_last = number == count - 1
        self.next.setText("Done" if is_last else "Next")
        self.next.setToolTip("End the tour (Enter)" if is_last else "Next step (Enter or →)")
        self._fit()

    @property
    def shows_done(self) -> bool:
        return not self._done.isHidden()

    def show_done(self, is_done: bool) -> None:
        """Show whether what the step asks for has been done."""
        self._done.setVisible(is_done)

    def move_next_to(self, target: QRect | None) -> None:
        """Move to the free side of the target with the fewest buttons under the card.

        Where no side is free, to the place that covers least of it; without a target to the middle
        of the window.
        """
        window = self.parentWidget()
        if window is None:
            return
        self._fit()
        bounds = window.rect().adjusted(GAP, GAP, -GAP, -GAP)
        size = self.size()
        if target is None:
            self.move(bounds.center() - QPoint(size.width() // 2, size.height() // 2))
        else:
            distance = RING + GAP
            top = min(target.top(), bounds.bottom() - size.height())
            left = min(max(bounds.left(), target.left()), bounds.right() - size.width())
            top = max(bounds.top(), top)
            choices = (
                QPoint(target.right() + distance, top),
                QPoint(target.left() - distance - size.width(), top),
                QPoint(left, target.bottom() + distance),
                QPoint(left, target.top() - distance - size.height()),
            )
            candidates = [QRect(choice, size) for choice in choices]
            candidates = [rect for rect in candidates if bounds.contains(rect)]
            if candidates:
                free = min(candidates, key=self._covered_buttons)
            else:
                last = QPoint(bounds.right() - size.width(), bounds.bottom() - size.height())
                inside = QRect(bounds.topLeft(), last)
                corners = (
                    *(inside.topLeft(), inside.topRight()),
                    *(inside.bottomLeft(), inside.bottomRight()),
                )
                candidates = [QRect(corner, size) for corner in corners]
                free = min(candidates, key=lambda rect: _area(rect & target))
            self.move(free.topLeft())
        self.raise_()

    def _covered_buttons(self, rect: QRect) -> int:
        """How much of the buttons of the window would be under the card there."""
        window = self.window()
        buttons = [
            QRect(one.mapTo(window, QPoint(0, 0)), one.size())
            for one in window.findChildren(QAbstractButton)
            if one.isVisible() and not self.isAncestorOf(one)
        ]
        return sum(_area(rect & button) for button in buttons)

    def _fit(self) -> None:
        self.setFixedWidth(round(WIDTH * theme().scale))
        layout = self.layout()
        if layout is not None:
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrow keys change the step instead of the focused button."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            pressed = event.key()
            if pressed in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(
                watched, QPushButton
            ):
                watched.click()
                return True
            if pressed == Qt.Key.Key_Right:
                self.next_requested.emit()
                return True
            if pressed == Qt.Key.Key_Left:
                if self.back.isEnabled():
                    self.back_requested.emit()
                return True
            if pressed == Qt.Key.Key_Escape:
                self.leave_requested.emit()
                return True
        return super().eventFilter(watched, event)


def _area(rect: QRect) -> int:
    return max(0, rect.width()) * max(0, rect.height())


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
        self._known_models = set(self.app.project.models)
        self._model_before: object | None = None  # before its tables were edited

    # -- what the user has done

    def has_opened_sample(self) -> bool:
        """Whether Asia was opened by a click; the tour goes on with that model."""
        models = self.app.project.models
        if self._model_id not in models:
            fresh = [key for key in models if key not in self._known_models]
            page = self.app.center.current
            if fresh and page is not None and page.model_id == fresh[-1]:
                is_asia = set(models[fresh[-1]].model.domain.names) >= {OBSERVED, QUERIED, EDITED}
                self._model_id = fresh[-1] if is_asia else self._model_id
        return self._model_id in models

    def has_evidence(self) -> bool:
        return bool(self.app.workspace.beliefs(self._model_id).evidence)

    def has_edited_table(self) -> bool:
        entry = self.app.project.models.get(self._model_id)
        return entry is not None and entry.model is not self._model_before

    def has_imported(self) -> bool:
        return self._has_data()

    def has_started(self) -> bool:
        """Whether the search was started by its button; the tour goes on with that run."""
        runs = self.app.workspace.runs.runs
        own = [run for run in runs if run.request.data_id == self._data_id]
        if self.run is None and own:
            self.run = own[-1]
        return self.run is not None

    def has_stopped(self) -> bool:
        return self.run is not None and self.run.state.is_end

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
        if self._model_before is None:
            self._model_before = self.app.project.models[self._model_id].model
        return True

    def prepare_import(self) -> bool:
        """Open the page and wait until the file is read: its columns are what the card is about."""
        if self._has_data():
            return self.prepare_data()
        key = f"import:{ROWS}"
        current = self.app.center.current
        if current is None or current.key != key:
            open_import_page(self.app, ROWS)
        finish = self._widget("importFinish")
        return isinstance(finish, QPushButton) and finish.isEnabled()

    def prepare_data(self) -> bool:
        """Import the rows with the button of the page."""
        if self._has_data():
            return True
        finish = self._widget("importFinish")
        if finish is None:
            self.prepare_import()
        elif isinstance(finish, QPushButton) and finish.isEnabled():
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

    def widgets_rect(self, *names: str) -> QRect | None:
        """The rectangle around those of some widgets that are visible."""
        around = QRect()
        for name in names:
            around = around.united(self.widget_rect(name) or QRect())
        return None if around.isEmpty() else around

    def panel_rect(self, name: str) -> QRect | None:
        """The rectangle of a panel with its title."""
        frame: QWidget | None = panel_widget(self.window, name)
        if frame is None or not frame.isVisible():
            return None
        while frame is not None and not isinstance(frame, QDockWidget | Overlay):
            frame = frame.parentWidget()
        return None if frame is None else self._in_window(frame, frame.rect())

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
    is_done: Callable[[TourScene], bool] = lambda _: False  # by the user, before Next does it


STEPS = (
    TourStep(
        "Samples",
        "Click a sample to open it. Next opens Asia, a network of eight binary variables about "
        "chest diseases.",
        TourScene.prepare_welcome,
        lambda scene: scene.widget_rect("sample.asia.json"),
        TourScene.has_opened_sample,
    ),
    TourStep(
        "Evidence",
        "Click a bar to observe a state. Try it, or press Next to observe that the patient smokes.",
        TourScene.prepare_model,
        lambda scene: scene.bar_rect(OBSERVED, "yes"),
        TourScene.has_evidence,
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
        TourScene.has_edited_table,
    ),
    TourStep(
        "Data",
        "Import data from files. Check types, bin edges and missing cells first. Next imports "
        "these rows.",
        TourScene.prepare_import,
        lambda scene: scene.widget_rect("importFinish") or scene.widget_rect("center"),
        TourScene.has_imported,
    ),
    TourStep(
        "Learning",
        "Choose a learner and its settings. The page states how missing cells are treated. Next "
        "starts a search that runs until you stop it.",
        TourScene.prepare_sheet,
        lambda scene: scene.widgets_rect("missingNote", "learnStart"),
        TourScene.has_started,
    ),
    TourStep(
        "Runs",
        "The run works in the background. The canvas shows its best model so far; Stop keeps it.",
        TourScene.prepare_run,
        lambda scene: scene.panel_rect("runsPanel"),
        TourScene.has_stopped,
    ),
    TourStep(
        "Undo",
        "Undo every change with Ctrl+Z or in this list. Done undoes the changes of the tour and "
        "restores the window.",
        TourScene.prepare_end,
        lambda scene: scene.panel_rect("historyPanel"),
    ),
)


class GuidedTour(QObject):
    """A running tour, a child of its window; it deletes itself when the user leaves it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setObjectName("guidedTour")
        self._window = window
        self._app = window.app
        self._saved = _WindowState(window)
        self._scene = TourScene(window)
        self.number = 0
        self._is_ready = False
        self.ring = TourRing(window)
        self.card = TourCard(window)
        self.card.next_requested.connect(self.next)
        self.card.back_requested.connect(self.back)
        self.card.leave_requested.connect(self.leave)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), window)
        self._escape.activated.connect(self.leave)
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._update)
        window.installEventFilter(self)

    @property
    def is_ready(self) -> bool:
        """Whether the target of the step is visible."""
        return self._is_ready

    def start(self) -> None:
        self.card.show()
        self._poll.start()
        self._go(0)

    def next(self) -> None:
        """Go to the next step; after the last one end the tour."""
        if self.number + 1 < len(STEPS):
            self._go(self.number + 1)
        else:
            self.leave()

    def back(self) -> None:
        if self.number:
            self._go(self.number - 1)

    def leave(self) -> None:
        """End the tour and restore the window."""
        if not self._poll.isActive():
            return
        self._poll.stop()
        self._window.removeEventFilter(self)
        self.setObjectName("")
        for part in (self.card, self.ring, self._escape):
            if isinstance(part, QWidget):
                part.hide()
            part.deleteLater()
        self._saved.restore(self._scene)
        self.deleteLater()

    def _go(self, number: int) -> None:
        self.number = number
        self._is_ready = False
        step = STEPS[number]
        self.ring.surround(None)
        self.card.show_step(number, len(STEPS), step.title, step.text)
        self._update()
        self.card.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _update(self) -> None:
        if self._saved.trial.is_void:
            self.leave()
            return
        step = STEPS[self.number]
        if not self._is_ready:
            self._is_ready = step.prepare(self._scene)
            if self._is_ready:  # opening pages has taken the focus
                self.card.next.setFocus(Qt.FocusReason.OtherFocusReason)
        target = step.target(self._scene) if self._is_ready else None
        is_done = self._is_ready and step.is_done(self._scene)
        if is_done and not self.card.shows_done and not _is_typing():
            self.card.next.setFocus(Qt.FocusReason.OtherFocusReason)  # so that Enter goes on
        self.card.show_done(is_done)
        self.ring.surround(target)
        self.card.move_next_to(target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self.leave()  # before the question about unsaved changes
        elif watched is self._window and event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._update)
        return super().eventFilter(watched, event)


def _is_typing() -> bool:
    """Whether the focus is in a field or a table, where more may be typed."""
    return isinstance(QApplication.focusWidget(), QLineEdit | QAbstractItemView)


class _WindowState:
    """The state of the window at the start of the tour: pages, panels, selection, project."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._app = window.app
        self.trial = DocumentSnapshot(window.app.document)
        center, workspace = window.app.center, window.app.workspace
        self._pages = [page.key for page in center.pages]
        self._current = None if center.current is None else center.current.key
        self._target, self._selection = workspace.target, workspace.selection
        self._wanted = window.folding.wanted
        shown = window.folding.is_shown
        self._panels = {spec.name: shown(spec.name) for spec in PANELS}
        page = center.page("learn")
        self._learn_form = (page.learner.key, page.data_id) if isinstance(page, LearnPage) else None

    def restore(self, scene: TourScene) -> None:
        app, window = self._app, self._window
        if scene.run is not None:
            app.workspace.runs.discard(scene.run)
        if self.trial.is_void:
            return
        for page in app.center.pages:
            if page.key not in self._pages:
                app.center.close_page(page)
        self.trial.end()
        if "welcome" in self._pages and app.center.page("welcome") is None:
            open_welcome(app)
        learn = app.center.page("learn")
        if self._learn_form is not None and isinstance(learn, LearnPage):
            learn.choose(learner=self._learn_form[0], data_id=self._learn_form[1])
        current = app.center.page(self._current or "")
        if current is not None:
            app.center.bring_to_front(current)
        window.folding.want(self._wanted)
        for name, shown in self._panels.items():  # also those that covered the centre
            if window.folding.is_shown(name) != shown:
                window.folding.toggle(name)
        app.workspace.set_target(self._target)
        app.workspace.select(self._selection.nodes, self._selection.edges)
        if current is not None and isValid(current):
            current.setFocus(Qt.FocusReason.OtherFocusReason)


def start_tour(app: AppContext) -> GuidedTour:
    """Start the tour, or continue the running one."""
    window = app.window
    assert isinstance(window, MainWindow)
    running = window.findChild(GuidedTour, "guidedTour")
    if isinstance(running, GuidedTour):
        running.card.next.setFocus(Qt.FocusReason.OtherFocusReason)
        return running
    tour = GuidedTour(window)
    tour.start()
    return tour
