"""Reasons why a learner cannot use a table read well alone and after “Not now: ”."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.languages.learners import all_learners, learner_of


def table(rows: int, columns: int) -> DataSet:
    domain = Domain.of({f"x{number}": ["no", "yes"] for number in range(columns)})
    return DataSet(domain, np.zeros((columns, rows), dtype=np.uint8))


@pytest.mark.parametrize("key", list(all_learners()))
def test_a_table_without_rows_is_refused_in_a_sentence_of_its_own(key: str) -> None:
    reason = learner_of(key).refuses(table(0, 3))
    assert reason is not None
    assert reason[0].isupper()
    assert not reason.startswith("Not now")


@pytest.mark.parametrize("key", ["bn.exact", "ldag.exact"])
def test_exact_searches_name_the_limit_of_columns(key: str) -> None:
    reason = learner_of(key).refuses(table(10, 40))
    assert reason is not None
    assert reason.startswith("The exact search is for at most")
