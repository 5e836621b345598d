"""`python -m pgmstudio.gui.demo.screenshot_tour`: a walk through the window without anybody at it.

Loads rows with gaps, cuts numbers, learns a model, draws it, asks the sample “Asia” with evidence,
and leaves a numbered picture of every step and a short report. `./run` takes it where there is no
screen.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import (
    QMessageLogContext,
    QPoint,
    QPointF,
    QSettings,
    QStandardPaths,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QTableView,
    QWidget,
)

from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.resources import folder_of
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.patience import patience
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.importing.page_view import CUTS
from pgmstudio.gui.inspector.panel import InspectorPanel
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.plots.plot_widget import plot_library
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.welcome.page import SampleCard
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.window.application import GuiThreadCollector, make_application
from pgmstudio.gui.window.main_window import MainWindow, panel_widget

SIZE = (1280, 800)
TARGET = "lung"


LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier
_TURN_MS = 15


class WindowDriver:
    """One pair per window."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.app = window.app

    def wait_for(self, what: str, check: Callable[[], object], seconds: float = 120) -> None:
        """Let the window work until `check()` holds; TimeoutError names what did not come."""
        begin = time.monotonic()
        while not check():
            waited = time.monotonic() - begin
            if waited > patience(seconds):
                raise TimeoutError(f"the tour waited {waited:.0f} s for {what}")
            QTest.qWait(_TURN_MS)

    def settle(self) -> None:
        """Let what was started a moment ago be painted, also plots whose library is loading."""
        self.wait_for("the plots", lambda: not plot_library().is_loading)
        for _ in range(4):
            QTest.qWait(_TURN_MS)
        theme().finish()

    def widget(self, name: str) -> QWidget:
        widgets = [w for w in self.window.findChildren(QWidget, name) if w.isVisible()]
        if not widgets:
            raise LookupError(f"no widget called {name} is in sight")
        return widgets[-1]

    def press(self, name: str) -> None:
        """Click on a widget by its name."""
        QTest.mouseClick(self.widget(name), LEFT)
        self.settle()

    def keys(self, widget: QWidget, *sequence: Qt.Key, held: Qt.KeyboardModifier = NO_KEY) -> None:
        for key in sequence:
            QTest.keyClick(widget, key, held)
        self.settle()

    def do(self, action: str) -> None:
        """Choose an action of the menus by its id."""
        self.app.actions.refresh(action)
        made = self.app.actions[action]
        if not made.isEnabled():
            raise LookupError(f"{action}: {made.toolTip()}")
        made.trigger()
        self.settle()

    def drag(self, widget: QWidget, start: QPoint, end: QPoint) -> None:
        QTest.mousePress(widget, LEFT, NO_KEY, start)
        for fraction in (0.25, 0.5, 0.75, 1.0):
            QTest.mouseMove(widget, start + (end - start) * fraction)
            QTest.qWait(_TURN_MS)
        QTest.mouseRelease(widget, LEFT, NO_KEY, end)
        self.settle()

    # -- a canvas

    def model_page(self) -> ModelPage:
        """The model in front, drawn and with its beliefs."""
        # A file that takes longer than a moment is read in the background.
        self.wait_for("a model", lambda: isinstance(self.app.center.current, ModelPage))
        page = self.app.center.current
        assert isinstance(page, ModelPage)
        live = page.asking.live
        self.wait_for("the picture of the model", lambda: page.is_laid_out)
        self.wait_for("its beliefs", lambda: not live.is_stale or live.error is not None)
        self.settle()
        return page

    def head(self, page: ModelPage, node: str) -> QPoint:
        """A point on the title of a node, in the view."""
        box = page.scene().nodes[node].box
        return page.canvas.view.mapFromScene(QPointF(box.center().x() - 20, box.top() + 10))

    def bar(self, page: ModelPage, node: str, state: str, fraction: float = 0.5) -> QPoint:
        """A point on the bar of a state, so far from its left end."""
        item = page.scene().nodes[node]
        position = item.geometry.shown.index(item.face.states.index(state))
        bar = item.geometry.bar(position)
        inside = QPointF(bar.left() + bar.width() * fraction, bar.center().y())
        return page.canvas.view.mapFromScene(item.pos() + item.corner + inside)

    def click_canvas(
        self, page: ModelPage, position: QPoint, held: Qt.KeyboardModifier = NO_KEY
    ) -> None:
        QTest.mouseClick(page.canvas.view.viewport(), LEFT, held, position)
        live = page.asking.live
        self.wait_for("the new beliefs", lambda: not live.is_stale)
        self.settle()

    # -- pictures

    def take_picture(self, path: Path) -> Path:
        """The whole window as it is now, without the passing words of an earlier step."""
        self.window.toast.hide()
        self.settle()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.window.grab().save(str(path))
        return path


@dataclass(slots=True)
class Facts:
    """Facts that the report shows with the pictures."""

    rows: str = ""
    missing: str = ""
    learned: str = ""
    evidence: str = ""
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


class WindowTour:
    """The steps in their order; each leaves the window in the state its picture shows."""

    def __init__(self, window: MainWindow) -> None:
        self.driver = WindowDriver(window)
        self.app = window.app
        self.facts = Facts()

    def welcome(self) -> None:
        open_welcome(self.app)
        self.driver.settle()

    def import_rows(self, path: Path) -> None:
        """The file at its cuts, one of them dragged."""
        open_file(self.app, path)
        page = self.app.center.current
        assert isinstance(page, ImportPage)
        self.driver.wait_for("the file to be read", lambda: page.reading)
        page.go_to(CUTS)
        page.view.columns.list.select_key("pressure")
        self.driver.settle()
        histogram = page.view.cuts.histogram
        middle = histogram.height() // 2
        start = QPoint(histogram.x_of(histogram.points[1]), middle)
        self.driver.drag(histogram, start, QPoint(histogram.x_of(140), middle))

    def data(self) -> None:
        """The rows as a data set of the project."""
        self.driver.press("importFinish")
        self.driver.wait_for("the rows", lambda: isinstance(self.app.center.current, DataPage))
        page = self.app.center.current
        assert isinstance(page, DataPage)
        self.facts.rows = page.facts.text()

    def learn_form(self) -> None:
        """The run sheet, ready to start."""
        self.driver.do("learn.learn")
        self.driver.do("learn.bn.hill-climb")
        restarts = self.driver.widget("param.restarts")
        assert isinstance(restarts, QLineEdit)
        restarts.setText("1000000")  # until it is stopped
        note = self.driver.widget("missingNote")
        assert isinstance(note, Note)
        self.facts.missing = note.text

    def learning_run(self) -> None:
        """A run under way, its best model on the canvas."""
        self.driver.press("learnStart")
        (run,) = self.app.workspace.runs.runs[-1:]
        self.driver.wait_for("a first model", lambda: run.best is not None, 60)
        self.driver.press("runOpenBest")
        self.driver.model_page()
        self.driver.wait_for("some restarts", lambda: len(run.trace.steps) > 40)
        self.app.reveal("runsPanel")

    def model(self) -> None:
        """The run is stopped, what it found is kept and looked at."""
        run = self.app.workspace.runs.runs[-1]
        self.app.reveal("runsPanel")
        self.driver.press("runStop")
        self.driver.wait_for("the run to stop", lambda: run.state.is_end)
        self.driver.wait_for("its model", lambda: run.model_id in self.app.project.models)
        self.driver.press("runOpenBest")
        self.driver.do("window.bottom")  # more room for the graph
        page = self.driver.model_page()
        node = page.scene().picture.ids[-1]
        self.driver.click_canvas(page, self.driver.head(page, node))
        edges = len(page.scene().edges)
        self.facts.learned = f"{len(page.scene().nodes)} variables, {edges} edges"

    def sample(self) -> ModelPage:
        """The sample “Asia”, opened with a click on its card."""
        self.welcome()
        cards = self.driver.window.findChildren(SampleCard)
        card = next(card for card in cards if card.sample.file == "asia.json")
        self.driver.press(card.objectName())
        return self.driver.model_page()

    def evidence(self) -> None:
        """Two observations, a likelihood, a target, and how strong the edges are."""
        page = self.sample()
        driver, live, view = self.driver, page.asking.live, page.canvas.view
        self.app.workspace.activate_model(page.model_id)
        states = live.model.domain[TARGET].states
        self.facts.before = dict(zip(states, live.beliefs[TARGET].tolist(), strict=True))
        for node in ("smoke", "xray"):
            driver.click_canvas(page, driver.bar(page, node, "yes"))
        driver.drag(
            view.viewport(),
            driver.bar(page, "dysp", "no", 0.95),
            driver.bar(page, "dysp", "no", 0.3),
        )
        driver.wait_for("the new beliefs", lambda: not live.is_stale)
        driver.click_canvas(page, driver.head(page, TARGET))
        driver.keys(view, Qt.Key.Key_T)
        page.bar.strength_chosen.emit("mi")
        driver.wait_for("the strengths of the edges", lambda: page.canvas.strengths is not None)
        driver.wait_for("what to ask next", self._is_next_shown)
        self.facts.after = dict(zip(states, live.beliefs[TARGET].tolist(), strict=True))
        findings = ", ".join(f"{name} {finding}" for name, finding in live.evidence.items())
        self.facts.evidence = f"{findings}; P(e) = {2**live.log2_evidence:.4g}"

    def _is_next_shown(self) -> bool:
        """Whether a visible inspector has its value of information, computed in background."""
        label = self.driver.window.findChild(QLabel, "inspectorAskNext")
        return label is None or not label.isVisible() or bool(label.text())

    def table(self) -> None:
        """The table of a variable below its graph."""
        self.app.reveal("tablePanel")
        page = self.driver.model_page()
        self.driver.click_canvas(page, self.driver.head(page, "dysp"))

    def wrong_sum(self) -> None:
        """A number is typed that leaves a column short: beliefs wait, with the reason."""
        driver = self.driver
        page = driver.model_page()
        driver.click_canvas(page, driver.head(page, "dysp"))
        inspector = panel_widget(driver.window, "inspectorPanel")
        assert isinstance(inspector, InspectorPanel)
        inspector.node.show_tab("table")
        similar = driver.widget("tableSimilar")
        assert isinstance(similar, QCheckBox)
        if not similar.isChecked():
            driver.press("tableSimilar")
        grid = driver.widget("tableGrid")
        assert isinstance(grid, QTableView)
        model = grid.model()
        model.setData(model.index(3, 4), "0.82")
        driver.settle()

    def right_again(self) -> None:
        """The number as it was."""
        grid = self.driver.widget("tableGrid")
        assert isinstance(grid, QTableView)
        model = grid.model()
        model.setData(model.index(3, 4), "0.9")
        inspector = panel_widget(self.driver.window, "inspectorPanel")
        assert isinstance(inspector, InspectorPanel)
        inspector.node.show_tab("belief")
        self.driver.press("tableSimilar")

    def knowledge(self) -> None:
        """Three tiers and two rules about edges."""
        driver = self.driver
        driver.do("knowledge.edit")
        for _ in range(3):
            driver.press("addTier")
        lanes = {"asia": 1, "smoke": 1, "tub": 2, "lung": 2, "bronc": 2, "xray": 3, "dysp": 3}
        for name, tier in lanes.items():
            free = driver.widget("laneList-1")
            assert isinstance(free, QListWidget)
            free.setCurrentItem(free.findItems(name, Qt.MatchFlag.MatchExactly)[0])
            for number in range(tier):
                here = driver.widget(f"laneList{number - 1}")
                assert isinstance(here, QListWidget)
                here.setCurrentItem(here.findItems(name, Qt.MatchFlag.MatchExactly)[0])
                driver.keys(here, Qt.Key.Key_Right, held=Qt.KeyboardModifier.ControlModifier)
        for source, target, rule in (("smoke", "lung", "Require"), ("asia", "bronc", "Forbid")):
            for combo, name in (("ruleSource", source), ("ruleTarget", target)):
                box = driver.widget(combo)
                assert isinstance(box, QComboBox)
                box.setCurrentText(name)
            driver.press(f"rule{rule}")

    def dark(self) -> None:
        """The evidence once more, in the other look."""
        front = next(p for p in self.app.center.pages if p.title.lower() == "asia")
        self.app.center.bring_to_front(front)
        self.driver.do("window.bottom")
        theme().set_look(mode="dark")
        page = self.driver.model_page()
        self.driver.click_canvas(page, self.driver.head(page, TARGET))

    def end(self) -> None:
        """Nothing runs, nothing asks to be saved."""
        self.app.workspace.runs.stop_all()
        self.app.workspace.runs.wait(10)
        self.app.document.undo_stack.setClean()
        theme().set_look(mode="light")
        self.driver.window.close()


def take_window_tour(folder: Path, window: MainWindow | None = None) -> list[Path]:
    """Walk through the window; returns the pictures and, last, the report."""
    begin = time.monotonic()
    theme().set_look(mode="light", scale=1.0, reduced_motion=True)
    window = window or MainWindow()
    window.resize(*SIZE)
    window.show()
    tour, files = WindowTour(window), [folder / f"{name}.png" for name in STEPS]
    rows = folder / "check-up.csv"
    replace_file(_made(folder) / rows.name, (folder_of("sample_data") / rows.name).read_bytes())
    try:
        tour.welcome()
        tour.driver.take_picture(files[0])
        tour.import_rows(rows)
        tour.driver.take_picture(files[1])
        tour.data()
        tour.driver.take_picture(files[2])
        tour.learn_form()
        tour.learning_run()
        tour.driver.take_picture(files[3])
        for step, file in zip(
            (tour.model, tour.evidence, tour.table, tour.knowledge, tour.dark),
            (files[4], files[5], files[6], files[7], files[8]),
            strict=True,
        ):
            step()
            tour.driver.take_picture(file)
        tour.facts.seconds = time.monotonic() - begin
        report = folder / "report.md"
        replace_file(report, _report(tour.facts, files, rows).encode())
    finally:
        tour.end()
    return [*files, report]


STEPS = (
    "01-welcome",
    "02-import",
    "03-data",
    "04-learning-run",
    "05-model",
    "06-evidence",
    "07-table",
    "08-knowledge",
    "09-dark",
)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _report(facts: Facts, files: Sequence[Path], rows: Path) -> str:
    captions = {
        "01-welcome": "The first page: every way in is one click.",
        "02-import": f"[{rows.name}]({rows.name}) is made up. The second cut of *pressure* was "
        "dragged to 140; labels and counts follow while dragging.",
        "03-data": f"As a data set: {facts.rows}.",
        "04-learning-run": "Hill climbing with restarts, under way; the best model so far is "
        f"open above. Before the start the page showed: “{facts.missing}”",
        "05-model": f"Stopped, the best model saved: {facts.learned}.",
        "06-evidence": f"The sample “Asia”. Evidence: {facts.evidence}. The outline is the prior.",
        "07-table": "The table behind a node.",
        "08-knowledge": "What is known before learning: tiers, required and forbidden edges.",
        "09-dark": "The same in the dark look.",
    }
    lines = ["# A tour of the window", ""]
    for file in files:
        lines += [
            f"## {file.stem}",
            "",
            captions[file.stem],
            "",
            f"![{file.stem}]({file.name})",
            "",
        ]
        if file.stem == "06-evidence":
            lines += [f"| {TARGET} | before | after |", "|---|---:|---:|"]
            lines += [
                f"| {state} | {before:.1%} | {facts.after[state]:.1%} |"
                for state, before in facts.before.items()
            ]
            lines.append("")
    lines.append(f"The tour took {facts.seconds:.0f} s.")
    return "\n".join(lines) + "\n"


def _on_qt_message(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    # A screen that is not there cannot follow hints on sizes, and says so for every window.
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)


def main(captions: Sequence[str] | None = None) -> int:
    """Take the tour in an environment of its own: no preferences are read or changed."""
    parser = argparse.ArgumentParser(prog="pgmstudio.gui.demo.screenshot_tour", description=__doc__)
    parser.add_argument("--out", default="tour", metavar="FOLDER", help="where the files go")
    folder = Path(parser.parse_args(captions).out)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="pgmstudio-tour-") as own:
        if sys.platform == "linux":
            os.environ["XDG_CONFIG_HOME"] = own
        else:
            QStandardPaths.setTestModeEnabled(True)
        QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, own)
        qInstallMessageHandler(_on_qt_message)
        GuiThreadCollector(make_application())
        files = take_window_tour(folder)
    print("\n".join(str(file) for file in files))
    print(f"The tour is in {folder}; start with {files[-1]}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
