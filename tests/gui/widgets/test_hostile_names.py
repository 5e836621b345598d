"""Names are text wherever they are shown: no markup, no shortcut, nothing that is loaded."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QDialog,
    QFileDialog,
    QGraphicsTextItem,
    QGraphicsView,
    QInputDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QTabBar,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.classification import RocCurve
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of, parse
from pgmstudio.core.model import Model
from pgmstudio.core.project import edits
from pgmstudio.core.project.model_edits import set_model_notes
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project
from pgmstudio.gui.files.opening import show_project
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.plots.classification_plots import RocPlot
from pgmstudio.gui.widgets.notes_editor import NotesEditor, notes_html
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.preferences_dialog import show_preferences
from tests.gui.walking import FURTHER, arrange, opened_windows, settle

# Markup to Qt's eye, and with a mark of a shortcut in it.
MARK = "<u>R&D"
TITLE = f"{MARK} title</u>"


@pytest.fixture(autouse=True)
def _nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for choice in ("getOpenFileName", "getSaveFileName", "getOpenFileNames"):
        nothing: tuple[object, str] = ([] if choice.endswith("Names") else "", "")
        monkeypatch.setattr(QFileDialog, choice, lambda *_, nothing=nothing, **__: nothing)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: "")
    for box in (QDialog, QMessageBox, QInputDialog):
        monkeypatch.setattr(box, "exec", lambda *_: 0)
    monkeypatch.setattr(QMenu, "exec", lambda *_: None)


def hostile(project: Project) -> Project:
    """The first data set and model of a project, with markup for every name and state."""
    model, data = project.models["m1"].model, project.data["d1"].data
    words = {name: f"{MARK} {number}</u>" for number, name in enumerate(model.domain.names)}
    words |= {state: f"{MARK} state {state}</u>" for name in model.domain for state in name.states}
    domain = Domain.of({words[v.name]: [words[s] for s in v.states] for v in data.domain})
    rows = DataSet(domain, data.codes, data.weights)
    made = edits.add_data(Project(), entry=DataEntry(TITLE, rows, source=TITLE))
    entry = ModelEntry(TITLE, renamed(model, words), data_id="d1")
    return edits.add_model(made, entry=entry)


def renamed(model: Model, words: dict[str, str]) -> Model:
    text = json.dumps(document_of(ModelFile(model)))
    for old, new in words.items():
        text = text.replace(json.dumps(old), json.dumps(new))
    return parse(text.encode(), Path("hostile.json")).model


def problems_in(root: QWidget) -> set[str]:
    """Where a name is taken for something else than text."""
    result = set()
    for widget in [root, *root.findChildren(QWidget)]:
        if not widget.isVisible():
            continue
        name = f"{type(widget).__name__} {widget.objectName()}"
        match widget:
            case QLabel():
                form, text = widget.textFormat().name, QLabel.text(widget)
                if form != "PlainText" and (form != "RichText" or MARK in text):
                    result.add(f"{name} shows {text} as {form}")
            case QAbstractButton() if _has_shortcut(widget.text()) and not _paints_itself(widget):
                result.add(f"{name}: {widget.text()}")
            case QTabBar():
                tabs = [widget.tabText(number) for number in range(widget.count())]
                result |= {f"{name}: {text}" for text in tabs if _has_shortcut(text)}
            case QGraphicsView() if widget.scene() is not None:
                for item in widget.scene().items():
                    text = item.toPlainText() if isinstance(item, QGraphicsTextItem) else ""
                    if "R&D" in text and MARK not in text:
                        result.add(f"{name} draws {text}")
    actions = [action.text() for action in root.findChildren(QAction)]
    return result | {f"action {text}" for text in actions if _has_shortcut(text)}


def _has_shortcut(text: str) -> bool:
    return "R&D" in text.replace("&&", "")


def _paints_itself(widget: QAbstractButton) -> bool:
    return type(widget).__name__ == "_Part"


@pytest.mark.parametrize(
    "situation", ["model", *(pytest.param(s, marks=pytest.mark.long) for s in FURTHER)]
)
def test_names_of_markup_are_shown_as_they_are_on_every_page(
    window: MainWindow, situation: str
) -> None:
    app = window.app
    arrange(window, situation)
    project = hostile(app.project)
    app.document.undo_stack.setClean()
    show_project(app, project, None)
    names = app.project.models["m1"].model.domain.names
    notes = partial(set_model_notes, model_id="m1", notes=f"![x](file:///x.png) {TITLE}")
    app.change(f"Note on {TITLE}", notes)
    app.workspace.select([names[0]])
    app.workspace.set_target(names[-1])
    app.notify(f"{TITLE} was shown.")
    app.log("error", TITLE)
    open_data_page(app, "d1")
    settle(window)
    problems = problems_in(window)
    seen = any(MARK in label.text() for label in window.findChildren(QLabel))
    for action_id, spec in list(app.actions.specs.items()):
        if not spec.text.endswith("…") or spec.menu.startswith(("File", "Learn/With")):
            continue
        open_model_page(app, "m1")
        app.actions.refresh()
        if app.actions[action_id].isEnabled():
            app.actions[action_id].trigger()
            settle(window)
            problems |= problems_in(window)
            for other in opened_windows(window):
                problems |= problems_in(other)
                other.close()
    app.document.undo_stack.setClean()
    assert seen
    assert not problems, "\n".join(sorted(problems))


def test_tooltips_and_message_boxes_are_text(window: MainWindow) -> None:
    QToolTip.showText(QPoint(5, 5), TITLE, window)
    tips = [w for w in QApplication.topLevelWidgets() if w.inherits("QTipLabel")]
    assert [shown_as(tip) for tip in tips] == [(TITLE, "PlainText")]
    QToolTip.hideText()
    box = QMessageBox(window)
    box.setText(TITLE)
    box.setInformativeText(TITLE)
    box.show()
    settle(window)
    labels = [shown_as(label) for label in box.findChildren(QLabel)]
    assert labels.count((TITLE, "PlainText")) == 2
    box.close()


def shown_as(widget: QWidget) -> tuple[str, str]:
    assert isinstance(widget, QLabel)
    return widget.text(), widget.textFormat().name


def test_notes_load_no_image_and_have_no_link_but_to_the_web(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    notes = (
        "**bold** ![a picture](file:///etc/x.png) <img src='file:///etc/y.png'> "
        "[web](https://example.org/a) [file](file:///etc/passwd) [odd](javascript:alert)"
    )
    html = notes_html(notes, QFont())
    assert "<img" not in html
    assert "a picture" in html
    assert html.count("href=") == 1
    editor = NotesEditor("someNotes", "Notes")
    editor.setParent(window)
    editor.show_notes("m1", notes)
    preview = editor.findChild(QLabel, "someNotesPreview")
    for address in ("file:///etc/passwd", "smb://host/share", "https://example.org/a"):
        preview.linkActivated.emit(address)
    assert [QUrl(address).scheme() for address in opened] == ["https"]


def test_exported_rows_have_quoted_formulas_when_that_is_preferred(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = window.app
    domain = Domain.of({"@a": ["=1+1", "-x"]})
    rows = DataSet.from_rows(domain, [["=1+1"], ["-x"]])
    app.change("Add", partial(edits.add_data, entry=DataEntry("odd", rows)))
    open_data_page(app, "d1")
    path = tmp_path / "rows.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    app.actions["data.export"].trigger()
    assert path.read_text().split() == ["@a", "=1+1", "-x"]
    show_preferences(app).findChild(QCheckBox, "preferQuoteFormulas").click()
    assert app.preferences.quote_formulas
    app.actions["data.export"].trigger()
    assert path.read_text().split() == ["'@a", "'=1+1", "'-x"]
    for other in opened_windows(window):
        other.close()
    app.document.undo_stack.setClean()


def test_legends_of_plots_show_names_as_they_are(window: MainWindow, qtbot: QtBot) -> None:
    plot = RocPlot()
    plot.setParent(window)
    plot.resize(400, 300)
    plot.show()
    rates = np.array([0.0, 0.5, 1.0])
    plot.show_curves([TITLE, "b", "c"], [RocCurve(rates, rates, rates, 0.5)] * 3)
    qtbot.waitUntil(lambda: plot.findChild(QGraphicsView) is not None)
    scene = plot.findChild(QGraphicsView).scene()
    words = [i.toPlainText() for i in scene.items() if isinstance(i, QGraphicsTextItem)]
    assert f"{TITLE}, AUC 0.500" in words
