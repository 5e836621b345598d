"""Studies of SL-curves: published numbers, what is read off curves, and a small one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.analysis.query_benchmark import (
    LineFit,
)
from pgmstudio.core.data.transforms import stacked
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.execution.events import NEVER, Progress
from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION, PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.runner import SerialExecutor, run_plan
from pgmstudio.core.experiments.sl_curves.curve import likelihood_ceiling
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import LAMBDA_AIC
from pgmstudio.core.io.experiments import PointFolder
from pgmstudio.studies.recipe_data import read_sources
from pgmstudio.studies.sl_published import (
    BN,
    HYBRID,
    NB,
    PDG,
    published_curves,
    published_pairs,
    published_truths,
)
from pgmstudio.studies.sl_results import (
    SetResult,
    Trail,
    counted_size,
    dominated_fraction,
    fall_after_peak,
    fall_per_doubling,
    height_above,
    query_sweeps,
    rises,
)
from pgmstudio.studies.sl_sets import MADE_SETS, REAL_SETS
from pgmstudio.studies.sl_shapes import tables_of, timing_verdict
from pgmstudio.studies.sl_study import (
    STUDIES,
    StudyParams,
    direct_plan,
    to_ask,
    to_compile,
)
from pgmstudio.studies.sl_verdicts import nearest_trail, verdict
from pgmstudio.studies.study_folder import StudyTask

TINY = StudyParams(
    greediness=(1.0,),
    forests=1,
    patience=1,
    graphs=2,
    most_classes=2,
    queries=5,
    asked_models=2,
    rows=200,
    test_rows=100,
    run_limit=None,
    curve_limit=None,
)


@pytest.fixture(autouse=True, scope="module")
def one_version() -> Iterator[None]:
    """A file saved while the test runs must not make other points."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PINNED_VERSION, "the version under test")
        yield


def point(size: int, train: float, test: float, name: str = BN) -> CurvePoint:
    return CurvePoint(
        "learner", "family", None, 0, size, size, train, test, None, 100.0, 0.5, {}, name=name
    )


# -- the published tables --------------------------------------------------------------------------


def test_every_set_of_the_thesis_has_its_three_languages() -> None:
    names = {data_set.name for data_set in (*REAL_SETS, *MADE_SETS)}
    assert set(published_curves()) == {
        (name, language) for name in names for language in (BN, NB, PDG)
    }
    assert set(published_truths()) == {data_set.name for data_set in MADE_SETS}
    assert set(published_pairs()) <= names


def test_every_published_number_stands_in_the_specification(shared: Path) -> None:
    page = (shared / "spec/sl-curves.md").read_text(encoding="utf-8").replace("−", "-")
    cells = [{c.strip() for c in line.split("|")} for line in page.splitlines()]

    def stands(*values: float) -> bool:
        def is_in(row: set[str], value: float) -> bool:
            return any(_number(cell) == value for cell in row)

        return any(all(is_in(row, value) for value in values) for row in cells)

    for curve in published_curves().values():
        numbers = [n for one in curve.chosen.values() for n in (one.train, one.test)]
        assert stands(*numbers, curve.seconds)
    for pairs in published_pairs().values():
        for pair in pairs:
            assert stands(pair.network.size, pair.network.test, pair.graph.size, pair.graph.test)


def _number(cell: str) -> float | None:
    try:
        return float(cell.split(" ")[0])
    except ValueError:
        return None


def test_published_components_are_whole_numbers() -> None:
    # The divisors of the specification: one cell more a component than ours.
    for name, divisor, components in (("abalone", 35, 39), ("adult", 115, 167), ("nb10", 33, 12)):
        assert published_curves()[name, NB].chosen["max"].size == divisor * components


# -- what is read off curves -----------------------------------------------------------------------


def test_the_height_of_a_curve_is_taken_with_the_best_model_that_is_no_larger() -> None:
    low = [point(10, -3, -3), point(1000, -2, -2)]
    high = [point(10, -2.5, -2.5), point(1000, -1.5, -1.5)]
    assert height_above(high, low) == pytest.approx(0.5)
    assert height_above(low, high) == pytest.approx(-0.5)
    assert height_above(low, low) == 0
    assert math.isnan(height_above(low, [point(2000, -1, -1)]))


def test_the_fall_is_from_the_best_test_bits_to_those_of_the_largest() -> None:
    curve = [point(10, -3, -3), point(100, -2, -2.5), point(400, -1, -2.9)]
    assert fall_after_peak(curve) == pytest.approx(0.4)
    assert fall_per_doubling(curve) == pytest.approx(0.2)
    assert math.isnan(fall_per_doubling(curve[:2]))
    assert rises(curve) == 1
    assert rises(curve, on_test=True) == 0.5


def test_a_point_is_dominated_by_one_no_larger_and_more_likely() -> None:
    curve = [point(10, -3, -3), point(100, -2, -2)]
    others = [point(100, -1, -1)]
    assert dominated_fraction(curve, others, on_test=True) == 0.5
    assert dominated_fraction(curve, curve, on_test=True) == 0


def test_the_best_graph_is_the_smallest_that_loses_no_training_bits() -> None:
    network = point(100, -2.0, -2.2)
    graphs = [
        point(90, -1.9, -2.3, HYBRID),
        point(50, -2.0, -2.24, HYBRID),
        point(20, -2.1, -3, HYBRID),
    ]
    trail = Trail(network, tuple(graphs))
    assert trail.best is graphs[1]
    assert trail.smallest_as_good() is graphs[1]
    assert Trail(network, (graphs[2],)).best is graphs[2]
    other = Trail(point(10, -4, -4), ())
    assert nearest_trail([trail, other], 12) is other
    assert nearest_trail([], 12) is None


def test_classes_count_one_cell_more_a_component() -> None:
    # 39 components over Abalone: Σ(|R| − 1) = 34.
    classes = CurvePoint(
        "nb.latent", "latent-class", None, 0, 39 * 34, 38 + 39 * 34, -1, -1, None, 1, 0, {}, name=NB
    )
    assert counted_size(classes) == 1365


@pytest.mark.parametrize(
    ("gain", "within", "size", "text", "message"),
    [
        (0.02, -0.01, 100, 110, "as good, no larger"),
        (0.3, 0.3, 50, 100, "better, no larger"),
        (0.3, 0.1, 400, 100, "better, no larger"),
        (0.3, 0.0, 400, 100, "better, larger (4.00 ×) (no larger: as good)"),
        (0.3, -0.4, 400, 100, "better, larger (4.00 ×)"),
        (-0.2, -0.4, 400, 100, "worse, larger (4.00 ×)"),
        (-0.2, -0.2, 50, 100, "worse, smaller (0.50 ×)"),
        (-0.2, math.nan, 400, math.nan, "worse"),
        (math.nan, math.nan, 400, math.nan, "nothing published"),
    ],
)
def test_a_verdict_states_likelihood_and_size(
    gain: float, within: float, size: float, text: float, message: str
) -> None:
    assert verdict(gain, within, size, text) == message


def test_a_verdict_on_times_states_whether_they_grow_with_size() -> None:
    line = LineFit(slope=2e-8, intercept=1e-4, slope_error=None, r_squared=0.95)
    assert timing_verdict(line, 1e5, 0.2) == "linear, 10 × as fast"
    assert timing_verdict(line, 1e5, None) == "linear"
    assert timing_verdict(replace(line, r_squared=0.4), 1e5, 0.2) == "grows, not on a line"
    assert timing_verdict(line, 1e3, 0.2) == "fixed costs prevail"
    assert timing_verdict(replace(line, slope=-2e-8), 1e5, 0.2) == "fixed costs prevail"


def test_networks_to_compile_are_small_and_of_different_sizes() -> None:
    points = [point(10, -3, -3), point(10, -2, -3), point(99, -1, -1), point(5, -1, -1, PDG)]
    assert [p.train_log2_likelihood_per_row for p in to_compile(points, 50)] == [-2]


def test_asked_models_span_the_curve_and_hold_the_best() -> None:
    points = [point(size, -1, -abs(size - 70)) for size in range(10, 200, 10)]
    asked = to_ask(points, 150, 4)
    sizes = [p.effective_size for p in asked]
    assert sizes[0] == 10
    assert sizes[-1] == 150
    assert 70 in sizes
    assert len(asked) <= 5


# -- the rows --------------------------------------------------------------------------------------


def test_the_rows_of_a_set_do_not_depend_on_the_others() -> None:
    study = STUDIES["made"]
    data_set = study.only("rnd15").chosen[0]
    one = study.rows(data_set, {}, TINY, 3)
    other = study.only("rnd15, logic1").rows(data_set, {}, TINY, 3)
    assert one.rows.fingerprint == other.rows.fingerprint
    assert one.truth == other.truth
    assert one.rows.fingerprint != study.rows(data_set, {}, TINY, 4).rows.fingerprint
    with pytest.raises(ParameterError, match="rnd15"):
        study.only("nothing")


@pytest.mark.slow
def test_entropies_and_splits_of_the_seven_data_sets_are_the_published_ones(shared: Path) -> None:
    # Acceptance checks 2 and 4, Table 5.5.
    published = {
        "abalone": 9.193,
        "page-blocks": 10.669,
        "mushroom": 12.988,
        "landsat": 12.349,
        "krkopt": 14.776,
        "letter": 13.828,
        "adult": 13.561,
    }
    official = {"adult": (30162, 15060), "landsat": (4435, 2000)}
    study = STUDIES["real"]
    sources = read_sources(study, shared / "data")
    for data_set in study.sets:
        rows = study.rows(data_set, sources, StudyParams(), 0).rows
        together = stacked((rows.train, rows.test))
        if data_set.name == "page-blocks":
            # The source took 5 056 of these 5 473 rows, unknown which; fewer rows, less entropy.
            part = np.random.default_rng(0).permutation(together.row_count)[:5056]
            together = together.take_rows(part)
        entropy = -likelihood_ceiling(together)
        if data_set.name in ("krkopt", "mushroom"):  # all rows distinct
            assert entropy == pytest.approx(math.log2(together.row_count), abs=1e-9)
            assert entropy == pytest.approx(published[data_set.name], abs=5e-4)
        near = {
            "letter": 5e-4,
            "landsat": 5e-4,
            "abalone": 0.01,
            "adult": 0.006,
            "page-blocks": 0.12,
        }
        within = near.get(data_set.name, 0.1)
        assert entropy == pytest.approx(published[data_set.name], abs=within), data_set.name
        counts = rows.train.row_count, rows.test.row_count
        if data_set.name in official:
            assert counts == official[data_set.name]
        else:
            assert counts[1] / sum(counts) == pytest.approx(0.1, abs=0.01), data_set.name


# -- a small study ---------------------------------------------------------------------------------


def of_made(folder: Path, names: str, params: StudyParams = TINY) -> StudyTask:
    return StudyTask(folder, STUDIES["made"].only(names), params, 0, {}, SerialExecutor())


def points_in(folder: Path) -> dict[str, CurvePoint]:
    return {
        key: result
        for part in sorted(folder.glob("*/*/points.jsonl"))
        for key, result in PointFolder(part.parent).points.items()
    }


def test_a_study_gives_all_languages_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    task = of_made(tmp_path, "logic2")
    events = task(NEVER)
    for event in events:  # stopped after the first few points
        if isinstance(event, CurvePoint):
            break
    events.close()  # type: ignore[attr-defined]
    early = points_in(tmp_path)
    assert early
    fractions = [e.fraction for e in task(NEVER) if isinstance(e, Progress)]
    assert fractions == sorted(f for f in fractions if f is not None)
    done = points_in(tmp_path)
    assert {key: done[key].seconds for key in early} == {k: p.seconds for k, p in early.items()}
    assert not [e for e in task(NEVER) if isinstance(e, CurvePoint)]
    (result,) = task.results()
    assert {p.series for p in result.points} == {BN, NB, PDG, HYBRID}
    assert all(
        p.train_log2_likelihood_per_row <= (result.ceiling or 0) + 1e-9 for p in result.points
    )
    assert result.answers
    sweeps = query_sweeps(result)
    assert set(sweeps) == {"queries", "updates"}
    marks = [mark for line in sweeps["queries"].lines for mark in line.marks]
    assert {mark.x for mark in marks} <= {float(counted_size(p)) for p in result.points}
    assert {line.name for line in sweeps["updates"].lines} == {BN, NB, PDG, HYBRID}
    _check_tables(result)
    kept = tmp_path / "logic2" / "answers.jsonl"
    of_another = [json.loads(line) | {"test_bits": -99.0} for line in kept.open()]
    kept.write_text("".join(f"{json.dumps(text)}\n" for text in of_another))
    (result,) = task.results()
    assert not result.answers  # they are of models that are no longer here


def _check_tables(result: SetResult) -> None:
    tables = tables_of([result])
    for table in tables:
        assert all(len(row) == len(table.head) == len(table.sides) for row in table.rows)
        lines = table.markdown().splitlines()
        assert len(lines) == 4 + len(table.rows) + (2 if table.note else 0)
    best = next(table for table in tables if table.title.startswith("The best model on the test"))
    assert [row[1] for row in best.rows] == [BN, NB, PDG, HYBRID]


# -- acceptance checks that take long --------------------------------------------------------------


@pytest.mark.long
def test_the_best_model_of_each_language_comes_near_to_a_random_decision_graph(
    tmp_path: Path,
) -> None:
    # Acceptance check 15: within 0.3 bits of the true model (authors 0.07, 0.20 and 0.26).
    params = StudyParams(greediness=(1.0, 0.7, 0.4), growth=0.1, queries=0)
    task = of_made(tmp_path, "rnd15", params)
    for _ in task(NEVER):
        pass
    (result,) = task.results()
    assert result.truth is not None
    for language in (BN, NB, PDG):
        best = max(p.test_log2_likelihood_per_row for p in result.curve(language))
        assert result.truth.test - best <= 0.3, language


@pytest.mark.long
@pytest.mark.parametrize("name", ["abalone", "page-blocks", "mushroom", "krkopt"])
def test_networks_fall_less_beyond_their_best_than_other_languages(name: str, shared: Path) -> None:
    # Acceptance check 16 on 4 of the 7 real sets. Each language as far as the source went: networks
    # to the λ of AIC, classes without smoothing and to many more than are best; by themselves ours
    # stop growing near their best and have nothing to fall from (docs/studies/sl-curves.md).
    params = StudyParams(run_limit=None, curve_limit=None)
    study = STUDIES["real"].only(name)
    (data_set,) = study.chosen
    actual = study.rows(data_set, read_sources(study, shared / "data"), params, 0)
    plan = direct_plan(data_set, actual, params, 0)
    networks, classes, graphs = plan.learners
    near = tuple(value for value in networks.lambdas if value >= LAMBDA_AIC)
    # A thousandth of a row for each cell: no smoothing, but no test row is impossible.
    many = {"components": ((32, 128, 512, 1024),), "restarts": (1,), "smoothing": (0.001,)}
    networks, classes = replace(networks, lambdas=near), replace(classes, values=many)
    plan = replace(plan, learners=(networks, classes, graphs))
    result = SetResult(data_set, (0, 0), None, None, tuple(_points(plan, actual.rows)))
    assert len(result.curve(BN)) == len(near)
    assert len(result.curve(NB)) == 4
    fall = fall_after_peak(result.curve(BN))
    assert fall < fall_after_peak(result.curve(PDG))
    assert fall < fall_after_peak(result.curve(NB))


def _points(plan: Plan, rows: PlanRows) -> list[CurvePoint]:
    events = run_plan(plan, rows, cancel=NEVER, executor=SerialExecutor())
    return [event for event in events if isinstance(event, CurvePoint)]
