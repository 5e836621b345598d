"""Whole runs of the learners of Markov networks."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.experiments.generators.random_markov_networks import (
    RandomMarkovParams,
    random_markov_network,
)
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.markov_network import fitting
from pgmstudio.core.languages.markov_network.learning.blanket_record import BlanketRecord
from pgmstudio.core.languages.markov_network.learning.chordal import (
    ChordalLearner,
    MarkovPosterior,
    StratifiedLearner,
)
from pgmstudio.core.languages.markov_network.learning.contextual import ContextualLearner
from pgmstudio.core.languages.markov_network.learning.kappa_path import ContextPath
from pgmstudio.core.languages.markov_network.learning.mpl import MplLearner
from pgmstudio.core.languages.markov_network.log_linear import normalised
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.params import parse_params
from tests.ldag_tables import coronary
from tests.markov_networks import structure_of

MPL, CONTEXTUAL, CHORDAL, STRATIFIED = (
    MplLearner(),
    ContextualLearner(),
    ChordalLearner(),
    StratifiedLearner(),
)
LEARNERS: list[Any] = [MPL, CONTEXTUAL, CHORDAL, pytest.param(STRATIFIED, marks=pytest.mark.slow)]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.key)
FEW_STEPS: dict[str, dict[str, object]] = {
    one.key: {"method": "chains", "iterations": 200} for one in (CHORDAL, STRATIFIED)
}


def events_of(
    learner: Any, data: DataSet, cancel: Any = NEVER, **settings: object
) -> list[LearnEvent]:
    params = parse_params(learner.params_type, settings)
    return list(learner.run(data, params, rng=np.random.default_rng(1), cancel=cancel))


@lru_cache
def coronary_run(learner: Any) -> tuple[LearnEvent, ...]:
    """The events of a run with default settings; that of strata takes seconds."""
    return tuple(events_of(learner, coronary()))


def result_of(learner: Any, data: DataSet, **settings: object) -> Finished:
    last = events_of(learner, data, **settings)[-1]
    assert isinstance(last, Finished)
    return last


def edges_of(event: Finished | ImprovedModel) -> str:
    assert isinstance(event.model, MarkovNetwork)
    names = event.model.domain.names
    return " ".join(sorted(names[i] + names[j] for i, j in event.model.structure.edges))


@pytest.mark.parametrize(
    ("settings", "edges", "log_mpl"),
    [
        ({}, "AC AE BC DE", -6389.939906),
        ({"climb_from": "and"}, "AC AE BC DE", -6389.939906),
        ({"combine": "and"}, "AC AE BC", -6392.077704),
        ({"combine": "or"}, "AC AE BC BE DE", -6404.074403),
        ({"combine": "exhaustive"}, "AC AE BC DE", -6389.939906),
    ],
)
def test_the_coronary_table_by_marginal_pseudo_likelihood(
    settings: dict[str, object], edges: str, log_mpl: float
) -> None:
    result = result_of(MplLearner(), coronary(), **settings)
    assert edges_of(result) == edges
    assert result.measures["log_mpl_nats"] == pytest.approx(log_mpl, abs=1e-4)


def test_the_coronary_table_by_pic() -> None:
    result = result_of(MplLearner(), coronary(), score="pic")
    assert edges_of(result) == "AC AE BC DE"
    assert result.measures["pic_nats"] == pytest.approx(-6381.935401, abs=1e-4)


def test_bic_selects_the_network_with_three_contexts_and_nine_parameters() -> None:
    events = coronary_run(CONTEXTUAL)
    result = events[-1]
    assert isinstance(result, Finished)
    assert isinstance(result.model, MarkovNetwork)
    assert edges_of(result) == "AC AD AE BC DE"
    assert result.model.structure.contexts == {
        (0, 3): frozenset({(1,)}),
        (0, 4): frozenset({(0,)}),
        (3, 4): frozenset({(0,)}),
    }
    assert result.model.representation_size() == 9
    assert result.measures["bic_nats"] == pytest.approx(-6721.645408, abs=1e-4)
    assert result.measures["log_likelihood_nats"] == pytest.approx(-6687.814120, abs=1e-4)
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any("different local optima" in note and "-6389.867" in note for note in notes)
    path = [e.artifact for e in events if isinstance(e, ArtifactSaved)][-1]
    assert isinstance(path, ContextPath)
    rows = {point.kappa: point for point in path.points}
    assert sorted(rows) == [0.0, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1.0]
    assert {k: p.parameters for k, p in rows.items()} == {
        **dict.fromkeys((0.0, 1e-4, 1e-3), 10),
        **dict.fromkeys((0.01, 0.1, 0.5, 1.0), 9),
    }
    assert rows[0.0].bic_nats == pytest.approx(-6730.871290, abs=1e-4)
    assert path.best() is rows[0.01]


def test_a_price_of_parameters_gives_a_curve_from_dense_to_empty() -> None:
    counts = [
        result_of(learner, coronary(), score="lambda", lambda_=value).measures["edges"]
        for learner in (MplLearner(),)
        for value in (0.3, 0.8, 0.999)
    ]
    assert counts[0] > counts[1] > counts[2] == 0
    contextual = result_of(ContextualLearner(), coronary(), score="lambda", lambda_=0.8)
    assert contextual.measures["kappa"] == 1


def test_the_best_chordal_graph_and_the_probabilities_of_its_edges() -> None:
    events = coronary_run(CHORDAL)
    result = events[-1]
    assert isinstance(result, Finished)
    assert edges_of(result) == "AC AE BC CE DE"
    assert result.measures["score_nats"] == pytest.approx(-6732.459258, abs=1e-4)
    posterior = next(e.artifact for e in events if isinstance(e, ArtifactSaved))
    assert isinstance(posterior, MarkovPosterior)
    assert posterior.models == 18154
    assert posterior.edge("C", "B") == pytest.approx(1.0)
    assert posterior.edge("A", "E") == posterior.edge("E", "A") > 0.5
    assert posterior.graphs[0].probability > posterior.graphs[1].probability


def test_strata_improve_the_best_chordal_graph() -> None:
    result = result_of(STRATIFIED, coronary(), kappa=1.0, method="chains", iterations=500)
    assert result.measures["score_nats"] > -6730.069762 - 1e-6
    assert result.measures["contexts"] > 0


@every_learner
def test_artifacts_of_a_run_come_back_from_json(learner: Any) -> None:
    kinds = set()
    for event in coronary_run(learner):
        if isinstance(event, ArtifactSaved):
            artifact: Any = event.artifact
            again = type(artifact).restored(json.loads(json.dumps(artifact.plain())))
            assert again.table() == artifact.table()
            assert again.plain() == artifact.plain()
            kinds.add(type(artifact))
    assert kinds == set(learner.artifacts)
    assert BlanketRecord in kinds or MarkovPosterior in kinds


# Check 23


@every_learner
def test_stopping_in_any_stage_leaves_a_network_with_regular_contexts(learner: Any) -> None:
    data = coronary()
    settings = FEW_STEPS.get(learner.key, {})
    total = len(events_of(learner, data, **settings))
    for stop_after in range(1, total, max(1, total // 12)):
        switch, seen = StopSwitch(), list[LearnEvent]()
        params = parse_params(learner.params_type, settings)
        run = learner.run(data, params, rng=np.random.default_rng(1), cancel=switch)
        try:
            for event in run:
                seen.append(event)
                if len(seen) == stop_after:
                    switch.cancel()
        except Cancelled:
            pass
        for event in seen:
            if isinstance(event, ImprovedModel | Finished):
                assert isinstance(event.model, MarkovNetwork)
                structure = event.model.structure
                assert normalised(structure) == structure
        if stop_after > 1:
            assert any(isinstance(event, ImprovedModel) for event in seen)


@every_learner
def test_a_model_comes_before_the_search_and_progress_names_its_stage(learner: Any) -> None:
    events = coronary_run(learner)
    first = next(n for n, event in enumerate(events) if isinstance(event, ImprovedModel))
    assert first <= 2
    messages = {event.message for event in events if isinstance(event, Progress)}
    assert len(messages) > 2 or len(events) > 10


def test_rows_of_sparse_tables_are_a_note() -> None:
    rng = np.random.default_rng(0)
    data = coronary()
    few = data.take_rows(rng.integers(data.row_count, size=12))
    events = events_of(MplLearner(), DataSet(few.domain, few.codes), combine="or", ess=20.0)
    structure = events[-1]
    assert isinstance(structure, Finished)
    assert structure.measures["edges"] > 0
    assert any(isinstance(e, Note) and "sparse" in e.message for e in events)


@pytest.mark.parametrize("learner", [MPL, CONTEXTUAL, CHORDAL, STRATIFIED], ids=lambda one: one.key)
def test_a_search_begins_with_the_edges_of_its_start(learner: Any) -> None:
    data = coronary()
    start = MarkovNetwork.uniform(structure_of(data, "AB BC CD AD"))
    rules = Knowledge(forbidden=frozenset({("A", "D"), ("D", "A")}))
    for knowledge, edges in ((None, "AB AD BC CD"), (rules, "AB BC CD")):
        settings = {**FEW_STEPS.get(learner.key, {}), "start": start, "knowledge": knowledge}
        events = events_of(learner, data, **settings)
        first = next(event for event in events if isinstance(event, ImprovedModel))
        shown = edges_of(first)
        if learner in (CHORDAL, STRATIFIED) and knowledge is None:
            assert shown in ("AB AC AD BC CD", "AB AD BC BD CD")  # the cycle gets a chord
        else:
            assert shown == edges


def grid_rows(variables: int = 25, rows: int = 1500) -> DataSet:
    params = RandomMarkovParams(variables=variables, states=3)
    return random_markov_network(params, np.random.default_rng(3)).sample(
        rows, np.random.default_rng(4)
    )


def test_models_on_the_way_improve_and_the_and_graph_is_one_of_them() -> None:
    events = events_of(MPL, grid_rows())
    models = [event for event in events if isinstance(event, ImprovedModel)]
    scores = [event.measures["score"] for event in models]
    assert scores == sorted(scores)
    record = next(e.artifact for e in events if isinstance(e, ArtifactSaved))
    assert isinstance(record, BlanketRecord)
    both = {graph.title: graph for graph in record.graphs}["and"]
    assert edges_of(models[1]).split() == sorted(a + b for a, b in both.edges)
    fractions = [e.fraction for e in events if isinstance(e, Progress) and e.fraction is not None]
    assert len(fractions) >= 25
    assert max(fractions) == 1


def test_a_long_climb_over_chordal_graphs_shows_models_on_the_way() -> None:
    params = RandomMarkovParams(variables=90, topology="chain", strength=3.0)
    rows = random_markov_network(params, np.random.default_rng(1)).sample(
        1000, np.random.default_rng(2)
    )
    events = events_of(CHORDAL, rows, iterations=100, chains=1)
    models = [event for event in events if isinstance(event, ImprovedModel)]
    edges = [event.measures["edges"] for event in models]
    assert edges[0] == 0 < edges[1] < edges[2]
    assert any(isinstance(e, Progress) and e.message.startswith("Pairs of") for e in events)


@pytest.mark.parametrize(
    ("limit", "text"),
    [(None, "maximum likelihood, exact; "), (1, "maximum pseudo-likelihood, approximate; ")],
)
def test_a_run_reports_whether_its_parameters_are_exact(
    limit: int | None, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit is not None:
        monkeypatch.setattr(fitting, "MAX_CELLS", limit)
    events = events_of(MPL, grid_rows())
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any(text in note and "gradient" in note for note in notes)
    result = events[-1]
    assert isinstance(result, Finished)
    assert ("log2_likelihood_per_row" in result.measures) == (limit is None)


def test_where_missing_cells_cannot_be_summed_out_a_note_reports_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = grid_rows(variables=9, rows=400)
    codes = data.codes.copy()
    codes[np.random.default_rng(5).random(codes.shape) < 0.1] = data.missing_code
    holes = DataSet(data.domain, codes)
    by_em = events_of(MPL, holes)
    monkeypatch.setattr(fitting, "MAX_EM_CELLS", 1)
    events = events_of(MPL, holes)
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any("those of the completed rows" in note for note in notes)
    for run, is_exact in ((by_em, True), (events, False)):
        assert isinstance(run[-1], Finished)
        assert ("log2_likelihood_per_row" in run[-1].measures) == is_exact
    available = events_of(MPL, holes, missing="available")
    notes = [event.message for event in available if isinstance(event, Note)]
    assert any("rows that have its cell and those of its neighbours" in note for note in notes)
