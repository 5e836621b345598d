"""Why there is an edge, or none: everything that is said is true of the graph and the rows."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from pgmstudio.core.analysis.edge_explanation import (
    OptimaTask,
    PcTask,
    as_dict,
    explanation_lines,
    optima_share,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequency
from pgmstudio.core.languages.bayesian_network.edge_analysis import (
    data_tests,
    score_of_run,
    scores_for,
    why_edge,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import PcParams
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.search import KesParams
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.scores.edge_reports import EdgeWhy
from tests.strategies import all_cases

NAMES = ("A", "B", "C")


@pytest.fixture(scope="module")
def rows() -> DataSet:
    """A → B → C with strong tables, every joint state as often as it is to be expected."""
    domain = Domain.of(dict.fromkeys(NAMES, ("no", "yes")))
    strong = np.array([[0.9, 0.1], [0.15, 0.85]])
    network = BayesianNetwork(
        domain,
        Dag.from_edges(NAMES, [("A", "B"), ("B", "C")]),
        (np.array([0.4, 0.6]), strong, strong),
    )
    cases = all_cases(domain)
    return replace(cases, weights=2000 * np.exp2(network.log2_probabilities(cases)))


def ask(
    rows: DataSet, edges: list[tuple[str, str]], one: str, other: str, **more: object
) -> EdgeWhy:
    dag = Dag.from_edges(NAMES, edges)
    return why_edge(dag, scores_for(rows, dag), data_tests(rows), one, other, **more)  # type: ignore[arg-type]


def test_an_edge_of_the_truth_earns_its_place_and_can_be_turned(rows: DataSet) -> None:
    why = ask(rows, [("A", "B"), ("B", "C")], "B", "A")
    assert why.is_edge
    assert (why.source, why.target) == ("A", "B")  # as the graph has it, however one asks
    removal, reversal = why.moves["BIC"]
    assert removal.gain is not None
    assert removal.gain < -100
    assert reversal.gain == pytest.approx(0, abs=1e-6)  # covered: equal scores
    lines = explanation_lines(why)
    assert any("the edge clearly improves the score" in message for message in lines)
    assert any("both directions score the same" in message for message in lines)


def test_a_missing_edge_is_explained_by_the_parents_that_screen_it_off(rows: DataSet) -> None:
    why = ask(rows, [("A", "B"), ("B", "C")], "A", "C")
    assert not why.is_edge
    there, back = why.moves["BIC"]
    assert there.gain is not None
    assert there.gain < 0
    assert back.gain is None
    assert back.path == ("A", "B", "C")
    outcomes = {test.given: test.outcome for test in why.tests}
    assert outcomes[()] is not None
    assert not outcomes[()].independent  # type: ignore[union-attr]
    assert outcomes[("B",)].independent  # type: ignore[union-attr]
    assert any("close the cycle A → B → C → A" in message for message in explanation_lines(why))


def test_rules_that_touch_the_pair_are_reported(rows: DataSet) -> None:
    rules = Knowledge(
        required=frozenset({("A", "B")}), forbidden=frozenset({("B", "A"), ("C", "A")})
    )
    why = ask(rows, [("A", "B")], "A", "B", knowledge=rules)
    assert why.rules == ("A → B is required.", "B → A is forbidden.")
    assert ask(rows, [("A", "B")], "B", "C", knowledge=rules).rules == ()


def test_the_score_of_the_run_is_asked_beside_bic(rows: DataSet) -> None:
    dag = Dag.empty(NAMES)
    assert set(scores_for(rows, dag)) == {"BIC"}
    assert set(scores_for(rows, dag, HillClimbParams(score="bic"))) == {"BIC"}
    assert set(scores_for(rows, dag, HillClimbParams(score="bdeu"))) == {"BIC", "BDeu"}
    named = score_of_run(HillClimbParams(score="lambda", lambda_=0.25), rows.total_weight)
    assert named is not None
    assert named[0] == "λ-score (0.25)"
    assert score_of_run(PcParams(), rows.total_weight) is None


def test_a_bootstrap_is_reported_in_the_direction_of_the_pair(rows: DataSet) -> None:
    why = ask(rows, [("A", "B")], "A", "B")
    counted = why.with_frequency(EdgeFrequency("B", "A", 0.1, 0.7, 0.1), 200)
    assert counted.frequency is not None
    assert (counted.frequency.forward, counted.frequency.backward) == (0.7, 0.1)
    assert (
        "90 % of 200 bootstrap replicates join them (→ 70 %, ← 10 %, either way 10 %)."
        in explanation_lines(counted)
    )
    never = why.with_frequency(EdgeFrequency("A", "B", 0.0, 0.0), 50)
    assert "None of 50 bootstrap replicates joins them." in explanation_lines(never)


def test_searches_report_what_they_saw_of_the_pair(rows: DataSet) -> None:
    log = next(PcTask(rows, PcParams())(NEVER))
    why = ask(rows, [("A", "B"), ("B", "C")], "A", "C").with_records(tests=log)
    assert why.pc is not None
    assert why.pc.startswith("There is no edge: A ⊥ C | B")
    optima = next(OptimaTask(rows, KesParams(restarts=2), 3)(NEVER))
    fraction = optima_share(optima, "A", "B")
    assert fraction.joined_in == tuple(range(1, fraction.runs + 1))
    assert fraction.best_joins
    assert not optima_share(optima, "A", "C").best_joins
    payload = as_dict(why.with_records(optima=fraction))
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert payload["optima"]["runs"] == fraction.runs
    assert payload["pc"]["tests"]
