"""Edits that turn edges keep the distribution and take notes with them."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.bayesian_network.arc_reversal import (
    largest_difference,
    with_equivalent_graph,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project.edits import same_distribution, turn_edge
from pgmstudio.core.project.project import ModelEntry, Project
from tests.oracles.graphs import covered_edges
from tests.strategies import random_network, random_tree


def model_of(project: Project) -> BayesianNetwork:
    model = project.models["m1"].model
    assert isinstance(model, BayesianNetwork)
    return model


@pytest.fixture
def project() -> Project:
    network = random_network(np.random.default_rng(11), cardinalities=[2, 3, 2, 2], density=0.7)
    source, target = covered_edges(network.dag)[0]
    other = next(edge for edge in network.edges if edge != (source, target))
    entry = ModelEntry("net", network, edge_notes={(source, target): "strong", other: "weak"})
    return Project(models={"m1": entry})


def test_a_turned_edge_keeps_the_distribution_and_its_note(project: Project) -> None:
    source, target = covered_edges(model_of(project).dag)[0]
    after = turn_edge(project, model_id="m1", source=source, target=target)
    assert model_of(after).dag.has_edge(target, source)
    assert largest_difference(model_of(project), model_of(after)) < 1e-12
    assert after.models["m1"].edge_notes[target, source] == "strong"
    assert "weak" in after.models["m1"].edge_notes.values()
    assert after.models["m1"].is_edited


def test_another_graph_of_the_class_takes_the_place_of_the_first(project: Project) -> None:
    network = model_of(project)
    source, target = covered_edges(network.dag)[0]
    other = with_equivalent_graph(network, network.dag.with_reversed(source, target))
    after = same_distribution(project, model_id="m1", model=other)
    assert model_of(after) is other
    assert (target, source) in after.models["m1"].edge_notes


def test_other_languages_have_no_edges_to_turn() -> None:
    tree = random_tree(np.random.default_rng(1), 3)
    with pytest.raises(GraphError, match="convert it"):
        turn_edge(
            Project(models={"m1": ModelEntry("tree", tree)}),
            model_id="m1",
            source="X0",
            target="X1",
        )
