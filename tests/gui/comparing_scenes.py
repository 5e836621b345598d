"""Scenes of comparing: languages on the same rows, and the same evidence in all models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.comparison.actions import open_same_evidence
from pgmstudio.gui.comparison.languages_page import ComparePage, open_comparison
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.evidence.shared_evidence_page import SharedEvidencePage

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
SECONDS = 240  # on an idle machine all learners end before


def _ended(page: ComparePage) -> bool:
    return page.run is not None and page.run.state.is_end


def comparing(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """A race of all languages from its settings to the end, and what its models say."""
    app = driver.app
    rows = import_data(SAMPLES / "coronary.csv", ImportOptions()).data
    app.change("Import", partial(edits.add_data, entry=DataEntry("coronary", rows)))
    page = open_comparison(app)
    driver.wait_for("the split", lambda: "training" in page.setup.rows.text())
    yield "compare-set-up"
    page.setup.seconds.setValue(SECONDS)
    page.start()
    driver.wait_for("two languages", lambda: len(page.panes.differences.lines) > 1, seconds=300)
    yield "compare-running"
    driver.wait_for("the end", lambda: _ended(page), seconds=600)
    driver.wait_for("variables", lambda: bool(page.panes.by_variable.values), seconds=300)
    driver.wait_for("all variables", lambda: page.is_settled, seconds=300)
    page.table.selectRow(1)
    yield "compare"
    page.panes.left.button("sizes").click()
    page.panes.right.button("pairs").click()
    driver.wait_for("the plot", lambda: page.panes.plot.canvas is not None, seconds=30)
    yield "compare-sizes"
    page.panes.right.button("rows").click()
    yield "compare-rows"
    page.exports.keep()
    page.exports.open_language(page.table.rows[0].title)
    same = open_same_evidence(app)
    assert isinstance(same, SharedEvidencePage)
    driver.wait_for("cards", lambda: bool(same.cards.cards))
    for card in [same.cards.cards[0], same.cards.cards[-1]]:
        same.link.click_state(card.name, card.states[-1])
    driver.wait_for("beliefs", lambda: not same.link.is_waiting)
    yield "same-evidence"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"comparing": comparing}
