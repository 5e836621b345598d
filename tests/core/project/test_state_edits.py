"""States of a model's variable: what stays true when one is added, moved or removed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.project.edits import add_model, save_evidence_case
from pgmstudio.core.project.model_edits import add_state, move_state, remove_state
from pgmstudio.core.project.project import ModelEntry, Project
from tests.strategies import random_network

STATES = {"sky": ("clear", "cloud", "rain"), "wet": ("yes", "no")}


def weather() -> BayesianNetwork:
    domain = Domain.of(STATES)
    sky = np.array([0.5, 0.3, 0.2])
    wet = np.array([[0.1, 0.9], [0.3, 0.7], [0.8, 0.2]])
    return BayesianNetwork(domain, Dag(domain.names, ((), (0,))), (sky, wet))


def project_of(model: BayesianNetwork | Tree) -> Project:
    return add_model(Project(), entry=ModelEntry(title="weather", model=model))


def model_of(project: Project) -> BayesianNetwork:
    model = project.models["m1"].model
    assert isinstance(model, BayesianNetwork)
    return model


def joint(model: BayesianNetwork) -> dict[tuple[str, ...], float]:
    """P of every combination of states by name."""
    cells = {}
    for codes in np.ndindex(*model.domain.cardinalities):
        value = 1.0
        for index, parents in enumerate(model.dag.parent_indices):
            value *= model.tables[index][(*(codes[p] for p in parents), codes[index])]
        names = zip(model.domain.variables, codes, strict=True)
        cells[tuple(variable.states[code] for variable, code in names)] = float(value)
    return cells


seeds = st.integers(0, 10_000)


@given(seeds, st.data())
@settings(max_examples=40, deadline=None)
def test_a_new_state_changes_nothing_about_the_others(seed: int, data: st.DataObject) -> None:
    model = random_network(np.random.default_rng(seed), 4)
    name = data.draw(st.sampled_from(model.domain.names))
    after = model_of(add_state(project_of(model), model_id="m1", variable=name, state="brand new"))
    before, now = joint(model), joint(after)
    assert all(now[cell] == pytest.approx(value, abs=1e-12) for cell, value in before.items())
    assert sum(now.values()) == pytest.approx(1)
    assert after.domain[name].states[-1] == "brand new"


@given(seeds, st.data())
@settings(max_examples=40, deadline=None)
def test_moving_a_state_keeps_every_belief_by_name(seed: int, data: st.DataObject) -> None:
    model = random_network(np.random.default_rng(seed), 4)
    name = data.draw(st.sampled_from(model.domain.names))
    state = data.draw(st.sampled_from(model.domain[name].states))
    position = data.draw(st.integers(0, model.domain[name].cardinality - 1))
    project = project_of(model)
    moved = move_state(project, model_id="m1", variable=name, state=state, index=position)
    after = model_of(moved)
    assert after.domain[name].states[position] == state
    assert joint(after) == pytest.approx(joint(model))


def test_removing_a_state_scales_its_columns_and_drops_those_of_children() -> None:
    project = remove_state(project_of(weather()), model_id="m1", variable="sky", state="rain")
    after = model_of(project)
    assert after.domain["sky"].states == ("clear", "cloud")
    assert after.table("sky") == pytest.approx(np.array([0.625, 0.375]))
    assert after.table("wet") == pytest.approx(np.array([[0.1, 0.9], [0.3, 0.7]]))


def test_removing_a_state_of_a_root_is_like_seeing_that_it_is_another() -> None:
    session = JunctionTreeSession(weather())
    session.set_evidence("sky", Excluded(frozenset({"cloud"})))
    project = remove_state(project_of(weather()), model_id="m1", variable="sky", state="cloud")
    removed = JunctionTreeSession(model_of(project))
    assert removed.belief("wet").values == pytest.approx(session.belief("wet").values)


def test_a_column_with_nothing_left_becomes_even() -> None:
    certain = weather().with_table("sky", np.array([0.0, 0.0, 1.0]))
    project = remove_state(project_of(certain), model_id="m1", variable="sky", state="rain")
    assert model_of(project).table("sky") == pytest.approx(np.array([0.5, 0.5]))


def test_the_last_two_states_stay() -> None:
    with pytest.raises(DataError, match="needs two"):
        remove_state(project_of(weather()), model_id="m1", variable="wet", state="no")


def test_two_states_of_one_name_are_refused() -> None:
    with pytest.raises(DataError, match="has the state “rain” already"):
        add_state(project_of(weather()), model_id="m1", variable="sky", state="rain")


def test_a_language_without_editable_states_is_refused() -> None:
    tree = Tree.from_bayesian_network(weather())
    with pytest.raises(GraphError, match="convert it to a Bayesian network"):
        add_state(project_of(tree), model_id="m1", variable="sky", state="fog")


@pytest.mark.parametrize(
    ("finding", "left"),
    [
        (Observed("rain"), None),
        (Observed("clear"), Observed("clear")),
        (Excluded(frozenset({"rain", "cloud"})), Excluded(frozenset({"cloud"}))),
        (Excluded(frozenset({"clear", "cloud"})), None),
        (Likelihood((("rain", 1.0), ("clear", 0.5))), Likelihood((("clear", 0.5),))),
    ],
)
def test_evidence_cases_keep_what_is_still_sayable(finding: Finding, left: Finding | None) -> None:
    project = save_evidence_case(
        project_of(weather()), name="case", evidence={"sky": finding}, model_id="m1"
    )
    after = remove_state(project, model_id="m1", variable="sky", state="rain")
    assert after.evidence_cases["case"].evidence == ({} if left is None else {"sky": left})
