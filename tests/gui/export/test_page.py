"""The interactive page of the active model, written from the window."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.evidence.active_model import active_model
from pgmstudio.gui.export import page_actions
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import add_and_show_model
from pgmstudio.gui.window.main_window import MainWindow


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Pages that would have been shown in the browser."""
    shown: list[Path] = []
    monkeypatch.setattr(page_actions, "show_page", shown.append)
    return shown


def content_of(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    result = re.search(r'<script type="application/json" id="page">(.*?)</script>', text)
    assert result is not None
    return json.loads(result[1])


def test_the_active_model_is_written_as_a_page_and_shown(
    window: MainWindow,
    qtbot: QtBot,
    sample_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[Path],
) -> None:
    app, target = window.app, tmp_path / "clinic"
    assert not app.actions["file.export-page"].isEnabled()
    model = read_model(sample_data / "asia.json").model
    entry = ModelEntry("Clinic", model, notes="Who coughs?")
    model_id = add_and_show_model(app, entry, "Open clinic")
    assert model_id is not None
    save = partial(
        edits.save_evidence_case,
        name="Smoker",
        evidence={"smoke": Observed("yes")},
        model_id=model_id,
    )
    app.change("Save scenario", save)
    subject = active_model(app)
    assert subject is not None
    subject.live.click_state("xray", "yes")
    qtbot.waitUntil(lambda: "xray" in subject.live.evidence)
    page = app.center.current
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: len(page.canvas.scene.positions) == len(model.domain))
    positions = dict(page.canvas.scene.positions)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    app.actions.refresh("file.export-page")
    app.actions["file.export-page"].trigger()
    assert "being written" in app.actions["file.export-page"].toolTip()
    qtbot.waitUntil(lambda: bool(opened), timeout=60_000)
    assert opened == [tmp_path / "clinic.html"]
    content = content_of(opened[0])
    assert [scenario["name"] for scenario in content["scenarios"]] == ["Smoker"]
    assert content["evidence"][0]["variable"] == model.domain.index("xray")
    order = {model.domain.names[node["variable"]]: node for node in content["diagram"]["nodes"]}
    top = min(positions, key=lambda name: positions[name][1])
    assert order[top]["y"] == min(node["y"] for node in order.values())
    assert app.actions["file.export-page"].isEnabled()


def test_a_page_that_cannot_be_written_is_reported(
    window: MainWindow,
    qtbot: QtBot,
    sample_data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: list[Path],
) -> None:
    app, target = window.app, tmp_path / "no folder" / "clinic.html"
    model = read_model(sample_data / "asia.json").model
    add_and_show_model(app, ModelEntry("Clinic", model), "Open clinic")
    reported: list[BaseException] = []
    monkeypatch.setattr(app.errors, "report", reported.append)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    app.actions.refresh("file.export-page")
    app.actions["file.export-page"].trigger()
    qtbot.waitUntil(lambda: bool(reported), timeout=60_000)
    assert "clinic.html" in str(reported[0])
    assert opened == []
    qtbot.waitUntil(lambda: app.actions["file.export-page"].isEnabled())
