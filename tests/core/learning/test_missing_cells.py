"""The sentences of the run sheet."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.learning.base import missing_data_text, refuse_empty

DOMAIN = Domain.of({"a": ("0", "1"), "b": ("0", "1")})


def test_the_sentence_counts_cells_and_rows_and_shows_what_is_done() -> None:
    codes = np.zeros((2, 2121), dtype=np.uint8)
    codes[0, :4] = codes[1, 3:7] = 255
    messages = missing_data_text(DataSet(DOMAIN, codes), "They are skipped.")
    assert messages == "8 of 4\u202f242 cells are missing in 7 rows. They are skipped."


def test_a_single_cell_is_reported_in_the_singular() -> None:
    data = DataSet.from_rows(DOMAIN, [("0", None), ("1", "1")])
    assert missing_data_text(data, "Skipped.") == "1 of 4 cells is missing in 1 row. Skipped."


def test_complete_data_need_no_treatment() -> None:
    data = DataSet.from_rows(DOMAIN, ["01"])
    assert missing_data_text(data, "Skipped.") == "No cells are missing."
    assert refuse_empty(data) is None


def test_nothing_to_learn_from_is_refused_with_a_remedy() -> None:
    no_rows = DataSet(DOMAIN, np.zeros((2, 0), dtype=np.uint8))
    no_columns = DataSet(Domain(()), np.zeros((0, 3), dtype=np.uint8))
    no_weight = DataSet(DOMAIN, np.zeros((2, 1), dtype=np.uint8), np.zeros(1))
    assert "no rows" in str(refuse_empty(no_rows))
    assert "no columns" in str(refuse_empty(no_columns))
    assert "weight 0" in str(refuse_empty(no_weight))
