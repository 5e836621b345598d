"""Evaluate ▸ Cross-validation: learners on the same folds of one data set."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.execution.process_pool import WorkEnded
from pgmstudio.core.experiments.cross_validation import (
    CrossValidation,
    CrossValidationPlan,
)
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.evaluation.cross_validation_page import CrossValidationPage
from pgmstudio.gui.window.main_window import MainWindow
from tests.core.experiments.test_cross_validation import chain

KEYS = ["tree.chow-liu", "bn.naive-bayes"]


@pytest.fixture(autouse=True)
def _without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs are made in the thread of the job; processes take seconds to start."""

    def here(
        shared: Any, works: Any, cancel: CancelToken, *, processes: int | None = None
    ) -> Iterator[tuple[int, object]]:
        for number, work in enumerate(works):
            cancel.raise_if_cancelled()
            for event in work(shared, cancel):
                yield number, event
            yield number, WorkEnded()

    monkeypatch.setattr("pgmstudio.core.experiments.cross_validation.in_pool", here)


def opened(window: MainWindow) -> CrossValidationPage:
    app = window.app
    app.change("Import", partial(edits.add_data, entry=DataEntry("chain", chain())))
    app.actions.refresh()
    app.actions["evaluate.cross-validate"].trigger()
    page = app.center.current
    assert isinstance(page, CrossValidationPage)
    page.folds.setValue(3)
    page.seed.setValue(5)
    for number, key in enumerate(page.learners.rows):
        if (key in KEYS) != (key in page.keys):
            page.learners.ticked.emit(number, key in KEYS)
    return page


def test_learners_are_ticked_validated_listed_and_exported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    page = opened(window)
    assert sorted(page.keys) == sorted(KEYS)
    page.start.click()
    qtbot.waitUntil(lambda: "in 3 folds" in page.facts.text())
    assert page.stop.isHidden()
    wanted = CrossValidation(CrossValidationPlan.of(page.keys, chain(), folds=3, seed=5))
    for event in wanted.plan(NEVER):
        wanted.take(event)
    comparison = wanted.comparison()
    assert comparison is not None
    assert [row.name for row in page.table.rows] == KEYS
    assert page.table.rows[0].name == comparison.best
    bits = comparison[comparison.best].log2_likelihood_per_row
    assert page.table.rows[0].log2_likelihood_per_row == pytest.approx(bits)
    page.export_table(tmp_path / "table.csv")
    qtbot.waitUntil((tmp_path / "table.csv").exists)
    with (tmp_path / "table.csv").open() as stream:
        lines = list(csv.DictReader(stream))
    assert {line["learner"] for line in lines} == set(KEYS)
    assert float(lines[0]["fold_3"]) == pytest.approx(wanted.fold_bits(lines[0]["learner"])[2])


def test_too_many_folds_are_refused_on_the_page(window: MainWindow) -> None:
    window.app.change(
        "Import", partial(edits.add_data, entry=DataEntry("few", chain(20).take_rows(range(4))))
    )
    window.app.actions.refresh()
    window.app.actions["evaluate.cross-validate"].trigger()
    page = window.app.center.current
    assert isinstance(page, CrossValidationPage)
    page.start.click()
    assert "folds" in page.problem.text
    assert page.result is None


def test_without_data_the_menu_says_what_is_needed(window: MainWindow) -> None:
    action = window.app.actions["evaluate.cross-validate"]
    assert not action.isEnabled()
