"""Edits of labelled graphs, what holds in a context, and what labels cost on data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.drawing.diagram import EdgeStyle
from pgmstudio.core.drawing.layout.edge_routing import EdgeRoute, TagPlace, tag_places
from pgmstudio.core.errors import GraphError
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.information_measures import conditional_information_bits
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import render
from pgmstudio.core.languages.diagrams import picture_of
from pgmstudio.core.languages.ldag.contexts import statements_in
from pgmstudio.core.languages.ldag.diagrams import label_tag, label_text, labelled_picture
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import PartitionScore, counts_of, fits, label_cost
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry, Project
from tests.labelled_dags import coronary, four, random_labelled, three


def project_of(model: LabelledDag) -> tuple[Project, str]:
    project = add_model(Project(), entry=ModelEntry("m", model))
    return project, next(iter(project.models))


def model_in(project: Project, model_id: str) -> LabelledDag:
    model = project.models[model_id].model
    assert isinstance(model, LabelledDag)
    return model


# Structure


def test_an_edit_of_the_graph_is_that_of_the_network_and_other_labels_stay() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        model = random_labelled(rng, 5)
        if not model.edges:
            continue
        edge = model.edges[int(rng.integers(len(model.edges)))]
        edited = model.without_edge(*edge)
        wanted = model.as_bayesian_network.without_edge(*edge)
        for name in model.domain.names:
            np.testing.assert_allclose(edited.table(name), wanted.table(name), atol=1e-12)
            if name != edge[1]:
                i = model.domain.index(name)
                assert (edited.classes[i] == model.classes[i]).all()


def test_variables_and_states_come_go_and_are_renamed() -> None:
    model = three()
    more = model.with_variable(Variable("New", ("a", "b")))
    assert more.without_variable("New").edges == model.edges
    assert more.label("X2", "X3").any()
    fewer = model.with_states("X1", {"0": "0", "1": "1", "2": None})
    assert fewer.table("X3").shape == (3, 2, 2)
    renamed = model.with_domain(Domain.of(dict.fromkeys(("A", "B", "C"), ("a", "b"))))
    assert renamed.label("B", "C").tolist() == model.label("X2", "X3").tolist()
    with pytest.raises(GraphError):
        model.with_domain(Domain.of(dict.fromkeys(("A", "B", "C"), ("a", "b", "c"))))


def test_a_number_of_one_configuration_is_that_of_its_class() -> None:
    model = four()
    table = model.table("X4").copy()
    table[1, 0, 0] = (0.25, 0.75)
    edited = model.with_table("X4", table)
    assert (edited.classes[3] == model.classes[3]).all()
    same = model.classes[3] == model.classes[3][1, 0, 0]
    np.testing.assert_allclose(edited.table("X4")[same], [[0.25, 0.75]] * int(same.sum()))
    np.testing.assert_array_equal(edited.table("X4")[~same], model.table("X4")[~same])
    unchanged = model.with_table("X4", model.table("X4"))
    np.testing.assert_array_equal(unchanged.table("X4"), model.table("X4"))


# Labels in a project


def test_a_context_taken_out_and_in_again_gives_the_same_model() -> None:
    project, key = project_of(coronary())
    edge = {"model_id": key, "source": "Mental work", "target": "Proteins"}
    parted = edit_language(project, edit="remove_context", **edge, context=(1, 1))
    size = model_in(project, key).representation_size()
    assert model_in(parted, key).representation_size() > size
    again = model_in(edit_language(parted, edit="add_context", **edge, context=(1, 1)), key)
    assert (again.classes[4] == model_in(project, key).classes[4]).all()
    np.testing.assert_allclose(again.rows[4], model_in(project, key).rows[4])


def test_the_last_context_is_refused_and_deletes_the_edge_when_asked_to() -> None:
    project, key = project_of(coronary())
    edge = {"model_id": key, "source": "Mental work", "target": "Proteins", "context": (0, 1)}
    with pytest.raises(GraphError, match="delete the edge"):
        edit_language(project, edit="add_context", **edge)
    gone = model_in(edit_language(project, edit="delete_labelled_edge", **edge), key)
    assert ("Mental work", "Proteins") not in gone.edges
    assert gone.is_regular
    assert gone.label("Proteins", "Pressure").tolist() == [True, False]


def test_labels_are_made_from_equal_rows_and_dropped() -> None:
    network = coronary().as_bayesian_network
    project = add_model(Project(), entry=ModelEntry("m", network))
    key = next(iter(project.models))
    made = edit_language(project, edit="labels_from_rows", model_id=key)
    assert model_in(made, key).representation_size() == coronary().representation_size()
    plain = model_in(edit_language(made, edit="drop_labels", model_id=key), key)
    assert plain.representation_size() == network.representation_size()
    for name in network.domain.names:
        np.testing.assert_allclose(plain.table(name), network.table(name), atol=1e-12)


def test_an_undone_edit_leaves_the_same_bytes() -> None:
    model = coronary()
    project, key = project_of(model)
    before = render(ModelFile(model_in(project, key)), Path("m.json"))[0]
    edit_language(project, edit="drop_labels", model_id=key)
    assert render(ModelFile(model_in(project, key)), Path("m.json"))[0] == before


# What holds in a context


def test_every_statement_holds_in_numbers() -> None:
    rng = np.random.default_rng(8)
    count = 0
    for _ in range(120):
        model = random_labelled(rng, 5, merges=0.75)
        chosen = rng.choice(5, size=2, replace=False)
        context = {int(v): int(rng.integers(model.domain.cardinalities[v])) for v in chosen}
        evidence = {
            model.domain.names[v]: Observed(model.domain.variables[v].states[s])
            for v, s in context.items()
        }
        for statement in statements_in(model, context):
            names = [statement.one, statement.other, *statement.given]
            indices = [model.domain.index(name) for name in names]
            joint = joint_of(model.as_bayesian_network, indices, evidence)
            assert conditional_information_bits(joint) < 1e-10
            count += 1
    assert count > 10


def test_nothing_is_reported_without_a_context_that_takes_an_edge() -> None:
    assert statements_in(coronary(), {}) == []
    assert statements_in(coronary(), {5: 0}) == []
    listed = [str(s) for s in statements_in(coronary(), {0: 0})]
    assert "Pressure ⊥ Proteins" in listed


# What labels cost


def test_the_score_without_labels_is_that_of_the_graph_without_labels() -> None:
    model = coronary()
    data = model.sample(200, np.random.default_rng(0))
    score = PartitionScore(kappa=0.5)
    assert fits(model, data)
    cost = label_cost(model, data, score)
    plain = LabelledDag.of_network(model.as_bayesian_network)
    assert label_cost(plain, data, score).score == pytest.approx(cost.plain)
    assert counts_of(model, data, "Pressure").sum() == 200
    parts = {one.variable: one for one in cost.by_variable}
    assert sum(one.likelihood + one.prior for one in parts.values()) == pytest.approx(cost.score)
    # Two rows of Pressure are saved, each worth log2 κ.
    assert parts["Pressure"].prior == pytest.approx(-2)


# Pictures


def test_tags_say_the_label_in_stars_and_count_long_ones() -> None:
    model = four()
    assert label_text(model, "X2", "X4") == "X1 = 1"
    assert label_text(model, "X3", "X4") == "(0, 0) (1, ∗)"
    assert label_text(model, "X3", "X4", {0: 0}) == "X2 = 0"
    assert label_text(model, "X1", "X4") == ""
    long = Domain.of(dict.fromkeys(("A", "B", "C", "D"), ("a very long state", "another one")))
    assert label_tag(model.with_domain(long), "C", "D") == "⋯ (2)"
    names = Domain.of(dict.fromkeys(("Lipoproteins", "X2", "X3", "X4"), ("under 3", "3 or over")))
    assert label_tag(model.with_domain(names), "X2", "X4") == "Lipo…ins = 3 or over"


def test_a_picture_in_a_context_has_the_edges_of_its_graph() -> None:
    model = four()
    assert [e.style for e in picture_of(model).edges].count(EdgeStyle.LABELLED) == 2
    drawn = {(e.source, e.target): e.style for e in labelled_picture(model, {0: 1}).edges}
    assert drawn == {
        ("X1", "X4"): EdgeStyle.DIRECTED,
        ("X2", "X4"): EdgeStyle.VANISHED,
        ("X3", "X4"): EdgeStyle.VANISHED,
    }


def test_a_tag_gives_way_to_boxes_and_other_tags() -> None:
    route = EdgeRoute((0.0, 0.0), (0.0, 200.0))
    assert tag_places([route], [(60.0, 20.0)], []) == [TagPlace()]
    first, second = tag_places([route, route], [(60.0, 20.0)] * 2, [])
    assert abs(first.fraction - second.fraction) * 200 >= 20
    (place,) = tag_places([route], [(60.0, 20.0)], [(-50.0, 60.0, 50.0, 140.0)])
    assert not 0.25 < place.fraction < 0.75


def test_a_tag_on_a_line_along_a_box_is_shifted_away_from_it() -> None:
    route, box = EdgeRoute((0.0, 0.0), (0.0, 200.0)), (-90.0, 0.0, -12.0, 200.0)
    (place,) = tag_places([route], [(60.0, 20.0)], [box])
    x, _ = place.on(route)
    assert x - 30 > box[2]
    assert x - 30 < 0 < x + 30  # it still stands on its line


def test_a_tag_gives_way_to_other_lines_where_that_covers_no_box() -> None:
    route, across = EdgeRoute((0.0, 0.0), (0.0, 200.0)), EdgeRoute((-90.0, 104.0), (90.0, 104.0))
    (place,) = tag_places([route], [(60.0, 20.0)], [], [across])
    assert abs(200 * place.fraction - 104) > 13
    boxes = [(-50.0, 0.0, 50.0, 88.0), (-50.0, 112.0, 50.0, 200.0)]
    assert tag_places([route], [(60.0, 20.0)], boxes, [across]) == [TagPlace()]
