"""The passes of EM by bundles of cells and by tiles of rows give what one row at a time gives."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.learning.priors import TreePriors
from pgmstudio.core.languages.tree_mixture.learning import em as mixture_expectation
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.learning.sparse_rows import (
    BUNDLE,
    Bundles,
    SparseRows,
    even_blocks,
    sparse_rows,
)


def rows_of(cards: list[int], count: int, seed: int = 0) -> SparseRows:
    """Rows in which neighbouring columns often leave their reference states together."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((len(cards), count), dtype=np.uint8)
    kinds = rng.integers(0, 3, count)
    for v, card in enumerate(cards):
        is_on = rng.random(count) < np.where(kinds == v % 3, 0.7, 0.1)
        codes[v] = np.where(is_on, rng.integers(0, card, count), 0)
    domain = Domain.of({f"v{v}": map(str, range(card)) for v, card in enumerate(cards)})
    return sparse_rows(DataSet(domain, codes))


@pytest.mark.parametrize("cards", [[2] * 23, [2, 3, 1, 4, 2, 3] * 4, [2, 2]])
@pytest.mark.parametrize("count", [1, 5, 37])
def test_the_sums_are_those_of_all_pairs_in_every_row(cards: list[int], count: int) -> None:
    rows = rows_of(cards, 700)
    rng = np.random.default_rng(1)
    fractions = rng.dirichlet(np.full(count, 0.5), size=rows.row_count)
    em = TreeMixtureEm(rows, count, TreePriors())
    em.start(fractions)
    there = np.zeros((rows.row_count, rows.cell_count))
    for row in range(rows.row_count):
        there[row, rows.cells[rows.starts[row] : rows.starts[row + 1]]] = 1.0
    pairs = np.zeros((1, rows.cell_count * (rows.cell_count + 1) // 2))
    for k in range(count):
        em._mix(k, np.ones(1), np.zeros(1), np.zeros(pairs.size), 0, rows.cell_count, pairs)
        wanted = (there * (fractions[:, k] * rows.weights)[:, None]).T @ there
        assert pairs[0] == pytest.approx(wanted[np.triu_indices(rows.cell_count)], abs=1e-9)


@pytest.mark.parametrize("cards", [[2] * 23, [2, 3, 1, 4, 2, 3] * 4])
def test_tiles_of_rows_have_the_logarithms_of_single_rows(
    cards: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(cards, 700)
    em = TreeMixtureEm(rows, 5, TreePriors(2.0, toward="uniform"))
    em.start_at_random(np.random.default_rng(0))
    result = []
    for factor in (0.0, 1e9):  # never in tiles, always in tiles
        monkeypatch.setattr(mixture_expectation, "_TILES_PAY", factor)
        result.append(em.row_logs(rows))
    direct = em.mixture().log2_probabilities(rows.data_of(0, rows.row_count)) * np.log(2)
    assert result[0] == pytest.approx(direct, rel=1e-10)
    assert result[1] == pytest.approx(direct, rel=1e-10)


def test_cells_that_stand_together_share_a_bundle() -> None:
    # Cells v and v + 10 always stand together.
    rng = np.random.default_rng(0)
    lists = [np.sort(np.concatenate((one, one + 10))) for one in rng.integers(0, 10, (50, 1))]
    starts = np.arange(0, 2 * 51, 2)
    bundles = Bundles(starts, np.concatenate(lists).astype(np.int32), 20)
    ranks = bundles.rank_of
    assert sorted(ranks) == list(range(20))
    assert (ranks[:10] // BUNDLE == ranks[10:] // BUNDLE).sum() >= 8


@pytest.mark.parametrize(("rows", "most"), [(0, 10), (7, 10), (300, 100), (20_000, 8192)])
def test_blocks_follow_each_other_and_none_is_too_long(rows: int, most: int) -> None:
    blocks = even_blocks(5, 5 + rows, max(most, 256))
    assert [end for _, end in blocks[:-1]] == [begin for begin, _ in blocks[1:]]
    assert sum(end - begin for begin, end in blocks) == rows
    assert all(end - begin <= max(most, 256) for begin, end in blocks)
