"""Scenes of a project that is saved, opened again, and changed on disk by somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu

from pgmstudio.core.project.edits import replace_data, set_title
from pgmstudio.gui.demo.screenshot_tour import WindowDriver, WindowTour
from pgmstudio.gui.files import session
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.files.session import SessionCommands
from pgmstudio.gui.navigation import open_model_page
from tests.gui.questions import is_saved_to
from tests.gui.small_scenes import SAMPLES
from tests.gui.walking import opened_windows


def saving(driver: WindowDriver, own: Path) -> Iterator[str]:
    """Recorded runs after reopening, a model of older rows, and the questions on saving."""
    app = driver.app
    tour = WindowTour(driver.window)
    tour.import_rows(SAMPLES / "check-up.csv")
    tour.data()
    tour.learn_form()
    tour.learning_run()
    tour.model()
    file = own / "check-up.pgmz"
    assert is_saved_to(app, file)
    open_file(app, file)
    driver.settle()
    app.reveal("runsPanel")
    driver.settle()
    yield "runs-recorded"
    (data_id, entry), *_ = app.project.data.items()
    fewer = entry.data.take_rows(slice(entry.data.row_count // 2))
    assert app.change("Keep half of the rows", partial(replace_data, data_id=data_id, data=fewer))
    open_model_page(app, next(iter(app.project.models)))
    app.workspace.select(())
    driver.settle()
    yield "learn-again"
    file.write_bytes(file.read_bytes() + b" ")
    driver.do("file.save")
    driver.settle()
    yield "changed-on-disk"
    _close_dialogs(driver)
    app.change("Rename", partial(set_title, title="Check-up, half"))
    driver.do("file.new")
    driver.settle()
    yield "unsaved-changes"
    _close_dialogs(driver)
    driver.do("edit.preferences")
    QTest.qWait(200)
    yield "reading-limit"
    _close_dialogs(driver)


def sessions(driver: WindowDriver, own: Path) -> Iterator[str]:
    """Recording a macro, replaying it on another data set, and the list of shortcuts."""
    app = driver.app
    tour = WindowTour(driver.window)
    tour.import_rows(SAMPLES / "check-up.csv")
    tour.data()
    driver.do("edit.record-macro")
    app.change("Rename", partial(set_title, title="Check-up"))
    menu = driver.window.findChild(QMenu, "menuEdit")
    assert menu is not None
    menu.popup(driver.window.mapToGlobal(QPoint(60, 30)))
    driver.settle()
    yield "recording"
    menu.close()
    macro = own / "macro.py"
    app.service(SessionCommands).save(macro, 1)
    driver.settle()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "choose_file", lambda *_, **__: macro)
        QTest.qWait(500)
        driver.do("edit.replay-macro")
        driver.settle()
        yield "replay"
        _close_dialogs(driver)
    driver.do("edit.shortcuts")
    QTest.qWait(200)
    yield "shortcuts"
    _close_dialogs(driver)


def _close_dialogs(driver: WindowDriver) -> None:
    for window in opened_windows(driver.window):
        if isinstance(window, QDialog):
            window.close()
            window.deleteLater()
