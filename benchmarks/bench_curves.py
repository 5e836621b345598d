"""The live plot of SL-curves: 5 000 points drawn again and again, and a sweep beside the window.

    python benchmarks/bench_curves.py

Frames are whole repaints of the plot while it is panned, zoomed, pointed at, its line dragged, and
after points have come; without a screen. A frame is told in wall time and in processor time of this
process, since figures of a busy machine say less; the load of the machine stands beside them.
Lateness is how much later than asked a timer of 5 ms comes, idle and while a sweep fills all cores;
beside it stands the processor time the window took between two beats, which a busy machine does not
lengthen by making it wait; stopping counts from the click to the end of the last process.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench_window import Lateness, say, turn
from PySide6.QtCore import QPoint, QSettings, QStandardPaths
from PySide6.QtWidgets import QApplication
from reporting import network_rows

from pgmstudio.core.experiments.curve_chart import chart_of
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.io.curve_setup import CurveSetup, RowChoice
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import CurveEntry, DataEntry
from pgmstudio.gui.curves.actions import open_curves
from pgmstudio.gui.curves.page import CurvesPage
from pgmstudio.gui.plots.model_scatter.sl_plot import SlPlot
from pgmstudio.gui.plots.plot_widget import plot_library
from pgmstudio.gui.project import preferences
from pgmstudio.gui.window.application import make_application
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.curve_pages import made_up_points

FRAMES = 60
WATCH_SECONDS = 8.0


def drawn(qt_app: QApplication) -> None:
    """Frames a second with 5 000 points, each with a mark for test and one for training rows."""
    while not plot_library().ask():
        qt_app.processEvents()
    points = made_up_points(more=157)
    plot = SlPlot()
    plot.resize(732, 428)
    plot.show()
    plot.set_lambda(0.36)
    begin = time.process_time()
    chart = chart_of(points)
    said = f"{len(points)} points"
    say("chart worked out beside the window", said, time.process_time() - begin, "processor")
    plot.show_chart(chart)
    qt_app.processEvents()
    view, canvas = plot._view, plot.canvas
    assert canvas is not None

    def pan(step: int) -> None:
        view.translateBy(x=0.01 if step % 2 else -0.01)

    def zoom(step: int) -> None:
        factor = 0.97 if step < FRAMES // 2 else 1 / 0.97
        view.scaleBy((factor, factor))

    def point_to(step: int) -> None:
        plot._on_pointer(plot._scene_position(37 * step))

    def drag(step: int) -> None:
        plot._on_dragged(canvas.mapToScene(QPoint(560, 60 + 4 * step)))

    one = chart.points[0]
    fewer = chart_of(points[1:])

    def add(step: int) -> None:
        plot.mark_new([one.key])
        plot.show_chart(fewer if step % 2 else chart)

    tasks: dict[str, Callable[[int], None]] = {
        "pan": pan,
        "zoom": zoom,
        "point at marks": point_to,
        "drag the line of λ": drag,
        "points have come": add,
    }
    for words, step in tasks.items():
        frames(canvas.viewport().repaint, words, said, step)


def frames(repaint: Callable[[], None], words: str, data: str, step: Callable[[int], None]) -> None:
    wall, processor = [], []
    for number in range(FRAMES):
        begin = time.perf_counter(), time.process_time()
        step(number)
        repaint()
        wall.append(time.perf_counter() - begin[0])
        processor.append(time.process_time() - begin[1])
    median = statistics.median(processor)
    told = f"{1 / statistics.median(wall):.0f} frames a second, {1 / median:.0f} by processor time"
    say(f"one frame: {words}", data, statistics.median(wall), told)


class Spent(Lateness):
    """With the processor time of the window between two beats, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.spent: list[float] = []
        self._before = time.thread_time()

    def _on_beat(self) -> None:
        super()._on_beat()
        now = time.thread_time()
        self.spent.append(1000 * (now - self._before))
        self._before = now

    @property
    def most(self) -> float:
        return sorted(self.spent)[int(0.99 * (len(self.spent) - 1))]


def watched(seconds: float) -> Spent:
    watch = Spent()
    turn(seconds)
    watch.stop()
    return watch


def beside_a_sweep(qt_app: QApplication) -> None:
    """How late the window is while all cores learn, and how long Stop takes."""
    window = MainWindow()
    window.resize(1280, 800)
    window.show()
    app = window.app
    rows = network_rows("alarm", 20_000)
    app.change("Import", partial(edits.add_data, entry=DataEntry("alarm", rows)))
    turn(2.0)
    idle = watched(WATCH_SECONDS)
    grids = (LearnerGrid("tree.chow-liu"), LearnerGrid("bn.hill-climb", {"restarts": (5,)}))
    setup = CurveSetup(Plan(grids, seeds=tuple(range(20))), RowChoice("d1"))
    folder = Path(tempfile.mkdtemp()) / "points"
    entry = CurveEntry("alarm", (), "d1", setup.plain(), str(folder))
    app.change("Plan", partial(edits.add_curve, entry=entry))
    page: CurvesPage = open_curves(app, "c1")
    turn(2.0)
    page.resume()
    while len(page.points) < 5:
        turn(0.1)
    busy = watched(WATCH_SECONDS)
    for name, watch in (("idle", idle), ("sweeping ALARM, 20 000 x 37", busy)):
        told = f"median {statistics.median(watch.late):.2f} ms, largest {max(watch.late):.1f} ms"
        say("lateness of the event loop, p99", name, watch.p99 / 1000, told)
        most = f"largest {max(watch.spent):.1f} ms"
        say("processor time between two beats, p99", name, watch.most / 1000, most)
    above = max(0.0, busy.p99 - idle.p99)
    say("lateness above idle, p99", "sweeping", above / 1000, f"{len(page.points)} points so far")
    begin = time.perf_counter()
    page.stop()
    while page.run is not None and page.run.is_running:
        qt_app.processEvents()
    say("stop", "sweeping", time.perf_counter() - begin, f"{len(page.points)} points are kept")
    window.app.document.undo_stack.setClean()
    window.close()


def main() -> None:
    QStandardPaths.setTestModeEnabled(True)
    own = tempfile.mkdtemp()
    preferences.preferences_folder = lambda: Path(own)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, own)
    qt_app = make_application()
    print(f"# load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    drawn(qt_app)
    beside_a_sweep(qt_app)
    print(f"# load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
