"""What every learner keeps to, over the whole registry."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import Cancelled, KnowledgeError, ParameterError, PgmStudioError
from pgmstudio.core.execution.child_process import in_process
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, StopSwitch
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import all_learners, preset_of, presets_of
from pgmstudio.core.languages.likelihood import log2_likelihood, log2_probabilities
from pgmstudio.core.languages.run_checks import broken_rules, obeys_knowledge, settings_refusal
from pgmstudio.core.learning.base import Finished, ImprovedModel, Learner, LearnEvent
from pgmstudio.core.model import HasDag, Model, ProbabilisticModel
from pgmstudio.core.params import parse_params, specs_of

LEARNERS = list(all_learners().values())
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.key)


# What keeps a learner quick where its outcome does not matter.
QUICK: dict[str, dict[str, object]] = {
    "pdg.learn": {"population": 2, "evolve": False, "max_sweeps": 2},
    "nb.latent": {"components": (1, 2), "restarts": 1},
    "mixture.hidden": {"restarts": 1},
}


def rows(seed: int = 0, count: int = 60, cards: tuple[int, ...] = (2, 3, 2, 2)) -> DataSet:
    rng = np.random.default_rng(seed)
    domain = Domain.of({f"v{i}": map(str, range(card)) for i, card in enumerate(cards)})
    hidden = rng.integers(0, 6, count)
    noise = rng.random((len(cards), count)) < 0.3
    codes = [
        np.where(noisy, rng.integers(0, 6, count), hidden) % card
        for card, noisy in zip(cards, noise, strict=True)
    ]
    return DataSet(domain, np.array(codes, dtype=np.uint8))


def with_missing(data: DataSet, share: float = 0.05) -> DataSet:
    codes = data.codes.copy()
    codes[np.random.default_rng(1).random(codes.shape) < share] = data.missing_code
    return DataSet(data.domain, codes, data.weights)


def has(learner: Learner[Any], name: str) -> bool:
    return any(spec.name == name for spec in specs_of(learner.params_type))


def params_of(learner: Learner[Any], data: DataSet, **chosen: object) -> Any:
    """The defaults but for what the learner has of `chosen`, with a graph where one is needed."""
    known = {name: value for name, value in chosen.items() if has(learner, name)}
    if settings_refusal(learner, parse_params(learner.params_type, known)):
        edges = itertools.pairwise(data.domain.names)
        known["start"] = fit_tables(data, Dag.from_edges(data.domain.names, edges), 1.0).network
    return parse_params(learner.params_type, known)


def run(
    learner: Learner[Any],
    data: DataSet,
    seed: int = 3,
    cancel: CancelToken = NEVER,
    **chosen: object,
) -> Iterable[LearnEvent]:
    params = params_of(learner, data, **chosen)
    return learner.run(data, params, rng=np.random.default_rng(seed), cancel=cancel)


def skip_if_refused(learner: Learner[Any], data: DataSet) -> None:
    if (why := learner.refuses(data)) is not None:
        pytest.skip(why)


def last_of(events: Iterable[LearnEvent]) -> Finished:
    *_, last = events
    assert isinstance(last, Finished)
    return last


def differences(one: Any, other: Any, tolerance: float = 0.0, position: str = "") -> list[str]:
    """Where two values differ, looking into data classes, mappings, sequences and arrays."""
    if type(one) is not type(other):
        return [f"{position}: {type(one).__name__} and {type(other).__name__}"]
    if isinstance(one, np.ndarray):
        same = one.shape == other.shape and np.allclose(
            one, other, rtol=tolerance, atol=tolerance, equal_nan=True
        )
        return [] if same else [f"{position}: arrays"]
    if isinstance(one, float):
        same = one == other or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
        return (
            []
            if same or (math.isnan(one) and math.isnan(other))
            else [f"{position}: {one}, {other}"]
        )
    if dataclasses.is_dataclass(one):
        names = [field.name for field in dataclasses.fields(one) if field.compare]
        parts = [(name, getattr(one, name), getattr(other, name)) for name in names]
    elif isinstance(one, Mapping):
        if list(one) != list(other):
            return [f"{position}: keys {list(one)}, {list(other)}"]
        parts = [(str(key), one[key], other[key]) for key in one]
    elif isinstance(one, tuple | list):
        if len(one) != len(other):
            return [f"{position}: {len(one)} and {len(other)} items"]
        parts = [(str(i), a, b) for i, (a, b) in enumerate(zip(one, other, strict=True))]
    else:
        return [] if one == other else [f"{position}: {one!r}, {other!r}"]
    return [
        result
        for name, a, b in parts
        for result in differences(a, b, tolerance, f"{position}.{name}")
    ]


@every_learner
def test_its_words_are_there(learner: Learner[Any]) -> None:
    assert learner.title
    assert learner.kind
    specs = specs_of(learner.params_type)
    for spec in specs:
        assert spec.title, spec.name
        assert spec.help.endswith("."), spec.name
    parse_params(learner.params_type, {})  # the defaults are allowed
    for preset in presets_of(learner):
        assert parse_params(learner.params_type, preset.settings) != learner.params_type()
        assert preset_of(learner, preset.name) is preset
        assert preset.title
        assert preset.help.endswith(".")


@every_learner
def test_a_run_ends_with_exactly_one_finished_of_the_kind_it_promises(
    learner: Learner[Any],
) -> None:
    data = rows()
    skip_if_refused(learner, data)
    events = list(run(learner, data))
    assert [isinstance(event, Finished) for event in events].count(True) == 1
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.model.kind == learner.kind
    assert isinstance(last.model, Model)
    assert last.model.representation_size() >= 0
    for event in events:
        if isinstance(event, ImprovedModel | Finished):
            assert {*data.domain.names} <= {*event.model.domain.names}
            assert all(isinstance(value, float) for value in event.measures.values())


@every_learner
def test_the_same_seed_gives_the_same_events(learner: Learner[Any]) -> None:
    data = rows(2)
    skip_if_refused(learner, data)
    one, other = list(run(learner, data)), list(run(learner, data))
    assert differences(one, other) == []


@dataclasses.dataclass(frozen=True)
class OneAfterAnother:
    """Tasks that share a child process, so that it is started and warmed up once."""

    tasks: tuple[LearnTask, ...]

    def __call__(self, cancel: CancelToken) -> Iterator[tuple[str, LearnEvent]]:
        for task in self.tasks:
            for event in task(cancel):
                yield task.learner_key, event


def test_a_child_process_gives_the_same_events() -> None:
    data = rows()
    taken = [learner for learner in LEARNERS if learner.refuses(data) is None]
    assert len(taken) > len(LEARNERS) // 2
    tasks = [LearnTask(a.key, data, params_of(a, data), 3) for a in taken]
    there: dict[str, list[LearnEvent]] = {}
    for key, event in in_process(OneAfterAnother(tuple(tasks)), NEVER):
        there.setdefault(key, []).append(event)
    for task in tasks:
        assert differences(list(task(NEVER)), there[task.learner_key]) == [], task.learner_key


@every_learner
def test_stopping_after_any_event_ends_soon_and_keeps_what_was_found(
    learner: Learner[Any],
) -> None:
    data = rows(4)
    skip_if_refused(learner, data)
    total = len(list(run(learner, data)))
    for stop_after in sorted({1, 2, total // 2, total - 1} - {0}):
        switch = StopSwitch()
        seen: list[LearnEvent] = []
        try:
            for event in run(learner, data, cancel=switch):
                seen.append(event)
                if len(seen) == stop_after:
                    switch.cancel()
        except Cancelled:
            pass
        else:
            assert isinstance(seen[-1], Finished)
        assert len(seen) - stop_after <= 3
        for event in seen:
            if not isinstance(event, ImprovedModel):
                continue
            if isinstance(event.model, ProbabilisticModel):
                event.model.sample(3, np.random.default_rng(0))
            if isinstance(event.model, HasDag):  # the order raises for a cycle
                assert len(event.model.dag.topological_order) == len(event.model.domain)


@every_learner
def test_a_run_that_is_stopped_before_it_starts_does_nothing(learner: Learner[Any]) -> None:
    data = rows()
    skip_if_refused(learner, data)
    pressed = StopSwitch()
    pressed.cancel()
    seen: list[LearnEvent] = []
    with pytest.raises(Cancelled):
        seen.extend(run(learner, data, cancel=pressed))
    assert not any(isinstance(event, ImprovedModel | Finished) for event in seen)


@every_learner
def test_a_run_has_a_model_before_its_search_finds_one(learner: Learner[Any]) -> None:
    data = with_missing(rows(12))
    skip_if_refused(learner, data)
    knowledge = Knowledge(required=frozenset({("v0", "v1")}), forbidden=frozenset({("v1", "v2")}))
    for chosen in ({}, {"knowledge": knowledge}):
        params = params_of(learner, data, **chosen)
        events = LearnTask(learner.key, data, params, 3)(NEVER)
        first = next(event for event in events if not isinstance(event, Note))
        assert isinstance(first, ImprovedModel)
        assert first.is_start
        assert first.model.kind == learner.kind
        if isinstance(first.model, ProbabilisticModel):
            assert np.isfinite(log2_likelihood(first.model, data))
        if chosen and obeys_knowledge(learner):
            assert broken_rules(first.model, knowledge) == []


@pytest.mark.long
@every_learner
def test_a_second_on_alarm_is_enough_for_a_model(learner: Learner[Any], shared: Path) -> None:
    data = read_data(shared / "data/seeds/alarm_20000.csv.gz")
    skip_if_refused(learner, data)
    result: list[Model] = []
    try:
        task = LearnTask(learner.key, data, params_of(learner, data), 0)
        for event in task(StopSwitch(seconds=1)):
            if isinstance(event, ImprovedModel | Finished):
                result.append(event.model)
    except Cancelled:
        pass
    assert result
    assert result[-1].kind == learner.kind
    assert result[-1].effective_size() > 0


@every_learner
def test_no_rows_or_no_columns_are_refused_with_a_sentence(learner: Learner[Any]) -> None:
    for data in (
        DataSet(Domain.of({"a": "01", "b": "01"}), np.zeros((2, 0), dtype=np.uint8)),
        DataSet(Domain(()), np.zeros((0, 4), dtype=np.uint8)),
    ):
        message = learner.refuses(data)
        assert message is not None
        assert message.endswith(".")


@every_learner
def test_missing_cells_are_accepted_or_refused_with_a_sentence(learner: Learner[Any]) -> None:
    data = with_missing(rows(5))
    message = learner.on_missing(data)
    assert message.endswith(".")
    assert any(character.isdigit() for character in message)
    refusal = learner.refuses(data)
    if refusal is None:
        last_of(run(learner, data))
    else:
        assert refusal.endswith(".")


@every_learner
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(rows(6, cards=(2, 1, 3)), id="a constant column"),
        pytest.param(
            rows(6, cards=(2, 3, 2)).take_rows(np.zeros(30, dtype=np.intp)), id="equal rows"
        ),
        pytest.param(rows(6, cards=(3,)), id="one column"),
        pytest.param(rows(6, count=1), id="one row"),
        pytest.param(rows(6, cards=(1,), count=5), id="one constant column"),
    ],
)
def test_strange_but_legal_data_are_learned_or_refused(
    learner: Learner[Any], data: DataSet
) -> None:
    skip_if_refused(learner, data)
    last = last_of(run(learner, data))
    if isinstance(last.model, ProbabilisticModel) and last.model.domain == data.domain:
        assert not np.isnan(last.model.log2_probabilities(data)).any()


@pytest.mark.parametrize(
    "learner",
    [a for a in LEARNERS if settings_refusal(a, parse_params(a.params_type, {}))],
    ids=lambda learner: learner.key,
)
def test_a_learner_of_a_given_graph_asks_for_one(learner: Learner[Any]) -> None:
    with pytest.raises(ParameterError, match="start: is needed"):
        list(learner.run(rows(), learner.params_type(), rng=np.random.default_rng(0), cancel=NEVER))


@every_learner
def test_more_parameters_than_rows_are_a_warning_at_the_run(learner: Learner[Any]) -> None:
    few, many = rows(count=4), rows(count=200)
    for data in (few, many):
        skip_if_refused(learner, data)
        task = LearnTask(learner.key, data, params_of(learner, data), 3)
        *_, last = events = list(task(NEVER))
        warned = any(
            isinstance(e, Note) and "free parameters were fitted" in e.message for e in events
        )
        assert isinstance(last, Finished)
        is_distribution = isinstance(last.model, ProbabilisticModel)
        many = last.model.representation_size() > data.row_count
        assert warned == (is_distribution and many)
    assert warned is False


@every_learner
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(seed=st.integers(0, 2**32), draw=st.data())
def test_rules_about_edges_are_kept_or_the_run_reports_that_it_cannot(
    learner: Learner[Any], seed: int, draw: st.DataObject
) -> None:
    data = rows(seed)
    skip_if_refused(learner, data)
    names = data.domain.names
    order = draw.draw(st.permutations(names))
    tiers: tuple[tuple[str, ...], ...] = ()
    if draw.draw(st.booleans()):
        tiers = (tuple(order[:2]), tuple(order[2:]))
    # A path along the order: acyclic, one parent each, and no tier is gone back to.
    path = list(itertools.pairwise(order))
    required = draw.draw(st.sets(st.sampled_from(path), max_size=2))
    arcs = [(a, b) for a in names for b in names if a != b and (a, b) not in required]
    forbidden = draw.draw(st.sets(st.sampled_from(arcs), max_size=5))
    knowledge = Knowledge(frozenset(required), frozenset(forbidden), tiers)
    params = params_of(learner, data, knowledge=knowledge, **QUICK.get(learner.key, {}))
    assert params.knowledge == knowledge
    if tiers and not getattr(learner, "uses_tiers", True):
        with pytest.raises(KnowledgeError, match="Tiers"):
            next(LearnTask(learner.key, data, params, 3)(NEVER))
        return
    events = list(LearnTask(learner.key, data, params, 3)(NEVER))
    notes = [event.message for event in events if isinstance(event, Note)]
    cannot = any("cannot be imposed on this learner" in note for note in notes)
    assert cannot == (not obeys_knowledge(learner) and not knowledge.is_empty)
    for event in events:
        if isinstance(event, ImprovedModel | Finished):
            broken = broken_rules(event.model, knowledge)
            assert broken is not None
            assert broken == [] or cannot


@every_learner
def test_knowledge_that_contradicts_itself_is_refused_before_any_model(
    learner: Learner[Any],
) -> None:
    edge = ("v0", "v1")
    clash = Knowledge(required=frozenset({edge}), forbidden=frozenset({edge}))
    data = rows()
    skip_if_refused(learner, data)
    params = params_of(learner, data, knowledge=clash)
    seen: list[LearnEvent] = []
    with pytest.raises(PgmStudioError, match="v0 → v1 is required, but"):
        seen.extend(LearnTask(learner.key, data, params, 3)(NEVER))
    assert not any(isinstance(event, ImprovedModel | Finished) for event in seen)


@every_learner
@pytest.mark.parametrize("missing", [0.0, 0.05], ids=["complete", "missing cells"])
def test_a_weighted_row_is_as_many_rows(learner: Learner[Any], missing: float) -> None:
    # In any order, and with all that is tuned or chosen on held-out rows.
    data = with_missing(rows(8, 150), missing)
    rng = np.random.default_rng(9)
    weights = rng.integers(1, 4, data.row_count)
    weighted = DataSet(data.domain, data.codes, weights.astype(np.float64))
    expanded = data.take_rows(rng.permutation(np.repeat(np.arange(data.row_count), weights)))
    skip_if_refused(learner, weighted)
    quick = QUICK.get(learner.key, {})
    one, other = (last_of(run(learner, each, **quick)) for each in (weighted, expanded))
    assert differences(one.model, other.model, tolerance=1e-9) == []


@every_learner
def test_no_combination_of_known_states_is_impossible_by_default(learner: Learner[Any]) -> None:
    # Every column says the same, and one state of each was never seen: held-out rows alone would
    # ask for no smoothing at all.
    domain = Domain.of({f"v{i}": "abc" for i in range(3)})
    codes = np.tile(np.arange(300, dtype=np.uint8) % 2, (3, 1))
    data = DataSet(domain, codes)
    skip_if_refused(learner, data)
    model = last_of(run(learner, data)).model
    if not isinstance(model, ProbabilisticModel):
        pytest.skip("what was never seen is impossible in a relation")
    cases = DataSet(domain, np.indices((3, 3, 3), dtype=np.uint8).reshape(3, -1))
    assert np.isfinite(log2_probabilities(model, cases)).all()


@pytest.mark.parametrize(
    "learner",
    [
        learner
        for learner in LEARNERS
        if learner.kind in ("tree", "bayesian-network") and has(learner, "smoothing")
    ],
    ids=lambda learner: learner.key,
)
def test_smoothing_of_0_gives_relative_frequencies(learner: Learner[Any]) -> None:
    data = rows(10)
    skip_if_refused(learner, data)
    model: Any = last_of(run(learner, data, smoothing=0.0)).model
    expected = fit_tables(data, Dag.from_edges(data.domain.names, model.edges), 0.0)
    assert differences(model.tables, expected.network.tables, tolerance=1e-12) == []
