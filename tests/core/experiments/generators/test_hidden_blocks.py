"""Rows of H models: the blocks and hidden values they are said to have."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.errors import DataError
from pgmstudio.core.experiments.generators.generator import without_columns
from pgmstudio.core.experiments.generators.hidden_variable_models import (
    HIDDEN,
    GeneralHParams,
    TreeHParams,
    general_blocks,
    general_h,
    tree_blocks,
    tree_h,
    tree_h_model,
)
from pgmstudio.core.languages.tree_mixture.model import partition_of
from pgmstudio.core.scores.independence import information


def test_a_tree_h_model_has_three_blocks_of_four_and_nine_edges() -> None:
    model = tree_h_model(TreeHParams(), np.random.default_rng(0))
    assert [len(block) for block in partition_of(model) or ()] == [4, 4, 4]
    assert {len(tree.edges) for tree in model.trees} == {9}
    assert model.weights == pytest.approx([1 / 3] * 3)
    assert model.representation_size() == 2 + 3 * 60


def test_the_hidden_variable_is_written_only_when_asked() -> None:
    rng = np.random.default_rng
    kept = tree_h(TreeHParams(keep_hidden=True, hidden_states=4), rng(1), 50)
    assert kept.domain.names[-1] == HIDDEN
    assert kept.domain[HIDDEN].cardinality == 4
    bare = tree_h(TreeHParams(hidden_states=4), rng(1), 50)
    assert without_columns(kept, HIDDEN).fingerprint == bare.fingerprint


@pytest.mark.parametrize("structure", ["s1", "s2"])
def test_blocks_are_independent_given_the_hidden_variable_and_a_single_tree_hides_them(
    structure: str,
) -> None:
    params = GeneralHParams(structure=structure, keep_hidden=True)
    data = general_h(params, np.random.default_rng(3), 20_000)
    blocks = general_blocks(params)
    hidden = data.column(HIDDEN)

    def bits(one: str, other: str, state: int) -> float:
        table = np.zeros((3, 3))
        rows = hidden == state
        np.add.at(table, (data.column(one)[rows], data.column(other)[rows]), 1)
        return information(table)

    across = [bits(blocks[0][0], blocks[1][0], state) for state in range(3)]
    within = [bits(blocks[0][0], blocks[0][1], state) for state in range(3)]
    assert max(across) < 0.002
    assert max(within) > 0.005
    assert tree_blocks(without_columns(data, HIDDEN), len(blocks)) != blocks


def test_where_a_single_tree_always_shows_the_blocks_that_is_reported() -> None:
    params = GeneralHParams(structure="s2", hidden_states=1)
    with pytest.raises(DataError, match="a single tree showed the blocks"):
        general_h(params, np.random.default_rng(0), 4000)
