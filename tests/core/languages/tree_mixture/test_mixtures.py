"""Mixtures of trees and latent classes: rows, sizes and samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from tests.oracles.brute_force import joint_table
from tests.strategies import (
    all_cases,
    domain_of,
    random_classes,
    random_mixture,
    random_tree,
    with_missing,
)

DOMAIN = Domain.of({"A": "01", "B": "012", "C": "01", "D": "01"})

F1 = Tree(
    DOMAIN,
    (None, 0, 1, 1),
    (
        np.array([0.6, 0.4]),
        np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]),
        np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]),
        np.array([[0.7, 0.3], [0.5, 0.5], [0.1, 0.9]]),
    ),
)
F3 = TreeMixture(
    DOMAIN,
    np.array([0.7, 0.3]),
    (
        F1,
        Tree(
            DOMAIN,
            (None, None, 0, None),
            (
                np.array([0.2, 0.8]),
                np.array([0.2, 0.2, 0.6]),
                np.array([[0.3, 0.7], [0.6, 0.4]]),
                np.array([0.25, 0.75]),
            ),
        ),
    ),
)
# naive-bayes.md, check 1.
NB = LatentClasses(
    Domain.of({"X1": "01", "X2": "01", "X3": "01"}),
    np.array([0.6, 0.4]),
    (
        np.array([[0.8, 0.2], [0.1, 0.9]]),
        np.array([[0.3, 0.7], [0.6, 0.4]]),
        np.array([[0.5, 0.5], [0.9, 0.1]]),
    ),
)


def one_row(domain: Domain, text: str) -> DataSet:
    return DataSet.from_rows(
        domain, [[None if character == "?" else character for character in text]]
    )


def test_a_tree_has_the_parameters_the_formula_says() -> None:
    assert F1.representation_size() == 11
    chain = Tree(
        Domain.of({"a": "01", "b": "012", "c": "0123"}),
        (None, 0, 1),
        (np.full(2, 1 / 2), np.full((2, 3), 1 / 3), np.full((3, 4), 1 / 4)),
    )
    assert chain.representation_size() == 14


def test_a_row_of_a_mixture_is_the_weighed_sum_of_its_trees() -> None:
    row = one_row(DOMAIN, "1211")
    assert 2 ** F3.log2_probabilities(row)[0] == pytest.approx(0.18432, abs=1e-12)
    assert F3.responsibilities(row)[0] == pytest.approx([0.765625, 0.234375], abs=1e-12)


def test_a_row_of_latent_classes_is_the_sum_over_the_classes() -> None:
    row = one_row(NB.domain, "101")
    assert 2 ** NB.log2_probabilities(row)[0] == pytest.approx(0.0396, abs=1e-12)
    assert NB.responsibilities(row)[0] == pytest.approx([0.454545455, 0.545454545], abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_probabilities_of_all_rows_sum_to_1_and_missing_cells_are_summed_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for model in (
        random_mixture(rng, 4, 3),
        random_mixture(rng, 3, 2, is_visible=True),
        random_classes(rng, 4, 3),
    ):
        joint = joint_table(model)
        assert joint.sum() == pytest.approx(1, abs=1e-12)
        some = with_missing(rng, all_cases(model.domain), 0.4)
        result = np.exp2(log2_probabilities(model, some))
        for row in range(0, some.row_count, 7):
            known = tuple(
                slice(None) if code == some.missing_code else int(code)
                for code in some.codes[:, row]
            )
            assert result[row] == pytest.approx(float(joint[known].sum()), abs=1e-12)


def test_a_mixture_of_one_tree_is_the_tree() -> None:
    tree = random_tree(np.random.default_rng(1), 6)
    alone = TreeMixture(tree.domain, np.ones(1), (tree,))
    rows = all_cases(tree.domain)
    assert alone.log2_probabilities(rows) == pytest.approx(tree.log2_probabilities(rows))
    assert alone.representation_size() == tree.representation_size()
    assert alone.effective_size() == tree.effective_size()


def test_latent_classes_are_a_star_with_a_hidden_root() -> None:
    model = random_classes(np.random.default_rng(2), 4, 3)
    summed = joint_table(model.as_bayesian_network).sum(axis=-1)
    assert joint_table(model) == pytest.approx(summed, abs=1e-12)


def test_the_sizes_of_latent_classes_follow_the_three_conventions() -> None:
    domain = domain_of([2] * 5)
    # acceptance checks 4 and 5
    for classes, defined, free, printed, cells in (
        (32, 160, 191, 192, 320),
        (40, 200, 239, 240, 400),
    ):
        tables = tuple(np.full((classes, 2), 0.5) for _ in range(5))
        model = LatentClasses(domain, np.full(classes, 1 / classes), tables)
        assert model.definition_size() == defined
        assert model.representation_size() == free
        assert model.printed_size() == printed
        assert model.effective_size() == cells
    # The printed sizes of the synthetic models: 10 classes of 15 items with 47 states, 20 with 44.
    for classes, cards, cells in ((10, [3] * 13 + [4] * 2, 470), (20, [2] + [3] * 14, 880)):
        tables = tuple(np.full((classes, card), 1 / card) for card in cards)
        model = LatentClasses(domain_of(cards), np.full(classes, 1 / classes), tables)
        assert model.effective_size() == cells


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), classes=st.integers(1, 6), variables=st.integers(1, 5))
def test_latent_classes_cost_as_much_as_the_network_they_are(
    seed: int, classes: int, variables: int
) -> None:
    model = random_classes(np.random.default_rng(seed), variables, classes)
    assert model.effective_size() == model.as_bayesian_network.effective_size()


def test_parity_is_exact_with_a_class_for_every_even_row() -> None:
    rows = [f"{number:05b}" for number in range(32) if f"{number:05b}".count("1") % 2 == 0]
    tables = tuple(
        np.array([[1.0, 0.0] if row[i] == "0" else [0.0, 1.0] for row in rows]) for i in range(5)
    )
    domain = Domain.of({f"x{i}": "01" for i in range(5)})
    model = LatentClasses(domain, np.full(16, 1 / 16), tables)
    data = DataSet.from_rows(domain, [list(row) for row in rows])
    assert model.log2_probabilities(data).mean() == -4.0


def test_every_distribution_is_a_mixture_of_trees_without_edges() -> None:
    rng = np.random.default_rng(3)
    joint = rng.dirichlet(np.full(12, 0.4)).reshape(2, 3, 2)
    domain = domain_of([2, 3, 2])
    cases = all_cases(domain)
    trees = tuple(
        Tree(
            domain,
            (None,) * 3,
            tuple(np.eye(v.cardinality)[c] for v, c in zip(domain, row, strict=True)),
        )
        for row in cases.codes.T
    )
    mixture = TreeMixture(domain, joint.ravel(), trees)
    assert joint_table(mixture) == pytest.approx(joint, abs=1e-12)


@pytest.mark.parametrize("make", [random_mixture, random_classes])
def test_samples_have_the_frequencies_of_the_model(make: object) -> None:
    model = make(np.random.default_rng(4), 4, 3)  # type: ignore[operator]
    rows = model.sample(40_000, np.random.default_rng(5))
    joint = joint_table(model)
    for index, variable in enumerate(model.domain):
        expected = joint.sum(axis=tuple(a for a in range(joint.ndim) if a != index))
        seen = np.bincount(rows.codes[index], minlength=variable.cardinality) / rows.row_count
        assert np.abs(seen - expected).max() < 4 * np.sqrt(0.25 / rows.row_count)


def test_a_visible_choice_variable_names_the_tree_of_a_row() -> None:
    mixture = random_mixture(np.random.default_rng(6), 3, 3, is_visible=True)
    rows = mixture.sample(200, np.random.default_rng(7))
    given = mixture.responsibilities(rows)
    assert (given.argmax(axis=1) == rows.column("choice")).all()
    assert given.max(axis=1) == pytest.approx(1)


def test_shared_edges_are_reported_and_counted() -> None:
    assert F3.edge_counts == {("A", "B"): 1, ("B", "C"): 1, ("B", "D"): 1, ("A", "C"): 1}
    assert not F3.is_shared
    assert TreeMixture(DOMAIN, np.array([0.5, 0.5]), (F1, F1)).is_shared


def test_long_rows_do_not_underflow() -> None:
    domain = domain_of([2] * 2000)
    lonely = Tree(domain, (None, *range(1999)), (np.full(2, 0.5), *[np.full((2, 2), 0.5)] * 1999))
    mixture = TreeMixture(domain, np.array([0.5, 0.5]), (lonely, lonely))
    codes = np.zeros((2000, 2), dtype=np.uint8)
    codes[::2, 1] = 255
    assert mixture.log2_probabilities(DataSet(domain, codes)) == pytest.approx([-2000, -1000])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.7, 0.7], "do not sum to 1"),
        ([1.2, -0.2], "no probability"),
        ([1.0], "2 trees have 1 weights"),
    ],
)
def test_weights_that_are_no_distribution_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        TreeMixture(DOMAIN, np.array(weights), (F1, F1))
