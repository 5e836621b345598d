"""Numbers as tables have them."""

from __future__ import annotations

import math

import pytest

from pgmstudio.core.number_format import count_of, decimal, signed, times, whole


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (whole(1841), "1\u202f841"),
        (whole(-3), "−3"),
        (whole(None), "–"),
        (whole(math.nan), "?"),
        (decimal(-1234.5678), "−1\u202f234.568"),
        (decimal(None), "–"),
        (decimal(-math.inf), "−∞"),
        (signed(0.25, 2), "+0.25"),
        (signed(-0.0001), "+0.000"),
        (signed(-0.25), "−0.250"),
        (signed(math.nan), "–"),
        (signed(-math.inf), "−∞"),
        (times(0.534), "0.53 ×"),
        (times(13.2), "13 ×"),
        (count_of(1, "row"), "1 row"),
        (count_of(2000, "row"), "2\u202f000 rows"),
        (count_of(2, "index", "indices"), "2 indices"),
    ],
)
def test_a_number_reads_as_people_write_it(found: str, words: str) -> None:
    assert found == words
