"""Whole runs of the learners of Markov networks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import NEVER, Note, Progress, StopSwitch
from pgmstudio.core.languages.markov_network.learning.blanket_record import BlanketRecord
from pgmstudio.core.languages.markov_network.learning.chordal import (
    ChordalLearner,
    StratifiedLearner,
)
from pgmstudio.core.languages.markov_network.learning.contextual import ContextualLearner
from pgmstudio.core.languages.markov_network.learning.kappa_path import ContextPath
from pgmstudio.core.languages.markov_network.learning.mpl import MplLearner
from pgmstudio.core.languages.markov_network.learning.posterior import MarkovPosterior
from pgmstudio.core.languages.markov_network.log_linear import normalised
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.params import parse_params
from tests.ldag_tables import coronary

LEARNERS: list[Any] = [MplLearner(), ContextualLearner(), ChordalLearner(), StratifiedLearner()]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.key)


def events_of(
    learner: Any, data: DataSet, cancel: Any = NEVER, **settings: object
) -> list[LearnEvent]:
    params = parse_params(learner.params_type, settings)
    return list(learner.run(data, params, rng=np.random.default_rng(1), cancel=cancel))


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
    events = events_of(ContextualLearner(), coronary())
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
    events = events_of(ChordalLearner(), coronary())
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
    result = result_of(StratifiedLearner(), coronary(), kappa=1.0)
    assert result.measures["score_nats"] > -6730.069762 - 1e-6
    assert result.measures["contexts"] > 0


@every_learner
def test_artifacts_of_a_run_come_back_from_json(learner: Any) -> None:
    kinds = set()
    for event in events_of(learner, coronary()):
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
    settings: dict[str, object] = {}
    if isinstance(learner, ChordalLearner | StratifiedLearner):
        settings = {"method": "chains", "iterations": 200}
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
    events = events_of(learner, coronary())
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
