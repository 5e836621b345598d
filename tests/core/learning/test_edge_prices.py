"""Prices of edges against every forest and every graph, and the files that hold them."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import FileError, ParameterError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.io.edge_prices import read_edge_prices, write_edge_prices
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import Project, plain_params, restored_params
from pgmstudio.core.scores.family_cache import FamilyScores
from pgmstudio.core.scores.local import score_of
from pgmstudio.core.scores.mutual_information import mutual_information_nats
from tests.core.graphs.small_dags import all_dags
from tests.core.languages.tree.learning.test_chow_liu import FORESTS, random_rows

TREES = ("tree.chow-liu", "tree.chow-liu-sparse", "mixture.trees")
SEARCHES = ("bn.hill-climb", "bn.kes", "bn.exact", "bn.mcmc")


def random_prices(names: tuple[str, ...], seed: int, scale: float = 4.0) -> EdgePrices:
    rng = np.random.default_rng(seed)
    pairs = itertools.combinations(names, 2)
    return EdgePrices(tuple((a, b, float(rng.normal(0, scale))) for a, b in pairs))


def learn(key: str, data: DataSet, **given: object) -> Finished:
    learner = all_learners()[key]
    params = parse_params(learner.params_type, given)
    *_, last = learner.run(data, params, rng=np.random.default_rng(0), cancel=NEVER)
    assert isinstance(last, Finished)
    return last


def tree_settings(key: str) -> dict[str, object]:
    if key == "mixture.trees":
        return {"components": (1,), "smoothing": 0.0, "criterion": "bic"}
    return {"smoothing": 0.0}


def edges_in(model: Any) -> list[tuple[str, str]]:
    return list(model.trees[0].edges if hasattr(model, "trees") else model.edges)


def forest_value(data: DataSet, beta: Floats, edges: list[tuple[int, int]]) -> float:
    weights = data.row_count * mutual_information_nats(pair_counts(data)) - beta
    return float(sum(weights[edge] for edge in edges))


@pytest.mark.parametrize("key", TREES)
@pytest.mark.parametrize("seed", range(4))
def test_no_forest_has_a_larger_gain_less_its_prices(key: str, seed: int) -> None:
    data = random_rows(seed, 5)
    names = data.domain.names
    prices = random_prices(names, seed)
    beta = prices.matrix(names)
    model = learn(key, data, edge_prices=prices, **tree_settings(key)).model
    edges = [(names.index(a), names.index(b)) for a, b in edges_in(model)]
    best = max(forest_value(data, beta, forest) for forest in FORESTS[5])
    assert forest_value(data, beta, edges) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("key", ["tree.chow-liu", "tree.chow-liu-sparse"])
def test_equal_prices_are_the_constant_penalty(key: str) -> None:
    data = random_rows(3, 6, 200)
    equal = EdgePrices(tuple((a, b, 2.5) for a, b in itertools.combinations(data.domain.names, 2)))
    priced, penalised = learn(key, data, edge_prices=equal), learn(key, data, edge_penalty=2.5)
    assert edges_in(priced.model) == edges_in(penalised.model)
    assert priced.measures["score"] == pytest.approx(penalised.measures["score"])


@pytest.mark.parametrize("key", [*TREES, *SEARCHES])
def test_a_high_price_keeps_an_edge_out_and_a_low_one_brings_it_in(key: str) -> None:
    data = random_rows(1, 4, 1000)
    settings = tree_settings(key) if key in TREES else {}
    quick = {"bn.mcmc": {"iterations": 400, "chains": 1}, "bn.kes": {"restarts": 1}}
    settings |= quick.get(key, {})
    strongest = edges_in(learn(key, data, **settings).model)[0]
    out = learn(key, data, edge_prices=EdgePrices(((*strongest, 1e4),)), **settings)
    assert {*strongest} not in map(set, edges_in(out.model))
    for pair in itertools.combinations(data.domain.names, 2):
        wanted = learn(key, data, edge_prices=EdgePrices(((*pair, -1e4),)), **settings)
        assert {*pair} in map(set, edges_in(wanted.model))


def priced_scores(data: DataSet, prices: EdgePrices, name: str = "bdeu") -> FamilyScores:
    beta = prices.matrix(data.domain.names)
    return FamilyScores(data, score_of(name, data.total_weight), prices=beta)


def graph_score(data: DataSet, prices: EdgePrices, dag: Dag) -> float:
    """log2 P(D | G) + log2 P(G), from the definition."""
    plain = FamilyScores(data, score_of("bdeu", data.total_weight))
    beta = prices.matrix(data.domain.names)
    sum_of_prices = sum(beta[p, c] for c, above in enumerate(dag.parent_indices) for p in above)
    return plain.total(dag.parent_indices) - float(sum_of_prices) / math.log(2)


def test_the_score_of_a_graph_is_less_by_its_prices() -> None:
    data = random_rows(5, 4)
    prices = random_prices(data.domain.names, 5)
    scores = priced_scores(data, prices)
    for dag in all_dags(4)[::20]:
        expected = graph_score(data, prices, dag)
        assert scores.total(dag.parent_indices) == pytest.approx(expected, abs=1e-9)


def test_the_changes_of_a_family_are_scored_as_each_family_alone() -> None:
    data = random_rows(6, 5)
    scores = priced_scores(data, random_prices(data.domain.names, 6))
    for parents in ([], [1], [1, 3]):
        row = scores.toggled(0, parents, np.array([2, 4]))
        assert row[0] == pytest.approx(scores.local(0, parents))
        for other in (2, 4, *parents):
            toggled = {*parents} ^ {other}
            assert row[other] == pytest.approx(scores.local(0, toggled), abs=1e-9)


@pytest.mark.parametrize("key", ["bn.exact", "bn.hill-climb", "bn.kes"])
def test_searches_find_the_graph_of_highest_posterior_of_all_graphs(key: str) -> None:
    data = random_rows(2, 4, 60)
    prices = random_prices(data.domain.names, 2, 2.0)
    best = max(graph_score(data, prices, dag) for dag in all_dags(4))
    result = learn(key, data, score="bdeu", edge_prices=prices)
    assert result.measures["score"] == pytest.approx(best, abs=1e-6)


def test_a_price_of_an_unknown_column_is_refused() -> None:
    data = random_rows(0, 3)
    for key in (*TREES, *SEARCHES):
        with pytest.raises(ParameterError, match="'nobody' is not a column"):
            learn(key, data, edge_prices=EdgePrices((("v0", "nobody", 1.0),)))


def test_the_choice_variable_of_a_mixture_may_have_prices() -> None:
    data = random_rows(4, 4, 200)
    prices = EdgePrices((("v0", "v1", 1e4), ("v1", "v2", 1e4)))
    learned = learn("mixture.trees", data, choice="v0", edge_prices=prices)
    assert all({"v1", "v2"} not in map(set, tree.edges) for tree in learned.model.trees)


# -- values and files


def test_a_pair_has_one_price_whichever_way_it_is_written() -> None:
    assert EdgePrices((("b", "a", 1.0), ("a", "b", 1.0))) == EdgePrices((("a", "b", 1.0),))
    with pytest.raises(ParameterError, match="two prices"):
        EdgePrices((("b", "a", 1.0), ("a", "b", 2.0)))
    with pytest.raises(ParameterError, match="with itself"):
        EdgePrices((("a", "a", 1.0),))
    with pytest.raises(ParameterError, match="not finite"):
        EdgePrices((("a", "b", math.inf),))


PRICES = EdgePrices((("a", "b", 1.5), ("a", "c", -2.0)))


@pytest.mark.parametrize(
    "text",
    [
        "a,b,1.5\nc,a,-2\n",
        "from,to,price\na,b,1.5\na,c,−2\n",
        ",a,b,c\na,0,1.5,-2\nb,1.5,0,\nc,-2,,0\n",
        "\ta\tb\tc\nb\t1.5\nc\t-2\n",
    ],
)
def test_a_list_and_a_matrix_hold_the_same_prices(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(text, encoding="utf-8")
    assert EdgePrices(tuple(p for p in read_edge_prices(path).prices if p[2])) == PRICES


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.json"])
def test_prices_that_are_written_come_back(tmp_path: Path, name: str) -> None:
    write_edge_prices(tmp_path / name, PRICES)
    assert read_edge_prices(tmp_path / name) == PRICES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no prices"),
        ("a,b,1\nc,d\n", "line 2: expected two names and a price"),
        ("a,b,1\nc,d,much\n", "line 2: “much” is not a price"),
        (",a,b\na,0,1\nb,2,0\n", "a – b has two prices"),
        (",a,b\na,1,1\n", "line 2: a has a price with itself"),
        (",a,b\nc,1,1\n", "line 2: “c” has no column"),
        ("a,b,inf\n", "not finite"),
    ],
)
def test_a_file_with_an_error_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=message):
        read_edge_prices(path)


def test_a_project_keeps_the_prices(tmp_path: Path) -> None:
    project = edits.set_edge_prices(Project(), edge_prices=PRICES)
    write_project(tmp_path / "p.pgmz", project)
    assert read_project(tmp_path / "p.pgmz").edge_prices == PRICES


def test_a_recorded_run_has_its_prices_again() -> None:
    params = replace(all_learners()["bn.hill-climb"].params_type(), edge_prices=PRICES)
    again = parse_params(type(params), restored_params(plain_params(params, {}), {}))
    assert again == params
