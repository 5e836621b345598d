"""Scores: the specification's numbers, and laws on random data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import CycleError, ParameterError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import SCORES, lambda_bic, lambda_score, score_of
from pgmstudio.core.scores.mutual_information import mutual_information_nats

BINARY = Domain.of(dict.fromkeys("XYZU", ("0", "1")))
# bayesian-networks.md, acceptance check 13
TABLE = np.array([[30.0, 10.0], [20.0, 40.0]])


def table_data(table: NDArray[np.float64]) -> DataSet:
    """A row for each cell, weighted by its count."""
    cells = np.array(list(np.ndindex(table.shape)), dtype=np.uint8).T
    return DataSet(BINARY.restricted_to("XYZU"[: table.ndim]), cells, table.ravel())


def scores(name: str, data: DataSet, **more: float) -> FamilyScores:
    return FamilyScores(data, score_of(name, data.total_weight, **more))


@pytest.mark.parametrize(
    ("name", "more", "with_edge", "without"),
    [
        ("bic", {}, -194.609718752, -203.738915635),
        ("aic-thesis", {}, -187.643934467, -199.095059446),
        # AIC of Akaike is −2 ln L + 2k; divided by −2 ln 2 it is L − k log2 e in bits.
        ("aic", {}, -184.643934467 - 3 / math.log(2), -197.095059446 - 2 / math.log(2)),
        ("lambda", {"lambda_": 0.768621787}, -45.028448988, -47.140746251),
        ("lambda", {"lambda_": 0.0}, -184.643934467, -197.095059446),
    ],
)
def test_the_two_by_two_table_has_its_worked_scores(
    name: str, more: dict[str, float], with_edge: float, without: float
) -> None:
    family_scores = scores(name, table_data(TABLE), **more)
    near = 1e-7 if more else 1e-9  # λ too has nine digits
    assert family_scores.total([(), (0,)]) == pytest.approx(with_edge, abs=near)
    assert family_scores.total([(1,), ()]) == pytest.approx(with_edge, abs=near)
    assert family_scores.total([(), ()]) == pytest.approx(without, abs=near)


def test_the_edge_is_kept_exactly_below_its_lambda() -> None:
    data = table_data(TABLE)
    for lambda_, kept in ((0.9256567755, True), (0.9256567765, False)):
        family_scores = scores("lambda", data, lambda_=lambda_)
        assert (family_scores.total([(), (0,)]) > family_scores.total([(), ()])) is kept


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (100, 0.768621787),
        (1_000, 0.832857),
        (4_177, 0.857431),
        (10_000, 0.869176),
        (20_000, 0.877208),
    ],
)
def test_lambda_bic_has_the_printed_values(rows: int, expected: float) -> None:
    assert lambda_bic(rows) == pytest.approx(expected, abs=5e-10 if rows == 100 else 5e-7)


def test_bdeu_and_k2_are_the_marginal_likelihood_of_rows_one_after_the_other() -> None:
    # The chain rule: each row is predicted by the tables fitted to the rows before it.
    rows = [0, 1, 1, 0, 1, 1, 1]
    for name, prior in (("k2", 1.0), ("bdeu", 3.0 / 2)):
        seen, total = np.zeros(2), 0.0
        for row in rows:
            total += math.log2((seen[row] + prior) / (seen.sum() + 2 * prior))
            seen[row] += 1
        assert score_of(name, 7, ess=3.0).local(seen) == pytest.approx(total)


def random_rows(seed: int, rows: int = 60, cards: tuple[int, ...] = (2, 3, 2, 4)) -> DataSet:
    rng = np.random.default_rng(seed)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    first = rng.integers(0, 12, rows)
    codes = [(first + rng.integers(0, 2, rows)) % card for card in cards]
    return DataSet(domain, np.array(codes, dtype=np.uint8))


def dags(names: tuple[str, ...]) -> Iterator[Dag]:
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product(range(3), repeat=len(pairs)):
        edges = [
            (a, b) if way == 1 else (b, a) for (a, b), way in zip(pairs, choice, strict=True) if way
        ]
        try:
            yield Dag.from_edges(names, edges)
        except CycleError:
            continue


def equivalence_class(dag: Dag) -> tuple[frozenset[frozenset[str]], frozenset[tuple[str, ...]]]:
    """Skeleton and colliders with unmarried parents; equal exactly for equivalent graphs."""
    skeleton = frozenset(frozenset(edge) for edge in dag.edges)
    colliders = {
        (a, child, b)
        for child in dag.names
        for a, b in itertools.combinations(sorted(dag.parents(child)), 2)
        if frozenset((a, b)) not in skeleton
    }
    return skeleton, frozenset(colliders)


@pytest.mark.parametrize("name", ["bic", "aic", "bdeu", "lambda"])
def test_equivalent_graphs_score_the_same(name: str) -> None:
    data = random_rows(3, cards=(2, 3, 4))
    family_scores = scores(name, data)
    seen: dict[object, float] = {}
    for dag in dags(data.domain.names):
        total = family_scores.total(dag.parent_indices)
        assert seen.setdefault(equivalence_class(dag), total) == pytest.approx(total, rel=1e-9)
    assert len(seen) == 11  # acceptance check 2: classes of three nodes


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_bic_ranks_as_the_lambda_score_at_lambda_bic_and_aic_is_twice_lambda_one_half(
    seed: int,
) -> None:
    data = random_rows(seed)
    bic, aic = scores("bic", data), scores("aic-thesis", data)
    by_lambda = FamilyScores(data, lambda_score(lambda_bic(data.total_weight)))
    half = FamilyScores(data, lambda_score(0.5))
    for parents in ((), (1,), (1, 2), (1, 2, 3)):
        shrink = 1 - lambda_bic(data.total_weight)
        assert by_lambda.local(0, parents) == pytest.approx(shrink * bic.local(0, parents))
        assert 2 * half.local(0, parents) == pytest.approx(aic.local(0, parents))


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(SCORES), st.booleans())
def test_scores_of_all_changes_are_those_of_each_family(
    seed: int, name: str, with_missing: bool
) -> None:
    data = random_rows(seed)
    if with_missing:
        codes = data.codes.copy()
        codes[np.random.default_rng(seed).random(codes.shape) < 0.2] = data.missing_code
        data = DataSet(data.domain, codes)
    at_once, one_by_one = scores(name, data), scores(name, data)
    for parents in ([], [1], [1, 3], [1, 2, 3]):
        others = np.array([p for p in (1, 2, 3) if p not in parents], dtype=np.int64)
        row = at_once.toggled(0, parents, others)
        assert row[0] == pytest.approx(one_by_one.local(0, parents))
        for other in (1, 2, 3):
            changed = sorted({*parents} ^ {other})
            assert row[other] == pytest.approx(one_by_one.local(0, changed))
            assert at_once.local(0, changed) == pytest.approx(row[other])


def test_another_lambda_shares_the_counts_and_another_prior_does_not() -> None:
    data = random_rows(4)
    first = FamilyScores(data, lambda_score(0.2))
    first.local(0, (1, 2))
    counted = first.families_counted()
    second = first.rescored(lambda_score(0.9))
    assert second.local(0, (1, 2)) == FamilyScores(data, lambda_score(0.9)).local(0, (1, 2))
    assert second.families_counted() == counted
    bdeu = first.rescored(score_of("bdeu", data.total_weight))
    assert bdeu.local(0, (1,)) == pytest.approx(scores("bdeu", data).local(0, (1,)))


def test_missing_cells_are_scaled_to_all_rows() -> None:
    # Copies of a row that miss the parent tell nothing of the family, so its average stays.
    complete = random_rows(5, rows=40)
    codes = np.hstack([complete.codes, complete.codes])
    codes[1, 40:] = complete.missing_code
    half_missing = DataSet(complete.domain, codes)
    likelihood = lambda_score(0.0)
    expected = 2 * FamilyScores(complete, likelihood).local(0, (1,))
    assert FamilyScores(half_missing, likelihood).local(0, (1,)) == pytest.approx(expected)


def test_a_family_that_no_row_has_in_full_predicts_uniformly() -> None:
    data = random_rows(6, rows=10)
    codes = data.codes.copy()
    codes[1] = data.missing_code
    nothing = FamilyScores(DataSet(data.domain, codes), lambda_score(0.0))
    assert nothing.local(3, (1,)) == pytest.approx(-10 * math.log2(4))


def test_a_family_with_too_large_a_table_is_never_preferred() -> None:
    data = random_rows(7)
    limited = FamilyScores(data, score_of("aic", 60), max_table_cells=6)
    assert limited.local(0, (1,)) > -math.inf
    assert limited.local(0, (3,)) == -math.inf
    assert limited.toggled(0, [], np.array([1, 2, 3]))[3] == -math.inf


def test_an_unknown_score_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="bic, aic, aic-thesis, bdeu, k2, lambda"):
        score_of("mdl", 10)


def test_mutual_information_has_the_worked_values_and_is_exactly_zero_for_independence() -> None:
    # mixtures-of-trees.md, fixture F2
    rows = ["0000", "0001", "1100", "1110", "1111", "0101", "1011", "0000", "1111", "0010"]
    data = DataSet.from_rows(BINARY, rows)
    information = mutual_information_nats(pair_counts(data))
    assert information[0, 1] == pytest.approx(0.192745, abs=1e-6)
    assert information[2, 0] == pytest.approx(0.192745, abs=1e-6)
    assert information[2, 3] == pytest.approx(0.020136, abs=1e-6)
    independent = mutual_information_nats(pair_counts(table_data(np.array([[3.0, 6], [5, 10]]))))
    assert independent[0, 1] == 0
