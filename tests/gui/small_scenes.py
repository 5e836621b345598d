"""Scenes of panels and notes: history, settings, commands, what went wrong, what was kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from pgmstudio.gui.demo.window_driver import Hands
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.project.opening import open_file, open_files, open_model_page, open_welcome

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


def open_asia(hands: Hands) -> ModelPage:
    """The page of Asia, the whole of it in sight."""
    open_file(hands.shell, SAMPLES / "asia.json")
    page = hands.model_page()
    page.canvas.view.fit()
    return page


def small(hands: Hands, own: Path) -> Iterator[str]:
    """Panels and notes: history, settings, commands, menus, what went wrong, what was kept."""
    shell = hands.shell
    page = open_asia(hands)
    page.editing.delete((), [("asia", "tub")])
    page.editing.delete(("bronc",), [])
    shell.document.undo_stack.undo()
    shell.reveal("historyPanel")
    hands.settle()
    yield "history"
    shell.reveal("logPanel")
    hands.settle()
    yield "log"
    hands.do("edit.preferences")
    hands.settle()
    yield "preferences"
    for dialog in _dialogs(hands):
        dialog.close()
    hands.do("file.export")
    hands.settle()
    yield "export"
    for dialog in _dialogs(hands):
        dialog.close()
    field = hands.widget("commandField")
    assert isinstance(field, QLineEdit)
    field.begin()  # type: ignore[attr-defined]
    QTest.keyClicks(field, "evid")
    hands.settle()
    yield "commands"
    field.completer().popup().hide()
    field.clear()
    broken = own / "broken.bif"
    text = (SAMPLES / "asia.bif").read_text()
    broken.write_text(text.replace("probability ( lung | smoke )", "probability ( lung | smok )"))
    open_files(shell, [broken])
    QTest.qWait(500)
    yield "wrong-file"
    hands.window.error_notes.dismiss_all()
    page.canvas.view.setFocus()
    shell.bench.select(())  # an inspector over the canvas would hide the gesture
    _cycle(hands, page)
    yield "cycle"
    QTest.keyClick(page.canvas.view, Qt.Key.Key_Escape)
    hands.do("help.contents")
    QTest.qWait(400)
    yield "help"
    with_recovery = hands.window.autosave
    with_recovery.save_now()
    hands.wait_for("the recovery file", with_recovery.file.exists)
    file = with_recovery.file
    for each in (file, file.with_suffix(".json")):
        each.rename(each.with_name(f"999999999-token{each.suffix}"))
    open_welcome(shell)
    hands.settle()
    yield "recovery"


def _cycle(hands: Hands, page: ModelPage) -> None:
    """An edge against the arrows, still in the hand."""
    open_model_page(hands.shell, page.model_id or "")
    page.canvas.view.fit()
    hands.do("model.draw-edges")
    view = page.canvas.view

    def place(node: str) -> QPoint:
        spot: QPointF = page.scene().nodes[node].pos()
        return view.mapFromScene(spot)

    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=place("dysp"))
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(view.viewport(), place("dysp") + (place("smoke") - place("dysp")) * share)
        QTest.qWait(30)
    hands.settle()


def _dialogs(hands: Hands) -> list[object]:
    from tests.gui.walking import opened_windows

    return list(opened_windows(hands.window))
