"""Scores of a graph by variable: those of the lecture, and the divergence against brute force."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.analysis.family_scores import SCORES, graph_scores
from pgmstudio.core.analysis.model_comparison import model_scores
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from tests.core.learning.lecture_data import CORONARY, K2_DEMO

DEMO = Dag.from_edges(K2_DEMO.domain.names, [("L", "KV"), ("KA", "KV"), ("L", "M"), ("L", "KA")])
TREE = Dag.from_edges("ABCDEF", [("B", "C"), ("C", "A"), ("B", "E"), ("E", "D"), ("B", "F")])


def test_the_scores_of_k2_of_the_lecture_by_variable() -> None:
    # relational-and-possibilistic.md, §7.6
    scores = graph_scores(DEMO, K2_DEMO)
    nats = {one.variable: one.scores["k2"] * math.log(2) for one in scores.families}
    expected = {"L": -676.260900, "KA": -572.735031, "M": -550.642759, "KV": -428.000182}
    assert nats == pytest.approx(expected, abs=1e-6)
    assert scores.total["k2"] * math.log(2) == pytest.approx(-2227.638872, abs=1e-6)
    assert scores.families[3].parents == ("L", "KA")


def test_the_scores_of_the_tree_of_the_coronary_table() -> None:
    # §10
    total = graph_scores(TREE, CORONARY).total
    assert total["loglik"] * math.log(2) == pytest.approx(-6690.650714, abs=1e-6)
    assert total["bic"] * math.log(2) == pytest.approx(-6732.000067, abs=1e-6)
    scores = graph_scores(TREE, CORONARY)
    network = fit_tables(CORONARY, TREE, 0.0).network
    assert network.effective_size() == 5 * 4  # five pairs of binary variables
    nats = -6690.650714 - math.log(1841) / 2 * 20
    assert scores.bic_effective(20) * math.log(2) == pytest.approx(nats, abs=1e-6)
    whole = model_scores(network, CORONARY).bic_effective
    assert whole == pytest.approx(scores.bic_effective(20) / 1841, abs=1e-9)


@pytest.mark.parametrize("dag", [TREE, Dag.empty("ABCDEF"), Dag.from_edges("ABCDEF", ["AB", "FA"])])  # type: ignore[list-item]
def test_the_divergence_is_that_of_all_joint_states(dag: Dag) -> None:
    scores = graph_scores(dag, CORONARY)
    network = fit_tables(CORONARY, dag, 0.0).network
    p = CORONARY.row_weights / CORONARY.total_weight
    logs = network.log2_probabilities(CORONARY)
    seen = p > 0
    expected = float((p[seen] * (np.log2(p[seen]) - logs[seen])).sum())
    assert scores.total["kl"] == pytest.approx(expected, abs=1e-9)
    assert min(one.scores["kl"] for one in scores.families) >= 0


def test_rows_with_missing_cells_are_left_out() -> None:
    codes = np.array([[0, 1, 255, 0], [1, 1, 0, 0]], dtype=np.uint8)  # 255: missing
    data = DataSet(Domain.of({"a": "01", "b": "01"}), codes)
    scores = graph_scores(Dag.empty("ab"), data)
    assert scores.rows == 3
    assert set(scores.total) == set(SCORES)
    with pytest.raises(DataError, match="missing cell"):
        graph_scores(Dag.empty("ab"), data.take_rows(np.array([2])))


def test_the_command_prints_them(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo, model = str(sample_data / "k2_demo_counts.csv"), str(tmp_path / "k2.json")
    counts = [demo, "--frequency", "count"]
    assert main(["learn", "bn.k2", *counts, "--order", "L,KA,M,KV", "-o", model]) == 0
    assert main(["evaluate", model, *counts, "--scores"]) == 0
    assert "in all    -3213.804" in capsys.readouterr().out
    assert main(["evaluate", model, *counts, "--scores", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["scores"]
    assert document["total"]["k2"] * math.log(2) == pytest.approx(-2227.638872, abs=1e-6)
    assert document["variables"][3]["parents"] == ["L", "KA"]
    undirected = [str(sample_data / name) for name in ("coronary_markov.json", "coronary.csv")]
    assert main(["evaluate", *undirected, "--scores"]) == 2
    assert "no directed graph" in capsys.readouterr().err
