"""Evidence in mixtures: worked numbers, and equality with listing every joint state."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.errors import ImpossibleEvidenceError
from pgmstudio.core.inference.base import Excluded, Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.latent_class.session import LatentClassSession, MixtureSession
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.languages.tree_mixture.session import TreeMixtureSession
from tests.core.languages.tree_mixture.test_mixtures import DOMAIN, F1, F3, NB
from tests.oracles.brute_force import BruteForceSession, joint_table
from tests.strategies import (
    domain_of,
    evidence,
    random_classes,
    random_mixture,
    random_network,
    random_tree,
)


def test_evidence_moves_the_weights_of_the_components() -> None:
    session = TreeMixtureSession(F3)
    assert session.component_posterior() == pytest.approx([0.7, 0.3])
    assert session.belief("C").values[1] == pytest.approx(0.495)
    session.set_evidence("C", Observed("1"))
    assert session.component_posterior() == pytest.approx([0.721212, 0.278788], abs=1e-6)
    assert session.belief("A").values == pytest.approx([0.415758, 0.584242], abs=1e-6)


@pytest.mark.parametrize(
    ("given_states", "total", "beliefs"),
    [
        (
            {"C": Observed("1")},
            0.51,
            {"A": (0.4588235, 0.5411765), "D": (0.2623529, 0.7376471)},
        ),
        (
            {"C": Observed("1"), "D": Observed("0")},
            0.1338,
            {"A": (0.632287, 0.367713), "B": (0.177877, 0.582960, 0.239163)},
        ),
        (
            {"C": Observed("1"), "B": Excluded(frozenset("1"))},
            0.354,
            {"A": (0.355932, 0.644068)},
        ),
    ],
)
def test_one_tree_answers_as_worked_out(
    given_states: dict[str, Observed | Excluded],
    total: float,
    beliefs: dict[str, tuple[float, ...]],
) -> None:
    session = TreeMixtureSession(TreeMixture(DOMAIN, np.ones(1), (F1,)))
    session.set_all(given_states)
    assert 2 ** session.log2_evidence() == pytest.approx(total, abs=1e-12)
    for name, expected in beliefs.items():
        assert session.belief(name).values == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("given_states", "expected", "joint"),
    [
        ({}, "1211", 0.2016),
        ({"C": Observed("1"), "D": Observed("0")}, "0110", 0.054),
        ({"C": Observed("0")}, "0000", 0.189),
    ],
)
def test_the_most_probable_explanation_of_one_tree_is_exact(
    given_states: dict[str, Observed], expected: str, joint: float
) -> None:
    session = TreeMixtureSession(TreeMixture(DOMAIN, np.ones(1), (F1,)))
    session.set_all(given_states)
    assert "".join(session.most_probable().values()) == expected
    assert 2 ** session.log2_most_probable() == pytest.approx(joint, abs=1e-12)
    assert session.is_most_probable_exact


def test_latent_classes_answer_as_worked_out() -> None:
    session = LatentClassSession(NB)
    assert session.belief("X1").values[1] == pytest.approx(0.48)
    session.set_evidence("X1", Observed("1"))
    assert session.belief("X2").values[1] == pytest.approx(0.475)
    session.set_evidence("X2", Observed("0"))
    assert session.belief("X3").values[1] == pytest.approx(0.157142857, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_many_binary_columns_of_latent_classes_are_answered_as_the_star_is(seed: int) -> None:
    # naive-bayes.md, check 11: twelve binary variables, listing and the clique tree of the star
    rng = np.random.default_rng(seed)
    tables = tuple(rng.dirichlet((1, 1), 4) for _ in range(12))
    model = LatentClasses(domain_of([2] * 12), rng.dirichlet(np.ones(4)), tables)
    joint = joint_table(model)
    assert joint.sum() == pytest.approx(1, abs=1e-12)
    findings = {f"X{i}": Observed(f"s{rng.integers(2)}") for i in rng.permutation(12)[:seed]}
    session, star = LatentClassSession(model), JunctionTreeSession(model.as_bayesian_network)
    listing = BruteForceSession(model)
    for each in (session, star, listing):
        each.set_all(findings)
    for name in model.domain.names:
        values = session.belief(name).values
        assert values == pytest.approx(listing.belief(name).values, abs=1e-12)
        assert values == pytest.approx(star.belief(name).values, abs=1e-12)


@settings(max_examples=80)
@given(seed=st.integers(0, 2**32 - 1), kind=st.integers(0, 2), draw=st.data())
def test_any_evidence_is_answered_as_by_listing(seed: int, kind: int, draw: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    model = (
        random_mixture(rng, 5, 3),
        random_mixture(rng, 4, 3, is_visible=True),
        random_classes(rng, 5, 4),
    )[kind]
    findings = draw.draw(evidence(model.domain))
    session, listing = open_session(model), BruteForceSession(model)
    assert isinstance(session, MixtureSession)
    try:
        listing.set_all(findings)
    except ImpossibleEvidenceError as impossible:
        smallest = len(impossible.conflict)
        with pytest.raises(ImpossibleEvidenceError) as raised:
            session.set_all(findings)
        assert (len(raised.value.conflict), dict(session.evidence)) == (smallest, {})
        return
    session.set_all(findings)
    for name in model.domain.names:
        assert session.belief(name).values == pytest.approx(listing.belief(name).values, abs=1e-12)
    assert session.log2_evidence() == pytest.approx(listing.log2_evidence(), abs=1e-11)
    assert session.log2_most_probable() == pytest.approx(listing.log2_most_probable(), abs=1e-11)
    names = [*model.domain.names[-2:], model.domain.names[0]]
    assert session.joint(names) == pytest.approx(listing.joint(names), abs=1e-12)
    fractions = session.component_posterior()
    assert fractions.sum() == pytest.approx(1)
    if isinstance(model, TreeMixture) and model.choice is not None:
        assert session.belief("choice").values == pytest.approx(fractions)


def test_evidence_in_random_forests_is_answered_as_by_listing() -> None:
    # Acceptance check 9: 200 of them, up to eight variables of two to four states.
    rng = np.random.default_rng(9)
    refused = 0
    for _ in range(200):
        cards = [int(card) for card in rng.integers(2, 5, size=rng.integers(1, 9))]
        shape = {"density": rng.choice([0.3, 0.7, 1.0]), "zeros": rng.choice([0.0, 0.2])}
        network = random_network(rng, cardinalities=cards, max_parents=1, **shape)
        tree = Tree.from_bayesian_network(network)
        names = tree.domain.names
        seen = rng.permutation(len(names))[: rng.integers(len(names) + 1)]
        states = {int(i): int(rng.integers(cards[i])) for i in seen}
        findings = {names[i]: Observed(tree.domain[names[i]].states[s]) for i, s in states.items()}
        known = np.zeros(cards)
        here = tuple(states.get(i, slice(None)) for i in range(len(cards)))
        known[here] = joint_table(tree)[here]
        for session in (open_session(tree), TreeMixtureSession(one_tree_mixture(tree))):
            if known.sum() == 0:
                refused += 1
                with pytest.raises(ImpossibleEvidenceError):
                    session.set_all(findings)
                continue
            session.set_all(findings)
            assert 2 ** session.log2_evidence() == pytest.approx(known.sum(), abs=1e-10)
            for i, name in enumerate(names):
                others = tuple(j for j in range(len(names)) if j != i)
                wanted = known.sum(axis=others) / known.sum()
                assert session.belief(name).values == pytest.approx(wanted, abs=1e-10)
            for pair in tree.edges:  # each table has the margins of the other answers (eq. 2.4)
                table = session.joint(pair)
                for axis, name in enumerate(pair):
                    margin = table.sum(axis=1 - axis)
                    assert margin == pytest.approx(session.belief(name).values, abs=1e-10)
    assert refused > 10


def one_tree_mixture(tree: Tree) -> TreeMixture:
    return TreeMixture(tree.domain, np.ones(1), (tree,))


def test_where_listing_is_impossible_the_bound_shows_how_good_the_explanation_is() -> None:
    rng = np.random.default_rng(8)
    trees = tuple(random_tree(np.random.default_rng(s), 14) for s in (1, 1))
    assert trees[0].domain.joint_states() > 1_000_000
    session = TreeMixtureSession(TreeMixture(trees[0].domain, np.array([0.5, 0.5]), trees))
    # Twice the same tree: its own explanation is the mixture's, and the bound is met.
    single = TreeMixtureSession(TreeMixture(trees[0].domain, np.ones(1), trees[:1]))
    assert session.log2_most_probable() == pytest.approx(single.log2_most_probable())
    assert session.is_most_probable_exact
    domain = domain_of([2] * 24)
    tables = tuple(rng.dirichlet((1.0, 1.0), size=4) for _ in range(24))
    many = LatentClassSession(LatentClasses(domain, np.full(4, 0.25), tables))
    assert math.isfinite(many.log2_most_probable())
    assert many.log2_most_probable() <= many.log2_most_probable_bound() + 1e-12
