"""The same evidence in several models, and where they disagree."""

from __future__ import annotations

import csv
import io
import math
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.analysis.disagreement import (
    ModelAnswer,
    answer_of,
    disagreement_csv,
    disagreement_json,
    disagreements,
    taken_by,
    total_variation,
)
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from tests.oracles.brute_force import BruteForceSession
from tests.strategies import random_network

CARDS = [2, 3, 2]


def models(seed: int) -> dict[str, BayesianNetwork]:
    rng = np.random.default_rng(seed)
    return {name: random_network(rng, cardinalities=CARDS) for name in ("one", "two", "three")}


def evidence_of(domain: Domain) -> dict[str, Finding]:
    first, second, _ = domain
    return {
        first.name: Likelihood(((first.states[0], 0.9), (first.states[1], 0.2))),
        second.name: Excluded(frozenset({second.states[1]})),
    }


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_beliefs_and_distances_are_those_of_brute_force(seed: int) -> None:
    result = models(seed)
    domain = result["one"].domain
    evidence = evidence_of(domain)
    answers = [answer_of(name, model, evidence) for name, model in result.items()]
    asked = {}
    for answer in answers:
        listed = asked[answer.name] = BruteForceSession(result[answer.name])
        listed.set_all(evidence)
        assert answer.log2_evidence == pytest.approx(listed.log2_evidence(), abs=1e-9)
        for name in domain.names:
            assert answer.beliefs[name] == pytest.approx(listed.belief(name).values, abs=1e-9)
    for one in disagreements(answers):
        beliefs = [asked[name].belief(one.variable).values for name in result]
        events = [list(s) for s in _subsets(len(one.states))]
        # By its definition: the largest difference of the probability of any set of states.
        most = max(
            abs(float(p[event].sum() - q[event].sum()))
            for p in beliefs
            for q in beliefs
            for event in events
        )
        assert one.distances["total variation"].value == pytest.approx(most, abs=1e-9)
        entropy = max(
            sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a > 0)
            for p in beliefs
            for q in beliefs
        )
        assert one.distances["relative entropy"].value == pytest.approx(entropy, abs=1e-9)
        between = one.distances["total variation"].between
        p, q = (asked[name].belief(one.variable).values for name in between)
        assert total_variation(p, q) == pytest.approx(most, abs=1e-9)


def _subsets(count: int) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(count), size) for size in range(count + 1))


@pytest.mark.parametrize("measure", ["total variation", "relative entropy"])
def test_the_largest_disagreement_comes_first(measure: str) -> None:
    answers = [answer_of(name, model, {}) for name, model in models(3).items()]
    result = disagreements(answers, measure)  # type: ignore[arg-type]
    values = [one.distances[measure].value for one in result]  # type: ignore[index]
    assert values == sorted(values, reverse=True)
    assert {one.variable for one in result} == set(answers[0].domain.names)


def test_models_of_other_languages_with_the_same_distribution_do_not_disagree() -> None:
    network = models(4)["one"]
    answers = [
        answer_of("network", network, evidence_of(network.domain)),
        answer_of("labelled", LabelledDag.of_network(network), evidence_of(network.domain)),
    ]
    for one in disagreements(answers):
        assert one.distances["total variation"].value == pytest.approx(0, abs=1e-12)
        assert one.distances["relative entropy"].value == pytest.approx(0, abs=1e-9)


def test_who_lacks_a_variable_or_a_state_is_reported_and_takes_the_rest() -> None:
    whole = models(5)["one"]
    names = whole.domain.names
    small = Domain.of({names[0]: whole.domain[names[0]].states, names[1]: ("x0", "x1")})
    tables = (np.array([0.5, 0.5]), np.array([0.3, 0.7]))
    part = BayesianNetwork(small, Dag.empty(small.names), tables)
    third = whole.domain[names[2]].states[0]
    evidence = {
        names[0]: Observed(whole.domain[names[0]].states[1]),
        names[2]: Observed(third),
    }
    answers = [answer_of("whole", whole, evidence), answer_of("part", part, evidence)]
    assert answers[0].left_out == ()
    assert answers[1].left_out == (f"it has no variable {names[2]}",)
    assert answers[1].log2_evidence == pytest.approx(-1)
    by_name = {one.variable: one for one in disagreements(answers)}
    second = by_name[names[1]]
    assert "no state" in second.lacking["part"] or "no state" in second.lacking["whole"]
    assert not second.distances
    assert by_name[names[2]].lacking == {"part": f"no variable {names[2]}"}
    states = set(second.states)
    assert states >= {"x0", "x1"}
    report = disagreement_json(answers, disagreements(answers), "total variation")
    assert report["models"][1]["left_out"] == [f"it has no variable {names[2]}"]


def test_a_finding_is_taken_by_those_that_have_its_states() -> None:
    domain = Domain.of({"a": ("no", "yes"), "b": ("low", "high")})
    evidence: dict[str, Finding] = {
        "a": Excluded(frozenset({"no", "yes"})),
        "b": Likelihood((("low", 1.0), ("medium", 0.5))),
        "c": Done("on"),
    }
    taken, reasons = taken_by(domain, evidence)
    assert taken == {}
    assert reasons == (
        "nothing of its a would be left",
        "its b has no state medium",
        "it has no variable c",
    )


def test_impossible_evidence_is_refused_by_the_model_that_rules_it_out() -> None:
    domain = Domain.of({"a": ("no", "yes"), "b": ("no", "yes")})
    edges = Dag.from_edges(domain.names, [("a", "b")])
    copy = BayesianNetwork(domain, edges, (np.array([0.5, 0.5]), np.eye(2)))
    free = BayesianNetwork.uniform(domain)
    evidence = {"a": Observed("yes"), "b": Observed("no")}
    answers = [answer_of("copy", copy, evidence), answer_of("free", free, evidence)]
    assert answers[0].problem
    assert answers[0].log2_evidence is None
    assert answers[1].log2_evidence == pytest.approx(-2)
    one = disagreements(answers)[0]
    assert "copy" in one.lacking
    assert not one.distances


def test_ruling_out_what_another_thinks_possible_is_infinitely_far_by_relative_entropy() -> None:
    domain = Domain.of({"a": ("no", "yes")})
    answers = [
        ModelAnswer("sure", domain, {"a": np.array([1.0, 0.0])}, 0.0),
        ModelAnswer("fair", domain, {"a": np.array([0.5, 0.5])}, 0.0),
    ]
    (one,) = disagreements(answers, "relative entropy")
    assert math.isinf(one.distances["relative entropy"].value)
    assert one.distances["relative entropy"].between == ("fair", "sure")
    assert one.distances["total variation"].value == pytest.approx(0.5)
    report = disagreement_json(answers, [one], "relative entropy")
    assert report["variables"][0]["relative_entropy"]["value"] is None


def test_a_table_has_a_line_for_each_state_to_all_digits() -> None:
    classes = LatentClasses(
        Domain.of({"a": ("no", "yes")}), np.array([0.4, 0.6]), (np.array([[0.1, 0.9], [0.7, 0.3]]),)
    )
    answers = [answer_of("classes", classes, {}), answer_of("again", classes, {})]
    lines = list(csv.reader(io.StringIO(disagreement_csv(answers, disagreements(answers)))))
    assert lines[0] == [
        *("variable", "total_variation", "relative_entropy", "state", "classes", "again")
    ]
    assert float(lines[1][4]) == pytest.approx(0.46, abs=1e-12)
    assert lines[1][4] == lines[1][5]
    assert [line[3] for line in lines[1:]] == ["no", "yes"]
