"""Chow–Liu trees: ours against one-hot columns in numpy and pgmpy.

    python benchmarks/bench_chow_liu.py

The times cover coded columns to tree edges: packing, counting, mutual information, spanning tree;
not reading, compiling, or filling tables. Quality: total mutual information of the edges in nats,
which must agree. R is not of this run: its seconds were measured elsewhere on two loaded cores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from reporting import Program, binary_rows, network_rows, report

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.languages.tree.learning.chow_liu import edge_weights
from pgmstudio.core.learning.edge_constraints import best_forest
from pgmstudio.core.scores.mutual_information import mutual_information_nats

R_SECONDS = {"alarm 100000x37": 0.139, "audio 15000x100": 0.158, "kosarek 33375x190": 1.385}
Edges = list[tuple[int, int]]


def ours(data: DataSet) -> Edges:
    information = mutual_information_nats(pair_counts(data))
    weights = edge_weights(information, data, 0.0, "constant")
    parents = best_forest(weights, data.domain.names)
    return [(p, c) for c, p in enumerate(parents) if p is not None]


def one_hot(data: DataSet) -> Edges:
    """All pair tables as one matrix product, and scipy's spanning tree."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    cards = data.domain.cardinalities
    starts = np.concatenate([[0], np.cumsum(cards)[:-1]])
    hot = np.zeros((data.row_count, sum(cards)), dtype=np.float32)
    rows = np.arange(data.row_count)
    for start, column in zip(starts, data.codes, strict=True):
        hot[rows, start + column] = 1
    counts = (hot.T @ hot).astype(np.float64)
    logs = counts * np.log(np.maximum(counts, 1))
    blocks = np.add.reduceat(np.add.reduceat(logs, starts, axis=0), starts, axis=1)
    own = np.diag(blocks)
    total = data.row_count
    information = (blocks - own[:, None] - own[None, :] + total * np.log(total)) / total
    tree = minimum_spanning_tree(-np.triu(information, 1)).tocoo()
    return [(int(i), int(j)) for i, j in zip(tree.row, tree.col, strict=True)]


def pgmpy_edges(data: DataSet) -> Edges:
    import pandas as pd
    from pgmpy.estimators import TreeSearch

    frame = pd.DataFrame(data.codes.T, columns=list(data.domain.names))
    search = TreeSearch(frame, root_node=data.domain.names[0], n_jobs=1)
    tree: Any = search.estimate(estimator_type="chow-liu", show_progress=False)
    return [(data.domain.index(a), data.domain.index(b)) for a, b in tree.edges()]


def main() -> None:
    for name, data in {
        "alarm 100000x37": network_rows("alarm", 100_000),
        "audio 15000x100": binary_rows("baudio", 15_000, 100),
        "kosarek 33375x190": binary_rows("kosarek", 33_375, 190),
    }.items():
        ours(data)  # compiles
        information = mutual_information_nats(pair_counts(data))
        report(
            "Chow-Liu tree",
            name,
            [
                Program("PGM Studio", "pgmstudio", lambda _, d=data: ours(d), repeats=40),
                Program("numpy one-hot", "scipy", lambda _, d=data: one_hot(d), repeats=5),
                Program("pgmpy", "pgmpy", lambda _, d=data: pgmpy_edges(d), repeats=1),
            ],
            lambda edges, i=information: f"sum MI {sum(i[edge] for edge in edges):.6f}",
            elsewhere={"R bnlearn": R_SECONDS[name]},
        )


if __name__ == "__main__":
    main()
