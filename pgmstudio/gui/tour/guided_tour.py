"""The guided tour: eight steps in the window itself, and everything as it was afterwards.

The guided tour in the Help menu.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.learning.page import LearnPage
from pgmstudio.gui.project.document import DocumentSnapshot
from pgmstudio.gui.tour.tour_card import TourCard, TourRing
from pgmstudio.gui.tour.tour_steps import STEPS, TourScene
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.panel_registry import PANELS

# What is pointed at moves without telling: layouts arrive, panels fold, files are read.
LOOK_MS = 80


class GuidedTour(QObject):
    """One at a time, a child of its window; it deletes itself when it is left."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setObjectName("guidedTour")
        self._window, self._app = window, window.app
        self._found = _Found(window)
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
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self._look_again)
        window.installEventFilter(self)

    @property
    def is_ready(self) -> bool:
        """Whether what the step points at is in sight."""
        return self._is_ready

    def start(self) -> None:
        self.card.show()
        self._look.start()
        self._go(0)

    def next(self) -> None:
        """The next step; after the last one the tour is over."""
        if self.number + 1 < len(STEPS):
            self._go(self.number + 1)
        else:
            self.leave()

    def back(self) -> None:
        if self.number:
            self._go(self.number - 1)

    def leave(self) -> None:
        """Everything as it was found."""
        if not self._look.isActive():
            return
        self._look.stop()
        self._window.removeEventFilter(self)
        self.setObjectName("")
        for part in (self.card, self.ring, self._escape):
            if isinstance(part, QWidget):
                part.hide()
            part.deleteLater()
        self._found.restore(self._scene)
        self.deleteLater()

    def _go(self, number: int) -> None:
        self.number, self._is_ready = number, False
        step = STEPS[number]
        self.ring.surround(None)
        self.card.show_step(number, len(STEPS), step.title, step.text)
        self._look_again()
        self.card.next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look_again(self) -> None:
        if self._found.trial.is_void:
            self.leave()
            return
        step = STEPS[self.number]
        if not self._is_ready:
            self._is_ready = step.is_there(self._scene)
            if self._is_ready:  # opening things has taken the focus
                self.card.next.setFocus(Qt.FocusReason.OtherFocusReason)
        place = step.place(self._scene) if self._is_ready else None
        self.ring.surround(place)
        self.card.stand_by(place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self.leave()  # before it is asked what to do with changes of the tour
        elif watched is self._window and event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self, self._look_again)
        return super().eventFilter(watched, event)


class _Found:
    """How the window was found."""

    def __init__(self, window: MainWindow) -> None:
        self._window, self._app = window, window.app
        self.trial = DocumentSnapshot(window.app.document)
        center, workspace = window.app.center, window.app.workspace
        self._pages = [page.key for page in center.pages]
        self._front = None if center.current is None else center.current.key
        self._target, self._selection = workspace.target, workspace.selection
        self._wanted = window.folding.wanted
        shown = window.folding.is_shown
        self._panels = {spec.name: shown(spec.name) for spec in PANELS}
        page = center.page("learn")
        self._sheet = (page.learner.key, page.data_id) if isinstance(page, LearnPage) else None

    def restore(self, scene: TourScene) -> None:
        from pgmstudio.gui.navigation import open_welcome

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
        if self._sheet is not None and isinstance(learn, LearnPage):
            learn.choose(learner=self._sheet[0], data_id=self._sheet[1])
        front = app.center.page(self._front or "")
        if front is not None:
            app.center.bring_to_front(front)
        window.folding.want(self._wanted)
        for name, shown in self._panels.items():  # and what lay over the centre
            if window.folding.is_shown(name) != shown:
                window.folding.toggle(name)
        app.workspace.set_target(self._target)
        app.workspace.select(self._selection.nodes, self._selection.edges)
        if front is not None and isValid(front):
            front.setFocus(Qt.FocusReason.OtherFocusReason)


def start_tour(app: AppContext) -> GuidedTour:
    """Begin the tour, or go on with the one that is under way."""
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
            "Eight steps through the window with a sample; leaving it leaves everything as it was.",
            start,
            icon="graduation-cap",
        )
    ]
