"""The learner of decision graphs: a model for every λ, forests of its own, one run in threads."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import hold_out
from pgmstudio.core.errors import Cancelled, ParameterError
from pgmstudio.core.execution.events import NEVER, CancelToken, StopSwitch
from pgmstudio.core.execution.thread_pool import run_in_threads, run_to_end
from pgmstudio.core.experiments.generators.random_models import (
    RandomPdgParams,
    random_decision_graph,
)
from pgmstudio.core.experiments.generators.textbook import LogicParams, logic2
from pgmstudio.core.experiments.plans.plan import LearnerGrid
from pgmstudio.core.experiments.sl_curves.curve import CurvePlan, sl_curve
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.learners import restored
from pgmstudio.core.languages.pdg.learning import population as pdg_population
from pgmstudio.core.languages.pdg.learning.forest import chain, grow_by_gains
from pgmstudio.core.languages.pdg.learning.learner import PdgLearner, tuned_smoothing
from pgmstudio.core.languages.pdg.learning.params import PdgParams
from pgmstudio.core.languages.pdg.learning.population import (
    alone_below,
    between,
    exchanged,
    is_chain,
    with_subtree_below,
)
from pgmstudio.core.languages.pdg.learning.state import PdgRows
from pgmstudio.core.languages.pdg.learning.trace import PdgPoint, PdgScan
from pgmstudio.core.languages.pdg.measures import refitted
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.operators import idle_as_roots
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.params import parse_params
from tests.contracts.test_learners import differences
from tests.decision_graphs import random_graph
from tests.strategies import all_cases, domain_of

LAMBDAS = (0.2, 0.9, 0.6)


def learned(data: DataSet, **given: object) -> list[LearnEvent]:
    params = parse_params(PdgParams, {"population": 4, "lambdas": LAMBDAS, **given})
    rng = np.random.default_rng(0)
    return list(PdgLearner().run(data, params, rng=rng, cancel=NEVER))


def scan_of(events: list[LearnEvent]) -> PdgScan:
    artifacts = [event.artifact for event in events if isinstance(event, ArtifactSaved)]
    assert isinstance(artifacts[-1], PdgScan)
    return artifacts[-1]


@pytest.fixture(scope="module")
def drawn() -> tuple[DecisionGraph, DataSet]:
    rng = np.random.default_rng(2)
    graph = random_decision_graph(RandomPdgParams(variables=6), rng)
    return graph, graph.sample(1500, rng)


def test_every_lambda_gives_a_model_and_the_best_is_the_end(
    drawn: tuple[DecisionGraph, DataSet],
) -> None:
    _, data = drawn
    events = learned(data)
    scan = scan_of(events)
    assert [point.lambda_ for point in scan.points] == sorted(LAMBDAS, reverse=True)
    assert all(isinstance(point.model, DecisionGraph) for point in scan.points)
    sizes = [point.effective_size for point in scan.points]
    assert sizes == sorted(sizes)
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.measures["score"] == max(point.value(scan.criterion) for point in scan.points)
    scores = [event.measures["score"] for event in events if isinstance(event, ImprovedModel)]
    assert scores == sorted(scores)
    assert restored(PdgScan.kind, scan.plain()) is not None
    assert differences(PdgScan.restored(scan.plain()), scan) == []
    head, rows = scan.table()
    assert (head[0], len(rows)) == ("lambda", 3)


def test_the_held_out_rows_choose_and_all_rows_fit_the_end(
    drawn: tuple[DecisionGraph, DataSet],
) -> None:
    _, data = drawn
    events = learned(data, smoothing=0.5)
    best, last = scan_of(events).best(), events[-1]
    assert best.held_bits is not None
    assert isinstance(last, Finished)
    assert isinstance(last.model, DecisionGraph)
    assert best.model is not None
    for mine, expected in zip(
        last.model.parameters, refitted(best.model, data, 0.5).parameters, strict=True
    ):
        assert mine == pytest.approx(expected)


def test_the_size_of_the_score_can_be_the_parameter_count(
    drawn: tuple[DecisionGraph, DataSet],
) -> None:
    _, data = drawn
    forest = "V1->V2, V1->V3, V1->V4, V4->V5, V4->V6"
    given: dict[str, object] = {"forest": forest, "lambdas": (0.95,), "criterion": "bic"}
    for size in ("size_eff", "size_par"):
        (point,) = scan_of(learned(data, size=size, **given)).points
        weighed = point.effective_size if size == "size_eff" else point.parameter_size
        assert point.model is not None
        bits = refitted(point.model, data).log2_probabilities(data).sum()
        assert point.score == pytest.approx(0.05 * bits - 0.95 * weighed)


def test_parity_is_found_with_the_reused_models_and_not_without() -> None:
    data = logic2(LogicParams(), np.random.default_rng(3), 5000)
    given: dict[str, object] = {"lambdas": (0.05, 0.3, 0.9), "forest": "chain", "population": 1}
    printed = {"reuse": "no", "deepen": "no", "evolve": "no"}
    reused = scan_of(learned(data, **given)).points[0]
    alone = scan_of(learned(data, **given, **printed)).points[0]
    assert reused.is_reused
    assert (reused.effective_size, round(reused.train_bits, 1)) == (18, -4)
    assert (alone.effective_size, round(alone.train_bits, 1)) == (10, -5)


@pytest.mark.parametrize("seed", range(5))
def test_parity_gets_its_graph_of_nine_nodes(seed: int) -> None:
    data = logic2(LogicParams(), np.random.default_rng(seed), 1000)
    lambdas = (0.02, 0.05, 0.1, 0.2, 0.3, 0.9, 0.9999)
    events = learned(data, lambdas=lambdas, forest="chain", population=1)
    scan, last = scan_of(events), events[-1]
    sizes = [point.nodes for point in scan.points]
    assert sizes[0] == 5  # without any dependence
    assert sizes[-1] > 9
    assert isinstance(last, Finished)
    assert isinstance(last.model, DecisionGraph)
    assert (sum(last.model.node_counts), last.model.effective_size()) == (9, 18)
    assert PdgScan.restored(scan.plain()).best().lambda_ == scan.best().lambda_


def scan_of_two_bits(train: list[float], held: list[float]) -> PdgScan:
    """A scan of independence (λ 0.9) and dependence (0.1), after the choice of the held rows."""
    rows = all_cases(domain_of([2, 2]))
    learn, test = (replace(rows, weights=np.array(weights)) for weights in (train, held))
    scan = PdgScan("held-out")
    for lambda_, nodes in ((0.9, [0, 0]), (0.1, [0, 1])):
        tables = (np.full((1, 2), 0.5), np.full((max(nodes) + 1, 2), 0.5))
        graph = DecisionGraph(rows.domain, (None, 0), tables, (None, np.array([nodes])))
        model = refitted(graph, learn, 0.5)
        point = PdgPoint.of(model, learn, test, lambda_=lambda_, score=0.0, smoothing=0.5)
        scan = scan.with_point(point)
    return scan.with_choice(learn, test)


@pytest.mark.parametrize(
    ("train", "held", "lambda_"),
    [
        ([250, 250, 250, 250], [100, 100, 100, 100], 0.9),  # no difference
        ([251, 249, 249, 251], [6, 4, 4, 6], 0.9),  # more likely by chance
        ([300, 200, 200, 300], [6, 4, 4, 6], 0.1),  # chance in 20 rows, but not in 1000
        ([300, 200, 200, 300], [4, 6, 6, 4], 0.9),  # the smaller is more likely
    ],
)
def test_the_smallest_graph_within_one_standard_error_is_chosen(
    train: list[float], held: list[float], lambda_: float
) -> None:
    assert scan_of_two_bits(train, held).best().lambda_ == lambda_


def test_a_fixed_forest_is_kept_and_a_wrong_one_refused(
    drawn: tuple[DecisionGraph, DataSet],
) -> None:
    _, data = drawn
    last = learned(data, forest="V2->V1->V3, V2->V4")[-1]
    assert isinstance(last, Finished)
    assert isinstance(last.model, DecisionGraph)
    assert last.model.forest == (1, None, 0, 1, None, None)
    with pytest.raises(ParameterError, match="forest"):
        learned(data, forest="V2->W")


def test_threads_change_no_event(
    drawn: tuple[DecisionGraph, DataSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, data = drawn
    alone = learned(data)
    monkeypatch.setattr(pdg_population, "_CELLS_FOR_THREADS", 0)
    monkeypatch.setattr("pgmstudio.core.languages.pdg.learning.population.core_count", lambda: 3)
    assert differences(learned(data), alone) == []


def counting(upto: int, cancel: CancelToken) -> Generator[int, None, str]:
    for number in range(upto):
        cancel.raise_if_cancelled()
        yield number
    if upto == 4:
        raise ParameterError({"upto": "is 4"})
    return f"{upto}"


@pytest.mark.parametrize("threads", [1, 3])
def test_searches_side_by_side_are_reported_in_order(threads: int) -> None:
    def started(*upto: int) -> Generator[tuple[int, int], None, list[str]]:
        return run_in_threads([partial(counting, n) for n in upto], threads, NEVER)

    assert list(started(3, 0, 2)) == [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1)]
    assert run_to_end(started(3, 0, 2)) == ["3", "0", "2"]
    with pytest.raises(ParameterError, match="is 4"):
        list(started(1, 4, 2))
    switch = StopSwitch()
    running = run_in_threads([partial(counting, 5000)] * 3, threads, switch)
    next(running)
    switch.cancel()
    with pytest.raises(Cancelled):
        list(running)


def test_gains_put_copies_below_each_other_and_leave_room_for_the_rest() -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (3, 2000))
    near = bits[0] ^ (rng.random(2000) < 0.1)
    data = DataSet(domain_of([2] * 4), np.stack([bits[0], bits[1], near, bits[2]]).astype(np.uint8))
    for seed in range(5):
        own = np.random.default_rng(seed)
        forest = run_to_end(grow_by_gains(PdgRows(data), 0.9, own, NEVER))
        assert forest[0] == 2 or forest[2] == 0
        assert sum(above is None for above in forest) == 1
        as_chain = grow_by_gains(PdgRows(data), 0.9, own, NEVER, as_chain=True)
        assert is_chain(run_to_end(as_chain))


def test_changed_forests_are_forests() -> None:
    forest = (None, 0, 1, 1, 0)
    assert with_subtree_below(forest, 1, 4) == (None, 4, 1, 1, 0)
    assert with_subtree_below(forest, 1, 3) is None
    assert alone_below(forest, 1, 4) == (None, 4, 0, 0, 0)
    assert between(forest, 4, 1) == (None, 0, 4, 4, 1)
    assert exchanged(forest, 0, 1) == (1, None, 0, 0, 1)
    assert exchanged(chain(range(4)), 1, 2) == chain([0, 2, 1, 3])
    assert is_chain(between(chain(range(4)), 3, 0))
    assert not is_chain(forest)


def test_idle_variables_become_roots_and_nothing_else_changes() -> None:
    for seed in range(6):
        graph = random_graph(np.random.default_rng(seed), 5, most_nodes=2)
        cases = all_cases(graph.domain)
        freed = idle_as_roots(graph)
        assert freed.log2_probabilities(cases) == pytest.approx(graph.log2_probabilities(cases))
        assert freed.effective_size() <= graph.effective_size()
        counts, forest = freed.node_counts, freed.forest
        assert all(above is None or n > 1 for above, n in zip(forest, counts, strict=True))


def test_holding_out_takes_every_row_once_and_weights_as_rows() -> None:
    rng = np.random.default_rng(1)
    data = random_graph(rng, 3).sample(400, rng).merged()
    train, held = hold_out(data, 0.25, np.random.default_rng(5))
    assert (train.total_weight, held.total_weight) == (300, 100)
    assert train.weights is not None
    assert held.weights is not None
    codes = np.concatenate([train.codes, held.codes], axis=1)
    weights = np.concatenate([train.weights, held.weights])
    both = DataSet(data.domain, codes, weights).merged()
    assert both.row_count == data.row_count
    assert both.total_weight == data.total_weight
    assert data.weights is not None
    odd = DataSet(data.domain, data.codes, data.weights + 0.5)
    parts = hold_out(odd, 0.5, np.random.default_rng(5))
    assert sum(part.row_count for part in parts) == data.row_count


def test_smoothing_is_tuned_to_the_rows_of_a_node() -> None:
    rng = np.random.default_rng(0)
    graph = random_graph(rng, 4, zeros=0.0)
    few, many = graph.sample(40, rng), graph.sample(4000, rng)
    alphas = [tuned_smoothing(graph, d, np.random.default_rng(0), NEVER) for d in (few, many)]
    assert 0 <= alphas[1] <= 10
    for data, alpha in zip((few, many), alphas, strict=True):
        assert np.isfinite(refitted(graph, data, alpha + 1e-6).log2_probabilities(data)).all()


def test_a_curve_takes_all_points_from_one_run(drawn: tuple[DecisionGraph, DataSet]) -> None:
    _, data = drawn
    plan = CurvePlan((LearnerGrid("pdg.learn", {"population": (2,)}),), lambdas=(0.3, 0.9))
    events = sl_curve(plan, data, rng=np.random.default_rng(1), cancel=NEVER)
    points = [event for event in events if isinstance(event, CurvePoint)]
    assert [point.lambda_ for point in points] == [0.3, 0.9]
    assert points[0].effective_size >= points[1].effective_size
    assert points[0].train_log2_likelihood_per_row >= points[1].train_log2_likelihood_per_row


def test_a_random_graph_has_the_size_asked_for() -> None:
    params = RandomPdgParams(variables=15, size=150)
    graph = random_decision_graph(params, np.random.default_rng(4))
    assert 135 <= graph.effective_size() <= 165
    assert len(graph.roots) == 1
    assert max(map(len, graph.children)) <= 2
    with pytest.raises(ParameterError, match="came near"):
        random_decision_graph(RandomPdgParams(variables=2, size=900), np.random.default_rng(4))
