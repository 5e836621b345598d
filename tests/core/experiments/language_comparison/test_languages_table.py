"""The table of a comparison: who is chosen, paired differences, messages."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.experiments.comparison_rows import lines_of
from pgmstudio.core.experiments.language_comparison.candidates import LANGUAGES
from pgmstudio.core.experiments.language_comparison.results import (
    AllSplitsState,
    ComparisonState,
    paired,
    recommended,
    reproduction_message,
    table_csv,
    undistinguished,
    verdict,
)
from pgmstudio.core.experiments.language_comparison.scheduler import (
    RowScores,
    RunEnded,
    RunProgress,
    RunQueued,
    SplitBegan,
    SplitOver,
)
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.run_task import InterimResult, RunDone
from pgmstudio.core.experiments.sl_curves.points import CurvePoint

Floats = NDArray[np.float64]


def test_a_paired_difference_computed_by_hand() -> None:
    one, other = np.array([-1.0, -2.0, -3.0, -4.0]), np.array([-1.5, -2.0, -2.5, -5.0])
    result = paired(one, other)
    # d = ½, 0, −½, 1: mean ¼, Σ(d − ¼)² = 1.25, s.e. √(1.25/3/4), t(0.975; 3) = 3.182446
    assert result.value == pytest.approx(0.25)
    assert result.standard_error == pytest.approx(math.sqrt(1.25 / 12))
    assert result.half == pytest.approx(3.182446 * math.sqrt(1.25 / 12), rel=1e-6)
    assert result.rows == 4
    back = paired(other, one)
    assert back.value == pytest.approx(-0.25)
    assert back.interval is not None
    assert result.interval is not None
    assert back.interval == pytest.approx((-result.interval[1], -result.interval[0]))


def test_minus_infinity_is_explained() -> None:
    logs = np.full(400, -5.0)
    logs[:3] = -np.inf
    state = compared(("pdg", 0.0, 20))
    events = learned("Chow–Liu tree", "tree", logs, valid=0.0, size=10)
    for event in [RunQueued("tree", "Chow–Liu tree", 5.0), *events, RunDone("tree", 1, 2.0)]:
        state.take(event)  # type: ignore[arg-type]
    state.take(RunEnded("tree", "Chow–Liu tree"))
    table = state.table()
    line = next(one for one in lines_of(table, None) if one.title == "Chow–Liu tree")
    assert line.verdict == "P = 0 on 3 rows"
    assert "3 test rows have probability 0" in line.tip
    assert "Chow–Liu tree gives some test rows probability 0" in verdict(table)
    others = lines_of(table, "Chow–Liu tree")
    assert next(one for one in others if one.row.language.key == "pdg").verdict == "best"


def test_a_weight_counts_as_so_many_rows() -> None:
    one, other = np.array([-1.0, -2.0]), np.array([-1.5, -1.0])
    weighed = paired(one, other, np.array([3.0, 2.0]))
    repeated = paired(np.repeat(one, [3, 2]), np.repeat(other, [3, 2]))
    assert weighed.value == pytest.approx(repeated.value)
    assert weighed.interval == pytest.approx(repeated.interval)


def test_no_number_makes_up_for_rows_that_are_ruled_out() -> None:
    one, other = np.array([-1.0, -np.inf, -2.0]), np.array([-2.0, -3.0, -2.5])
    assert paired(one, other).value is None
    assert paired(one, one[::-1]).value == pytest.approx(0.0)  # as many, though others


def learned(title: str, key: str, logs: Floats, *, valid: float, size: int) -> list[object]:
    """The events of a language that was learned with these test rows."""
    family = next(one.family for one in LANGUAGES.values() if one.title == title)
    point = CurvePoint(
        *("x", family, None, 0, size, size, -1.0, float(logs.mean()), 0.1, 10.0, 1.0, {}),
        key=f"{key}-{size:03d}",
        name=title,
        valid_log2_likelihood_per_row=valid,
    )
    return [RowScores(point.key, logs), point]


def compared(*languages: tuple[str, float, int], cut: tuple[str, ...] = ()) -> ComparisonState:
    """A comparison in which languages got so many more bits per row than others, with these sizes;
    time cut some of them short."""
    rng = np.random.default_rng(1)
    base, state = rng.normal(-5, 1, 400), ComparisonState(["tree", "bn", "pdg"])
    titles = {one.key: one.title for one in LANGUAGES.values()}
    for key, bits, size in languages:
        logs = base + bits + rng.normal(0, 0.05, 400)
        events = [
            RunQueued(key, titles[key], 5.0),
            RunProgress(key, titles[key], 0.5, "halfway"),
            *learned(titles[key], key, logs, valid=bits, size=size),
            RunDone(key, 1, 2.0, cut_after=2.0 if key in cut else None),
            RunEnded(key, titles[key]),
        ]
        for event in events:
            state.take(event)  # type: ignore[arg-type]
    return state


def split_events(
    number: int, *languages: tuple[str, float, int], cut: tuple[str, ...] = ()
) -> list[object]:
    """One split of 50 test rows: the languages with their bits per row and sizes."""
    titles = {one.key: one.title for one in LANGUAGES.values()}
    events: list[object] = [SplitBegan(number)]
    for key, bits, size in languages:
        name, logs = f"{key} {number}", np.full(50, bits)
        events += [
            RunQueued(name, titles[key], 5.0),
            *learned(titles[key], name, logs, valid=bits, size=size),
            RunDone(name, 1, 2.0, cut_after=2.0 if key in cut else None),
            RunEnded(name, titles[key]),
        ]
    return [*events, SplitOver(number)]


def test_a_language_is_judged_by_all_splits_that_are_over_and_have_all_languages() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 50), dtype=np.uint8))
    races = AllSplitsState(["tree", "bn"], [PlanRows(data, data, data)] * 4)
    # Three times as good as the tree in one split and worse in the next: not distinguishable.
    both = [("tree", -6.0, 10), ("bn", -2.0, 30)], [("tree", -6.0, 20), ("bn", -7.0, 40)]
    for event in split_events(0, *both[0])[:-1]:
        races.take(event)  # type: ignore[arg-type]
    assert races.table().row("Chow–Liu tree").compared is not None  # shown while it goes on
    races.take(SplitOver(0))
    for event in [*split_events(1, *both[1]), *split_events(2, ("tree", -6.0, 10))]:
        races.take(event)  # type: ignore[arg-type]
    for event in split_events(3, *both[0])[:-1]:  # stopped in the middle
        races.take(event)  # type: ignore[arg-type]
    races.end()
    table = races.table()
    assert table.split_count == 2
    tree, network = (table.row(title).compared for title in ("Chow–Liu tree", "Bayesian network"))
    assert tree is not None
    assert network is not None
    assert (tree.log2_likelihood_per_row, network.log2_likelihood_per_row) == (-6.0, -4.5)
    assert (tree.effective_size, network.effective_size) == (15, 35)
    assert (network.verdict, tree.verdict) == ("best", "not distinguishable")
    pair = table.pairwise()["Chow–Liu tree", "Bayesian network"]
    assert pair.interval == tree.interval
    assert "2 splits" in table.method
    assert [row.language.key for row in undistinguished(table)] == ["bn", "tree"]
    assert "Of those cheaper to query Chow–Liu tree loses least" in verdict(table)


def test_rows_fill_as_languages_finish() -> None:
    state = compared(("tree", 0.0, 10))
    state.take(RunQueued("bn", "Bayesian network", 5.0))
    state.take(RunProgress("bn", "Bayesian network", 0.25, "restart 3"))
    table = state.table()
    states = {row.language.key: row.state for row in table.rows}
    assert states == {"tree": "learned", "bn": "learning", "pdg": "waiting"}
    assert table.row("Bayesian network").fraction == 0.25
    assert table.row("Bayesian network").message == "restart 3"
    assert table.row("Chow–Liu tree").seconds == 2.0
    assert table.ranked[0].language.key == "tree"
    state.end()
    states = {row.language.key: row.state for row in state.table().rows}
    assert states == {"tree": "learned", "bn": "no model", "pdg": "no model"}


def test_validation_rows_choose_the_model_of_a_language_and_test_rows_do_not() -> None:
    state = ComparisonState(["pdg", "tree"])
    good, better = np.full(50, -3.0), np.full(50, -2.0)
    for logs, valid, size in ((better, -9.0, 20), (good, -4.0, 30), (good, -4.0, 25)):
        for event in learned("Probabilistic decision graph", "k", logs, valid=valid, size=size):
            state.take(event)  # type: ignore[arg-type]
    chosen = state.chosen("Probabilistic decision graph")
    assert chosen is not None
    assert chosen.effective_size == 25  # the smaller of the two that are best on validation rows


def test_differences_to_any_reference_are_those_of_the_rows() -> None:
    table = compared(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", -0.01, 20)).table()
    assert table.comparison is not None
    logs = table.comparison.row_log2
    against = table.against("Chow–Liu tree")
    change = logs["Probabilistic decision graph"] - logs["Chow–Liu tree"]
    error = change.std(ddof=1) / math.sqrt(400)
    assert against["Probabilistic decision graph"].value == pytest.approx(change.mean())
    assert against["Probabilistic decision graph"].standard_error == pytest.approx(error)
    pairs = table.pairwise()
    assert len(pairs) == 6
    assert pairs["Probabilistic decision graph", "Chow–Liu tree"].value == pytest.approx(
        change.mean()
    )
    assert pairs["Chow–Liu tree", "Probabilistic decision graph"].value == pytest.approx(
        -change.mean()
    )


def test_the_sentence_takes_the_cheapest_within_one_standard_error_of_the_best() -> None:
    equal = compared(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", -0.004, 20))
    assert "take Probabilistic decision graph" in verdict(equal.table())
    assert "2.0 times cheaper" in verdict(equal.table())
    apart = compared(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", -0.1, 20))
    message = verdict(apart.table())
    assert "Bayesian network is best" in message
    assert (
        "Probabilistic decision graph loses least, 0.098 bits per row at 2.0 times less" in message
    )
    small = compared(("tree", 0.0, 10), ("bn", -0.2, 40))
    assert "Chow–Liu tree is best" in verdict(small.table())
    assert "the cheapest to query: take Chow–Liu tree" in verdict(small.table())
    assert verdict(ComparisonState(["tree"]).table()) == ""


def test_a_language_is_not_taken_because_its_loss_varies_from_split_to_split() -> None:
    # In every split the decision graph loses more than the tree, which is worse than the network;
    # one split in which it loses far more makes its interval contain 0.
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 50), dtype=np.uint8))
    races = AllSplitsState(["tree", "bn", "pdg"], [PlanRows(data, data, data)] * 5)
    losses = [(-0.9, -3.5), (-0.7, -0.8), (-0.8, -0.9), (-0.7, -0.8), (-0.9, -1.0)]
    for number, (tree, graph) in enumerate(losses):
        bits = [("tree", -5 + tree, 20), ("bn", -5.0, 40), ("pdg", -5 + graph, 10)]
        for event in split_events(number, *bits):
            races.take(event)  # type: ignore[arg-type]
    table = races.table()
    verdicts = {row.language.key: row.verdict for row in table.rows}
    assert verdicts == {"tree": "worse", "bn": "best", "pdg": "not distinguishable"}
    assert [row.language.key for row in undistinguished(table)] == ["bn", "pdg"]
    taken = recommended(table)
    assert taken is not None
    assert taken.language.key == "bn"
    assert "take Probabilistic decision graph" not in verdict(table)
    pair = table.pairwise()["Probabilistic decision graph", "Bayesian network"]
    assert pair.value is not None
    assert pair.standard_error is not None
    assert -pair.value > pair.standard_error


def test_a_language_that_was_cut_short_or_has_no_model_takes_no_part_in_the_verdict() -> None:
    state = compared(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", 0.5, 20), cut=("pdg",))
    table = state.table()
    assert table.ranked[0].language.key == "pdg"
    assert table.best is table.row("Bayesian network")
    assert table.row("Probabilistic decision graph").verdict == "cut short"
    assert table.as_dict()["best"] == "Bayesian network"
    text = verdict(table)
    assert text.startswith("Bayesian network is best")
    assert "Probabilistic decision graph was cut short: the verdict is among the others." in text

    state = compared(("tree", -0.3, 10), ("bn", 0.0, 40), cut=("bn",))
    state.end()
    text = verdict(state.table())
    assert text.startswith("Only Chow–Liu tree was learned to its end")
    without = "Probabilistic decision graph has no model: there is no verdict."
    assert f"Bayesian network was cut short; {without}" in text
    shown = {line.title: line.verdict for line in lines_of(state.table(), None)}
    assert (shown["Chow–Liu tree"], shown["Bayesian network"]) == ("reference", "cut short")

    state = compared(("tree", -0.3, 10), ("bn", 0.0, 40), cut=("tree", "bn"))
    assert "Chow–Liu tree and Bayesian network were cut short" in verdict(state.table())
    assert "take" not in verdict(state.table())
    assert recommended(state.table()) is None


def test_a_language_that_was_cut_short_in_one_split_takes_no_part() -> None:
    data = DataSet(Domain.of({"x": "ab"}), np.zeros((1, 50), dtype=np.uint8))
    races = AllSplitsState(["tree", "bn", "pdg"], [PlanRows(data, data, data)] * 2)
    both = [("tree", -6.0, 10), ("bn", -2.0, 30)]
    second = split_events(1, *both, ("pdg", -1.0, 30), cut=("bn", "pdg"))
    for event in [*split_events(0, *both), *second]:
        races.take(event)  # type: ignore[arg-type]
    races.end()
    table = races.table()
    assert table.split_count == 2
    assert table.best is table.row("Chow–Liu tree")
    assert table.row("Bayesian network").verdict == "cut short"
    assert (
        table.row("Probabilistic decision graph").state == "no model"
    )  # in the first split, so it has no numbers


def test_a_table_in_a_file_has_every_language_and_all_digits() -> None:
    state = compared(("tree", -0.3, 10), ("bn", 0.0, 40))
    state.end()
    table = state.table()
    lines = list(csv.DictReader(io.StringIO(table_csv(table))))
    assert [line["language"] for line in lines] == ["bn", "tree", "pdg"]
    tree = table.row("Chow–Liu tree").compared
    assert tree is not None
    assert float(lines[1]["log2_likelihood_per_row"]) == tree.log2_likelihood_per_row
    assert float(lines[1]["difference"]) == tree.difference
    assert lines[2]["log2_likelihood_per_row"] == ""
    report = table.as_dict()
    assert report["best"] == "Bayesian network"
    assert len(report["pairs"]) == 2


def test_a_comparison_run_again_shows_whether_it_is_the_same() -> None:
    first = compared(("tree", -0.3, 10), ("bn", 0.0, 40)).table()
    again = compared(("tree", -0.3, 10), ("bn", 0.0, 40)).table()
    assert reproduction_message(first, again) == ("Reproduced: all 2 results identical.", "success")
    other = compared(("tree", -0.3, 10), ("bn", 0.1, 40)).table()
    message, level = reproduction_message(first, other)
    assert level == "warning"
    assert "1 of 2 results identical; not Bayesian network." in message


def test_models_of_a_run_that_goes_on_stand_in_the_table_until_its_own_come() -> None:
    state = compared(("tree", 0.0, 10))
    state.take(RunQueued("k", "Probabilistic decision graph", 5.0))
    logs = np.full(400, -4.0)
    for valid, size, standing in ((-5.0, 20, ()), (-4.0, 30, ("k-020",)), (-3.0, 25, ())):
        scores, point = learned("Probabilistic decision graph", "k", logs, valid=valid, size=size)
        assert isinstance(scores, RowScores)
        assert isinstance(point, CurvePoint)
        state.take(scores)
        state.take(InterimResult("k", (point,), (*standing, point.key)))
    row = state.table().row("Probabilistic decision graph")
    assert (row.state, len(state.points)) == ("learning", 2)
    assert row.point is not None
    assert row.point.effective_size == 25  # what no longer stands cannot be chosen
    assert row.compared is not None
    assert row.compared.log2_likelihood_per_row == -4.0
    for event in [
        *learned("Probabilistic decision graph", "k", logs, valid=-9.0, size=40),
        RunDone("k", 1, 2.0),
    ]:
        state.take(event)  # type: ignore[arg-type]
    state.take(RunEnded("k", "Probabilistic decision graph"))
    row = state.table().row("Probabilistic decision graph")
    assert row.state == "learned"
    assert row.point is not None
    assert row.point.effective_size == 40


def test_the_best_so_far_of_a_run_that_ends_without_a_word_stays() -> None:
    state = ComparisonState(["pdg"])
    state.take(RunQueued("k", "Probabilistic decision graph", 5.0))
    scores, point = learned(
        "Probabilistic decision graph", "k", np.full(50, -4.0), valid=-5.0, size=20
    )
    assert isinstance(scores, RowScores)
    assert isinstance(point, CurvePoint)
    for event in (
        scores,
        InterimResult("k", (point,), (point.key,)),
        RunEnded("k", "Probabilistic decision graph"),
    ):
        state.take(event)
    state.end()
    row = state.table().row("Probabilistic decision graph")
    assert row.state == "stopped"
    assert row.point is point
    assert row.seconds == point.seconds > 0
