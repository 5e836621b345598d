"""Scenes of a search step by step: its next moves, a veto, and the optimum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.demo.screenshot_tour import WindowDriver
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.structure.move_search import move_search
from pgmstudio.gui.structure.moves_panel import MovesPanel
from pgmstudio.gui.window.main_window import panel_widget

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
SOME = (("smoke", "lung"), ("bronc", "dysp"), ("xray", "either"))


def moves(driver: WindowDriver, _own: Path) -> Iterator[str]:
    """From a graph with few edges, one of them the wrong way round."""
    app = driver.app
    rows = import_data(SAMPLES / "asia_sample.csv", ImportOptions()).data
    app.change("Import", partial(edits.add_data, entry=DataEntry("asia", rows)))
    network = fit_tables(rows, Dag.from_edges(rows.domain.names, SOME)).network
    entry = ModelEntry("by hand", network, data_id=next(iter(app.project.data)))
    app.change("Add", partial(edits.add_model, entry=entry))
    open_model_page(app, list(app.project.models)[-1])
    page = driver.model_page()
    search = move_search(app)
    driver.do("learn.moves")

    def is_listed() -> bool:
        return search.move_list is not None and not search.is_waiting

    driver.wait_for("the moves", is_listed)
    page.canvas.view.fit()
    driver.settle()
    yield "moves"
    panel = panel_widget(driver.window, "movesPanel")
    assert isinstance(panel, MovesPanel)
    panel.table.select(2)
    driver.press("movesVeto")
    driver.wait_for("the moves", is_listed)
    driver.press("movesBest")
    driver.wait_for("the moves", lambda: is_listed() and len(page.scene().edges) > len(SOME))
    driver.settle()
    yield "moves-veto"
    driver.press("movesRun")
    driver.wait_for(
        "the optimum",
        lambda: is_listed() and search.move_list is not None and search.move_list.is_optimum,
    )
    page.canvas.view.fit()
    driver.settle()
    yield "moves-optimum"


GROUPS: dict[str, Callable[[WindowDriver, Path], Iterator[str]]] = {"moves": moves}
