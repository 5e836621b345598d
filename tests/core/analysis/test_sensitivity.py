"""P(t | e) as a function of one number of a table, against listing every joint state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pgmstudio.core.analysis.sensitivity import Sensitivity, Span, sensitivity_of
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ImpossibleEvidenceError, PgmStudioError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Done, Finding, Likelihood, Observed, weights_of
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.bayesian_network.interventions import mutilated
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import evidence, random_network, small_networks


def changed(
    network: BayesianNetwork, variable: str, cell: tuple[int, ...], theta: float
) -> BayesianNetwork:
    """The network with one entry set, the others of its row sharing the rest in proportion."""
    position = network.domain.index(variable)
    tables = [table.copy() for table in network.tables]
    row = tables[position][cell[:-1]]
    others = [s for s in range(row.size) if s != cell[-1]]
    old = row[others].sum()
    row[others] = row[others] * (1 - theta) / old if old > 0 else (1 - theta) / len(others)
    row[cell[-1]] = theta
    return replace(network, tables=tuple(tables))


def belief_in(
    network: BayesianNetwork, given: Mapping[str, Finding], target: str, code: int
) -> float | None:
    """By listing; None when the evidence is impossible."""
    session = BruteForceSession(network)
    try:
        session.set_all(given)
    except ImpossibleEvidenceError:
        return None
    return float(session.belief(target).values[code])


def cells_of(result: Sensitivity) -> list[tuple[str, tuple[int, ...]]]:
    return [
        (result.network.domain.names[child], tuple(map(int, cell)))
        for child in result.tables
        for cell in np.ndindex(result.network.tables[child].shape)
    ]


@settings(max_examples=60)
@given(small_networks(max_variables=5, max_cardinality=3, min_cardinality=2), st.data())
def test_every_function_is_that_of_listing_also_at_zeros_and_ones(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    given_ = data.draw(evidence(network.domain, max_findings=3))
    target = data.draw(st.sampled_from(network.domain.variables))
    finding = given_.get(target.name)
    assume(finding is None or (weights_of(target, finding) > 0).sum() > 1)
    code = data.draw(st.integers(0, target.cardinality - 1))
    now = belief_in(network, given_, target.name, code)
    assume(now is not None)
    result = sensitivity_of(network, given_, target.name, target.states[code])
    assert result.probability == pytest.approx(now, abs=1e-9)
    for index, (variable, cell) in enumerate(cells_of(result)):
        assert result.parameter(index)[0] == variable
        for theta in (0.0, 0.3, 1.0):
            true = belief_in(changed(network, variable, cell, theta), given_, target.name, code)
            if true is not None:
                thetas = result.values.copy()
                thetas[index] = theta
                assert result.beliefs_at(thetas)[index] == pytest.approx(true, abs=1e-9)


@settings(max_examples=40)
@given(small_networks(max_variables=5, min_cardinality=2), st.data())
def test_derivatives_are_those_of_finite_differences(
    network: BayesianNetwork, data: st.DataObject
) -> None:
    given_ = data.draw(evidence(network.domain, max_findings=2))
    target = network.domain.variables[0]
    finding = given_.get(target.name)
    assume(finding is None or (weights_of(target, finding) > 0).sum() > 1)
    session = BruteForceSession(network)
    try:
        session.set_all(given_)
    except ImpossibleEvidenceError:
        assume(False)
    result = sensitivity_of(network, given_, target.name, target.states[0])
    assume(np.exp2(session.log2_evidence()) > 1e-3)
    step = 1e-6
    for swing in result.swings(Span.TENTH)[:10]:
        if 0.01 < swing.value < 0.99:
            rise = swing.belief_at(swing.value + step) - swing.belief_at(swing.value - step)
            assert rise / (2 * step) == pytest.approx(swing.derivative, abs=1e-5, rel=1e-4)
            assert swing.belief_at(swing.value) == pytest.approx(result.probability, abs=1e-9)


@settings(max_examples=30)
@given(small_networks(max_variables=5, min_cardinality=2), st.data())
def test_what_is_left_out_cannot_matter(network: BayesianNetwork, data: st.DataObject) -> None:
    target = data.draw(st.sampled_from(network.domain.variables))
    result = sensitivity_of(network, {}, target.name, target.states[0])
    rng = np.random.default_rng(0)
    others = {*range(len(network.domain))} - {*result.tables}
    tables = [
        rng.dirichlet(np.ones(t.shape[-1]), t.shape[:-1]) if v in others else t
        for v, t in enumerate(network.tables)
    ]
    other = BruteForceSession(replace(network, tables=tuple(tables)))
    assert other.belief(target.name).values[0] == pytest.approx(result.probability, abs=1e-12)


def test_the_worked_example_of_two_variables() -> None:
    # P(D) = 0.1, P(T | D) = 0.9, P(T | not D) = 0.2; P(D | T) = 0.9 θ / (0.9 θ + 0.2 (1 − θ)).
    network = random_network(np.random.default_rng(0), cardinalities=(2, 2), density=1.0)
    first = network.dag.topological_order[0]
    tables = [np.zeros(())] * 2
    tables[first] = np.array([0.1, 0.9])
    tables[1 - first] = np.array([[0.9, 0.1], [0.2, 0.8]])
    network = replace(network, tables=tuple(tables))
    names = network.domain.names
    result = sensitivity_of(network, {names[1 - first]: Observed("s0")}, names[first], "s0")
    assert result.probability == pytest.approx(0.09 / 0.27)
    prior = next(s for s in result.swings(Span.WHOLE) if not s.context and s.state == "s0")
    for theta in (0.0, 0.1, 0.5, 1.0):
        assert prior.belief_at(theta) == pytest.approx(0.9 * theta / (0.2 + 0.7 * theta))
    assert prior.derivative == pytest.approx(0.9 * 0.2 / 0.27**2)
    assert (prior.belief_at_low, prior.belief_at_high) == (0.0, 1.0)


def test_once_a_row_keeps_the_widest_of_each_row() -> None:
    network = random_network(np.random.default_rng(3), cardinalities=(3, 2, 3), density=1.0)
    result = sensitivity_of(network, {"X1": Observed("s0")}, "X0", "s1")
    every, once = result.swings(Span.TENTH), result.swings(Span.TENTH, once_a_row=True)
    rows = {(s.variable, s.context) for s in every}
    assert len(once) == len(rows)
    for swing in once:
        same = [
            s.width for s in every if (s.variable, s.context) == (swing.variable, swing.context)
        ]
        assert swing.width == max(same)
    widths = [s.width for s in every]
    assert widths == sorted(widths, reverse=True)


def test_after_do_the_tables_of_what_was_done_have_no_say() -> None:
    network = random_network(np.random.default_rng(4), cardinalities=(2, 3, 2, 2), density=1.0)
    order = network.dag.topological_order
    middle, last = network.domain.names[order[1]], network.domain.names[order[-1]]
    result = sensitivity_of(network, {middle: Done("s1")}, last, "s0")
    cut = BruteForceSession(mutilated(network, {middle: "s1"}))
    assert result.probability == pytest.approx(float(cut.belief(last).values[0]), abs=1e-9)
    assert middle not in {s.variable for s in result.swings(Span.WHOLE)}


def test_an_observed_target_is_refused_with_a_message() -> None:
    network = random_network(np.random.default_rng(5), 3)
    name = network.domain.names[0]
    with pytest.raises(PgmStudioError, match="is observed"):
        sensitivity_of(network, {name: Observed("s0")}, name, "s0")


def test_a_thousand_findings_do_not_underflow() -> None:
    network = random_network(np.random.default_rng(6), cardinalities=[2] * 400, density=0.0)
    names = network.domain.names
    findings: dict[str, Finding] = {n: Likelihood((("s0", 1e-3), ("s1", 1.0))) for n in names[1:]}
    result = sensitivity_of(network, findings, names[0], "s0")
    prior = network.tables[0][0]
    assert result.probability == pytest.approx(prior, abs=1e-12)
    only = result.swings(Span.WHOLE)
    assert {s.variable for s in only} == {names[0]}


def test_alarm_agrees_with_asking_again_with_other_numbers(shared: Path) -> None:
    network = read_model(shared / "data/networks/alarm.bif").model
    assert isinstance(network, BayesianNetwork)
    given_: dict[str, Finding] = {"HRBP": Observed("HIGH"), "BP": Observed("LOW")}
    result = sensitivity_of(network, given_, "HYPOVOLEMIA", "TRUE")
    for swing in result.swings(Span.TENTH, 12):
        position = network.domain.index(swing.variable)
        cell = tuple(network.domain[name].code(state) for name, state in swing.context)
        cell = (*cell, network.domain[swing.variable].code(swing.state))
        for theta, message in (
            (swing.low, swing.belief_at_low),
            (swing.high, swing.belief_at_high),
        ):
            session = JunctionTreeSession(
                changed(network, network.domain.names[position], cell, theta)
            )
            session.set_all(given_)
            true = session.belief("HYPOVOLEMIA").values[network.domain["HYPOVOLEMIA"].code("TRUE")]
            assert message == pytest.approx(float(true), abs=1e-9)


def test_slopes_are_numbers_beside_a_probability_of_nearly_nothing() -> None:
    """(1, 1e-40) sums to 1, and its second state is what was observed."""
    domain = Domain.of({"a": "yn", "b": "yn"})
    tables = (np.array([1.0, 1e-40]), np.array([[0.9, 0.1], [0.5, 0.5]]))
    network = BayesianNetwork(domain, Dag(domain.names, ((), (0,))), tables)
    result = sensitivity_of(network, {"a": Observed("n")}, "b", "y")
    assert np.isfinite(result.derivatives).all()
    assert result.probability == pytest.approx(0.5)
