"""Numbers as tables have them."""

from __future__ import annotations

import math

import pytest

from pgmstudio.core.number_format import (
    change,
    count_of,
    decimal,
    duration,
    general,
    grouped,
    measure_title,
    signed,
    times,
    whole,
)


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
        (change(-0.04), "0.0"),
        (change(-18.94), "−18.9"),
        (change(7, 0), "+7"),
        (general(-0.00001234567), "−1.235e−05"),
        (general(-math.inf), "−∞"),
        (grouped(-12960), "−12\u202f960"),
        (duration(198), "3:18 min"),
        (times(0.534), "0.53 ×"),
        (times(13.2), "13 ×"),
        (count_of(1, "row"), "1 row"),
        (count_of(2000, "row"), "2\u202f000 rows"),
        (count_of(2, "index", "indices"), "2 indices"),
    ],
)
def test_a_number_reads_as_people_write_it(found: str, words: str) -> None:
    assert found == words


def test_measures_have_titles_with_the_terms_of_the_field() -> None:
    names = ("additional_tuples", "log_mpl_nats", "log_likelihood_nats", "bic_nats", "kappa")
    assert [measure_title(name) for name in names] == [
        "Additional tuples",
        "Log MPL (nats)",
        "Log-likelihood (nats)",
        "BIC (nats)",
        "κ",
    ]
