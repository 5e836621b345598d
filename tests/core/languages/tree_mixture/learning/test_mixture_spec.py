"""What the specification of mixtures of trees asks of trees, priors and smoothing, by its numbers.

Checks 15 to 20 are in test_mixture_em, 2 to 6, 9 and 22 in test_mixture_sessions, 1, 22 and 26 in
test_mixtures, 13 in test_chow_liu.
"""

from __future__ import annotations

import itertools
import math
from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.edits import rooted_at
from pgmstudio.core.languages.tree.learning.chow_liu import ChowLiuLearner, ChowLiuParams
from pgmstudio.core.languages.tree.learning.priors import TreePriors, likeness_costs
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.learning.sparse_rows import SparseRows, sparse_rows
from tests.core.languages.tree.learning.test_chow_liu import FORESTS
from tests.core.languages.tree_mixture.learning.test_mixture_em import F2, edges_of, em_on
from tests.core.languages.tree_mixture.test_mixtures import DOMAIN, F1
from tests.oracles.brute_force import joint_table
from tests.strategies import all_cases, random_mixture, random_tree


def one_tree(data: DataSet, **priors: object) -> TreeMixtureEm:
    em = em_on(data, 1, **priors)
    em.start(np.ones((em.rows.row_count, 1)))
    return em


def exact_rows(tree: Tree) -> DataSet:
    """Every joint state with its probability as weight."""
    weights = joint_table(tree.as_bayesian_network).ravel()
    return DataSet(tree.domain, all_cases(tree.domain).codes, weights)


@pytest.mark.parametrize("root", DOMAIN.names)
def test_2_3_4_the_worked_marginals_of_vertices_edges_and_paths_from_every_root(root: str) -> None:
    session = open_session(rooted_at(F1, root))
    for names, expected in {
        "B": [0.34, 0.26, 0.40],
        "C": [0.49, 0.51],
        "D": [0.408, 0.592],
        "AB": [[0.30, 0.18, 0.12], [0.04, 0.08, 0.28]],
        "AC": [[0.366, 0.234], [0.124, 0.276]],
        "CD": [[0.2742, 0.2158], [0.1338, 0.3762]],
    }.items():
        result = np.asarray(session.joint(tuple(names)))
        assert result.ravel() == pytest.approx(np.ravel(expected), abs=1e-12)
    session.set_evidence("C", Observed("1"))
    assert 2 ** session.log2_evidence() == pytest.approx(0.51, abs=1e-12)
    assert session.belief("B").values == pytest.approx([0.0666667, 0.3058824, 0.6274510], abs=1e-7)


def test_7_the_exact_joint_gives_back_its_tree_and_informations() -> None:
    em = one_tree(exact_rows(F1))
    expected = {"AB": 0.145031, "AC": 0.044058, "AD": 0.040282}
    expected |= {"BC": 0.207275, "BD": 0.158177, "CD": 0.046462}
    for pair, nats in expected.items():
        u, v = (DOMAIN.index(name) for name in pair)
        assert em.information[0][u, v] == pytest.approx(nats, abs=1e-6)
    assert edges_of(em, 0) == {frozenset(e) for e in ((0, 1), (1, 2), (1, 3))}
    assert -em.log_likelihood() == pytest.approx(2.615148, abs=1e-6)
    cases = all_cases(DOMAIN)
    wanted, result = F1.log2_probabilities(cases), em.mixture().log2_probabilities(cases)
    assert abs(np.exp2(wanted) @ (wanted - result)) < 1e-12  # the KL distance, in bits
    gain = sum(em.information[0][v, p] for v, p in enumerate(em.forests[0]) if p >= 0)
    single = 0.0
    for fraction in ((0.6, 0.4), (0.34, 0.26, 0.40), (0.49, 0.51), (0.408, 0.592)):
        single -= sum(p * math.log(p) for p in fraction)
    assert single - gain == pytest.approx(2.615148, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_8_pair_tables_and_every_choice_of_roots_give_the_same_distribution(seed: int) -> None:
    tree = random_tree(np.random.default_rng(seed), 3 + seed % 5, zeros=0.2 * (seed % 2))
    cases, joint = all_cases(tree.domain), joint_table(tree.as_bayesian_network)
    assert joint.size <= 100_000
    assert joint.sum() == pytest.approx(1, abs=1e-12)
    columns = cases.codes.astype(np.intp)
    # ∏ T_uv / ∏ T_v^(deg − 1), eq. 2.5; a lonely vertex has the exponent +1.
    top, below, degrees = np.ones(joint.size), np.ones(joint.size), np.zeros(len(columns), int)
    for v, parent in enumerate(tree.parents):
        if parent is not None:
            others = tuple(a for a in range(joint.ndim) if a not in (v, parent))
            pair = joint.sum(axis=others)
            top *= pair[tuple(columns[a] for a in sorted((v, parent)))]
            degrees[[v, parent]] += 1
    for v, degree in enumerate(degrees):
        alone = joint.sum(axis=tuple(a for a in range(joint.ndim) if a != v))[columns[v]]
        top, below = (top * alone, below) if degree == 0 else (top, below * alone ** (degree - 1))
    undirected = np.divide(top, below, out=np.zeros(joint.size), where=below > 0)
    for root in tree.domain.names:
        directed = np.exp2(rooted_at(tree, root).log2_probabilities(cases))
        assert directed == pytest.approx(undirected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_10_what_is_absorbed_already_changes_nothing_and_tables_stay_distributions(
    seed: int,
) -> None:
    tree = random_tree(np.random.default_rng(seed), 6)
    names = tree.domain.names
    edges = [tuple(sorted(edge)) for edge in tree.edges]

    def tables() -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
        return [session.joint(edge) for edge in edges] + [session.joint([n]) for n in names]

    session = open_session(tree)
    prior = tables()
    nothing = Likelihood(tuple((state, 1.0) for state in tree.domain[names[0]].states))
    session.set_evidence(names[0], nothing)
    assert all(a == pytest.approx(b, abs=1e-12) for a, b in zip(tables(), prior, strict=True))
    session.set_evidence(names[0], Observed(tree.domain[names[0]].states[-1]))
    session.set_evidence(names[-1], Excluded(frozenset({tree.domain[names[-1]].states[0]})))
    once = tables()
    for name in names:  # the belief of a variable, set again as a set of states
        possible = session.belief(name).values > 0
        states = tree.domain[name].states
        out = frozenset(
            s for s, is_possible in zip(states, possible, strict=True) if not is_possible
        )
        if out:
            session.set_evidence(name, Excluded(out))
    assert all(a == pytest.approx(b, abs=1e-12) for a, b in zip(tables(), once, strict=True))
    for edge, pair in zip(edges, once, strict=False):
        assert pair.sum() == pytest.approx(1, abs=1e-12)
        for axis, name in enumerate(edge):  # consistent, eq. 2.4
            assert pair.sum(axis=1 - axis) == pytest.approx(session.joint([name]), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_11_the_marginals_of_all_pairs_are_those_of_the_joint(seed: int) -> None:
    tree = random_tree(np.random.default_rng(seed), 6)
    session = open_session(TreeMixture(tree.domain, np.ones(1), (tree,)))
    joint = joint_table(tree.as_bayesian_network)
    for u, v in itertools.combinations(range(6), 2):
        others = tuple(w for w in range(6) if w not in (u, v))
        result = session.joint((tree.domain.names[u], tree.domain.names[v]))
        assert np.asarray(result).reshape(joint.sum(axis=others).shape) == pytest.approx(
            joint.sum(axis=others), abs=1e-10
        )


def test_12_a_hundred_thousand_samples_have_the_frequencies_of_the_tree() -> None:
    sample = F1.sample(100_000, np.random.default_rng(0))
    for name, expected in {
        "A": (0.6, 0.4),
        "B": (0.34, 0.26, 0.40),
        "C": (0.49, 0.51),
        "D": (0.408, 0.592),
    }.items():
        result = np.bincount(sample.column(name), minlength=len(expected)) / 100_000
        for one, wanted in zip(result, expected, strict=True):
            assert abs(one - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / 100_000)


@pytest.mark.parametrize("seed", range(8))
def test_14_the_likelihood_is_rows_times_information_without_entropies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_tree(rng, 5).sample(120, rng)
    em = one_tree(data)
    gain = sum(em.information[0][v, p] for v, p in enumerate(em.forests[0]) if p >= 0)
    entropy = 0.0
    for variable, column in zip(data.domain, data.codes, strict=True):
        fraction = np.bincount(column, minlength=variable.cardinality) / 120
        entropy -= float((fraction[fraction > 0] * np.log(fraction[fraction > 0])).sum())
    assert em.log_likelihood() == pytest.approx(120 * (gain - entropy), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("is_shared", [False, True])
def test_19_the_objective_with_every_prior_never_decreases(seed: int, is_shared: bool) -> None:
    rng = np.random.default_rng(100 + seed)
    data = random_mixture(rng, 5, 2).sample(100, rng)
    em = em_on(
        data,
        2,
        strength=3.0,
        edge_penalty=0.8,
        weight_rows=4.0,
        is_shared=is_shared,
        toward="uniform",
    )
    em.start_at_random(rng)
    result = []
    for _ in range(10):
        prior = em.prior_term()
        result.append(em.improve() + prior)
    assert all(b >= a - 1e-9 * abs(a) for a, b in pairwise(result))


@pytest.mark.parametrize("seed", range(5))
def test_20_one_tree_is_that_of_chow_and_liu_after_one_step(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_tree(rng, 6).sample(150, rng)
    em = em_on(data, 1)
    em.start_at_random(rng)
    run = ChowLiuLearner().run(data, ChowLiuParams(smoothing=0.0), rng=rng, cancel=NEVER)
    learned = [event.model for event in run if isinstance(event, Finished)]
    assert isinstance(learned[0], Tree)
    assert edges_of(em, 0) == {
        frozenset(data.domain.index(name) for name in edge) for edge in learned[0].edges
    }
    for step in range(2):
        result = em.mixture().log2_probabilities(data)
        assert result == pytest.approx(learned[0].log2_probabilities(data), abs=1e-9), step
        em.improve()


@pytest.mark.parametrize("is_shared", [False, True])
def test_21_with_a_visible_choice_every_class_has_its_own_tree(is_shared: bool) -> None:
    rng = np.random.default_rng(5)
    data = random_mixture(rng, 5, 3, is_visible=True).sample(400, rng)
    rows = sparse_rows(data, choice="choice")
    em = TreeMixtureEm(rows, 3, TreePriors(is_shared=is_shared))
    em.start_at_random(rng)
    rest = data.select_columns([n for n in data.domain.names if n != "choice"])
    chosen = data.column("choice")
    assert em.weights == pytest.approx(np.bincount(chosen, minlength=3) / 400, abs=1e-12)
    alone = [one_tree(rest.take_rows(chosen == k)) for k in range(3)]
    if is_shared:  # edge weights are I(u;v | class)
        given = np.tensordot(em.weights, [one.information[0] for one in alone], axes=1)
        result = sum(given[v, p] for v, p in enumerate(em.forests[0]) if p >= 0)
        width = len(rest.domain)
        best = max(sum(given[e] for e in forest) for forest in FORESTS[width])
        assert result == pytest.approx(best, abs=1e-9)
        return
    for k, one in enumerate(alone):
        cases = all_cases(rest.domain)
        assert np.exp2(em.mixture().trees[k].log2_probabilities(cases)) == pytest.approx(
            np.exp2(one.mixture().log2_probabilities(cases)), abs=1e-9
        )


@pytest.mark.parametrize("columns", [60, 2000])
def test_23_shares_and_weights_sum_to_1_and_wide_rows_stay_finite(columns: int) -> None:
    rng = np.random.default_rng(6)
    codes = (rng.random((columns, 30)) < 0.3).astype(np.uint8)
    data = DataSet(Domain.of({f"v{i}": "01" for i in range(columns)}), codes)
    em = em_on(data, 2, strength=3.0, even_rows=1.0)
    em.start_at_random(rng)
    assert math.isfinite(em.improve())
    assert em.weights.sum() == pytest.approx(1, abs=1e-12)
    assert em.masses.sum() == pytest.approx(30, rel=1e-12)
    model = em.mixture()
    assert np.isfinite(model.log2_probabilities(data)).all()
    fractions = model.responsibilities(data)
    assert fractions.sum(axis=1) == pytest.approx(np.ones(30), abs=1e-12)
    assert fractions.sum(axis=0).sum() == pytest.approx(30, rel=1e-12)
    session = open_session(model)
    session.set_all({name: Observed("1") for name in data.domain.names[::2]})
    assert session.component_posterior().sum() == pytest.approx(1, abs=1e-12)
    assert math.isfinite(session.log2_evidence())


def test_24_the_mode_of_a_dirichlet_in_natural_coordinates_is_its_mean() -> None:
    from scipy.optimize import minimize

    rows, own = np.array([7.0, 2.0, 0.0]), np.array([0.5, 1.0, 1.5])
    close = {"xatol": 1e-10, "fatol": 1e-15, "maxiter": 2000}

    def minus_log(phi: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        logs = np.append(phi, 0.0)
        logs = logs - np.log(np.exp(logs).sum())
        return -float((rows + own) @ logs)

    best = np.append(minimize(minus_log, np.zeros(2), method="Nelder-Mead", options=close).x, 0.0)
    result = np.exp(best) / np.exp(best).sum()
    assert result == pytest.approx((rows + own) / (rows + own).sum(), abs=1e-8)
    # And these are the tables of a tree without edges.
    data = DataSet(Domain.of({"x": "abc"}), np.array([[0] * 7 + [1] * 2], dtype=np.uint8))
    em = one_tree(data, strength=3.0, toward="uniform")
    assert em.mixture().trees[0].tables[0] == pytest.approx((rows + 1) / 12)


@pytest.mark.parametrize("toward", ["uniform", "marginal"])
def test_24_the_smoothed_tables_of_all_pairs_have_the_same_margins(toward: str) -> None:
    rng = np.random.default_rng(11)
    data = random_mixture(rng, 5, 3).sample(150, rng)
    fractions = rng.dirichlet(np.ones(3), size=150)
    em = em_on(data, 3, strength=4.5, toward=toward)
    em.start(merged_responsibilities(data, em.rows, fractions))
    states = {name: np.eye(len(data.domain[name].states)) for name in data.domain.names}
    cells = {name: eye[data.column(name)] for name, eye in states.items()}  # a column per state

    def smoothed(k: int, u: str, v: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """(N'P' + Γ_k P^k) / (Γ_k + N'), N' = 1.5 for each of three trees (eq. 4.38)."""
        own = np.einsum("r,ri,rj->ij", fractions[:, k], cells[u], cells[v])
        total = cells[u].T @ cells[v] / 150
        prior = np.full_like(own, 1 / own.size) if toward == "uniform" else total
        return np.asarray((1.5 * prior + own) / (fractions[:, k].sum() + 1.5))

    for k, tree in enumerate(em.mixture().trees):
        session = open_session(tree)
        for u, v in tree.edges:
            table = session.joint((u, v))
            assert table == pytest.approx(smoothed(k, u, v), abs=1e-12)
            for other in data.domain.names:  # whichever table of u is asked
                if other != u:
                    margin = smoothed(k, u, other).sum(axis=1)
                    assert table.sum(axis=1) == pytest.approx(margin, abs=1e-12)


@pytest.mark.parametrize("kappa", [1.0, 0.5, 0.05, 1e-30])
def test_25_a_prior_network_draws_the_edges_to_its_own(kappa: float) -> None:
    wanted = np.zeros((4, 4), dtype=bool)
    for one, other in ((0, 3), (1, 2)):
        wanted[one, other] = wanted[other, one] = True
    em = one_tree(F2, costs=likeness_costs(wanted, kappa))
    result = edges_of(em, 0)
    information = em.information[0]

    def value(edges: set[frozenset[int]]) -> float:
        gain = sum(10 * float(information[tuple(sorted(e))]) for e in edges)
        own = {frozenset(e) for e in ((0, 3), (1, 2))}
        return gain + len(edges ^ own) * math.log(kappa)

    every = [{frozenset(e) for e in forest} for forest in FORESTS[4]]
    assert value(result) == pytest.approx(max(map(value, every)), abs=1e-9)
    if kappa < 1e-20:
        assert result == {frozenset((0, 3)), frozenset((1, 2))}


@pytest.mark.parametrize("seed", range(4))
def test_27_names_states_and_components_in_another_order_say_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_mixture(rng, 5, 3).sample(150, rng)
    fractions = rng.dirichlet(np.ones(2), size=150)
    columns = rng.permutation(5)
    variables, codes = [], []
    for v in columns:
        variable, order = data.domain.variables[v], rng.permutation(data.domain.cardinalities[v])
        variables.append(Variable(variable.name, tuple(variable.states[s] for s in order)))
        codes.append(np.argsort(order)[data.codes[v]])
    other = DataSet(Domain(tuple(variables)), np.array(codes, dtype=np.uint8))
    result = []
    for rows, given in ((data, fractions), (other, fractions[:, ::-1])):
        em = em_on(rows, 2, strength=2.0)
        em.start(merged_responsibilities(rows, em.rows, given))
        result.append([em.improve() for _ in range(4)])
    assert result[0] == pytest.approx(result[1], rel=1e-9)


def merged_responsibilities(
    data: DataSet, rows: SparseRows, fractions: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Mean responsibilities of equal rows, in the order of `rows`."""
    sums: dict[tuple[int, ...], list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]] = {}
    for codes, fraction in zip(data.codes.T.tolist(), fractions, strict=True):
        sums.setdefault(tuple(codes), []).append(fraction)
    back = rows.data_of(0, rows.row_count).codes.T.tolist()
    return np.array([np.mean(sums[tuple(codes)], axis=0) for codes in back])


@pytest.mark.parametrize("seed", range(5))
def test_28_a_tree_determines_the_class_by_its_neighbours_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_tree(rng, 5).sample(200, rng)
    tree = one_tree(data, strength=1.0, toward="uniform").mixture().trees[0]
    name = tree.domain.names[2]
    joint = joint_table(tree.as_bayesian_network)
    near = {a if b == name else b for a, b in tree.edges if name in (a, b)}
    indices = [tree.domain.index(n) for n in sorted(near)]
    own = joint.sum(axis=tuple(v for v in range(5) if v != 2))
    for row in data.codes.T:
        at: list[object] = [int(c) for c in row]
        at[2] = slice(None)
        whole = joint[tuple(at)]  # type: ignore[index]
        naive = own.copy()
        for v in indices:
            pair = joint.sum(axis=tuple(w for w in range(5) if w not in (2, v)))
            pair = pair if v > 2 else pair.T
            naive *= pair[:, int(row[v])] / own
        assert whole / whole.sum() == pytest.approx(naive / naive.sum(), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_29_smoothing_by_rows_is_the_posterior_mean_of_the_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_mixture(rng, 4, 2).sample(80, rng)
    fractions = rng.dirichlet(np.ones(2), size=sparse_rows(data).row_count)
    plain, smoothed = em_on(data, 2), em_on(data, 2, strength=6.0)
    none = em_on(data, 2, strength=0.0)
    for em in (plain, smoothed, none):
        em.start(fractions)
    everything = one_tree(data)
    for k in range(2):
        mass = plain.masses[k]
        for v, name in enumerate(data.domain.names):
            own, total, result = (
                marginal(em, k_, v) for em, k_ in ((plain, k), (everything, 0), (smoothed, k))
            )
            expected = (mass * own + 3 * total) / (mass + 3)
            assert result == pytest.approx(expected, abs=1e-10), name
    assert none.log_likelihood() == plain.log_likelihood()


def marginal(
    em: TreeMixtureEm, k: int, v: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    tree = em.mixture().trees[k]
    joint = joint_table(tree.as_bayesian_network)
    return np.asarray(joint.sum(axis=tuple(w for w in range(joint.ndim) if w != v)))


@pytest.mark.parametrize("policy", ["share", "edges", "fraction"])
def test_29_the_other_policies_also_range_from_nothing_to_everything(policy: str) -> None:
    rng = np.random.default_rng(9)
    data = random_mixture(rng, 4, 2).sample(80, rng)
    fractions = rng.dirichlet(np.ones(2), size=sparse_rows(data).row_count)
    plain, faint, full = (
        em_on(data, 2, strength=s, policy=policy, even_rows=1.0) for s in (0.0, 1e-9, 1e9)
    )
    for em in (plain, faint, full):
        em.start(fractions)
    assert faint.log_likelihood() == pytest.approx(plain.log_likelihood(), rel=1e-6)
    one, other = full.mixture().trees
    assert full.log_likelihood() <= plain.log_likelihood()
    if policy != "edges":
        cases = all_cases(data.domain)
        assert one.log2_probabilities(cases) == pytest.approx(other.log2_probabilities(cases))
