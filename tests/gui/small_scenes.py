"""Scenes of panels and notes: history, settings, commands, what went wrong, what was kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.opening import open_file, open_files
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page, open_welcome

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


def open_asia(driver: WindowDriver) -> ModelPage:
    """The page of Asia, the whole of it in sight."""
    open_file(driver.app, SAMPLES / "asia.json")
    page = driver.model_page()
    page.canvas.view.fit()
    return page


def small(driver: WindowDriver, own: Path) -> Iterator[str]:
    """Panels and notes: history, settings, commands, menus, what went wrong, what was kept."""
    app = driver.app
    page = open_asia(driver)
    page.editing.delete((), [("asia", "tub")])
    page.editing.delete(("bronc",), [])
    app.document.undo_stack.undo()
    app.reveal("historyPanel")
    driver.settle()
    yield "history"
    app.reveal("logPanel")
    driver.settle()
    yield "log"
    driver.do("edit.preferences")
    driver.settle()
    yield "preferences"
    for dialog in _dialogs(driver):
        dialog.close()
    driver.do("file.export")
    driver.settle()
    yield "export"
    for dialog in _dialogs(driver):
        dialog.close()
    driver.do("file.report")
    driver.settle()
    yield "report"
    for dialog in _dialogs(driver):
        dialog.close()
    field = driver.widget("commandField")
    assert isinstance(field, QLineEdit)
    field.begin()  # type: ignore[attr-defined]
    QTest.keyClicks(field, "evid")
    driver.settle()
    yield "commands"
    field.completer().popup().hide()
    field.clear()
    broken = own / "broken.bif"
    text = (SAMPLES / "asia.bif").read_text()
    broken.write_text(text.replace("probability ( lung | smoke )", "probability ( lung | smok )"))
    open_files(app, [broken])
    QTest.qWait(500)
    yield "wrong-file"
    driver.window.error_notes.dismiss_all()
    page.canvas.view.setFocus()
    app.workspace.select(())  # an inspector over the canvas would hide the gesture
    draw_a_cycle(driver, page)
    yield "cycle"
    QTest.keyClick(page.canvas.view, Qt.Key.Key_Escape)
    driver.do("help.contents")
    QTest.qWait(400)
    yield "help"
    with_recovery = driver.window.autosave
    with_recovery.save_now()
    driver.wait_for("the recovery file", with_recovery.file.exists)
    file = with_recovery.file
    for each in (file, file.with_suffix(".json")):
        each.rename(each.with_name(f"999999999-token{each.suffix}"))
    open_welcome(app)
    driver.settle()
    yield "recovery"


def draw_a_cycle(driver: WindowDriver, page: ModelPage) -> None:
    """An edge against the arrows, still in the hand."""
    open_model_page(driver.app, page.model_id or "")
    page.canvas.view.fit()
    driver.do("model.draw-edges")
    view = page.canvas.view

    def position_of(node: str) -> QPoint:
        spot: QPointF = page.scene().nodes[node].pos()
        return view.mapFromScene(spot)

    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=position_of("dysp"))
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(
            view.viewport(),
            position_of("dysp") + (position_of("smoke") - position_of("dysp")) * share,
        )
        QTest.qWait(30)
    driver.settle()


def _dialogs(driver: WindowDriver) -> list[object]:
    from tests.gui.walking import opened_windows

    return list(opened_windows(driver.window))
