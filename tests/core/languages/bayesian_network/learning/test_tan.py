"""Classifier structures: the specification's tree, optimality, forests, naive Bayes and rules."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import CycleError, KnowledgeError, ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.classifiers import (
    TanLearner,
    TanParams,
    conditional_information_nats,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.scores.independence import sums_of
from tests.core.learning.lecture_data import CORONARY
from tests.strategies import with_missing


def learn(data: DataSet, **settings_: object) -> BayesianNetwork:
    params = TanParams(**{"smoothing": 0.0, **settings_})  # type: ignore[arg-type]
    *_, last = TanLearner().run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    assert isinstance(last, Finished)
    assert isinstance(last.model, BayesianNetwork)
    return last.model


def between_features(network: BayesianNetwork, target: str) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in network.edges if target not in edge}


def sample(seed: int, features: int = 3, rows: int = 60) -> DataSet:
    rng = np.random.default_rng(seed)
    domain = Domain.of({"c": "01", **{f"x{i}": "012"[: 2 + i % 2] for i in range(features)}})
    hidden = rng.integers(0, 6, rows)
    noise = rng.random((features + 1, rows)) < 0.5
    codes = [
        np.where(noisy, rng.integers(0, 6, rows), hidden) % card
        for card, noisy in zip(domain.cardinalities, noise, strict=True)
    ]
    return DataSet(domain, np.array(codes, dtype=np.uint8))


def test_the_tree_of_the_coronary_table_with_class_f() -> None:
    # relational-and-possibilistic.md, §10 and check 21
    network = learn(CORONARY)
    assert {"".join(sorted(edge)) for edge in between_features(network, "F")} == {
        "BC",
        "AC",
        "AE",
        "DE",
    }
    assert set(network.dag.children("F")) == set("ABCDE")
    bits = conditional_information_nats(CORONARY, 5) / math.log(2)
    result = [bits["ABCDEF".index(a), "ABCDEF".index(b)] for a, b in ("BC", "AC", "AE", "DE")]
    assert result == pytest.approx([0.269611, 0.011558, 0.007099, 0.006200], abs=1e-6)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.booleans())
def test_the_conditional_information_is_that_of_the_three_columns(
    seed: int, has_gaps: bool
) -> None:
    data = sample(seed)
    if has_gaps:
        data = with_missing(np.random.default_rng(seed), data)
    result = conditional_information_nats(data, 0)
    for a, b in itertools.combinations(range(1, 4), 2):
        expected = sums_of(joint_counts(data, (0, a, b))).bits * math.log(2)
        assert result[a, b] == result[b, a] == pytest.approx(expected, abs=1e-12)


def likelihood(data: DataSet, edges: list[tuple[str, str]]) -> float:
    return fit_tables(data, Dag.from_edges(data.domain.names, edges), 0.0).log2_likelihood


@settings(max_examples=8)
@given(st.integers(0, 2**32), st.integers(3, 5))
def test_no_tree_over_the_features_is_more_likely(seed: int, features: int) -> None:
    data = sample(seed, features)
    names = data.domain.names[1:]
    naive = [("c", name) for name in names]
    trees = [*trees_below_the_first(names)]
    assert len(trees) == features ** (features - 2)  # Cayley
    best = max(likelihood(data, naive + tree) for tree in trees)
    network = learn(data, class_="c")
    assert likelihood(data, list(network.edges)) == pytest.approx(best, abs=1e-9)


def trees_below_the_first(names: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Every tree, as edges away from the first name; another root would change no likelihood."""
    for parents in itertools.product(names, repeat=len(names) - 1):
        if _is_forest(names, (None, *parents)):
            yield [*zip(parents, names[1:], strict=True)]


def _is_forest(names: Sequence[str], parents: Sequence[str | None]) -> bool:
    try:
        Dag.from_edges(names, [(p, c) for c, p in zip(names, parents, strict=True) if p])
    except CycleError:
        return False
    return True


def test_without_augmentation_it_is_naive_bayes() -> None:
    network = learn(CORONARY, augment="none", class_="A")
    assert set(network.edges) == {("A", name) for name in "BCDEF"}


def test_the_root_has_the_class_as_its_only_parent_and_changes_no_likelihood() -> None:
    whole = likelihood(CORONARY, list(learn(CORONARY).edges))
    for root in "ABCDE":
        network = learn(CORONARY, root=root)
        assert network.dag.parents(root) == ("F",)
        assert likelihood(CORONARY, list(network.edges)) == pytest.approx(whole)


def test_a_forest_keeps_exactly_the_edges_that_gain_more_than_their_penalty() -> None:
    nats = conditional_information_nats(CORONARY, 5) * CORONARY.total_weight
    gains = sorted(nats["ABCDE".index(e[0]), "ABCDE".index(e[1])] for e in ("BC", "AC", "AE", "DE"))
    for kept, penalty in ((4, gains[0] - 0.01), (3, gains[0] + 0.01), (1, gains[2] + 0.01)):
        network = learn(CORONARY, augment="forest", edge_penalty=penalty)
        assert len(between_features(network, "F")) == kept


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_no_edge_of_the_forest_or_left_out_of_it_improves_bic(seed: int) -> None:
    from pgmstudio.core.scores.family_cache import FamilyScores
    from pgmstudio.core.scores.local import score_of

    data = sample(seed)
    network = learn(data, class_="c", augment="forest")
    scores = FamilyScores(data, score_of("bic", data.total_weight))
    mine = scores.total(network.dag.parent_indices)
    names = data.domain.names[1:]
    for parents in itertools.product(*[(None, *names)] * 3):
        if _is_forest(names, parents):
            edges = [("c", n) for n in names]
            edges += [(p, c) for c, p in zip(names, parents, strict=True) if p]
            dag = Dag.from_edges(data.domain.names, edges)
            assert scores.total(dag.parent_indices) <= mine + 1e-9


def test_a_penalty_without_a_forest_and_unknown_columns_are_refused() -> None:
    with pytest.raises(ParameterError, match="set augment to forest"):
        TanParams(edge_penalty=3.0)
    with pytest.raises(ParameterError, match=r"class: 'X' is not a column; root: 'Y' is not"):
        learn(CORONARY, class_="X", root="Y")
    with pytest.raises(ParameterError, match="F is the class; choose a feature"):
        learn(CORONARY, root="F")


def test_a_feature_required_above_the_class_is_no_child_of_it() -> None:
    rules = Knowledge(required=frozenset({("A", "B"), ("B", "F")}))
    network = learn(CORONARY, knowledge=rules)
    assert rules.violations(network.edges) == []
    assert set(network.dag.children("F")) == set("CDE")
    assert network.dag.parents("A") == ()


def test_where_the_class_may_not_point_it_does_not() -> None:
    rules = Knowledge(forbidden=frozenset({("F", "C"), ("C", "B"), ("B", "C")}))
    network = learn(CORONARY, knowledge=rules)
    assert set(network.dag.children("F")) == set("ABDE")
    assert rules.violations(network.edges) == []
    assert len(between_features(network, "F")) == 4


def test_two_required_parents_beside_the_class_are_refused() -> None:
    rules = Knowledge(required=frozenset({("A", "C"), ("B", "C")}))
    with pytest.raises(KnowledgeError, match="A and B are required as parents of C"):
        learn(CORONARY, knowledge=rules)
    assert learn(CORONARY, knowledge=rules, augment="none").dag.parents("C") == ("A", "B", "F")
    rules = Knowledge(required=frozenset({("A", "C")}))
    with pytest.raises(KnowledgeError, match="A → C is required, but C is to be the root"):
        learn(CORONARY, knowledge=rules, root="C")
