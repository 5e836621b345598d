"""Table 4.3 on a small scale: parity, with its forest and without."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.studies.pdg_table import PDG_TABLE, PdgTableParams
from pgmstudio.studies.recipe import Measured, RecipeContext


def test_parity_is_learned_with_its_forest_and_without() -> None:
    params = PdgTableParams(only="logic2", rows=3000, test_rows=1000, population=6)
    work = RecipeContext(params, 1, {}, NEVER)
    result = [event for event in PDG_TABLE.run(work) if isinstance(event, Measured)]
    values = {key: value for event in result for key, value in event.values.items()}
    declared = {quantity.key for quantity in PDG_TABLE.quantities}
    assert {*values} <= {key for key in declared if key.startswith("logic2")}
    for kind in ("given", "learned"):
        assert values[f"logic2_{kind}_size"] == 18
        assert values[f"logic2_{kind}_test"] == pytest.approx(4, abs=0.01)
    for event in result[:2]:
        assert isinstance(event.model, DecisionGraph)
        assert event.rows is not None
        # Rows of the wrong parity are as good as impossible.
        odd = event.rows.codes.copy()
        odd[0] = 1 - odd[0]
        wrong = type(event.rows)(event.rows.domain, odd)
        assert np.mean(event.model.log2_probabilities(wrong)) < -9
