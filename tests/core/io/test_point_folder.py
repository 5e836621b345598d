"""Points saved in a folder: only the point being written is lost when the program dies."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.analysis.model_comparison import row_log2
from pgmstudio.core.analysis.query_benchmark import QueryPlan
from pgmstudio.core.drawing.svg.sl_plot import curve_svg
from pgmstudio.core.errors import Cancelled, FileError
from pgmstudio.core.execution.events import NEVER, CancelToken, StopSwitch
from pgmstudio.core.experiments.plans import run_task
from pgmstudio.core.experiments.plans import run_task as point_work
from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION, PlanRows, point_key
from pgmstudio.core.experiments.plans.plan import LearnerGrid, Plan
from pgmstudio.core.experiments.plans.run_task import InterimResult, PointWork, RunDone
from pgmstudio.core.experiments.plans.runner import ExecutorEvent, SerialExecutor, planned_keys
from pgmstudio.core.experiments.sl_curves.curve import curve_plot
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.io.experiments import POINTS, PointFolder, SavedPlanTask, read_folder_plan
from tests.strategies import random_network

PLAN = Plan(
    (
        LearnerGrid("tree.chow-liu", {"smoothing": (0.0, 1.0)}),
        LearnerGrid("nb.latent", {"components": ([1, 2, 3],), "restarts": (1,)}),
    ),
    lambdas=(0.3, 0.6, 0.9),
)
NO_TIMES: dict[str, object] = {"seconds": None, "inference_seconds": None, "model": None}


@pytest.fixture
def _always_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report every interim model, whatever that costs."""
    monkeypatch.setattr(run_task, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(run_task, "MAX_INTERIM_FRACTION", 1e9)


@pytest.fixture(autouse=True, scope="module")
def one_version() -> Iterator[None]:
    """The children of a test must not find another version because a file was saved meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PINNED_VERSION, "the version under test")
        yield


def rows_of(seed: int = 0) -> PlanRows:
    rng = np.random.default_rng(seed)
    network = random_network(rng, 4, density=0.7, max_parents=2)
    return PlanRows(network.sample(200, rng), network.sample(80, rng))


def ran(folder: Path, plan: Plan = PLAN) -> list[CurvePoint]:
    """Run what is left of the plan; the points that were computed."""
    events = SavedPlanTask(folder, plan, rows_of(), SerialExecutor())(NEVER)
    return [event for event in events if isinstance(event, CurvePoint)]


def plain_points(points: list[CurvePoint]) -> list[dict[str, object]]:
    return [point.as_dict() | NO_TIMES for point in points]


def all_points(folder: Path, plan: Plan = PLAN) -> list[CurvePoint]:
    return PointFolder(folder).points_of(planned_keys(plan, rows_of()))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    ran(folder)
    return folder


def test_points_come_back_as_they_were_with_their_models(tmp_path: Path) -> None:
    plan = replace(PLAN, queries=QueryPlan(count=12, targets=1, given=1))
    computed = ran(tmp_path, plan)
    read = all_points(tmp_path, plan)
    assert plain_points(read) == plain_points(computed)
    folder, rows = PointFolder(tmp_path), rows_of()
    for point in read:
        bits = row_log2(folder.model(point), rows.test).mean()
        assert bits == pytest.approx(point.test_log2_likelihood_per_row, abs=1e-12)
        values = folder.query_values(point)
        assert values is not None
        assert values.mean() == pytest.approx(point.query_log2, abs=1e-12)
    assert read_folder_plan(tmp_path) == plan


def test_the_plot_of_points_read_again_is_the_same_picture(whole: Path, tmp_path: Path) -> None:
    computed = ran(tmp_path)
    assert curve_svg(curve_plot(all_points(tmp_path))) == curve_svg(curve_plot(computed))
    assert curve_svg(curve_plot(all_points(whole))) == curve_svg(curve_plot(computed))


def test_what_is_done_is_not_computed_again_and_a_plan_can_grow(whole: Path) -> None:
    assert ran(whole) == []
    more = replace(PLAN, lambdas=(0.3, 0.5, 0.6, 0.9))
    assert sorted(p.lambda_ or 0 for p in ran(whole, more)) == [0.5, 0.5]
    assert len(all_points(whole, more)) == len(all_points(whole)) + 2


def test_a_file_cut_anywhere_loses_its_last_line_at_most(whole: Path, tmp_path: Path) -> None:
    content = (whole / POINTS).read_bytes()
    ends = [executor + 1 for executor, byte in enumerate(content) if byte == ord("\n")]
    lines = content.splitlines(keepends=True)
    for cut in (*range(0, len(content), 37), *ends, *(end - 1 for end in ends)):
        (tmp_path / POINTS).write_bytes(content[:cut])
        result = PointFolder(tmp_path)
        records = sum(end <= cut for end in ends)
        assert len(result.points) == sum(b'{"point"' in line for line in lines[:records])
        assert len(result.done) == sum(b'{"done"' in line for line in lines[:records])
    # The torn line is taken away before anything is added.
    (tmp_path / POINTS).write_bytes(content[: ends[3] - 5])
    ran(tmp_path)
    assert [json.loads(line) for line in (tmp_path / POINTS).read_text().splitlines()]
    assert plain_points(all_points(tmp_path)) == plain_points(all_points(whole))


CHILD = """
import sys
sys.path.insert(0, {root!r})
from tests.core.io.test_point_folder import PLAN, rows_of
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.plans.runner import SerialExecutor
from pgmstudio.core.io.experiments import SavedPlanTask
from pgmstudio.core.execution.events import NEVER, CancelToken, StopSwitch
for event in SavedPlanTask({folder!r}, PLAN, rows_of(), SerialExecutor())(NEVER):
    if isinstance(event, CurvePoint):
        print(event.key, flush=True)
        sys.stdin.readline()
"""


def test_killing_the_program_loses_at_most_the_point_in_progress(
    whole: Path, tmp_path: Path
) -> None:
    root = str(Path(__file__).resolve().parents[3])
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(root=root, folder=str(tmp_path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    received = []
    for number in range(8):  # six trees, and two of the three models of the last run
        received.append(child.stdout.readline().strip())
        if number < 7:
            child.stdin.write("\n")
            child.stdin.flush()
    child.kill()
    child.wait()
    child.stdin.close()
    child.stdout.close()
    assert set(received) <= set(PointFolder(tmp_path).points)
    computed = ran(tmp_path)  # also shows that the dead writer holds the folder no longer
    assert not set(received) & {point.key for point in computed}
    assert len(computed) == 1
    assert plain_points(all_points(tmp_path)) == plain_points(all_points(whole))


def test_a_run_with_more_time_replaces_the_points_of_the_one_that_was_cut(tmp_path: Path) -> None:
    grid = LearnerGrid("tree.chow-liu", {"smoothing": (1.0,)}, lambdas=(0.3,))
    plan, rows = Plan((grid,), time_limit=60), rows_of()
    (fresh,) = ran(tmp_path / "whole", plan)
    (key,) = planned_keys(plan, rows)
    poor = replace(fresh, test_log2_likelihood_per_row=-99.0, model_file=None)
    with PointFolder(tmp_path / "cut") as cut:  # as a search leaves it that passed two models
        cut.open(plan, rows)
        for number in range(2):
            cut.add(replace(poor, key=point_key(key, number)))
        cut.finish(RunDone(key, 2, 5.0, cut_after=5.0))
    assert len(ran(tmp_path / "cut", replace(plan, time_limit=5))) == 0
    assert len(ran(tmp_path / "cut", plan)) == 1
    assert plain_points(all_points(tmp_path / "cut", plan)) == plain_points([fresh])
    assert len(ran(tmp_path / "cut", plan)) == 0


def test_two_writers_do_not_share_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="there are no such locks here")
    with PointFolder(tmp_path) as first:
        first.open(PLAN, rows_of())
        with PointFolder(tmp_path) as second, pytest.raises(FileError, match="another run"):
            second.open(PLAN, rows_of())


def test_a_damaged_line_is_reported_with_its_number(whole: Path, tmp_path: Path) -> None:
    lines = (whole / POINTS).read_text().splitlines()
    (tmp_path / POINTS).write_text("\n".join([lines[0], "{}}", *lines[1:]]) + "\n")
    with pytest.raises(FileError, match="line 2 is damaged"):
        PointFolder(tmp_path)


def test_adding_needs_an_open_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not open"):
        PointFolder(tmp_path).finish(RunDone("key", 1, 0.5))


def test_why_a_run_gave_nothing_is_kept_and_it_is_not_tried_again(tmp_path: Path) -> None:
    plan = Plan((LearnerGrid("tree.chow-liu", {"root": ("nobody",), "edge-penalty": (0.0,)}),))
    assert ran(tmp_path, plan) == []
    (done,) = PointFolder(tmp_path).done.values()
    assert done.points == 0
    assert "nobody" in done.problems[0]
    lines = (tmp_path / POINTS).read_bytes()
    assert ran(tmp_path, plan) == []
    assert (tmp_path / POINTS).read_bytes() == lines


def test_parameters_that_no_file_can_hold_are_reported_by_what_they_are(tmp_path: Path) -> None:
    rows = rows_of()
    start = random_network(np.random.default_rng(0), 4)
    point = replace(all_points_of_one_tree(tmp_path / "one"), parameters={"start": start, "k": 2})
    with PointFolder(tmp_path / "two") as folder:
        folder.open(PLAN, rows)
        folder.add(point)
    (read,) = PointFolder(tmp_path / "two").points.values()
    assert read.parameters == {"start": "BayesianNetwork", "k": 2}


def all_points_of_one_tree(folder: Path) -> CurvePoint:
    return ran(folder, Plan.of(["tree.chow-liu"], lambdas=(0.5,)))[0]


@pytest.mark.usefixtures("_always_seen")
def test_a_sweep_stopped_on_its_way_through_many_models_keeps_them_and_then_gives_its_own(
    tmp_path: Path,
) -> None:
    graphs = LearnerGrid("pdg.learn", {"population": (2,)}, lambdas=(0.2, 0.5, 0.9))
    plan = Plan((LearnerGrid("tree.chow-liu", {}, lambdas=(0.3,)), graphs))
    switch, rows = StopSwitch(), rows_of()

    def run() -> None:
        for event in SavedPlanTask(tmp_path, plan, rows, LookedAt())(switch):
            if isinstance(event, InterimResult) and event.new[0].family == "pdg":
                switch.cancel()

    with pytest.raises(Cancelled):
        run()
    folder = PointFolder(tmp_path)
    (tree, cut) = folder.done.values()
    assert tree.cut_after is None
    assert cut.cut_after is not None
    assert cut.points >= 1
    assert sum(point.family == "pdg" for point in folder.points.values()) == cut.points
    again = ran(tmp_path, plan)
    assert {point.family for point in again} == {"pdg"}  # the tree was whole
    assert plain_points(all_points(tmp_path, plan))[1:] == plain_points(again)
    assert [point.lambda_ for point in again] == [0.2, 0.5, 0.9]
    assert ran(tmp_path, plan) == []


class LookedAt(SerialExecutor):
    """An executor in this process that reports interim models."""

    def events(
        self, rows: PlanRows, works: Sequence[PointWork], cancel: CancelToken
    ) -> Iterator[tuple[int, ExecutorEvent]]:
        yield from super().events(rows, [replace(w, reports_interim=True) for w in works], cancel)


GRAPHS = Plan((LearnerGrid("pdg.learn", {"population": (2,)}, lambdas=(0.2, 0.5, 0.9)),))


def stopped_at(
    kind: type[CurvePoint | InterimResult], folder: Path, *, is_killed: bool = False
) -> None:
    """Run the graphs and stop when such an event comes, or be killed with the first point then."""
    switch = StopSwitch()
    for event in SavedPlanTask(folder, GRAPHS, rows_of(), LookedAt())(switch):
        if is_killed and switch.is_cancelled and isinstance(event, CurvePoint):
            return
        if isinstance(event, kind):
            switch.cancel()


def test_a_run_stopped_while_its_models_are_measured_gives_the_others_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(point_work, "HAND_OVER_SECONDS", -1.0)
    with pytest.raises(Cancelled):
        stopped_at(CurvePoint, tmp_path)
    assert len(PointFolder(tmp_path).points) == 1
    assert [point.lambda_ for point in ran(tmp_path, GRAPHS)] == [0.5, 0.9]
    assert ran(tmp_path, GRAPHS) == []


@pytest.mark.usefixtures("_always_seen")
def test_a_run_killed_while_it_hands_its_models_over_is_made_again_as_a_whole(
    tmp_path: Path,
) -> None:
    stopped_at(InterimResult, tmp_path, is_killed=True)
    (cut,) = PointFolder(tmp_path).done.values()
    assert cut.cut_after is not None
    assert [point.lambda_ for point in ran(tmp_path, GRAPHS)] == [0.2, 0.5, 0.9]


@pytest.mark.usefixtures("_always_seen")
def test_a_run_stopped_sooner_than_the_last_time_leaves_what_it_gave_then(tmp_path: Path) -> None:
    (key,) = planned_keys(GRAPHS, rows_of())
    before = ran(tmp_path, GRAPHS)
    with PointFolder(tmp_path) as folder:
        folder.open(GRAPHS, rows_of())
        folder.finish(RunDone(key, len(before), 1e6, cut_after=1e6))
    with pytest.raises(Cancelled):
        stopped_at(InterimResult, tmp_path)
    assert plain_points(list(PointFolder(tmp_path).points.values())) == plain_points(before)
    assert len(ran(tmp_path, GRAPHS)) == 3  # it was not whole


def test_a_run_of_one_model_that_is_stopped_gives_no_point(tmp_path: Path) -> None:
    plan = Plan((LearnerGrid("bn.kes", {}, lambdas=(0.3,)),))
    switch = StopSwitch()
    switch.cancel()
    with pytest.raises(Cancelled):
        list(SavedPlanTask(tmp_path, plan, rows_of(), SerialExecutor())(switch))
    assert not PointFolder(tmp_path).points


def test_a_folder_of_the_time_when_aic_was_that_of_the_thesis_reads_as_such(tmp_path: Path) -> None:
    plan = Plan((LearnerGrid("bn.hill-climb", {"score": ("aic-thesis",)}),), lambdas=(0.5,))
    ran(tmp_path, plan)
    for name in (POINTS, "plan.json"):  # as the earlier program wrote them
        text = (tmp_path / name).read_text()
        text = text.replace(', "format": 2', "").replace('"format": 2,', "")
        (tmp_path / name).write_text(text.replace("aic-thesis", "aic"))
    assert read_folder_plan(tmp_path) == plan
    (point,) = PointFolder(tmp_path).points.values()
    assert point.parameters["score"] == "aic-thesis"


def test_a_disk_that_is_full_is_a_sentence_and_loses_no_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with PointFolder(tmp_path) as folder:
        folder.open(PLAN, rows_of())
        folder.finish(RunDone("one", 0, 1.0))
        with monkeypatch.context() as disk:
            disk.setattr("pgmstudio.core.io.experiments.os.write", full)
            with pytest.raises(FileError, match="cannot be written: No space left on device"):
                folder.finish(RunDone("other", 0, 1.0))
    assert list(PointFolder(tmp_path).done) == ["one"]
