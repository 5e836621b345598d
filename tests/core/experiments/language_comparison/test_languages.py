"""A comparison of languages: one plan, one budget, one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.analysis.model_comparison import compare, row_log2
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, split
from pgmstudio.core.errors import Cancelled, DataError, ParameterError, UnknownNameError
from pgmstudio.core.execution.events import NEVER, StopSwitch
from pgmstudio.core.experiments.language_comparison.candidates import (
    LANGUAGES,
    languages_plan,
    train_valid_test_split,
    train_valid_test_splits,
)
from pgmstudio.core.experiments.language_comparison.results import (
    AllSplitsState,
    ComparisonState,
    LanguageTable,
    recommended,
    verdict,
)
from pgmstudio.core.experiments.language_comparison.scheduler import (
    ASKED,
    USED,
    Budget,
    EvenSharing,
    Finish,
    RowScores,
    RunEnded,
    RunQueued,
    SplitBegan,
    SplitOver,
    SplitsTask,
    elapsed,
)
from pgmstudio.core.experiments.plans import run_task
from pgmstudio.core.experiments.plans.expansion import runs_of_plan
from pgmstudio.core.experiments.plans.run_task import (
    InterimModels,
    InterimResult,
    PointWork,
    RunDone,
)
from pgmstudio.core.experiments.plans.runner import planned_keys
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.learning.artifacts import CollectedModels
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.params import AUTO
from tests.strategies import random_network

Floats = NDArray[np.float64]


def rows_of_a_network(count: int = 300) -> DataSet:
    rng = np.random.default_rng(5)
    return random_network(rng, cardinalities=[2, 3, 2, 2]).sample(count, rng)


# -- rows and plan


def test_without_a_split_the_rows_are_split_by_the_seed_and_none_is_lost() -> None:
    data = rows_of_a_network(200)
    rows = train_valid_test_split(data, seed=3)
    assert rows.valid is not None
    assert (rows.train.row_count, rows.valid.row_count, rows.test.row_count) == (140, 20, 40)
    again = train_valid_test_split(data, seed=3)
    assert again.fingerprint == rows.fingerprint
    assert train_valid_test_split(data, seed=4).fingerprint != rows.fingerprint


def test_the_parts_of_a_split_are_taken_as_they_are() -> None:
    data = rows_of_a_network(200)
    three = split(data, (0.5, 0.2, 0.3), 1)
    rows = train_valid_test_split(data, three, seed=9)
    expected = [part.fingerprint for part in three.parts(data)]
    assert rows.valid is not None
    assert [rows.train.fingerprint, rows.valid.fingerprint, rows.test.fingerprint] == expected
    two = split(data, (0.5, 0.5), 1)
    rows = train_valid_test_split(data, two, seed=9)
    assert rows.valid is not None
    assert rows.test.fingerprint == two.parts(data)[1].fingerprint
    assert (rows.train.row_count, rows.valid.row_count) == (90, 10)


def test_few_rows_are_split_several_times_and_each_is_tested_once() -> None:
    data = rows_of_a_network(301)
    splits = train_valid_test_splits(data, seed=3)
    assert len(splits) == 5
    tested = np.concatenate([part.test.codes for part in splits], axis=1)
    for part in splits:
        assert part.valid is not None
        sizes = [part.train.row_count, part.valid.row_count, part.test.row_count]
        assert sizes == [211, 30, 60]
    # The one row that is left over by rounding is never tested.
    left = Counter(map(tuple, data.codes.T.tolist()))
    left.subtract(map(tuple, tested.T.tolist()))
    assert sorted(+left) == [row for row, count in sorted(left.items()) if count]
    assert sum(left.values()) == 1
    # As counts the same.
    for one, other in zip(splits, train_valid_test_splits(data.merged(), seed=3), strict=True):
        assert canonical(one.test).fingerprint == canonical(other.test).fingerprint
        assert canonical(one.train).fingerprint == canonical(other.train).fingerprint


def test_test_rows_of_their_own_or_many_rows_leave_one_split() -> None:
    data = rows_of_a_network(100)
    assert len(train_valid_test_splits(data, split(data, (0.5, 0.5), 1))) == 1
    assert len(train_valid_test_splits(data, test=data)) == 1
    assert len(train_valid_test_splits(rows_of_a_network(10_000))) == 1
    assert len(train_valid_test_splits(data, count=3, fractions=(0.1, 0.3))) == 3
    with pytest.raises(DataError, match="fewer splits"):
        train_valid_test_splits(data, count=4, fractions=(0.1, 0.3))


def test_the_rows_of_all_splits_are_compared_each_by_the_models_of_its_split() -> None:
    data = rows_of_a_network(200)
    splits = train_valid_test_splits(data, count=2, seed=1)
    plan = languages_plan(["tree"], splits[0], smoothing=1.0)
    states = AllSplitsState(["tree"], splits)
    task = SplitsTask(plan, splits, Budget(600), Finish(), processes=1)
    for event in task(NEVER):
        states.take(event)
    states.end()
    table = states.table()
    assert (table.split_count, table.rows[0].state) == (2, "learned")
    (run,) = runs_of_plan(plan, ())
    logs = []
    for part in splits:
        *_, last = LearnTask(run.learner, part.train, run.params, run.seed)(NEVER)
        assert isinstance(last, Finished)
        logs.append(row_log2(last.model, part.test))
    assert table.comparison is not None
    result = table.comparison.row_log2["Chow–Liu tree"]
    assert result == pytest.approx(np.concatenate(logs))
    bits = sum(float(part.mean()) for part in logs) / 2
    assert table.comparison["Chow–Liu tree"].log2_likelihood_per_row == pytest.approx(bits)
    assert [len(models) for models in table.models_by_split()] == [1, 1]


def table_of(data: DataSet, keys: list[str]) -> LanguageTable:
    """A comparison of two splits in this process, without a budget."""
    splits = train_valid_test_splits(data, count=2, seed=1)
    plan = languages_plan(keys, splits[0])
    state = AllSplitsState(keys, splits)
    for number, rows in enumerate(splits):
        state.take(SplitBegan(number))
        for key, run in planned_keys(plan, rows).items():
            state.take(RunQueued(key, run.name, 60.0))
            for event in PointWork(run, key)(rows, NEVER):
                if isinstance(event, CurvePoint) and event.model is not None:
                    state.take(RowScores(event.key, row_log2(event.model, rows.test)))
                state.take(event)
            state.take(RunEnded(key, run.name))
        state.take(SplitOver(number))
    state.end()
    return state.table()


def test_the_form_of_a_table_does_not_change_what_is_recommended() -> None:
    data = rows_of_a_network(200)
    forms = {
        "rows": data,
        "counts": data.merged(),
        "columns": data.select_columns(reversed(data.domain.names)),
        "order": data.take_rows(np.random.default_rng(3).permutation(data.row_count)),
    }
    tables = {form: table_of(rows, ["latent", "bn", "mixture"]) for form, rows in forms.items()}
    first = tables.pop("rows")
    assert recommended(first) is not None
    for table in tables.values():
        for row, again in zip(first.rows, table.rows, strict=True):
            assert row.compared is not None
            assert again.compared is not None
            assert again.compared.effective_size == row.compared.effective_size
            bits = row.compared.log2_likelihood_per_row
            assert again.compared.log2_likelihood_per_row == pytest.approx(bits, abs=1e-6)
        assert verdict(table) == verdict(first)


def test_the_first_split_has_half_of_the_time_and_the_others_share_the_rest() -> None:
    splits = train_valid_test_splits(rows_of_a_network(200), count=3, seed=1)
    plan = languages_plan(["tree"], splits[0], smoothing=1.0)
    task = SplitsTask(plan, splits, Budget(400, "each"), Finish(), processes=1)
    given = [event.seconds for event in task(NEVER) if isinstance(event, RunQueued)]
    assert given[0] == pytest.approx(2 * given[1])
    assert given[1] == pytest.approx(given[2])


def test_too_few_rows_are_refused_with_a_message() -> None:
    with pytest.raises(DataError, match="no rows to"):
        train_valid_test_split(rows_of_a_network(2))


def test_every_language_is_one_run_for_each_seed_whatever_it_could_sweep() -> None:
    rows = train_valid_test_split(rows_of_a_network())
    plan = languages_plan(LANGUAGES, rows, seeds=(4, 5))
    runs = runs_of_plan(plan, (0.2, 0.5))
    assert [run.name for run in runs] == [one.title for one in LANGUAGES.values() for _ in (4, 5)]
    assert {run.seed for run in runs} == {4, 5}
    with pytest.raises(UnknownNameError, match="ldag"):
        languages_plan(["ldga"], rows)


def test_a_smoothing_that_was_chosen_is_that_of_every_language_with_pseudo_counts() -> None:
    rows = train_valid_test_split(rows_of_a_network())
    for smoothing in (AUTO, 0.25):
        runs = runs_of_plan(languages_plan(LANGUAGES, rows, smoothing=smoothing), (0.2,))
        given = {
            run.name: run.params.smoothing if hasattr(run.params, "smoothing") else AUTO
            for run in runs
        }
        for one in LANGUAGES.values():
            if one.has_pseudo_counts:
                assert given[one.title] == smoothing
            else:
                assert given[one.title] in (AUTO, 1.0)  # its own
    own = [one.key for one in LANGUAGES.values() if not one.has_pseudo_counts]
    assert own == ["mn", "ldag", "mixture"]


# -- the budget


def test_a_budget_of_no_time_is_refused() -> None:
    with pytest.raises(ParameterError, match="budget"):
        Budget(0.0)


def test_a_run_that_is_ended_early_gives_what_it_has_by_then() -> None:
    rows = train_valid_test_split(rows_of_a_network())
    plan = languages_plan(["latent"], rows)
    run = runs_of_plan(plan, ())[0]
    whole = [e for e in PointWork(run)(rows, NEVER) if isinstance(e, CurvePoint)]
    points: list[CurvePoint] = []
    ends: list[RunDone] = []
    for event in PointWork(run)(rows, NEVER, ends=lambda _: len(points) > 0):
        if isinstance(event, CurvePoint):
            points.append(event)
        elif isinstance(event, RunDone):
            ends.append(event)
    assert 1 <= len(points) < len(whole)
    assert ends[0].cut_after is not None
    assert "stopped after" in ends[0].problems[0]
    first, second = points[0], whole[0]
    assert first.test_log2_likelihood_per_row == second.test_log2_likelihood_per_row


class Machine:
    """Processes that make the runs of one split, each as fast as the test says; only the clock and
    the learners are those of the test."""

    def __init__(self, budget: Budget, speeds: Sequence[float]) -> None:
        self._budget, self._speeds = budget, speeds
        self._at: dict[int, int] = {}  # runs by process
        self._suspended: set[int] = set()
        self._waiting: list[int] = []
        self.now = 0.0

    @property
    def free_slots(self) -> int:
        return len(self._speeds) - len(self._at)

    def suspend(self, number: int) -> None:
        self._at = {process: run for process, run in self._at.items() if run != number}
        self._suspended.add(number)

    def resume(self, number: int) -> None:
        self._suspended.discard(number)
        if self.free_slots <= 0:
            self._speeds = [*self._speeds, 1.0]  # one more that only ends
        self._at[next(p for p, _ in enumerate(self._speeds) if p not in self._at)] = number

    def cut(self, needs: Sequence[float], compiling: float = 0.0, step: float = 0.1) -> list[bool]:
        """Which runs are ended before they have had the processor seconds that they need."""
        board = np.zeros((len(needs), 2))
        processes = len(self._speeds)
        sharing = EvenSharing(self._budget, board, len(needs), processes, self)
        was_cut, self._waiting = [False] * len(needs), list(range(len(needs)))
        compile_seconds = [compiling] * len(needs)
        while self._waiting or self._at or self._suspended:
            self.now += step
            for process, speed in enumerate(self._speeds):
                if process not in self._at and self._waiting:
                    self._at[process] = self._waiting.pop(0)
                    sharing.began(self._at[process])
                if process not in self._at:
                    continue
                index = self._at[process]
                if compile_seconds[index] > 0:
                    compile_seconds[index] -= step * speed
                    continue
                board[index, USED] += step * speed
                is_done = board[index, USED] >= needs[index] - 1e-9
                if is_done or board[index, ASKED]:
                    was_cut[index] = not is_done
                    sharing.ended(index)
                    del self._at[process]
            sharing.look()
        return was_cut


def test_load_compiling_and_order_do_not_change_which_languages_are_learned_to_their_end() -> None:
    needs = [0.1, 2.0, 1.0, 20.0, 0.5, 3.0, 4.0, 20.0]
    for seconds, expected in ((5.0, 1.3), (10.0, 3.2), (40.0, 20.0), (80.0, 20.0)):
        for speeds in ([1.0, 1.0], [0.25, 0.25], [1.0, 0.2]):
            for compiling in (0.0, 7.0):
                for order in (needs, needs[::-1], sorted(needs), sorted(needs)[::-1]):
                    machine = Machine(Budget(seconds), speeds)
                    assert machine.cut(order, compiling) == [need > expected for need in order]
                    if speeds == [1.0, 1.0] and not compiling:
                        assert machine.now <= seconds
    each = Machine(Budget(3.5, "each"), [1.0, 1.0]).cut(needs)
    assert each == [need > 3.5 for need in needs]


def test_the_level_of_all_runs_is_what_is_left_when_they_go_on_side_by_side() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        needs = rng.exponential(10.0, int(rng.integers(1, 9))).tolist()
        processes = int(rng.integers(1, 4))
        budget = Budget(float(rng.uniform(10, 100)))
        level = budget.level([], len(needs), processes)
        ended: list[float] = []
        while any(need <= level for need in needs if need not in ended):
            ended.append(min(need for need in needs if need not in ended))
            higher = budget.level(ended, len(needs) - len(ended), processes)
            assert higher >= level - 1e-9
            level = higher
        used = [min(need, level) for need in needs]
        if len(ended) < len(needs) and level > 0.5:  # all that there is was used
            assert elapsed(used, processes) == pytest.approx(0.9 * budget.seconds)
        else:
            assert elapsed(used, processes) <= 0.9 * budget.seconds or level == 0.5


def test_a_comparison_gives_the_models_of_its_learners_and_one_that_is_stopped_gives_none() -> None:
    rows = train_valid_test_split(rows_of_a_network())
    finish = Finish()
    finish.end("Latent class model")  # before it has begun
    state = ComparisonState(["tree", "latent"])
    plan = languages_plan(["latent", "tree"], rows)
    for event in SplitsTask(plan, [rows], Budget(600.0), finish, processes=1)(NEVER):
        state.take(event)
    state.end()
    table = state.table()
    tree, latent = table.row("Chow–Liu tree"), table.row("Latent class model")
    assert (tree.state, latent.state) == ("learned", "no model")
    assert tree.point is not None
    assert isinstance(tree.point.model, Tree)
    assert tree.compared is not None
    expected = compare({"tree": tree.point.model}, rows.test)["tree"]
    assert tree.compared.log2_likelihood_per_row == expected.log2_likelihood_per_row
    assert tree.compared.standard_error == expected.standard_error
    assert tree.point.inference_seconds is not None


def test_stopping_a_comparison_keeps_what_is_there_and_every_language_is_over() -> None:
    rows = train_valid_test_split(rows_of_a_network())
    switch, state = StopSwitch(), ComparisonState(["tree", "latent", "mixture"])
    plan = languages_plan(["tree", "latent", "mixture"], rows)
    task = SplitsTask(plan, [rows], Budget(600.0), Finish(), processes=1)

    def run() -> None:
        for event in task(switch):
            state.take(event)
            if isinstance(event, RunEnded):
                switch.cancel()

    with pytest.raises(Cancelled):
        run()
    state.end()
    table = state.table()
    assert table.row("Chow–Liu tree").state == "learned"
    assert table.row("Mixture of trees").state == "no model"  # it had not begun
    assert all(row.is_over for row in table.rows)


def test_models_of_a_run_are_seen_before_it_is_over_and_its_points_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_task, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(run_task, "MAX_INTERIM_FRACTION", 1e9)
    rows = train_valid_test_split(rows_of_a_network())
    run = runs_of_plan(languages_plan(["pdg"], rows), (0.2, 0.5))[0]
    plain = [e for e in PointWork(run, "k")(rows, NEVER) if isinstance(e, CurvePoint)]
    events = list(PointWork(run, "k", reports_interim=True)(rows, NEVER))
    points = [e for e in events if isinstance(e, CurvePoint)]
    seen = [e for e in events if isinstance(e, InterimResult)]
    assert [numbers(point) for point in points] == [numbers(point) for point in plain]
    assert events.index(seen[0]) < events.index(points[0])
    known = {point.key: point for message in seen for point in message.new}
    assert len(known) == sum(len(message.new) for message in seen)  # each is sent once
    assert {*known}.isdisjoint(point.key for point in points)
    last = [numbers(known[key]) for key in seen[-1].standing]
    assert last == [numbers(point) for point in points]


def numbers(point: CurvePoint) -> tuple[object, ...]:
    """What is measured of a model, without times."""
    return point.lambda_, point.effective_size, point.test_log2_likelihood_per_row


def test_interim_models_keep_to_their_fraction_of_the_time_of_learning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(run_task.time, "perf_counter", lambda: now[0])
    model = random_network(np.random.default_rng(0), cardinalities=[2, 2])
    interim = InterimModels()
    assert not interim.are_due(0.1)
    assert interim.are_due(0.5)
    for _ in interim.of([CollectedModels(model)]):
        now[0] += 1.0  # measuring and sending it took so long
    assert not interim.are_due(39.0)
    assert interim.are_due(41.0)
    assert list(interim.of([CollectedModels(model)])) == []  # nothing new
