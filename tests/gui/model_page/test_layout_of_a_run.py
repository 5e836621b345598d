"""The layout of a model that a run shows while it searches."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.drawing.diagram import GraphPicture, Point
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.diagrams import dag_picture
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import Placed
from pgmstudio.gui.model_page.page import KnownLocations

NAMES = ("a", "b", "c")


def entry_with(*edges: tuple[str, str]) -> tuple[ModelEntry, GraphPicture]:
    domain = Domain(tuple(Variable(name, ("no", "yes")) for name in NAMES))
    dag = Dag.from_edges(NAMES, edges)
    tables = tuple(np.full((2,) * (len(dag.parents(name)) + 1), 0.5) for name in NAMES)
    network = BayesianNetwork(domain, dag, tables)
    return ModelEntry("run", network), dag_picture(network)


def sizes() -> dict[str, Point]:
    return dict.fromkeys(NAMES, (10.0, 10.0))


def test_the_first_graph_of_a_run_is_not_drawn_at_the_positions_of_the_model_without_edges() -> (
    None
):
    known = KnownLocations()
    empty, picture = entry_with()
    assert known.positions("dag", empty, picture, sizes()) is None
    row = {name: (20.0 * number, 0.0) for number, name in enumerate(NAMES)}
    known.keep(Placed("dag", picture, "layered", sizes(), row, ()))
    assert known.positions("dag", empty, picture, sizes()) == row
    graph, picture = entry_with(("a", "b"), ("b", "c"))
    assert known.positions("dag", graph, picture, sizes()) is None


def test_positions_stay_while_edges_come_and_go() -> None:
    known = KnownLocations()
    graph, picture = entry_with(("a", "b"), ("b", "c"))
    assert known.positions("dag", graph, picture, sizes()) is None
    placed = {"a": (0.0, 0.0), "b": (0.0, 30.0), "c": (0.0, 60.0)}
    known.keep(Placed("dag", picture, "layered", sizes(), placed, ()))
    other, picture = entry_with(("a", "b"), ("a", "c"))
    assert known.positions("dag", other, picture, sizes()) == placed
