"""How probable rows with missing cells are in a decision graph: an out-flow pass for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.decision_graph_arrays import arrays_of


def log2_of_incomplete(graph: DecisionGraph, rows: DataSet) -> NDArray[np.float64]:
    """log2 P(observed cells) of every row; equal rows are looked at once."""
    from pgmstudio.core.models.decision_graph_kernels import row_flows

    a = arrays_of(graph)
    codes, which = np.unique(rows.codes, axis=1, return_inverse=True)
    logs = np.empty(codes.shape[1])
    nodes, slots = int(a.node_at[-1]), a.parameters.size
    row_flows(
        np.ascontiguousarray(codes),
        rows.missing_code,
        a,
        np.empty(int(a.state_at[-1])),
        np.empty(slots),
        np.empty(slots, np.int64),
        np.empty(nodes),
        np.empty(nodes, np.int64),
        logs,
    )
    return np.asarray(logs[which.ravel()])
