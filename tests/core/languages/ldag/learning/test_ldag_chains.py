"""Chains over labelled graphs: what they meet, and with which probability."""

from __future__ import annotations

import json

import pytest

from pgmstudio.core.execution.events import Note
from pgmstudio.core.languages.ldag.learning.label_search import FULL, NATS_PER_BIT
from pgmstudio.core.languages.ldag.learning.mcmc import LdagPosterior
from pgmstudio.core.languages.learners import restored
from tests.ldag_runs import artifact_of, end, nats, run
from tests.ldag_tables import coronary, t3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_chains_meet_the_three_best_graphs_and_weigh_them_by_score(seed: int) -> None:
    data = coronary("ABC")
    posterior = artifact_of(run("ldag.mcmc", data, seed, structure=FULL, iterations=5000))
    assert isinstance(posterior, LdagPosterior)
    for graph in posterior.graphs[:3]:
        assert {frozenset(edge) for edge in graph.edges} == {frozenset("AC"), frozenset("BC")}
        assert graph.probability == pytest.approx(0.3308, abs=0.01)
        assert graph.score * NATS_PER_BIT == pytest.approx(-3467.880192, abs=1e-5)


def test_with_every_scored_graph_counted_the_probabilities_are_the_exact_ones() -> None:
    posterior = artifact_of(
        run("ldag.mcmc", coronary("ABC"), structure=FULL, iterations=5000, count_evaluated=True)
    )
    assert posterior.models == 25
    worked = {"CA": 0.664981, "AC": 0.334830, "CB": 0.665053, "BC": 0.334947}
    for (source, target), expected in (worked | {"AB": 0.003408, "BA": 0.003453}).items():
        assert posterior.edge(source, target) == pytest.approx(expected, abs=1e-6)
    assert posterior.graphs[0].probability == pytest.approx(0.330809, abs=1e-6)
    assert posterior.graphs[3].probability == pytest.approx(0.001121, abs=1e-6)


def test_chains_find_the_best_labelled_graph_and_its_labels() -> None:
    data = t3()
    events = run("ldag.mcmc", data, kappa=0.5, iterations=1000)
    assert nats(end(events)) == pytest.approx(-1972.109017, abs=1e-6)
    posterior = artifact_of(events)
    between = {frozenset((one.source, one.target)) for one in posterior.contexts[:2]}
    assert between == {frozenset("23")}
    assert posterior.contexts[0].text == "1 = 1"
    assert all(edge.labelled <= edge.probability + 1e-12 for edge in posterior.edges)
    again = restored(posterior.kind, json.loads(json.dumps(posterior.plain())))
    assert again == posterior
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any("weighted by score" in note for note in notes)
