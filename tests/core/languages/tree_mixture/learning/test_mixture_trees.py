"""The learners of mixtures of trees: selection, messages and artifacts."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import KnowledgeError, ParameterError
from pgmstudio.core.execution.events import NEVER, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.learners import restored
from pgmstudio.core.languages.run_checks import broken_rules
from pgmstudio.core.languages.tree.learning.priors import POLICIES
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency, tally_of
from pgmstudio.core.languages.tree_mixture.learning.initialization import random_spanning_tree
from pgmstudio.core.languages.tree_mixture.learning.learner import (
    MixtureLearner,
    MixtureSearch,
    SharedMixtureLearner,
)
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams, MixtureScan
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, LearnEvent
from tests.core.languages.tree_mixture.test_mixtures import F1
from tests.strategies import random_mixture, with_missing


def events(
    data: DataSet, learner: MixtureLearner | None = None, seed: int = 0, **params: object
) -> list[LearnEvent]:
    chosen = MixtureParams(**params)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    return list((learner or MixtureLearner()).run(data, chosen, rng=rng, cancel=NEVER))


def model_of(result: list[LearnEvent]) -> TreeMixture:
    last = result[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    return last.model


def scan_of(result: list[LearnEvent]) -> MixtureScan:
    artifacts = [event.artifact for event in result if isinstance(event, ArtifactSaved)]
    *_, last = (artifact for artifact in artifacts if isinstance(artifact, MixtureScan))
    return last


def adjacency_of(result: list[LearnEvent]) -> Adjacency:
    artifacts = [event.artifact for event in result if isinstance(event, ArtifactSaved)]
    *_, last = (artifact for artifact in artifacts if isinstance(artifact, Adjacency))
    return last


@pytest.fixture(scope="module")
def two_kinds() -> DataSet:
    """Rows of two chains in opposite directions of dependence."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 2, 2000)
    codes = [rng.integers(0, 2, 2000)]
    for _ in range(5):
        flip = rng.random(2000) < np.where(kind == 0, 0.05, 0.95)
        codes.append(codes[-1] ^ flip)
    domain = Domain.of({f"x{i}": "01" for i in range(6)})
    return DataSet(domain, np.array(codes, dtype=np.uint8))


def test_the_default_finds_more_than_one_tree_where_rows_are_of_two_kinds(
    two_kinds: DataSet,
) -> None:
    result = events(two_kinds)
    model = model_of(result)
    single = model_of(events(two_kinds, components=(1,)))
    assert len(model.trees) > 1
    gain = (model.log2_probabilities(two_kinds) - single.log2_probabilities(two_kinds)).mean()
    # One tree knows x0, x2, x4 and x1, x3, x5 as chains: 3.8 bits; two know 1 + 1 + 5 · 0.286.
    assert gain == pytest.approx(3.81 - 3.43, abs=0.06)
    scores = [event.measures["score"] for event in result if isinstance(event, ImprovedModel)]
    assert all(b > a for a, b in pairwise(scores))


def test_one_kind_of_rows_gets_one_tree() -> None:
    data = F1.sample(3000, np.random.default_rng(1))
    model = model_of(events(data))
    expected = F1.log2_probabilities(data).mean()
    assert model.log2_probabilities(data).mean() == pytest.approx(expected, abs=0.01)


def test_the_scan_is_kept_and_comes_back(two_kinds: DataSet) -> None:
    scan = scan_of(events(two_kinds, components=(1, 2, 3), restarts=2))
    assert [point.trees for point in scan.points] == [1, 2, 2, 3, 3]
    assert restored(scan.kind, scan.plain()) == scan
    head, rows = scan.table()
    assert len(rows) == 5
    assert {"trees", "held_bits_per_row", "smoothing", "seconds"} <= {*head}
    assert all(len(row) == len(head) for row in rows)


def test_smoothings_are_compared_for_every_number_of_trees(two_kinds: DataSet) -> None:
    asked = {"components": (1, 2), "smoothings": (0.0, 8.0), "restarts": 2, "max_iterations": 5}
    result = events(two_kinds, **asked)
    points = scan_of(result).points
    tried = [(point.trees, point.smoothing, point.start) for point in points]
    starts = [(2, alpha, start) for alpha in (0.0, 8.0) for start in range(2)]
    assert tried == [(1, 0.0, 0), (1, 8.0, 0), *starts]
    messages = [event.message for event in result if isinstance(event, Progress)]
    assert any(message.startswith("2 trees, start 2 of 2, smoothing 8") for message in messages)


def test_a_penalty_that_is_shared_is_divided_by_the_trees(two_kinds: DataSet) -> None:
    asked = {"components": (2,), "penalty": "constant", "smoothing": 1.0, "max_iterations": 5}
    shared = events(two_kinds, edge_penalty=12.0, share_penalty=True, **asked)
    assert scan_of(shared) == scan_of(events(two_kinds, edge_penalty=6.0, **asked))


def test_the_edges_of_every_restart_are_counted_and_come_back(two_kinds: DataSet) -> None:
    result = adjacency_of(events(two_kinds, components=(2, 3), restarts=3, held_out=0.3))
    tally = result.tally(2)
    assert (tally.total, tally.what) == (6, "trees")
    assert sum(tally.counts.values()) == 6 * 5  # six spanning trees over six variables
    runs = result.tally(3, of_restarts=True)
    assert runs.total == 3
    assert all(1 <= count <= 3 for count in runs.counts.values())
    assert result.tally().total == 6 + 9
    assert restored(result.kind, result.plain()) == result
    assert tally_of(result, number=2) == tally
    head, rows = result.table()
    assert all(len(row) == len(head) for row in rows)
    assert sum(int(str(row[3])) for row in rows) == sum(result.tally().counts.values())


def test_shared_edges_are_counted_once_for_each_tree(two_kinds: DataSet) -> None:
    result = adjacency_of(events(two_kinds, SharedMixtureLearner(), components=(3,), restarts=2))
    tally = result.tally(3)
    assert tally.total == 6
    assert all(count % 3 == 0 for count in tally.counts.values())


def test_a_run_reports_models_before_its_first_start_has_ended(two_kinds: DataSet) -> None:
    result = events(two_kinds, components=(4,), start="shares", tolerance=1e-12, patience=50)
    first = next(index for index, event in enumerate(result) if isinstance(event, ImprovedModel))
    ended = next(index for index, event in enumerate(result) if isinstance(event, ArtifactSaved))
    assert first < ended
    scores = [event.measures["score"] for event in result if isinstance(event, ImprovedModel)]
    assert len(scores) > 1
    assert all(b > a for a, b in pairwise(scores))


def test_a_visible_choice_makes_a_tree_for_each_of_its_states() -> None:
    rng = np.random.default_rng(2)
    data = random_mixture(rng, 5, 3, is_visible=True).sample(600, rng)
    model = model_of(events(data, choice="choice"))
    assert model.choice == "choice"
    assert model.domain == data.domain
    counts = np.bincount(data.column("choice"), minlength=3) / 600
    assert model.weights == pytest.approx(counts, abs=1e-9)
    gaps = with_missing(rng, data, 0.05)
    assert np.isfinite(model_of(events(gaps, choice="choice")).log2_probabilities(gaps)).all()
    with pytest.raises(ParameterError, match="is not a column"):
        events(data, choice="nothing")


def test_shared_edges_are_shared(two_kinds: DataSet) -> None:
    model = model_of(events(two_kinds, SharedMixtureLearner(), components=(3,)))
    assert model.is_shared
    assert len(model.trees) == 3


def test_a_penalty_leaves_edges_out(two_kinds: DataSet) -> None:
    full = model_of(events(two_kinds, components=(2,)))
    few = model_of(events(two_kinds, components=(2,), penalty="constant", edge_penalty=1e6))
    assert sum(full.edge_counts.values()) > 0
    assert not few.edge_counts
    bic = model_of(events(two_kinds, components=(2,), penalty="bic"))
    assert sum(bic.edge_counts.values()) <= sum(full.edge_counts.values())


def test_a_model_to_be_like_lends_its_edges(two_kinds: DataSet) -> None:
    wanted = random_mixture(np.random.default_rng(0), 6, 1).trees[0]
    names = dict(zip(wanted.domain.names, two_kinds.domain.names, strict=True))
    from pgmstudio.core.graphs.dag import Dag
    from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables

    edges = [(names[a], names[b]) for a, b in wanted.edges]
    like = fit_tables(two_kinds, Dag.from_edges(two_kinds.domain.names, edges), 1.0).network
    model = model_of(events(two_kinds, components=(2,), like=like, kappa=1e-300, start="shares"))
    own = {frozenset(edge) for edge in edges}
    for tree in model.trees:
        assert {frozenset(edge) for edge in tree.edges} >= own


@pytest.mark.parametrize("learner", [MixtureLearner(), SharedMixtureLearner()])
def test_rules_about_edges_hold_in_every_tree(two_kinds: DataSet, learner: MixtureLearner) -> None:
    rules = Knowledge(
        required=frozenset({("x0", "x5")}),
        forbidden=frozenset({("x0", "x1"), ("x1", "x0"), ("x3", "x2")}),
    )
    model = model_of(events(two_kinds, learner, components=(3,), knowledge=rules))
    assert broken_rules(model, rules) == []
    assert all(("x0", "x5") in tree.edges for tree in model.trees)
    free = model_of(events(two_kinds, learner, components=(3,)))
    assert broken_rules(free, rules)


def test_rules_and_a_visible_choice_go_together_unless_it_must_have_an_edge() -> None:
    rng = np.random.default_rng(2)
    data = random_mixture(rng, 4, 2, is_visible=True).sample(300, rng)
    one, other = [name for name in data.domain.names if name != "choice"][:2]
    rules = Knowledge(forbidden=frozenset({(one, other), (other, one), ("choice", one)}))
    model = model_of(events(data, choice="choice", knowledge=rules))
    assert all({one, other} != {*edge} for tree in model.trees for edge in tree.edges)
    with pytest.raises(KnowledgeError, match="selects the tree and is in none"):
        events(data, choice="choice", knowledge=Knowledge(required=frozenset({("choice", one)})))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("toward", ["marginal", "uniform"])
def test_every_policy_gives_a_density(two_kinds: DataSet, policy: str, toward: str) -> None:
    few = two_kinds.take_rows(slice(0, 300))
    model = model_of(events(few, components=(2,), policy=policy, toward=toward, smoothing=0.5))
    assert np.isfinite(model.log2_probabilities(two_kinds)).all()


@pytest.mark.parametrize("start", ["classes", "shares", "trees"])
def test_every_start_ends_in_a_mixture(two_kinds: DataSet, start: str) -> None:
    model = model_of(events(two_kinds, components=(2,), start=start))
    assert model.log2_probabilities(two_kinds).mean() > -6


def test_few_rows_are_compared_by_bic_and_that_is_reported() -> None:
    result = events(F1.sample(60, np.random.default_rng(0)))
    notes = [event.message for event in result if isinstance(event, Note)]
    assert any("so BIC chooses" in note for note in notes)
    assert scan_of(result).criterion == "bic"


def test_progress_reports_bits_held_out_bits_and_edges(two_kinds: DataSet) -> None:
    steps = [
        event.counters
        for event in events(two_kinds, components=(2,))
        if isinstance(event, Progress) and "held-out" in event.counters
    ]
    assert steps
    for counters in steps:
        assert {"score", "restart", "EM step", "edges changed", "effective trees"} <= {*counters}
        assert 1 <= counters["effective trees"] <= 2 + 1e-9
        assert counters["weight 1"] + counters["weight 2"] == pytest.approx(1)


def test_rows_given_to_choose_by_leave_all_others_to_learn_from(two_kinds: DataSet) -> None:
    train, held = two_kinds.take_rows(slice(0, 1500)), two_kinds.take_rows(slice(1500, 2000))
    search = MixtureSearch(
        train,
        MixtureParams(components=(2,)),
        is_shared=False,
        rng=np.random.default_rng(0),
        cancel=NEVER,
        held=held,
    )
    *_, last = search.run()
    assert isinstance(last, Finished)
    assert isinstance(last.model, TreeMixture)
    bits = last.model.log2_probabilities(held).mean()
    assert last.measures["score"] == pytest.approx(bits, abs=1e-9)


def test_more_states_than_memory_has_room_for_are_refused_with_a_sentence() -> None:
    domain = Domain.of({f"v{i}": [str(s) for s in range(200)] for i in range(80)})
    data = DataSet(domain, np.zeros((80, 3), dtype=np.uint8))
    message = MixtureLearner().refuses(data)
    assert message is not None
    assert "Leave columns out" in message


def test_random_trees_are_drawn_evenly() -> None:
    rng = np.random.default_rng(0)
    seen: dict[frozenset[frozenset[int]], int] = {}
    for _ in range(3200):
        parents = random_spanning_tree(4, rng)
        edges = frozenset(frozenset((v, p)) for v, p in enumerate(parents) if p is not None)
        seen[edges] = seen.get(edges, 0) + 1
    assert len(seen) == 16
    assert all(len(edges) == 3 for edges in seen)
    assert all(abs(count - 200) < 5 * math.sqrt(200) for count in seen.values())


@pytest.mark.slow
def test_more_trees_never_fall_below_the_single_tree_on_a_shared_density(shared: object) -> None:
    import polars as pl

    parts = []
    for part in ("train", "test"):
        frame = pl.read_csv(f"{shared}/data/density/nltcs/{part}.csv")  # type: ignore[str-bytes-safe]
        domain = Domain.of(dict.fromkeys(frame.columns, "01"))
        parts.append(DataSet(domain, frame.to_numpy().T.astype(np.uint8)))
    train, test = parts
    model, single = model_of(events(train)), model_of(events(train, components=(1,)))
    nats = math.log(2) * model.log2_probabilities(test).mean()
    assert nats > math.log(2) * single.log2_probabilities(test).mean() + 0.5
