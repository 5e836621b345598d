"""Blocks around a hidden variable, and when it is identifiable."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import (
    GUARANTEED,
    NOT_GUARANTEED,
    NOT_IDENTIFIABLE,
    UNKNOWN,
    TreeMixture,
    blocks_of,
    identifiability,
    partition_of,
)


def mixture(
    parents: tuple[int | None, ...],
    cards: tuple[int, ...],
    *,
    components: int = 2,
    differ: bool = False,
) -> TreeMixture:
    rng = np.random.default_rng(0)
    domain = Domain.of({f"v{i}": map(str, range(c)) for i, c in enumerate(cards)})

    def tree(above: tuple[int | None, ...]) -> Tree:
        tables = tuple(
            rng.dirichlet(np.ones(c), None if p is None else cards[p])
            for c, p in zip(cards, above, strict=True)
        )
        return Tree(domain, above, tables)

    other = (None,) * len(cards) if differ else parents
    trees = (tree(parents), *(tree(other) for _ in range(components - 1)))
    return TreeMixture(domain, np.full(components, 1 / components), trees)


def test_blocks_are_the_connected_parts_in_the_order_of_the_names() -> None:
    result = blocks_of("abcdef", [("d", "a"), ("f", "d"), ("b", "e")])
    assert result == (("a", "d", "f"), ("b", "e"), ("c",))


def test_trees_with_other_edges_have_no_partition() -> None:
    model = mixture((None, 0, 1, 2), (2, 2, 2, 2), differ=True)
    assert partition_of(model) is None
    assert identifiability(model)[0] == UNKNOWN


@pytest.mark.parametrize(
    ("parents", "card", "components", "verdict"),
    [
        ((None, None, None), 2, 2, GUARANTEED),  # three blocks, 7 parameters for 7 cells
        ((None, 0, 1, None, 3, 4), 2, 2, GUARANTEED),  # two chains of three
        ((None, 0, None, 2), 2, 2, NOT_GUARANTEED),  # two blocks, each fully connected
        ((None, 0, 1, None, 3), 2, 2, NOT_GUARANTEED),
        ((None, 0, 1, 2), 2, 2, NOT_GUARANTEED),  # one block, 15 parameters for 15 cells
        ((None, 0, 1), 2, 2, NOT_IDENTIFIABLE),  # 11 parameters for 7 cells
        ((None, None, None), 2, 3, NOT_IDENTIFIABLE),  # 11 parameters for 7 cells
        ((None,) * 5, 2, 3, UNKNOWN),  # binary columns, but a hidden variable of three states
        ((None, None, None), 3, 2, UNKNOWN),
        ((None,) * 4, 2, 4, NOT_IDENTIFIABLE),  # 19 parameters for 15 cells
    ],
)
def test_the_rule_of_identifiability(
    parents: tuple[int | None, ...], card: int, components: int, verdict: str
) -> None:
    model = mixture(parents, (card,) * len(parents), components=components)
    result, message = identifiability(model)
    assert result == verdict
    assert message.endswith(".")


def test_two_different_hidden_variables_give_the_same_rows() -> None:
    """P(a ≠ b | 0) = 1 and P(a = b | 1) = 1, or a fixed: uniform (a, b) both times (§6.2)."""
    domain = Domain.of({"a": "01", "b": "01"})
    half = np.array([0.5, 0.5])
    by_likeness = TreeMixture(
        domain,
        half,
        tuple(Tree(domain, (None, 0), (half, table)) for table in (1 - np.eye(2), np.eye(2))),
    )
    by_state = TreeMixture(
        domain,
        half,
        tuple(Tree(domain, (None, None), (fixed, half)) for fixed in np.eye(2)),
    )
    rows = DataSet(domain, np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8))
    for model in (by_likeness, by_state):
        assert np.exp2(model.log2_probabilities(rows)) == pytest.approx([0.25] * 4, abs=1e-15)
        assert identifiability(model)[0] == NOT_IDENTIFIABLE
