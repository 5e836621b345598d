"""A model converted to another language has the same distribution."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import conversions_of, converted, same_distribution
from pgmstudio.core.languages.latent_class.conversions import classes_of_network
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.conversions import classes_of_mixture, network_of_mixture
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import ProbabilisticModel
from tests.decision_graphs import random_graph
from tests.labelled_dags import random_labelled
from tests.strategies import (
    all_cases,
    domain_of,
    random_classes,
    random_mixture,
    random_network,
    random_table,
    random_tree,
)

SEEDS = st.integers(0, 10_000)


def divergence_bits(first: ProbabilisticModel, second: ProbabilisticModel) -> float:
    """KL(first ‖ second) over the variables of `first`; what only `second` has is summed out."""
    rows = all_cases(first.domain)
    whole = {v.name: rows.column(v.name) for v in first.domain}
    more = [v for v in second.domain if v.name not in first.domain]
    logs = np.full((1, rows.row_count), -np.inf)
    for codes in itertools.product(*(range(v.cardinality) for v in more)):
        hidden = {v.name: code for v, code in zip(more, codes, strict=True)}
        columns = [
            (np.full(rows.row_count, hidden[v.name]) if v.name in hidden else whole[v.name]).astype(
                code_dtype(second.domain)
            )
            for v in second.domain
        ]
        part = second.log2_probabilities(DataSet(second.domain, np.stack(columns)))
        logs = np.logaddexp2(logs, part)
    p = np.exp2(first.log2_probabilities(rows))
    seen = p > 0
    return float(np.sum(p[seen] * (np.log2(p[seen]) - logs[0][seen])))


def shared_mixture(rng: np.random.Generator, variables: int, components: int) -> TreeMixture:
    """Trees with the same edges and other tables."""
    first = random_tree(rng, variables)
    trees = [first]
    for _ in range(components - 1):
        tables = tuple(random_table(rng, table.shape) for table in first.tables)
        trees.append(Tree(first.domain, first.parents, tables))
    return TreeMixture(first.domain, random_table(rng, (components,)), tuple(trees))


MAKERS: dict[str, Callable[[np.random.Generator], ProbabilisticModel]] = {
    Tree.kind: lambda rng: random_tree(rng, 5, zeros=0.1),
    TreeMixture.kind: lambda rng: random_mixture(rng, 5, 3, is_visible=bool(rng.integers(2))),
    LatentClasses.kind: lambda rng: random_classes(rng, 5, 3),
    BayesianNetwork.kind: lambda rng: random_network(rng, 5, max_parents=1),
    DecisionGraph.kind: lambda rng: random_graph(rng, 4, most_nodes=2),
    LabelledDag.kind: lambda rng: random_labelled(rng, 4, zeros=0.1),
}


@pytest.mark.parametrize("kind", MAKERS)
@given(seed=SEEDS)
@settings(max_examples=12)
def test_nothing_is_lost_on_the_way(kind: str, seed: int) -> None:
    model = MAKERS[kind](np.random.default_rng(seed))
    for other in conversions_of(kind):
        try:
            made = converted(model, other)
        except GraphError:
            continue  # it says why; the cases below are of models that can
        assert made.kind == other
        assert isinstance(made, ProbabilisticModel)
        checked = same_distribution(model, made)
        assert checked.is_same
        assert checked.is_exact
        if len(made.domain) < len(model.domain):
            continue  # the class of naive Bayes is hidden then
        assert divergence_bits(model, made) == pytest.approx(0, abs=1e-9)


@given(seed=SEEDS)
@settings(max_examples=12)
def test_the_check_is_the_divergence_of_two_distributions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = random_tree(rng, 4)
    tables = tuple(random_table(rng, table.shape) for table in one.tables)
    other = Tree(one.domain, one.parents, tables)
    checked = same_distribution(one, other)
    assert checked.bits == pytest.approx(divergence_bits(one, other), abs=1e-12)
    assert checked.message().startswith("Not the same: KL = ")
    assert same_distribution(one, one).message() == (
        f"The same distribution: KL = 0 bits over all {one.domain.joint_states()} joint states."
    )


def test_of_many_states_rows_are_drawn() -> None:
    tree = random_tree(np.random.default_rng(1), 20)
    checked = same_distribution(tree, converted(tree, BayesianNetwork.kind))
    assert (checked.is_same, checked.is_exact, checked.cases) == (True, False, 2000)


def test_an_edge_that_one_tree_lacks_becomes_a_label() -> None:
    domain = domain_of([2, 2])
    half, pair = np.array([0.3, 0.7]), np.array([[0.2, 0.8], [0.9, 0.1]])
    names = (*domain.names, "which")
    whole = Domain((*domain.variables, Variable("which", ("apart", "joined"))))
    trees = (Tree(domain, (None, None), (half, half)), Tree(domain, (None, 0), (half, pair)))
    mixture = TreeMixture(whole, np.array([0.4, 0.6]), trees, "which")
    made = converted(mixture, LabelledDag.kind)
    assert isinstance(made, LabelledDag)
    assert made.domain.names == names
    assert made.label_count > 0
    assert same_distribution(mixture, made).is_same


@given(seed=SEEDS)
@settings(max_examples=12)
def test_trees_with_the_same_edges_keep_them_below_the_component(seed: int) -> None:
    mixture = shared_mixture(np.random.default_rng(seed), 5, 3)
    network = network_of_mixture(mixture)
    assert network.domain.names[-1] == "component"
    for name in mixture.domain.names:
        mine = set(network.dag.parents(name))
        assert "component" in mine
        assert len(mine) <= 2
    assert divergence_bits(mixture, network) == pytest.approx(0, abs=1e-9)
    # A network of this form has as many free parameters as the mixture.
    assert network.representation_size() == mixture.representation_size()


def test_the_choice_variable_becomes_the_root() -> None:
    mixture = random_mixture(np.random.default_rng(3), 4, 3, is_visible=True)
    network = network_of_mixture(mixture)
    assert network.domain == mixture.domain
    assert not network.dag.parents("choice")
    assert network.table("choice") == pytest.approx(mixture.weights)


def test_trees_with_no_common_graph_are_refused_with_a_message() -> None:
    rng = np.random.default_rng(5)
    domain = domain_of([4] * 30)
    trees = []
    for _ in range(12):
        order = rng.permutation(30)
        parents: list[int | None] = [None] * 30
        for index in range(1, 30):
            parents[order[index]] = int(order[rng.integers(index)])
        tables = [random_table(rng, (4,) if p is None else (4, 4)) for p in parents]
        trees.append(Tree(domain, tuple(parents), tuple(tables)))
    with pytest.raises(TooLargeError, match="no common graph"):
        network_of_mixture(TreeMixture(domain, np.full(12, 1 / 12), tuple(trees)))


def test_trees_without_edges_are_classes_and_others_say_which_edge_is_in_the_way() -> None:
    classes = random_classes(np.random.default_rng(1), 4, 3)
    mixture = converted(classes, TreeMixture.kind)
    assert isinstance(mixture, TreeMixture)
    back = classes_of_mixture(mixture)
    for one, other in zip(classes.tables, back.tables, strict=True):
        assert np.array_equal(one, other)
    with pytest.raises(GraphError, match="is an edge"):
        classes_of_mixture(shared_mixture(np.random.default_rng(2), 4, 2))


def test_naive_bayes_hides_its_class_and_shows_it_again() -> None:
    classes = random_classes(np.random.default_rng(4), 4, 3)
    back = classes_of_network(classes.as_bayesian_network)
    assert back.hidden == classes.hidden
    assert divergence_bits(classes, back) == pytest.approx(0, abs=1e-12)
    with pytest.raises(GraphError, match="one root"):
        classes_of_network(random_network(np.random.default_rng(0), 4, density=0.0))


def test_what_cannot_become_something_shows_what_it_can_become() -> None:
    with pytest.raises(GraphError, match="tree-mixture"):
        converted(random_tree(np.random.default_rng(0), 3), "latent-class")
