"""Labelled graphs learned: worked optima, laws of κ, cross-validation."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import folds
from pgmstudio.core.execution.events import Note
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.ldag.learning.kappa_path import KappaPath
from pgmstudio.core.languages.ldag.learning.label_search import FULL, STRUCTURES, LabelScores
from pgmstudio.core.languages.ldag.learning.learner import held_out_bits
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import (
    class_count,
    full_partition,
    is_regular,
    label_partitions,
)
from pgmstudio.core.languages.ldag.scores import PartitionScore
from pgmstudio.core.languages.learners import learner_of, restored
from pgmstudio.core.learning.base import Finished, ImprovedModel
from tests.core.languages.ldag.test_labelled_dags import is_equivalent
from tests.ldag_runs import artifact_of, end, labelled_end, nats, run
from tests.ldag_tables import coronary, rows_of, t3

# -- the worked example with three variables


def all_dags(names: tuple[str, ...]) -> list[Dag]:
    subsets = [
        [
            ps
            for size in range(len(names))
            for ps in itertools.combinations([v for v in range(len(names)) if v != c], size)
        ]
        for c in range(len(names))
    ]
    result = []
    for parents in itertools.product(*subsets):
        waiting = set(range(len(names)))
        while ready := {c for c in waiting if not waiting & set(parents[c])}:
            waiting -= ready
        if not waiting:
            result.append(Dag(names, parents))
    return result


def test_of_all_97_labelled_graphs_the_four_equivalent_ones_score_best() -> None:
    data = t3()
    names = data.domain.names
    regular = [classes for classes in label_partitions((2, 2)) if is_regular(classes)]
    worked = {
        1.0: (-1971.415870, -1972.967290),
        0.5: (-1972.109017, -1973.660437),
        0.1: (-1973.718455, -1975.269875),
    }
    for kappa, (first, fifth) in worked.items():
        score = PartitionScore(kappa=kappa)
        scores = LabelScores(data, score)
        result: list[tuple[float, LabelledDag]] = []
        for dag in all_dags(names):
            choices = [
                regular if len(parents) == 2 else [full_partition((2,) * len(parents))]
                for parents in dag.parent_indices
            ]
            for classes in itertools.product(*choices):
                counts = [scores.counts(c, parents) for c, parents in enumerate(dag.parent_indices)]
                total = sum(
                    score.log_likelihood(table, part) + score.log_prior(2, part)
                    for table, part in zip(counts, classes, strict=True)
                )
                rows = [
                    score.rows(table, part) for table, part in zip(counts, classes, strict=True)
                ]
                result.append((total, LabelledDag(data.domain, dag, classes, tuple(rows))))
        assert len(result) == 97
        result.sort(key=lambda pair: -pair[0])
        assert [total for total, _ in result[:4]] == pytest.approx([first] * 4, abs=1e-6)
        assert result[4][0] == pytest.approx(fifth, abs=1e-6)
        for _, model in result[:4]:
            (edge,) = model.labelled_edges
            assert set(edge) == {"2", "3"}
            assert is_equivalent(model, result[0][1])
        best, model = labelled_end("ldag.exact", data, kappa=kappa)
        assert best == pytest.approx(first, abs=1e-6)
        assert model.labelled_edges
    plain = LabelScores(data, PartitionScore(), structure=FULL)
    assert plain.total([(), (0,), (0, 1)]) == pytest.approx(-1975.694438, abs=1e-6)


def test_equivalent_labelled_graphs_of_the_coronary_margin_score_equally() -> None:
    scores = LabelScores(coronary("ABC"), PartitionScore())
    for first, second in ((0, 1), (1, 0)):  # A and B below C, joined either way
        table = scores.counts(second, (first, 2))
        rest = scores.family(2, ()).score + scores.family(first, (2,)).score
        for state, expected in ((0, -3470.168023), (1, -3471.279759)):
            classes = np.array([[0, 1], [2, 3]])
            classes[1, state] = classes[0, state]
            own = PartitionScore().log_likelihood(table, classes)
            assert rest + own == pytest.approx(expected, abs=1e-6)


# -- the coronary table


def test_plain_graphs_of_the_coronary_table_have_their_worked_scores() -> None:
    data = coronary()
    empty = LabelScores(data, PartitionScore()).total([()] * 6)
    assert empty == pytest.approx(-7089.021984, abs=1e-5)
    worked: tuple[tuple[dict[str, object], float], ...] = (
        ({}, -6731.820662),
        ({"score": "k2"}, -6717.013666),
        ({"ess": 2.0}, -6725.811258),
    )
    for more, expected in worked:
        result, _ = labelled_end("ldag.exact", data, structure=FULL, max_parents=None, **more)
        assert result == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("chosen", "worked"),
    [
        pytest.param(
            {"inner": "greedy", "max_parents": None},
            ((-6703.511438, 42), (-6724.676981, 7), (-6729.693148, 2), (-6731.820662, 0)),
            id="greedy labels, no limit",
        ),
        pytest.param(
            {},
            ((-6710.103620, 27), (-6723.823165, 9), (-6729.693148, 2), (-6731.820662, 0)),
            id="as it comes",
        ),
        pytest.param(
            {"inner": "greedy", "max_parents": None, "ess": 2.0},
            ((-6698.806272, None), (-6719.643279, None), (-6724.056301, None), (-6725.811258, 0)),
            id="greedy labels, sample size 2",
        ),
    ],
)
def test_the_best_labelled_graphs_of_the_coronary_table(
    chosen: dict[str, object], worked: tuple[tuple[float, int | None], ...]
) -> None:
    data = coronary()
    plain, _ = labelled_end("ldag.exact", data, structure=FULL, **chosen)
    for kappa, (expected, saved) in zip((1.0, 0.5, 0.1, 0.01), worked, strict=True):
        result, model = labelled_end("ldag.exact", data, kappa=kappa, **chosen)
        assert result == pytest.approx(expected, abs=1e-5)
        assert result >= plain - 1e-9
        assert model.is_regular
        if saved is not None:
            assert model.unlabelled_size() - model.representation_size() == saved


def test_with_exact_labels_the_best_score_never_falls_with_kappa() -> None:
    data = coronary()
    worked = {0.05: -6731.079443, 0.25: -6727.860567, 0.75: -6719.253173, 1.0: -6714.895461}
    result = []
    for kappa in (1e-12, 1e-3, 0.05, 0.25, 0.5, 0.75, 1.0):
        score, model = labelled_end("ldag.exact", data, kappa=kappa, max_parents=3)
        result.append(score)
        if kappa in worked:
            assert score == pytest.approx(worked[kappa], abs=1e-5)
        if kappa == 1e-12:
            assert score == pytest.approx(-6731.820662, abs=1e-5)
            assert model.label_count == 0
    assert all(one <= other + 1e-9 for one, other in itertools.pairwise(result))


def test_hill_climbing_reaches_the_worked_peaks_and_nothing_beats_the_exact_search() -> None:
    data = coronary()
    for kappa, peak in ((0.5, -6724.676981), (0.1, -6730.698428), (0.01, -6732.825942)):
        settings: dict[str, object] = {"kappa": kappa, "inner": "greedy", "max_parents": None}
        result, _ = labelled_end("ldag.greedy", data, **settings)
        exact, _ = labelled_end("ldag.exact", data, **settings)
        assert peak - 1e-5 <= result <= exact + 1e-6


@pytest.mark.parametrize("seed", [3, 4])
def test_with_labels_the_same_seed_never_scores_below_the_search_without(seed: int) -> None:
    data = coronary()
    plain = nats(end(run("ldag.greedy", data, seed, structure=FULL, restarts=2)))
    for kappa in (1.0, 0.1, 1e-12):
        result = nats(end(run("ldag.greedy", data, seed, kappa=kappa, restarts=2)))
        assert result >= plain - 1e-6


def test_by_default_labels_share_the_prior_of_their_graph_and_stay_when_they_are_worth_it() -> None:
    data = t3()
    by_number, _ = labelled_end("ldag.greedy", data, kappa=0.1)
    usual, model = labelled_end("ldag.greedy", data)
    # The complete graph has one table of two parents, with four contexts of odds κ each.
    assert usual == pytest.approx(by_number - 4 * math.log1p(0.1), abs=1e-6)
    assert model.labelled_edges
    # An eighth of the same rows are too few for a label: then the answer is the plain graph.
    few = replace(data, weights=data.weights / 8)
    events = run("ldag.greedy", few)
    plain = nats(end(run("ldag.greedy", few, structure=FULL)))
    assert not end(events).model.labelled_edges
    assert nats(end(events)) == pytest.approx(plain, abs=1e-9)
    assert any("No labels were found" in e.message for e in events if isinstance(e, Note))


@pytest.mark.parametrize(("tilt", "stays"), [(0.05, True), (0.1, False)])
def test_a_probable_label_goes_where_rows_left_out_are_better_predicted_without(
    tilt: float, stays: bool
) -> None:
    """Two rows of nine states and 5 000 counts, nearly equal: merged they save 8 parameters.

    The label pays as long as it costs less than ½ · 8 · ln 2 500 − 8 · ln 10 ≈ 13 nats of
    likelihood, and predicts better as long as it costs less than the 8 parameters' noise, 8/2 for
    each of the two. Tilted by ε it costs about 1 250 ε²: 3 and 12 nats.
    """
    even, steep = np.ones(9), np.linspace(1, 3, 9)
    tilted = even + tilt * np.tile([-1.0, 1.0], 5)[:9]
    rows = np.array([[even, tilted], [steep, steep[::-1]]])
    data = rows_of(np.round(5000 * rows / rows.sum(axis=-1, keepdims=True)), "abc")
    settings = {"knowledge": Knowledge(frozenset({("a", "c"), ("b", "c")}))}
    notes = end(run("ldag.greedy", data, kappa=0.1, prior="shared", **settings))
    assert notes.model.labelled_edges == (("b", "c"),)
    events = run("ldag.greedy", data, **settings)
    assert bool(end(events).model.labelled_edges) == stays
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any("left-out" in note for note in notes) != stays


def test_labels_for_a_given_graph_keep_its_edges_and_never_lower_its_score() -> None:
    data = coronary()
    edges = [("A", "D"), ("E", "D"), ("C", "E"), ("B", "E"), ("C", "A"), ("F", "E")]
    start, _ = LabelScores(data, PartitionScore()).model(Dag.from_edges(tuple("ABCDEF"), edges))
    for kappa in (1.0, 0.1, 1e-12):
        events = run("ldag.labels", data, start=start, kappa=kappa)
        last = end(events)
        assert isinstance(last.model, LabelledDag)
        assert set(last.model.edges) == set(edges)
        assert last.measures["score"] >= last.measures["score_without_labels"] - 1e-9
        assert (last.model.label_count > 0) == (kappa > 1e-12)
    assert any(isinstance(event, ImprovedModel) for event in events)


# -- every model that comes out


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), structure=st.sampled_from(STRUCTURES))
def test_every_model_is_acyclic_regular_and_as_its_measures_say(seed: int, structure: str) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 12, size=(2, 3, 2, 2)).astype(np.float64)
    counts[0, 0, 0, 0] += 1
    data = rows_of(counts, "abcd")
    for event in run("ldag.greedy", data, structure=structure, kappa=0.7, restarts=1):
        if isinstance(event, ImprovedModel | Finished):
            model = event.model
            assert isinstance(model, LabelledDag)
            assert model.is_regular
            assert model.is_labelled or structure in ("free", "extended-tree", "default-table")
            assert event.measures["parameters"] == model.representation_size()
            assert event.measures["edges"] == len(model.edges)
            bits = model.log2_probabilities(data) @ counts.ravel() / counts.sum()
            assert event.measures["log2_likelihood_per_row"] == pytest.approx(bits)


def test_contexts_without_rows_are_reported() -> None:
    counts = np.zeros((2, 2, 2))
    counts[0, 0], counts[0, 1], counts[1, 0] = (40, 10), (12, 38), (38, 12)
    data = rows_of(counts, "abc")
    start, _ = LabelScores(data, PartitionScore()).model(
        Dag.from_edges(("a", "b", "c"), [("a", "c"), ("b", "c")])
    )
    notes = [e.message for e in run("ldag.labels", data, start=start, kappa=1.0) if type(e) is Note]
    assert any("no support in the data" in note for note in notes)


# -- κ by cross-validation


def test_held_out_rows_are_scored_by_the_counts_of_the_others() -> None:
    data = coronary("ABD")
    assert data.total_weight == 1841
    dag = Dag.from_edges(("A", "B", "D"), [("A", "D"), ("B", "D")])
    seen = 0.0
    for train, held in folds(data, 4, np.random.default_rng(0)):
        seen += held.total_weight
        assert train.total_weight + held.total_weight == 1841
        model, _ = LabelScores(train, PartitionScore()).model(dag)
        changed = held.take_rows(np.zeros(held.row_count, dtype=np.intp))
        again, _ = LabelScores(train, PartitionScore()).model(dag)
        assert held_out_bits(model, changed) == held_out_bits(again, changed)
        counts = LabelScores(train, PartitionScore()).counts(2, (0, 1))
        q = class_count(model.classes[2])
        if q == 4:
            by_hand = (counts[0, 0, 1] + 1 / 8) / (counts[0, 0].sum() + 1 / 4)
            assert model.as_bayesian_network.tables[2][0, 0, 1] == pytest.approx(by_hand)
        assert held_out_bits(model, held) == pytest.approx(
            float(np.average(model.log2_probabilities(held), weights=held.weights))
        )
    assert seen == 1841


def test_one_kappa_to_try_is_the_one_chosen() -> None:
    events = run("ldag.greedy", coronary("ABCD"), kappa="auto", kappas=(0.3,), restarts=0)
    assert end(events).measures["kappa"] == 0.3
    path = artifact_of(events)
    assert [point.kappa for point in path.points] == [0.3]


def test_the_path_of_kappa_has_a_model_for_each_and_the_best_is_the_end() -> None:
    events = run(
        "ldag.greedy", coronary("ABCDE"), kappa="auto", kappas=(1.0, 0.1, 0.0), folds=3, restarts=0
    )
    path = artifact_of(events)
    assert isinstance(path, KappaPath)
    assert [point.kappa for point in path.points] == [0.0, 0.1, 1.0]
    assert path.points[0].labels == 0
    best = max(path.points, key=lambda point: point.held_bits or -math.inf)
    last = end(events)
    assert last.measures["kappa"] == best.kappa
    assert last.model is best.model
    again = restored(path.kind, json.loads(json.dumps(path.plain())))
    assert isinstance(again, KappaPath)
    assert again.table() == path.table()
    for one, other in zip(again.points, path.points, strict=True):
        assert one.model.edges == other.model.edges
        for mine, theirs in zip(one.model.rows, other.model.rows, strict=True):
            assert (mine == theirs).all()


def test_too_many_columns_for_the_exact_search_are_refused_with_a_sentence() -> None:
    codes = np.zeros((13, 4), dtype=np.uint8)
    names = "abcdefghijklm"
    domain = rows_of(np.ones((2,) * 2), "xy").domain
    wide = type(domain).of(dict.fromkeys(names, "01"))
    why = learner_of("ldag.exact").refuses(DataSet(wide, codes))
    assert why is not None
    assert "at most 12 columns and there are 13" in why
