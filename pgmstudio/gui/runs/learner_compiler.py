"""Compiles the code of all learners in the background, once after each installation."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QObject, Signal

from pgmstudio.core.execution.cores import core_count
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.background_run import BackgroundRun

WAIT_SECONDS = 1.0  # at the end of the program


class LearnerCompiler(QObject):
    """One per window. It is no run of the user, so that it asks for nothing when it fails."""

    changed = Signal()

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._run: BackgroundRun | None = None

    @property
    def fraction(self) -> float | None:
        """How much is done; None when nothing is compiled."""
        if self._run is None or not self._run.is_running:
            return None
        return self._run.progress.fraction

    def start(self) -> None:
        """Begin, unless this installation has been compiled before."""
        if self._run is not None:
            return
        from pgmstudio.core.languages.compile_ahead import CompileAhead, is_compiled

        def events(cancel: CancelToken) -> Iterator[object]:
            if not is_compiled():
                yield from CompileAhead(max(1, core_count() - 1))(cancel)

        self._run = run = BackgroundRun(events, Progress(0.0), self)
        run.changed.connect(self.changed)
        application = QCoreApplication.instance()
        assert application is not None
        application.aboutToQuit.connect(self.stop)
        run.start()

    def stop(self) -> None:
        """End it; what is compiled stays compiled, the rest follows at the next start."""
        if self._run is not None:
            self._run.stop()
            self._run.wait(WAIT_SECONDS)
