"""Pictures as files: what is on the canvas is in the PNG, the SVG and the PDF alike."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QPushButton, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from pgmstudio.core.errors import FileError, TooLargeError
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.gui.export.canvas_image import CanvasDrawing
from pgmstudio.gui.export.dialog import ExportDialog
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.score_plot import ScorePlot
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.widgets.image_file import (
    FORMATS,
    PX_PER_INCH,
    PictureOptions,
    image_of,
    page_size,
    picture_bytes,
    write_picture,
)
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler
from tests.gui.walking import misfits, open_sprinkler, settle

LEFT = Qt.MouseButton.LeftButton
MM_PER_INCH, POINTS_PER_INCH = 25.4, 72


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> ModelPage:
    """The sprinkler with evidence, so that the legend has something to say."""
    made = open_sprinkler(qtbot, window)
    live = made.asking.live
    live.set_finding("wet", Observed("yes"))
    live.set_likelihood("sprinkler", {"off": 0.4, "on": 0.9})
    qtbot.waitUntil(lambda: not live.is_stale and bool(made.legend_entries()))
    scene = made.scene()  # edges are led around nodes beside the window, and then drawn anew
    qtbot.waitUntil(lambda: all(scene.is_routed(edge) for edge in scene.edges.values()))
    return made


@pytest.fixture
def drawing(page: ModelPage) -> CanvasDrawing:
    return CanvasDrawing(page.canvas, page.title)


def read_image(content: bytes) -> QImage:
    image = QImage.fromData(content, "PNG")
    assert not image.isNull()
    return image


def from_svg(content: bytes, size: QSize) -> QImage:
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer = QSvgRenderer(content)
    assert renderer.isValid()
    renderer.render(painter)
    painter.end()
    return image


def coarse(image: QImage, side: int = 24) -> NDArray[np.float64]:
    """Mean greys of a grid of tiles, 0 to 1: what is where, whatever the anti-aliasing."""
    small = image.convertToFormat(QImage.Format.Format_Grayscale8).scaled(
        side, side, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    return np.array(
        [[small.pixelColor(x, y).lightnessF() for x in range(side)] for y in range(side)]
    )


def svg_inches(content: bytes) -> tuple[float, float]:
    result = re.search(rb'<svg width="([\d.]+)mm" height="([\d.]+)mm"', content)
    assert result is not None
    return float(result[1]) / MM_PER_INCH, float(result[2]) / MM_PER_INCH


def pdf_inches(content: bytes) -> tuple[float, float]:
    result = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert result is not None
    return float(result[1]) / POINTS_PER_INCH, float(result[2]) / POINTS_PER_INCH


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("legend", [True, False])
def test_all_three_formats_have_the_same_bounds(
    drawing: CanvasDrawing, whole: bool, legend: bool
) -> None:
    options = PictureOptions(whole=whole, legend=legend, dpi=96)
    image = read_image(picture_bytes(drawing, ".png", options))
    inches = image.width() / PX_PER_INCH, image.height() / PX_PER_INCH
    assert svg_inches(picture_bytes(drawing, ".svg", options)) == pytest.approx(inches, abs=1e-4)
    assert pdf_inches(picture_bytes(drawing, ".pdf", options)) == pytest.approx(inches)


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_the_svg_shows_what_the_png_shows(drawing: CanvasDrawing, shade: str) -> None:
    options = PictureOptions(dpi=96, shade="dark" if shade == "dark" else "light")
    png = read_image(picture_bytes(drawing, ".png", options))
    svg = from_svg(picture_bytes(drawing, ".svg", options), png.size())
    difference = np.abs(coarse(png) - coarse(svg))
    assert difference.max() < 0.12
    assert difference.mean() < 0.01
    bare = np.abs(coarse(png) - coarse(png).max())
    assert bare.max() > 0.2  # there is something to compare


def test_svg_and_pdf_hold_lines_and_letters_and_no_pixels(drawing: CanvasDrawing) -> None:
    svg = picture_bytes(drawing, ".svg", PictureOptions()).decode()
    assert "<image" not in svg
    for words in ("rain", "sprinkler", "wet", "outline = prior", "likelihood"):
        assert f">{words}</text>" in svg.replace("\n", "")
    assert b"/Subtype /Image" not in picture_bytes(drawing, ".pdf", PictureOptions())


def test_the_legend_can_be_left_out(drawing: CanvasDrawing) -> None:
    with_legend, without = PictureOptions(), PictureOptions(legend=False)
    assert b"outline = prior" not in picture_bytes(drawing, ".svg", without)
    assert page_size(drawing, without).height() < page_size(drawing, with_legend).height()


def test_a_transparent_picture_has_no_ground(drawing: CanvasDrawing) -> None:
    options = PictureOptions(dpi=96)
    corner = image_of(drawing, options).pixelColor(1, 1)
    assert corner == theme().color("canvas")
    clear = image_of(drawing, replace(options, transparent=True))
    assert clear.pixelColor(1, 1).alpha() == 0
    assert clear.hasAlphaChannel()


def test_the_dark_look_does_not_change_the_screen(page: ModelPage, drawing: CanvasDrawing) -> None:
    # A picture ends hovering and empties the nodes' caches; only its colours are asked about here.
    image_of(drawing, PictureOptions(dpi=96))
    before = page.canvas.grab().toImage()
    dark = image_of(drawing, PictureOptions(dpi=96, shade="dark"))
    background = dark.pixelColor(1, 1)
    assert background.lightnessF() < 0.2
    assert theme().shade == "light"
    assert page.canvas.grab().toImage() == before


def test_selection_is_not_part_of_the_picture(page: ModelPage, drawing: CanvasDrawing) -> None:
    options = PictureOptions(dpi=96)
    before = image_of(drawing, options)
    page.scene().show_selection(["rain"], [("rain", "wet")])
    assert image_of(drawing, options) == before
    assert page.scene().selected_nodes == ("rain",)
    assert page.scene().nodes["rain"].look.is_selected


def test_dots_per_inch_scale_the_pixels(drawing: CanvasDrawing) -> None:
    one, three = (image_of(drawing, PictureOptions(dpi=dpi)) for dpi in (96, 288))
    assert three.size() == one.size() * 3
    assert three.dotsPerMeterX() == pytest.approx(288 / 0.0254, abs=1)


def test_from_afar_the_whole_graph_can_be_drawn_in_full(
    page: ModelPage, drawing: CanvasDrawing
) -> None:
    page.canvas.view.set_zoom(0.2)
    far = picture_bytes(drawing, ".svg", PictureOptions())
    full = picture_bytes(drawing, ".svg", PictureOptions(in_full=True))
    assert b">sprinkler<" not in far.replace(b"\n", b"").replace(b" ", b"")
    assert b"sprinkler" in full


def test_a_picture_that_would_fill_the_memory_is_refused_in_a_sentence(
    drawing: CanvasDrawing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pgmstudio.gui.widgets.image_file.MAX_PIXELS", 1000)
    with pytest.raises(TooLargeError, match="SVG or PDF"):
        picture_bytes(drawing, ".png", PictureOptions())
    assert picture_bytes(drawing, ".svg", PictureOptions())


def test_a_failed_export_leaves_the_old_file(
    drawing: CanvasDrawing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "graph.png"
    write_picture(path, drawing, PictureOptions(dpi=96))
    before = path.read_bytes()

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", no_room)
    with pytest.raises(FileError, match="No space left"):
        write_picture(path, drawing, PictureOptions(dpi=192))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_ending_is_refused(drawing: CanvasDrawing, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"Use one of \.png, \.svg, \.pdf"):
        write_picture(tmp_path / "graph.gif", drawing, PictureOptions())


# -- plots


@pytest.fixture
def plot(qtbot: QtBot, window: MainWindow) -> ScorePlot:
    """The plot of a run that has reported five scores of two restarts."""
    add_sprinkler(window.app)
    window.reveal("runsPanel")
    learner = learner_of("bn.hill-climb")
    params = learner.params_type()
    task = LearnTask(learner.key, window.app.project.data["d1"].data, params, 1)
    run = LearningRun(RunRequest("Climb", learner.key, params, 1, "d1"), task, window)
    run.trace.steps = [0, 1, 2, 3, 4]
    run.trace.scores = [-9.0, -7.0, -8.0, -6.0, -6.5]
    run.trace.groups = [0, 0, 1, 1, 1]
    result = window.findChild(ScorePlot, "scorePlot")
    result.show_run(run)
    qtbot.waitUntil(lambda: result.canvas is not None and result.canvas.height() > 20)
    return result


def test_a_plot_is_exported_in_the_chosen_look_and_stays_as_it_was(
    qtbot: QtBot, window: MainWindow, plot: ScorePlot
) -> None:
    window.app.actions.refresh("file.export-plot")
    assert window.app.actions["file.export-plot"].isEnabled()
    plot.canvas.grab()  # the first painting decides how much room the numbers at the axes take
    QApplication.processEvents()
    before = plot.canvas.grab().toImage()
    drawing = PlotDrawing(plot, "Score by step")
    dark = image_of(drawing, PictureOptions(dpi=96, shade="dark"))
    assert dark.pixelColor(dark.width() - 2, 2).lightnessF() < 0.2
    clear = image_of(drawing, PictureOptions(dpi=96, transparent=True))
    assert clear.pixelColor(clear.width() - 2, 2).alpha() == 0
    assert b"<image" not in picture_bytes(drawing, ".svg", PictureOptions())
    qtbot.waitUntil(lambda: plot.canvas.grab().toImage() == before)


def test_without_a_run_there_is_no_plot_to_export(window: MainWindow) -> None:
    window.app.actions.refresh("file.export-plot")
    assert window.app.actions["file.export-plot"].toolTip() == "Not now: no run has a plot yet."


# -- the dialog


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow, page: ModelPage) -> ExportDialog:
    page.canvas.view.setFocus()
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keyClick(page.canvas.view, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    result = window.findChild(ExportDialog, "exportDialog")
    assert result is not None
    qtbot.waitUntil(lambda: not result.findChild(QLabel, "exportPreview").pixmap().isNull())
    return result


def press(qtbot: QtBot, dialog: ExportDialog, name: str) -> None:
    for kind in (QToolButton, QPushButton):
        result = dialog.findChild(kind, name)
        if result is not None:
            qtbot.mouseClick(result, LEFT)
            return
    raise AssertionError(name)


@pytest.mark.parametrize("ending", list(FORMATS))
def test_choosing_a_format_and_a_file_writes_the_picture(
    qtbot: QtBot,
    window: MainWindow,
    dialog: ExportDialog,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    asked: list[str] = []

    def choose(_parent: object, _title: str, start: str, _filter: str) -> tuple[str, str]:
        asked.append(start)
        return str(tmp_path / "out"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    press(qtbot, dialog, f"exportFormat.{ending}")
    assert dialog.findChild(QSpinBox, "exportDpi").isVisible() == (ending == ".png")
    messages: list[str] = []
    window.app.toast.connect(lambda message, _undo: messages.append(message))
    press(qtbot, dialog, "exportSave")
    assert asked[0].endswith(f"Sprinkler{ending}")
    path = tmp_path / f"out{ending}"  # the ending is added when it was not typed
    heads = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert path.read_bytes().startswith(heads[ending])
    assert messages == [f"Wrote {path.name}."]
    assert not dialog.isVisible()


def test_what_stands_in_the_way_is_reported_in_the_dialog(
    dialog: ExportDialog, tmp_path: Path
) -> None:
    assert not dialog.export_to(tmp_path / "missing" / "graph.png")
    note = dialog.findChild(Note, "exportTrouble")
    assert note.isVisible()
    assert "graph.png: cannot be written" in note.text
    assert dialog.isVisible()


def test_the_preview_and_the_size_follow_the_choices(qtbot: QtBot, dialog: ExportDialog) -> None:
    words = dialog.findChild(QLabel, "exportSize")
    preview = dialog.findChild(QLabel, "exportPreview")
    before, picture = words.text(), preview.pixmap().toImage()
    press(qtbot, dialog, "exportPart.sight")
    press(qtbot, dialog, "exportShade.dark")
    assert words.text() != before
    qtbot.waitUntil(lambda: preview.pixmap().toImage() != picture)
    assert dialog.options.shade == "dark"
    assert not dialog.options.whole
    assert QColor(preview.pixmap().toImage().pixelColor(2, 2)).lightnessF() < 0.2


def test_options_are_remembered_for_the_next_picture(
    qtbot: QtBot, window: MainWindow, dialog: ExportDialog
) -> None:
    press(qtbot, dialog, "exportShade.dark")
    press(qtbot, dialog, "exportCopy")
    assert not QApplication.clipboard().image().isNull()
    qtbot.waitUntil(lambda: window.findChild(ExportDialog) is None)
    window.app.actions["file.export"].trigger()
    again = window.findChild(ExportDialog)
    assert again.options.shade == "dark"
    again.reject()


def test_without_a_model_the_action_says_why_not(window: MainWindow) -> None:
    window.app.actions.refresh("file.export")
    action = window.app.actions["file.export"]
    assert not action.isEnabled()
    assert action.toolTip() == "Not now: open a model first."


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_the_dialog_fits_a_small_window(window: MainWindow, page: ModelPage, scale: float) -> None:
    theme().set_look(scale=scale)
    window.resize(1024, 700)
    window.app.actions.refresh("file.export")
    window.app.actions["file.export"].trigger()
    dialog = window.findChild(ExportDialog)
    settle(window)
    assert dialog.width() <= 1024
    assert dialog.height() <= 700
    result = misfits(dialog)
    dialog.reject()
    theme().set_look(scale=1.0)
    assert not result, "\n".join(result)
