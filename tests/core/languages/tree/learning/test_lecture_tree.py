"""The optimum spanning tree of the lecture's coronary table (checks 12 and 13)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pgmstudio.core.data.counting import joint_counts
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.tree.learning.chow_liu import ChowLiuLearner, ChowLiuParams
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.scores.association_measures import entropy, info_gain
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import Score, score_of
from tests.core.learning.lecture_data import CORONARY


def total_nats(score: Score, dag: Dag) -> float:
    return FamilyScores(CORONARY, score).total(dag.parent_indices) * math.log(2)


@pytest.mark.parametrize("root", "ABCDEF")
def test_every_root_gives_the_same_tree_and_its_printed_scores(root: str) -> None:
    # relational-and-possibilistic.md, §13, 13
    params = ChowLiuParams(root=root, smoothing=0.0)
    *_, last = ChowLiuLearner().run(CORONARY, params, rng=np.random.default_rng(0), cancel=NEVER)
    assert isinstance(last, Finished)
    assert isinstance(last.model, Tree)
    assert {"".join(sorted(edge)) for edge in last.model.edges} == {"BC", "AC", "BE", "DE", "BF"}
    assert last.measures["mutual_information_bits"] == pytest.approx(0.293446, abs=1e-6)
    dag = last.model.as_bayesian_network.dag
    bic = score_of("bic", CORONARY.total_weight)
    assert total_nats(Score("loglik"), dag) == pytest.approx(-6690.650714, abs=1e-6)
    assert total_nats(bic, dag) == pytest.approx(-6732.000067, abs=1e-6)


def test_the_empty_graph_has_its_printed_scores() -> None:
    empty = Dag.empty("ABCDEF")
    bic = score_of("bic", CORONARY.total_weight)
    assert total_nats(Score("loglik"), empty) == pytest.approx(-7065.112126, abs=1e-6)
    assert total_nats(bic, empty) == pytest.approx(-7087.666318, abs=1e-6)


def test_the_likelihood_is_information_minus_entropy() -> None:
    # §13, 12
    dag = Dag.from_edges("ABCDEF", [("B", "C"), ("C", "A"), ("B", "E"), ("E", "D"), ("B", "F")])
    bits = 0.0
    for child, parents in enumerate(dag.parent_indices):
        counts = joint_counts(CORONARY, (*parents, child))
        own = counts.reshape(-1, counts.shape[-1]).sum(axis=0)
        bits += CORONARY.total_weight * (info_gain(counts) - entropy(own))
    assert bits * math.log(2) == pytest.approx(total_nats(Score("loglik"), dag), abs=1e-8)
    assert bits * math.log(2) == pytest.approx(-6690.650714, abs=1e-6)
