"""The live race of languages: a benchmark triple, a stopped language, a report, and once more."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from pgmstudio.core.experiments.language_comparison.results import LanguageRow
from pgmstudio.gui.comparison.languages_page import ComparePage
from pgmstudio.gui.data.page import DataPage
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.export import report_actions
from pgmstudio.gui.files.opening import open_file
from pgmstudio.gui.importing.page import ImportPage
from pgmstudio.gui.model_page.page import ModelPage
from tests.gui.journeys.test_journey_mixture import PARTS, write_triple

LONG = 600_000  # ms
LEFT = Qt.MouseButton.LeftButton


@pytest.mark.slow
def test_a_person_races_languages_stops_one_and_runs_the_race_again(
    driver: WindowDriver, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = driver.app
    open_file(app, write_triple(tmp_path))
    form = app.center.current
    assert isinstance(form, ImportPage)
    driver.wait_for("the file to be read", lambda: form.reading)
    driver.press("importFinish")
    driver.wait_for("the rows", lambda: isinstance(app.center.current, DataPage))

    # Sixty seconds for each language, on the parts of the three files.
    app.actions.refresh()
    app.actions["evaluate.compare-languages"].trigger()
    page = app.center.current
    assert isinstance(page, ComparePage)
    page.setup.ticks["hybrid"].setChecked(False)
    page.setup.seconds.setValue(60)
    qtbot.mouseClick(page.setup.per.button("each"), LEFT)
    messages = f"{PARTS['ts']} training, {PARTS['valid']} validation and {PARTS['test']} test rows"
    qtbot.waitUntil(lambda: page.setup.rows.text() == messages)
    qtbot.mouseClick(page.panes.left.button("sizes"), LEFT)
    qtbot.mouseClick(page.setup.start, LEFT)

    def row_of(key: str) -> LanguageRow | None:
        table = page.exports.table
        rows = [] if table is None else [r for r in table.rows if r.language.key == key]
        return rows[0] if rows else None

    # Curves grow while it runs; decision graphs are stopped, and their best model stays.
    def is_growing() -> bool:
        row = row_of("pdg")
        return row is not None and row.state == "learning" and row.point is not None

    def stop_graphs() -> LanguageRow:
        qtbot.waitUntil(is_growing, timeout=LONG)
        growing = row_of("pdg")
        assert growing is not None
        page.table.select_key(growing.language.title)
        assert page.head.ender.isEnabled()
        qtbot.mouseClick(page.head.ender, LEFT)
        return growing

    growing = stop_graphs()
    assert growing.compared is not None
    title = growing.language.title
    assert title in {curve.title for curve in page.panes.plot.chart.curves}
    qtbot.waitUntil(lambda: page.is_settled, timeout=LONG)
    table = page.exports.table
    assert table is not None
    assert len(table.rows) == 7
    assert all(row.compared is not None for row in table.rows)
    assert table.row(title).state == "stopped"

    # A point of the front opens its model.
    chart, plot = page.panes.plot.chart, page.panes.plot
    position = plot.position_on_screen(chart.front[-1])
    assert position is not None
    assert plot.canvas is not None
    qtbot.mouseClick(plot.canvas.viewport(), LEFT, pos=position)
    qtbot.waitUntil(lambda: isinstance(app.center.current, ModelPage))
    (opened,) = app.project.models.values()
    assert opened.title in {row.language.title for row in table.rows}

    # The table has paired differences with intervals; all of it is kept and reported.
    app.center.bring_to_front(page)
    for row in table.rows:
        assert row.compared is not None
        if row is not table.best:
            assert row.compared.interval is not None
    driver.press("compareKeep")
    (kept,) = app.project.comparisons.values()
    assert len(kept.model_ids) == 7
    pages: list[Path] = []
    monkeypatch.setattr(report_actions, "show_page", pages.append)
    target = tmp_path / "race.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    app.actions.refresh("file.report")
    app.actions["file.report"].trigger()
    driver.press("reportWrite")
    qtbot.waitUntil(lambda: pages == [target], timeout=LONG)
    text = target.read_text(encoding="utf-8")
    assert all(row.language.title in text for row in table.rows)

    # The same race once more: what was not cut short comes out the same.
    qtbot.mouseClick(page.setup.again, LEFT)
    qtbot.waitUntil(lambda: not page.is_settled)
    stop_graphs()
    qtbot.waitUntil(lambda: page.is_settled and bool(page.setup.outcome.text), timeout=LONG)
    outcome = page.setup.outcome.text
    assert outcome in (
        "Reproduced: all 7 results identical.",
        f"6 of 7 results identical; not {title}. Where time ran out, the best so far may differ.",
    )
