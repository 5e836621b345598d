"""Random small data sets, for property tests of everything that reads rows."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable


@st.composite
def data_sets(draw: st.DrawFn, max_rows: int = 12, weighted: bool | None = None) -> DataSet:
    """Small data sets with missing cells, sometimes with whole-number weights."""
    cards = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    domain = Domain(
        tuple(Variable(f"X{i}", tuple(f"s{k}" for k in range(c))) for i, c in enumerate(cards))
    )
    rows = draw(st.integers(0, max_rows))
    columns = [
        draw(st.lists(st.sampled_from([*range(c), 255]), min_size=rows, max_size=rows))
        for c in cards
    ]
    weights = None
    if weighted or (weighted is None and draw(st.booleans())):
        counts = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
        weights = np.array(counts, dtype=np.float64)
    return DataSet(domain, np.array(columns, dtype=np.uint8).reshape(len(cards), rows), weights)
