"""The tables of relational-and-possibilistic.md: §2, §7.6 and §10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.relation import Relation
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.separation import dsep_set
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.skeleton import (
    StatedIndependencies,
)
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.relational_network.model import RelationalNetwork
from pgmstudio.core.scores.independence import Outcome

BITS = ("0", "1")

# §10: A fastest, then B, C, D, E, F.
_CORONARY = """
44 40 112 67 129 145 12 23 35 12 80 33 109 67 7 9 23 32 70 66 50 80 7 13 24 25 73 57 51 63 7 16
5 7 21 9 9 17 1 4 4 3 11 8 14 17 5 2 7 3 14 14 9 16 2 3 4 0 13 11 5 14 4 4
"""
CORONARY = DataSet(
    Domain.of(dict.fromkeys("ABCDEF", BITS)),
    np.array([[cell >> bit & 1 for cell in range(64)] for bit in range(6)], dtype=np.uint8),
    np.array(_CORONARY.split(), dtype=np.float64),
)

# §7.6: the cells 0000, 0001, … of (L, KA, M, KV).
K2_DEMO = DataSet(
    Domain.of(dict.fromkeys(("L", "KA", "M", "KV"), BITS)),
    np.array([[cell >> bit & 1 for cell in range(16)] for bit in (3, 2, 1, 0)], dtype=np.uint8),
    np.array([302, 34, 76, 8, 86, 58, 22, 14, 12, 12, 28, 28, 10, 86, 22, 202], dtype=np.float64),
)

# §2: ten geometric objects.
GEOMETRIC = DataSet.from_rows(
    Domain.of(
        {
            "color": ("blue", "red", "yellow", "green"),
            "shape": ("circle", "square", "triangle"),
            "size": ("small", "medium", "large"),
        }
    ),
    [
        ("blue", "circle", "small"),
        ("blue", "circle", "medium"),
        ("red", "circle", "small"),
        ("red", "circle", "medium"),
        ("red", "triangle", "medium"),
        ("red", "triangle", "large"),
        ("yellow", "square", "medium"),
        ("green", "square", "medium"),
        ("green", "triangle", "medium"),
        ("green", "triangle", "large"),
    ],
)
# Without the green medium triangle.
GEOMETRIC_9 = GEOMETRIC.take_rows(np.delete(np.arange(10), 8))


def objects_network(edges: Sequence[tuple[int, int]] = ((0, 1), (1, 2))) -> RelationalNetwork:
    """The ten objects by color – shape – size, or by another graph."""
    relation = Relation.of(GEOMETRIC)
    return RelationalNetwork.of_relation(
        MarkovStructure(relation.domain, frozenset(edges)), relation
    )


# §7.2: the only independencies of A, B, C, D.
LECTURE_ORACLE = StatedIndependencies("ABCD", [("A", "B", ""), ("A", "D", "C"), ("B", "D", "C")])


class DagOracle:
    """Tests that never err: what d-separation in a graph says."""

    def __init__(self, dag: Dag) -> None:
        self.dag, self.names = dag, dag.names

    def test(self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER) -> Outcome:
        apart = b in dsep_set(self.dag, [a], given)
        return Outcome(0.0, 1, float(apart), float(not apart), independent=apart, reliable=True)
