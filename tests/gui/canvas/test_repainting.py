"""What a change paints again: all of what differs, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtGui import QImage, QPixmapCache
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.analysis.belief_query import ROUNDING, settled
from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.node_item import NodeItem
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView
from pgmstudio.gui.canvas.zoom_view import ZoomView
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.plots.plot_widget import PlotLibrary
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.asia import open_asia

PLACES = {"a": (0.0, 0.0), "b": (-160.0, 160.0), "c": (160.0, 160.0), "d": (0.0, 320.0)}
# Lines that cross the border of what is painted are blended in another order.
NOTICEABLE = 8


def _face(name: str, mode: NodeMode = NodeMode.PRIOR) -> NodeView:
    return NodeView(name, mode, ("yes", "no", "maybe"), (0.25, 0.5, 0.25), (0.5, 0.25, 0.25))


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The nodes that were painted, in their order."""
    names: list[str] = []
    paint = NodeItem.paint

    def watched(self: NodeItem, *args: object) -> None:
        names.append(self.id)
        paint(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(NodeItem, "paint", watched)
    return names


@pytest.fixture
def canvas(qtbot: QtBot, painted: list[str]) -> Iterator[Canvas]:
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    made = Canvas()
    qtbot.addWidget(made)
    made.resize(800, 640)
    nodes = tuple(PictureNode(name, name, variable=name) for name in PLACES)
    edges = (PictureEdge("a", "b"), PictureEdge("a", "c"), PictureEdge("c", "d"))
    faces = {name: _face(name) for name in PLACES}
    made.scene.show_picture(GraphPicture(nodes, edges), faces, PLACES)
    with qtbot.waitExposed(made):
        made.show()
    made.view.set_zoom(1.0)
    made.view.centre_on(QPointF(0, 160))
    _pixels(made)
    painted.clear()
    yield made
    made.stop()
    theme().set_look(mode="light", scale=1.0)


def _pixels(canvas: Canvas, ratio: float = 1.0) -> NDArray[np.int16]:
    """What the view shows, with all that it has kept from painting before."""
    image = QImage(canvas.view.viewport().size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    canvas.view.viewport().render(image)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return rows[:, : image.width(), :3].astype(np.int16)


def test_only_a_node_with_another_belief_is_painted_again(
    canvas: Canvas, painted: list[str]
) -> None:
    faces = {name: _face(name) for name in PLACES}
    canvas.scene.show_faces({**faces, "b": replace(faces["b"], beliefs=(0.1, 0.6, 0.3))})
    _pixels(canvas)
    assert set(painted) == {"b"}


def test_names_are_not_painted_again_for_other_beliefs(canvas: Canvas, painted: list[str]) -> None:
    for zoom, mode in ((1.0, NodeMode.NAME), (0.5, NodeMode.NAME), (0.5, NodeMode.DOT)):
        canvas.view.set_zoom(zoom)
        faces = {name: _face(name, mode) for name in PLACES}
        canvas.scene.show_faces(faces)
        _pixels(canvas)
        painted.clear()
        others = {n: replace(face, beliefs=(0.1, 0.6, 0.3)) for n, face in faces.items()}
        canvas.scene.show_faces(others)
        _pixels(canvas)
        assert painted == []
        canvas.view.set_zoom(1.0)
        canvas.scene.show_faces({n: _face(n) for n in PLACES})
        _pixels(canvas)


def test_a_dot_is_painted_again_only_for_another_step_of_its_colour(
    canvas: Canvas, painted: list[str]
) -> None:
    canvas.view.set_zoom(0.2)
    sure, unsure = (0.98, 0.01, 0.01), (0.34, 0.33, 0.33)
    canvas.scene.show_faces({n: replace(_face(n), beliefs=sure) for n in PLACES})
    _pixels(canvas)
    painted.clear()
    nearly = (0.981, 0.01, 0.009)
    changed = {n: replace(_face(n), beliefs=unsure if n == "b" else nearly) for n in PLACES}
    canvas.scene.show_faces(changed)
    assert _differences(_pixels(canvas), _fresh(canvas)) == 0
    assert set(painted) >= {"b"}
    painted.clear()
    canvas.scene.show_faces({n: replace(_face(n), beliefs=sure) for n in PLACES if n != "b"})
    _pixels(canvas)
    assert painted == []


def test_what_was_not_painted_from_afar_is_there_when_one_comes_near(canvas: Canvas) -> None:
    canvas.view.set_zoom(0.3)
    _pixels(canvas)
    canvas.scene.show_faces({n: replace(_face(n), beliefs=(0.9, 0.05, 0.05)) for n in PLACES})
    _pixels(canvas)
    canvas.view.set_zoom(1.0)
    canvas.view.centre_on(QPointF(0, 160))
    assert _differences(_pixels(canvas), _fresh(canvas)) == 0


def _fresh(canvas: Canvas) -> NDArray[np.int16]:
    """The same with everything that was kept thrown away."""
    QPixmapCache.clear()
    canvas.view.resetCachedContent()
    for item in canvas.scene.items():
        item.update()
    return _pixels(canvas)


def _differences(one: NDArray[np.int16], other: NDArray[np.int16]) -> int:
    return int((np.abs(one - other) > NOTICEABLE).sum())


CHANGES: dict[str, Callable[[NodeView], NodeView]] = {
    "beliefs": lambda face: replace(face, beliefs=(0.02, 0.9, 0.08)),
    "impossible": lambda face: replace(face, beliefs=(0.0, 1.0, 0.0)),
    "priors": lambda face: replace(face, priors=(0.1, 0.1, 0.8)),
    "most probable": lambda face: replace(face, most_probable="no"),
    "evidence": lambda face: replace(face, weights=(0.0, 1.0, 0.0), beliefs=(0.0, 1.0, 0.0)),
    "likelihood": lambda face: replace(face, weights=(0.5, 1.0, 0.2), beliefs=(0.2, 0.7, 0.1)),
    "title": lambda face: replace(face, title="Something else"),
    "target": lambda face: replace(face, is_target=True),
    "stale": lambda face: replace(face, is_stale=True),
    "mode": lambda face: replace(face, mode=NodeMode.ENTROPY),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("zoom", [0.72, 1.0, 1.7])
def test_a_changed_part_looks_as_if_all_was_painted(canvas: Canvas, what: str, zoom: float) -> None:
    canvas.view.set_zoom(zoom)
    before = _pixels(canvas)
    canvas.scene.show_faces({name: CHANGES[what](_face(name)) for name in ("a", "d")})
    after = _pixels(canvas)
    assert _differences(before, after) > 0
    assert _differences(after, _fresh(canvas)) == 0


def test_what_is_kept_is_renewed_in_another_theme_and_at_another_font_scale(
    canvas: Canvas, painted: list[str]
) -> None:
    light = _pixels(canvas)
    painted.clear()
    theme().set_look(mode="dark")
    dark = _pixels(canvas)
    assert set(painted) == set(PLACES)
    assert _differences(light, dark) > 0
    assert _differences(dark, _fresh(canvas)) == 0
    theme().set_look(mode="light", scale=1.25)
    assert _differences(_pixels(canvas), _fresh(canvas)) == 0


def test_a_screen_with_more_pixels_gets_pictures_of_its_own(
    canvas: Canvas, painted: list[str]
) -> None:
    coarse = _pixels(canvas)
    painted.clear()
    QApplication.sendEvent(canvas.view, QEvent(QEvent.Type.DevicePixelRatioChange))
    sharp = _pixels(canvas, ratio=2.0)
    assert set(painted) == set(PLACES)
    assert _differences(sharp, coarse.repeat(2, axis=0).repeat(2, axis=1)) > 0
    canvas.scene.forget_pixels()
    assert _differences(sharp, _pixels(canvas, ratio=2.0)) == 0


def test_fitting_what_is_fitted_already_notifies_nobody_and_draws_no_background(
    qtbot: QtBot, canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas.view.fit()
    _pixels(canvas)
    backgrounds: list[object] = []
    monkeypatch.setattr(
        ZoomView, "drawBackground", lambda self, painter, rect: backgrounds.append(1)
    )
    with (
        qtbot.assertNotEmitted(canvas.view.zoom_changed),
        qtbot.assertNotEmitted(canvas.view.looked_elsewhere),
    ):
        canvas.view.fit()
    _pixels(canvas)
    assert backgrounds == []


def test_beliefs_the_evidence_does_not_reach_stay_the_same_arrays(
    window: MainWindow, sample_data: Path
) -> None:
    live = open_asia(window, sample_data)
    before = dict(live.beliefs)
    live.click_state("asia", "yes")
    live.update_now()
    kept = {name for name, values in live.beliefs.items() if values is before[name]}
    assert {"smoke", "lung", "bronc"} <= kept
    assert kept.isdisjoint({"asia", "tub", "either", "xray", "dysp"})


class _Layouts(QObject):
    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def _settle() -> None:
    """A change of size climbs one widget a turn."""
    for _ in range(60):
        QApplication.processEvents()


def test_a_click_does_not_lay_out_the_window_again(
    qtbot: QtBot, window: MainWindow, sample_data: Path
) -> None:
    live = open_asia(window, sample_data)
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: bool(page.canvas.scene.nodes))
    live.click_state("asia", "yes")
    live.update_now()
    _settle()
    layouts = _Layouts(window)
    live.click_state("smoke", "yes")
    live.update_now()
    _settle()
    assert layouts.count == 0


@given(st.data())
def test_settled_beliefs_are_those_asked_for(data: st.DataObject) -> None:
    """Equal up to rounding always; impossible and certain exactly."""
    number = st.sampled_from([0.0, 1e-300, 1e-13, 0.25, 0.25 + 1e-14, 0.5, 1 - 1e-13, 1.0])
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    before, after = (
        {
            f"v{i}": np.array(data.draw(st.lists(number, min_size=size, max_size=size)))
            for i, size in enumerate(sizes)
        }
        for _ in range(2)
    )
    result = settled(before, after)
    assert list(result) == list(after)
    for name, values in result.items():
        assert np.abs(values - after[name]).max() <= ROUNDING
        assert ((values <= 0) == (after[name] <= 0)).all()
        assert ((values >= 1) == (after[name] >= 1)).all()
        if np.array_equal(before[name], after[name]):
            assert values is before[name]


def test_plots_are_loaded_once(qtbot: QtBot) -> None:
    library = PlotLibrary()
    library._is_loaded = False  # another test may have loaded it
    finders = list(sys.meta_path)
    with qtbot.waitSignal(library.loaded):
        assert not library.ask()
    assert library.ask()
    assert sys.meta_path == finders
    with qtbot.assertNotEmitted(library.loaded, wait=20):
        library.ask()


LOADING = """
import sys, threading
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import pgmstudio.gui.plots.plot_widget as loading
app = QApplication([])
library = loading.PlotLibrary()
class First:
    @staticmethod
    def find_spec(name, *_):
        if name.startswith("pyqtgraph."):
            sys.meta_path.remove(First)
            print(threading.current_thread() is threading.main_thread())
            for part in ("QtCore", "QtGui", "QtWidgets"):
                module = sys.modules[f"PySide6.{part}"]
                print(part, len(set(dir(module)) - set(vars(module))))
sys.meta_path.insert(0, First)
turns = []
def watch():
    turns.append("pyqtgraph" in sys.modules and not library.is_loaded)
watching = QTimer()
watching.timeout.connect(watch)
watching.start()
library.loaded.connect(app.quit)
library.ask()
app.exec()
print(sum(turns) > 5)
names = set(vars(sys.modules["pyqtgraph"]))
for name in [name for name in sys.modules if name.split(".")[0] == "pyqtgraph"]:
    del sys.modules[name]
import pyqtgraph
print(names == set(vars(pyqtgraph)))
"""


def test_plots_are_loaded_by_the_window_after_the_classes_of_qt_they_need() -> None:
    """PySide makes classes when they are asked for; two threads that do so at once crash."""
    result = subprocess.run(
        [sys.executable, "-c", LOADING], capture_output=True, text=True, check=True
    )
    made = ["QtCore", "0", "QtGui", "0", "QtWidgets", "0"]
    answers_in_between = has_all_names = "True"
    assert result.stdout.split() == ["True", *made, answers_in_between, has_all_names]


HALF_LOADED = """
import sys
from PySide6.QtWidgets import QApplication
from pgmstudio.gui.plots.plot_widget import new_canvas, plot_library
app = QApplication([])
if sys.argv[1] == "broken":
    sys.modules["pyqtgraph.widgets.ValueLabel"] = None
library = plot_library()
library.ask()
while "pyqtgraph" not in sys.modules:
    app.processEvents()
library.load()
print(library.is_loaded, library.is_loading)
try:
    print(type(new_canvas("plot")).__name__)
except ImportError as error:
    print(error.name)
"""


@pytest.mark.parametrize(
    ("state", "shown"), [("whole", "PlotWidget"), ("broken", "pyqtgraph.widgets.ValueLabel")]
)
def test_a_plot_that_cannot_wait_has_the_rest_loaded_at_once(state: str, shown: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", HALF_LOADED, state], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["True", "False", shown]
