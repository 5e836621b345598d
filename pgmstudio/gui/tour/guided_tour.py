"""The guided tour: eight steps in the window, whose state is restored afterwards."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.project.document import DocumentSnapshot
from pgmstudio.gui.tour.tour_card import TourCard, TourRing
from pgmstudio.gui.tour.tour_steps import STEPS, TourScene
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.registry import PANELS

# The target of a step moves without a signal: layouts arrive, panels collapse, files are read.
POLL_MS = 80


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
        self.ring.surround(target)
        self.card.move_next_to(target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self.leave()  # before the question about unsaved changes
        elif watched is self._window and event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._update)
        return super().eventFilter(watched, event)


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


def tour_actions(app: AppContext) -> list[ActionSpec]:
    def start() -> None:
        start_tour(app)

    return [
        ActionSpec(
            "help.tour",
            "Take the tour",
            "Help",
            "Show the window in eight steps on a sample; your project stays unchanged.",
            start,
            icon="graduation-cap",
        )
    ]
