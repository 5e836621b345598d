"""Scores of merged rows, and the searches for the rows of one table that belong together."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.ldag.learning.label_search import (
    DEFAULT_TABLE,
    EXACT,
    FREE,
    FULL,
    GREEDY,
    GROUPED_TREE,
    LABELS,
    TREE,
    LabelScores,
    best_classes,
    exact_labels,
    greedy_labels,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    Classes,
    class_count,
    default_class,
    full_partition,
    is_label_partition,
    is_regular,
    is_same_partition,
    label_of,
    label_partitions,
    tree_of,
    with_context,
    without_context,
)
from pgmstudio.core.languages.ldag.scores import (
    DEFAULT_ROW,
    ELEMENTS,
    PARAMETERS,
    SHARED,
    PartitionScore,
    partition_score_of,
)
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from tests.labelled_dags import labelled, three
from tests.ldag_tables import C8, FIG7, Floats, coronary, rows_of
from tests.strategies import domain_of, random_table

ESS1 = PartitionScore()


def score(given: PartitionScore, counts: Floats, classes: Classes) -> float:
    r = counts.shape[-1]
    return given.log_likelihood(counts, classes) + given.log_label_prior(r, classes)


def random_counts(rng: np.random.Generator, cards: tuple[int, ...], r: int) -> Floats:
    """Counts with zeros, in which some rows are equal."""
    rows = rng.dirichlet(np.full(r, 0.7), size=3)[rng.integers(3, size=cards)]
    drawn = rng.multinomial(rng.integers(0, 30, size=cards), rows)
    return np.asarray(drawn, dtype=np.float64)


families = st.tuples(
    st.integers(0, 2**32),
    st.sampled_from([(2, 2), (2, 3), (3, 3), (2, 2, 2), (2, 3, 2), (3, 2, 2, 2)]),
    st.integers(2, 3),
    st.sampled_from([1.0, 0.5, 0.1, 0.01]),
)


# -- scores


def test_free_parameters_of_the_three_factorisations_are_7_5_and_6() -> None:
    domain = three().domain
    complete = [("X1", "X2"), ("X1", "X3"), ("X2", "X3")]
    assert labelled(domain, complete, {}).representation_size() == 7
    assert labelled(domain, complete[:2], {}).representation_size() == 5
    assert three().representation_size() == 6


@pytest.mark.parametrize("cards", [(2, 3, 4), (4, 2, 5), (3, 3, 2)])
def test_a_table_without_labels_has_r_minus_1_times_q_parameters(cards: tuple[int, ...]) -> None:
    *parents, r = cards
    domain = domain_of(cards)
    names = domain.names
    model = labelled(domain, [(name, names[-1]) for name in names[:-1]], {})
    own = (r - 1) * math.prod(parents) + sum(card - 1 for card in parents)
    assert model.representation_size() == own


@pytest.mark.parametrize(
    ("classes", "marginal", "bic"),
    [
        (full_partition((2, 2, 2)), -210.385204, -205.526790),
        (FIG7, -196.183443, -193.884118),
        (np.array([0, 0, 1, 0, 2, 2, 2, 2]).reshape(2, 2, 2), -194.851711, -193.490004),
        (np.zeros((2, 2, 2), dtype=np.int64), -264.008668, -263.782215),
    ],
)
def test_the_worked_table_has_its_worked_scores(
    classes: Classes, marginal: float, bic: float
) -> None:
    assert ESS1.log_likelihood(C8, classes) == pytest.approx(marginal, abs=1e-6)
    by_bic = partition_score_of("bic", 400)
    assert by_bic.log_likelihood(C8, classes) == pytest.approx(bic, abs=1e-6)


def test_k2_and_the_posterior_means_of_the_worked_table() -> None:
    k2 = PartitionScore("k2").log_likelihood(C8, full_partition((2, 2, 2)))
    assert k2 == pytest.approx(-198.016973, abs=1e-6)
    means = ESS1.rows(C8, FIG7)[:, 0]
    assert means == pytest.approx([0.779302, 0.300499, 0.599751, 0.100998], abs=1e-6)


@pytest.mark.parametrize("classes", [full_partition((2, 2, 2)), FIG7])
@pytest.mark.parametrize("name", ["bdeu", "k2"])
def test_a_row_left_out_is_predicted_by_the_tables_of_all_others(
    classes: Classes, name: str
) -> None:
    score, expected = PartitionScore(name), 0.0
    for index in np.ndindex(C8.shape):
        others = C8.copy()
        others[index] -= 1
        expected += C8[index] * math.log2(
            score.rows(others, classes)[classes[index[:-1]], index[-1]]
        )
    assert score.left_out(C8, classes) == pytest.approx(expected, rel=1e-12)
    data = rows_of(C8, "abcd")
    scores = LabelScores(data, score, structure=FULL)
    margins = (C8.sum(axis=(1, 2, 3)), C8.sum(axis=(0, 2, 3)), C8.sum(axis=(0, 1, 3)))
    alone = sum(score.left_out(margin, full_partition(())) for margin in margins)
    both = score.left_out(C8, full_partition((2, 2, 2)))
    assert scores.left_out(((), (), (), (0, 1, 2))) == pytest.approx(alone + both, rel=1e-12)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), ess=st.sampled_from([0.5, 1.0, 7.0]))
def test_without_labels_the_score_is_bdeu(seed: int, ess: float) -> None:
    rng = np.random.default_rng(seed)
    cards = rng.integers(2, 5, size=4)
    codes = np.array([rng.integers(card, size=60) for card in cards], dtype=np.uint8)
    data = DataSet(domain_of([int(c) for c in cards]), codes)
    plain = FamilyScores(data, score_of("bdeu", 60, ess=ess))
    mine = LabelScores(data, PartitionScore(ess=ess), structure=FULL)
    for child in range(4):
        for size in range(4):
            for parents in itertools.combinations([v for v in range(4) if v != child], size):
                expected = plain.local(child, parents)
                assert mine.local(child, parents) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=30)
@given(families)
def test_a_parent_without_a_say_costs_nothing_and_may_be_left_out(
    drawn: tuple[int, tuple[int, ...], int, float],
) -> None:
    seed, cards, r, _ = drawn
    rng = np.random.default_rng(seed)
    counts = random_counts(rng, cards, r)
    classes = np.repeat(full_partition(cards[1:])[None], cards[0], axis=0)
    assert not is_regular(classes)
    domain = domain_of([*cards, r])
    parents = tuple(() for _ in cards), (tuple(range(len(cards))),)
    dag = Dag(domain.names, (*parents[0], *parents[1]))
    rows = [random_table(rng, (1, card)) for card in cards]
    rows.append(random_table(rng, (class_count(classes), r)))
    model = LabelledDag(
        domain, dag, (*(full_partition(()) for _ in cards), classes), tuple(rows)
    ).regular()
    assert model.dag.parent_indices[-1] == tuple(range(1, len(cards)))
    without = ESS1.log_likelihood(counts.sum(axis=0), model.classes[-1])
    assert ESS1.log_likelihood(counts, classes) == pytest.approx(without, rel=1e-9, abs=1e-9)


@settings(max_examples=30)
@given(families)
def test_the_score_knows_the_classes_and_not_how_labels_led_there(
    drawn: tuple[int, tuple[int, ...], int, float],
) -> None:
    seed, cards, r, kappa = drawn
    rng = np.random.default_rng(seed)
    counts = random_counts(rng, cards, r)
    given = PartitionScore(kappa=kappa)
    wanted = [
        (axis, tuple(int(rng.integers(c)) for c in np.delete(cards, axis)))
        for axis in rng.integers(len(cards), size=4).tolist()
    ]
    result = []
    for order in (wanted, wanted[::-1], [*wanted, *wanted]):
        classes = full_partition(cards)
        for axis, context in order:
            classes = with_context(classes, axis, context)
        result.append(score(given, counts, classes))
    assert result == pytest.approx([result[0]] * 3, rel=1e-12)
    axis, context = wanted[0]
    again = with_context(without_context(classes, axis, context), axis, context)
    assert score(given, counts, again) == pytest.approx(result[0], rel=1e-12)


def test_a_reversed_edge_changes_two_terms_whose_ratio_is_that_of_the_graphs() -> None:
    scores = LabelScores(coronary("ABC"), ESS1)
    one, other = ((), (0,), (1,)), ((1,), (), (1,))
    local = sum(scores.family(c, one[c]).score - scores.family(c, other[c]).score for c in (0, 1))
    assert scores.total(one) - scores.total(other) == pytest.approx(local, abs=1e-9)


def test_written_out_in_full_the_model_has_the_same_distribution() -> None:
    scores = LabelScores(coronary(), PartitionScore(kappa=0.5))
    dag = Dag.from_edges(tuple("ABCDEF"), [("A", "D"), ("E", "D"), ("B", "E"), ("C", "E")])
    model, _ = scores.model(dag)
    assert model.labelled_edges
    rows = model.sample(40, np.random.default_rng(0))
    by_hand = np.zeros(40)
    for child, parents in enumerate(dag.parent_indices):
        classes = model.classes[child][tuple(rows.codes[p] for p in parents)]
        by_hand += np.log2(model.rows[child][classes, rows.codes[child]])
    written = model.as_bayesian_network.log2_probabilities(rows)
    assert written == pytest.approx(by_hand, rel=1e-12)


# -- labels


def test_the_greedy_search_takes_the_worked_steps() -> None:
    steps = [
        (2, (0, 0), 3.847785),
        (1, (1, 1), 3.624844),
        (1, (1, 0), 3.520055),
        (2, (1, 0), 3.209077),
        (1, (0, 1), 1.331732),
    ]
    for kappa, count, total in (
        (1.0, 5, -194.851711),
        (0.5, 5, -198.317447),
        (0.1, 4, -205.393784),
        (0.01, 0, -210.385204),
    ):
        given = PartitionScore(kappa=kappa)
        classes, log = greedy_labels(C8, given)
        assert [(step.axis, step.context) for step in log] == [s[:2] for s in steps[:count]]
        gains = [gain + math.log(kappa) for _, _, gain in steps[:count]]
        assert [step.gain for step in log] == pytest.approx(gains, abs=1e-6)
        assert score(given, C8, classes) == pytest.approx(total, abs=1e-6)
        assert is_same_partition(exact_labels(C8, given), classes)


def plain_greedy(counts: Floats, given: PartitionScore) -> Classes:
    """The greedy search as the formulas state it."""
    classes = full_partition(counts.shape[:-1])
    while True:
        best, result = score(given, counts, classes) + 1e-7, None
        for axis in range(classes.ndim):
            for context in np.argwhere(~label_of(classes, axis)).tolist():
                more = with_context(classes, axis, tuple(context))
                if is_regular(more) and score(given, counts, more) > best + 1e-9:
                    best, result = score(given, counts, more), more
        if result is None:
            return classes
        classes = result


@settings(max_examples=25)
@given(families, st.sampled_from(["bdeu", "k2", "bic"]), st.booleans())
def test_the_compiled_greedy_search_ends_as_well_as_the_plain_one(
    drawn: tuple[int, tuple[int, ...], int, float], name: str, per_context: bool
) -> None:
    seed, cards, r, kappa = drawn
    counts = random_counts(np.random.default_rng(seed), cards, r)
    per = ELEMENTS if per_context else "parameters"
    given = partition_score_of(name, float(counts.sum()), kappa=kappa, per=per)
    classes, log = greedy_labels(counts, given)
    assert is_label_partition(classes)
    assert is_regular(classes)
    start = score(given, counts, full_partition(cards))
    total = score(given, counts, classes)
    assert start + sum(step.gain for step in log) == pytest.approx(total, abs=1e-7)
    assert total == pytest.approx(score(given, counts, plain_greedy(counts, given)), abs=1e-6)


@settings(max_examples=25)
@given(families)
def test_exact_labels_are_the_best_of_all_regular_ones_and_never_worse_than_greedy(
    drawn: tuple[int, tuple[int, ...], int, float],
) -> None:
    seed, cards, r, kappa = drawn
    if (len(cards) == 3 and cards != (2, 2, 2)) or len(cards) == 4:
        cards = (2, 3)
    counts = random_counts(np.random.default_rng(seed), cards, r)
    given = PartitionScore(kappa=kappa)
    result = score(given, counts, exact_labels(counts, given))
    if len(cards) == 2:
        every = [score(given, counts, c) for c in label_partitions(cards) if is_regular(c)]
        assert result == pytest.approx(max(every), abs=1e-8)
    assert result >= score(given, counts, greedy_labels(counts, given)[0]) - 1e-8


def test_exact_labels_are_never_worse_on_the_240_families_of_the_coronary_table() -> None:
    data = coronary()
    worse = []
    for kappa in (1.0, 0.1):
        greedy = LabelScores(data, PartitionScore(kappa=kappa), inner=GREEDY)
        exact = LabelScores(data, PartitionScore(kappa=kappa), inner=EXACT)
        for child in range(6):
            for size in (2, 3):
                for parents in itertools.combinations([v for v in range(6) if v != child], size):
                    gap = exact.family(child, parents).score - greedy.family(child, parents).score
                    assert gap >= -1e-8
                    worse.append(gap > 1e-8)
    assert len(worse) == 240
    assert any(worse)


# -- other structures


def test_the_tree_of_the_worked_table_is_that_of_the_source() -> None:
    for structure in (TREE, GROUPED_TREE):
        classes = best_classes(C8, ESS1, structure)
        assert is_same_partition(classes, FIG7)
        assert ESS1.log_likelihood(C8, classes) == pytest.approx(-196.183443, abs=1e-6)
    free = best_classes(C8, ESS1, FREE)
    assert class_count(free) == 3
    assert ESS1.log_likelihood(C8, free) == pytest.approx(-194.851711, abs=1e-6)


@settings(max_examples=30)
@given(families)
def test_trees_are_trees_and_every_parent_has_a_say_in_every_structure(
    drawn: tuple[int, tuple[int, ...], int, float],
) -> None:
    seed, cards, r, kappa = drawn
    counts = random_counts(np.random.default_rng(seed), cards, r)
    given = PartitionScore(kappa=kappa)
    result = {s: best_classes(counts, given, s) for s in (LABELS, TREE, GROUPED_TREE, FREE, FULL)}
    assert all(is_regular(classes) for classes in result.values())
    assert tree_of(result[TREE]) is not None
    if set(cards) == {2}:
        assert is_same_partition(result[TREE], result[GROUPED_TREE])
    assert score(given, counts, result[FREE]) >= score(given, counts, result[FULL]) - 1e-8


def test_groups_of_states_are_found_where_a_tree_of_states_needs_more_leaves() -> None:
    one = [[40, 10]] * 3 + [[5, 45]] * 4
    other = [[25, 25]] * 3 + [[48, 2]] * 4
    counts = np.array([one, other], dtype=np.float64)
    for states in (5, 7):  # all ways to part the states; and one against the rest or in order
        grouped = best_classes(counts[:, :states], ESS1, GROUPED_TREE)
        assert class_count(grouped) == 4
        assert class_count(best_classes(counts[:, :states], ESS1, TREE)) == 2 * states


def default_tables(cards: tuple[int, ...]) -> list[Classes]:
    """Every set of rows with one class for all of them, and the full table."""
    q = math.prod(cards)
    full = full_partition(cards)
    made = [full]
    for size in range(2, q + 1):
        for chosen in itertools.combinations(range(q), size):
            made.append(np.where(np.isin(full, chosen), chosen[0], full))
    return made


@settings(max_examples=20)
@given(families)
def test_default_tables_are_the_best_of_all_sets_of_rows_with_a_default(
    drawn: tuple[int, tuple[int, ...], int, float],
) -> None:
    seed, cards, r, kappa = drawn
    rng = np.random.default_rng(seed)
    counts = random_counts(rng, cards, r)
    given = PartitionScore(kappa=kappa)
    exact, greedy = (best_classes(counts, given, DEFAULT_TABLE, inner) for inner in (EXACT, GREEDY))
    for classes in (exact, greedy):
        assert is_regular(classes)
        assert default_class(classes) is not None or class_count(classes) == classes.size
    best = score(given, counts, exact)
    assert best >= score(given, counts, greedy) - 1e-8
    assert score(given, counts, greedy) >= score(given, counts, full_partition(cards)) - 1e-8
    if math.prod(cards) <= 10:
        every = [score(given, counts, c) for c in default_tables(cards) if is_regular(c)]
        assert best == pytest.approx(max(every), abs=1e-8)
    # The order of parents and of their states has no effect on the score.
    order = rng.permutation(len(cards))
    turned = counts[::-1].transpose(*order, len(cards))
    again = best_classes(turned, given, DEFAULT_TABLE)
    assert score(given, turned, again) == pytest.approx(best, abs=1e-8)


def test_a_default_table_is_found_where_a_tree_needs_more_leaves() -> None:
    # Of eight configurations two stand out, with nothing in common.
    counts = np.full((2, 2, 2, 2), 40.0)
    counts[0, 0, 1] = 79, 1
    counts[1, 1, 0] = 2, 78
    for inner in (EXACT, GREEDY):
        classes = best_classes(counts, ESS1, DEFAULT_TABLE, inner)
        assert class_count(classes) == 3
        default = default_class(classes)
        assert np.argwhere(classes != default).tolist() == [[0, 0, 1], [1, 1, 0]]
    assert class_count(best_classes(counts, ESS1, TREE)) > 3
    assert class_count(best_classes(counts, PartitionScore(kappa=1e-60), DEFAULT_TABLE)) == 8


@pytest.mark.parametrize(("cards", "kappa"), [((3,), 0.4), ((2, 2), 0.4), ((2, 2, 2), 1e-6)])
def test_the_shared_prior_of_default_tables_sums_to_one(
    cards: tuple[int, ...], kappa: float
) -> None:
    shared = PartitionScore(kappa=kappa, per=SHARED, merging=DEFAULT_ROW)
    total = sum(math.exp(shared.log_prior(3, classes)) for classes in default_tables(cards))
    assert total == pytest.approx(1, rel=1e-9)
    assert shared.log_prior(2, full_partition((40, 100))) < -1000 * math.log1p(kappa)


def test_a_constant_parent_and_a_family_without_rows_stay_as_they_are() -> None:
    counts = np.zeros((2, 1, 3, 2))
    counts[..., 0] = 7
    for structure in (LABELS, TREE, GROUPED_TREE, DEFAULT_TABLE, FREE):
        classes = best_classes(counts, ESS1, structure)
        assert not {0, 2} & {axis for axis in range(3) if label_of(classes, axis).all()}
    data = rows_of(np.ones((2, 2, 2)), "abc")
    codes = data.codes.copy()
    codes[0, :4], codes[1, 4:] = data.missing_code, data.missing_code
    gaps = LabelScores(DataSet(data.domain, codes, data.weights), ESS1)
    family = gaps.family(2, (0, 1))
    assert class_count(family.classes) == 4
    assert family.log_likelihood == pytest.approx(-8 * math.log(2))


@pytest.mark.parametrize("cards", [(2, 2), (2, 3), (2, 2, 2)])
def test_a_shared_prior_is_one_over_all_sets_of_contexts(cards: tuple[int, ...]) -> None:
    r, kappa = 3, 0.4
    q = math.prod(cards)
    odds = [kappa ** ((r - 1) * (card - 1)) for card in cards for _ in range(q // card)]
    every = sum(math.prod(chosen) for chosen in itertools.product(*((1, o) for o in odds)))
    shared, alone = (PartitionScore(kappa=kappa, per=per) for per in (SHARED, PARAMETERS))
    for classes in list(label_partitions(cards))[:20]:
        ratio = alone.log_prior(r, classes) - shared.log_prior(r, classes)
        assert ratio == pytest.approx(math.log(every), rel=1e-12)
    one = full_partition((4,))
    assert shared.log_prior(r, one) == 0  # one parent cannot carry a label
