"""File ▸ Export interactive page: the active model for people who have nothing installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject

from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.export.report_actions import show_page
from pgmstudio.gui.jobs.background_run import BackgroundRun
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.file_dialog import choose_target

if TYPE_CHECKING:
    from pgmstudio.core.reports.interactive_page.page import PageSubject
    from pgmstudio.gui.model_page.page import ModelPage

ENDING = ".html"


class PageRun(BackgroundRun):
    """Writes a page in a process of its own; stopped, it writes nothing."""

    def __init__(self, subject: PageSubject, target: Path, parent: QObject) -> None:
        progress = Progress(None, f"writing {target.name}")
        super().__init__(partial(_written, subject, target), progress, parent)
        self.written: Path | None = None

    def _take(self, events: Sequence[object]) -> None:
        self.written = next((one for one in events if isinstance(one, Path)), self.written)


class PageCommands(QObject):
    """Asks where the page goes, has it written in a process of its own, and shows it."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self._conditions = Conditions(app)
        self._run: PageRun | None = None

    def no_content(self) -> str | None:
        """Why there is nothing to share."""
        entry = self._conditions.entry
        if entry is not None and not len(entry.model.domain):
            return "the model has no nodes yet. Draw one first."
        return None

    def no_writer(self) -> str | None:
        return "a page is being written." if self._run is not None else None

    def export(self) -> None:
        subject = self._subject()
        if subject is None:
            return
        path = self._app.document.path
        chosen = choose_target(
            self._app.window,
            "report",
            "Export interactive page",
            f"{subject.title}{ENDING}",
            f"Web page (*{ENDING})",
            first=None if path is None else path.parent,
        )
        if chosen is None:
            return
        target, _ = chosen
        if target.suffix.lower() not in (ENDING, ".htm"):
            target = target.with_name(target.name + ENDING)
        self._run = run = PageRun(subject, target, self)
        run.failed.connect(self._app.errors.report)
        run.ended.connect(self._on_ended)
        self._app.workspace.background_runs.add(run)
        run.start()
        self._app.log("info", f"Writing {target.name}.")
        self._app.actions.refresh()

    def _subject(self) -> PageSubject | None:
        """The active model with its scenarios, where its nodes stand now, and its evidence."""
        from pgmstudio.core.reports.interactive_page.page import subject_of_entry

        active = self._conditions.subject
        if active is None:
            return None
        subject = subject_of_entry(self._app.project, active.model_id)
        subject = replace(subject, evidence=dict(active.live.evidence))
        page = self._app.center.current
        if page is None or not hasattr(page, "picture_name") or not hasattr(page, "canvas"):
            return subject
        shown = cast("ModelPage", page)
        positions = dict(shown.canvas.scene.positions)
        return replace(subject, layouts={**subject.layouts, shown.picture_name: positions})

    def _on_ended(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        run.deleteLater()
        if run.written is not None:
            self._app.notify(f"Wrote {run.written.name}.")
            show_page(run.written)
        self._app.actions.refresh()


def _written(subject: PageSubject, target: Path, cancel: CancelToken) -> Iterator[object]:
    from pgmstudio.core.reports.interactive_page.page import PageTask

    yield from in_process(PageTask(subject, target), cancel)


def page_actions(app: AppContext) -> list[ActionSpec]:
    commands = PageCommands(app)
    return [
        ActionSpec(
            "file.export-page",
            "Export interactive page…",
            "File",
            "Write one web page in which anyone can set evidence and see all beliefs change.",
            commands.export,
            needs=[Conditions(app).model, commands.no_content, commands.no_writer],
        ),
    ]
