"""Counts of thousands of digits do not break the messages that name them."""

from __future__ import annotations

import pytest

from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.graphs.junction_tree import CliqueTree
from pgmstudio.core.inference.junction_tree.cost import check_budget, forecast
from pgmstudio.core.large_counts import count_text


def test_a_count_is_written_out_or_told_by_its_magnitude() -> None:
    assert count_text(2_097_152) == "2,097,152"
    assert count_text(2**15_000) == "about 10^4515"
    assert count_text(10**400) in ("about 10^399", "about 10^400")


@pytest.mark.parametrize("variables", [1_100, 15_000])
def test_a_clique_of_thousands_of_variables_is_refused_with_a_sentence(variables: int) -> None:
    """2^1024 is more than a float can hold, 2^14285 more than Python writes."""
    clique = tuple(range(variables))
    tree = CliqueTree((clique,), (None,), (), (2,) * variables, "min-fill")
    expected = forecast(tree)
    assert "about 10^" in str(expected)
    with pytest.raises(TooLargeError, match=r"about 10.* table cells"):
        check_budget(expected)
