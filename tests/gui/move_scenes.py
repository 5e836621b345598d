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
from pgmstudio.gui.demo.window_driver import Hands
from pgmstudio.gui.project.opening import open_model_page
from pgmstudio.gui.structure.move_search import move_search
from pgmstudio.gui.structure.moves_panel import MovesPanel
from pgmstudio.gui.window.main_window import panel_widget

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
SOME = (("smoke", "lung"), ("bronc", "dysp"), ("xray", "either"))


def moves(hands: Hands, _own: Path) -> Iterator[str]:
    """From a graph with few edges, one of them the wrong way round."""
    shell = hands.shell
    rows = import_data(SAMPLES / "asia_sample.csv", ImportOptions()).data
    shell.change("Import", partial(edits.add_data, entry=DataEntry("asia", rows)))
    network = fit_tables(rows, Dag.from_edges(rows.domain.names, SOME)).network
    entry = ModelEntry("by hand", network, data_id=next(iter(shell.project.data)))
    shell.change("Add", partial(edits.add_model, entry=entry))
    open_model_page(shell, list(shell.project.models)[-1])
    page = hands.model_page()
    search = move_search(shell)
    hands.do("learn.moves")

    def is_listed() -> bool:
        return search.found is not None and not search.is_waiting

    hands.wait_for("the moves", is_listed)
    page.canvas.view.fit()
    hands.settle()
    yield "moves"
    panel = panel_widget(hands.window, "movesPanel")
    assert isinstance(panel, MovesPanel)
    panel.table.select(2)
    hands.press("movesVeto")
    hands.wait_for("the moves", is_listed)
    hands.press("movesBest")
    hands.wait_for("the moves", lambda: is_listed() and len(page.scene().edges) > len(SOME))
    hands.settle()
    yield "moves-veto"
    hands.press("movesRun")
    hands.wait_for(
        "the optimum", lambda: is_listed() and search.found is not None and search.found.is_optimum
    )
    page.canvas.view.fit()
    hands.settle()
    yield "moves-optimum"


GROUPS: dict[str, Callable[[Hands, Path], Iterator[str]]] = {"moves": moves}
