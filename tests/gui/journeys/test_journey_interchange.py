"""Interchange: files of other programs opened, saved as each other's, opened again, and broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import Properties, read_model, write_model
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.files.actions import MODEL_FILTERS, FileCommands, with_ending
from pgmstudio.gui.files.opening import open_files
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.io.models.test_hugin_net import HUGIN
from tests.core.io.models.test_uai import PAGE
from tests.core.io.models.test_xdsl import GENIE
from tests.core.io.models.test_xmlbif import JAVABAYES

ENDINGS = (".bif", ".xdsl", ".net", ".xml", ".uai")


@pytest.fixture
def messages(window: MainWindow) -> list[str]:
    """Every sentence of the log and every error, as they come."""
    sentences: list[str] = []
    window.app.workspace.message.connect(lambda _level, message: sentences.append(message))
    window.app.errors.message.connect(sentences.append)
    return sentences


@pytest.fixture
def files(tmp_path: Path, sample_data: Path) -> dict[str, Path]:
    """One file of each format, in the manner of the program it comes from."""
    texts = {
        ".bif": (sample_data / "asia.bif").read_text(),
        ".xdsl": GENIE,
        ".net": HUGIN,
        ".xml": JAVABAYES,
        ".uai": PAGE,
    }
    paths = {ending: tmp_path / f"theirs{ending}" for ending in texts}
    for ending, text in texts.items():
        paths[ending].write_text(text, encoding="latin-1" if ending == ".xdsl" else "utf-8")
    return paths


def opened(window: MainWindow, driver: WindowDriver, path: Path) -> ModelPage:
    """The page of a file that was opened just now."""
    before = set(window.app.project.models)
    open_files(window.app, [path])
    page = window.app.center.current
    assert isinstance(page, ModelPage)
    assert len(set(window.app.project.models) - before) == 1
    driver.wait_for("the nodes", lambda: len(page.scene().nodes) == len(model_of(window).domain))
    return page


def model_of(window: MainWindow) -> Model:
    return window.app.project.models[window.app.workspace.model_id or ""].model


def marginals(model: Model) -> dict[str, np.ndarray]:
    session = open_session(model)
    return {name: session.belief(name).values for name in model.domain.names}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_is_opened_and_saved_as_the_other_four(
    window: MainWindow,
    driver: WindowDriver,
    messages: list[str],
    files: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
) -> None:
    page = opened(window, driver, files[ending])
    entry = window.app.project.models[window.app.workspace.model_id or ""]
    before, domain = marginals(entry.model), entry.model.domain
    assert set(page.scene().nodes) == set(domain.names)

    # Places, titles and warnings, where the file has them.
    layout = entry.layouts.get("dag", {})
    assert bool(layout) == (ending in (".xdsl", ".net", ".xml"))
    for name, (x, y) in layout.items():
        position = page.scene().nodes[name].pos()
        assert (position.x(), position.y()) == pytest.approx((x, y), abs=1)
    if ending == ".xdsl":
        assert page.scene().nodes["VisitAsia"].face.title == "Visit To Asia?"
        assert any("Noisy-max was written out" in message for message in messages)
    if ending == ".net":
        assert page.scene().nodes["A"].face.title == "Visit to Asia?"
    if ending == ".uai":
        assert any("UAI files hold no names" in message for message in messages)

    for other in ENDINGS:
        if other == ending:
            continue
        path = tmp_path / f"saved{other}"
        picked = next(text for text in MODEL_FILTERS if f"*{other}" in text)
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_, p=path, f=picked: (str(p), f)
        )
        window.app.center.bring_to_front(page)
        messages.clear()
        driver.do("file.save-model")
        assert any(message.startswith(f"Saved {path.name}.") for message in messages)
        if other == ".uai":
            assert any("names.json" in message for message in messages)
        again = opened(window, driver, path)
        model = model_of(window)
        assert model.domain == domain
        after = marginals(model)
        assert all(np.abs(before[name] - after[name]).max() < 1e-12 for name in domain.names)
        for name, point in layout.items():
            position = again.scene().nodes[name].pos()
            assert (position.x(), position.y()) == pytest.approx(point, abs=1)


BROKEN = {
    ".bif": ("0.05, 0.95", "0.05, x.95"),
    ".xdsl": ("0.5 0.3 0.2", "0.5 0.3"),
    ".net": ("( 0.02 0.98 )", "( 0.02 o.98 )"),
    ".xml": ("0.15 0.85", "0.15 -0.85"),
    ".uai": ("0.436", "0,436"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_broken_file_is_reported_with_its_line_and_the_program_goes_on(
    window: MainWindow,
    driver: WindowDriver,
    messages: list[str],
    files: dict[str, Path],
    tmp_path: Path,
    ending: str,
) -> None:
    text = files[ending].read_text(encoding="latin-1")
    right, wrong = BROKEN[ending]
    assert right in text
    broken = tmp_path / f"broken{ending}"
    broken.write_text(text.replace(right, wrong, 1), encoding="latin-1")
    line = text[: text.index(right)].count("\n") + 1
    open_files(window.app, [broken, files[ending]])
    assert any(s.startswith(f"broken{ending}: line {line}") for s in messages)
    assert len(window.app.project.models) == 1  # and the next file was opened
    driver.settle()


def test_the_alarm_network_walks_through_every_format(
    shared: Path,
    window: MainWindow,
    driver: WindowDriver,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened(window, driver, shared / "data/networks/alarm.bif")
    before = marginals(model_of(window))
    for step, ending in enumerate((".xdsl", ".net", ".dne", ".uai", ".xml")):
        path = tmp_path / f"alarm{step}{ending}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, p=path: (str(p), ""))
        driver.do("file.save-model")
        opened(window, driver, path)
    after = marginals(model_of(window))
    assert all(np.abs(before[name] - after[name]).max() < 1e-12 for name in before)


def test_a_structure_alone_is_opened_with_a_warning(
    window: MainWindow, driver: WindowDriver, messages: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "causes.txt"  # as pasted from dagitty.net
    path.write_text('dag {\nRain [pos="0,0"]\nWet [pos="0,1"]\nRain -> Wet\n}\n')
    page = opened(window, driver, path)
    assert any("Fill the tables from data" in message for message in messages)
    nodes = page.scene().nodes
    assert nodes["Wet"].pos().y() - nodes["Rain"].pos().y() == pytest.approx(150)


def test_evidence_files_are_saved_and_opened(
    window: MainWindow,
    driver: WindowDriver,
    messages: list[str],
    sample_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "case.evid"
    open_files(window.app, [path])
    assert any("Open the model first" in message for message in messages)
    page = opened(window, driver, sample_data / "asia.bif")
    live = page.asking.live
    live.set_finding("smoke", Observed("yes"))
    driver.wait_for("beliefs", lambda: not live.is_stale)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    driver.do("evidence.save-file")
    live.clear()
    driver.wait_for("beliefs", lambda: not live.is_stale)
    open_files(window.app, [path])
    driver.wait_for("evidence", lambda: dict(live.evidence) == {"smoke": Observed("yes")})
    driver.wait_for("beliefs", lambda: not live.is_stale)
    path.write_text("1 99 0")
    open_files(window.app, [path])
    assert any("case.evid: line 1" in message for message in messages)


@pytest.mark.parametrize(
    ("typed", "ending", "wanted"),
    [
        ("m", ".net", "m.net"),
        ("m.xdsl", ".net", "m.xdsl"),
        ("m.v2", ".bif", "m.v2.bif"),
        ("m", "", "m.json"),
    ],
)
def test_a_name_without_an_ending_gets_that_of_the_picked_format(
    typed: str, ending: str, wanted: str
) -> None:
    picked = next((text for text in MODEL_FILTERS if ending and f"*{ending}" in text), "")
    assert with_ending(Path(typed), picked) == Path(wanted)


@pytest.mark.parametrize("ending", [".bif", ".net", ".xdsl"])
def test_what_a_file_says_beside_the_model_is_kept_by_the_project_and_written_again(
    window: MainWindow, driver: WindowDriver, sample_data: Path, tmp_path: Path, ending: str
) -> None:
    properties = Properties(
        ("source = clinic",), {"smoke": ("colour = red",)}, {"lung": ("n = 9",)}
    )
    first, project, second = (
        tmp_path / name for name in (f"one{ending}", "kept.pgmz", f"two{ending}")
    )
    write_model(first, replace(read_model(sample_data / "asia.bif"), properties=properties))
    opened(window, driver, first)
    write_project(project, window.app.project)
    (entry,) = read_project(project).models.values()
    FileCommands(window.app).save_model_to(second, entry)
    assert read_model(second).properties == read_model(first).properties == properties
