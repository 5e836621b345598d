"""The race of languages: one plan, one budget, one table."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.split import split
from pgmstudio.core.errors import Cancelled, DataError, ParameterError, UnknownNameError
from pgmstudio.core.experiments import languages_running
from pgmstudio.core.experiments.compare import compare, row_log2
from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.experiments.languages import LANGUAGES, languages_plan, race_rows
from pgmstudio.core.experiments.languages_running import (
    ASKED,
    DUE,
    Budget,
    Finish,
    LanguagesTask,
    RowScores,
    RunBegan,
    RunOver,
    RunWent,
)
from pgmstudio.core.experiments.languages_table import Race, paired, table_csv
from pgmstudio.core.experiments.languages_variables import (
    VariableBits,
    VariableBitsTask,
    variable_bits,
)
from pgmstudio.core.experiments.languages_words import same_words, verdict
from pgmstudio.core.experiments.plans.expansion import runs_of_plan
from pgmstudio.core.experiments.plans.point_work import PointWork, RunDone
from pgmstudio.core.inference.brute_force import joint_table
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.labelled_dag import LabelledDag
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.processes import Packed
from pgmstudio.core.running import NEVER, StopSwitch
from tests.strategies import random_network

Floats = NDArray[np.float64]


def rows_of_a_network(count: int = 300) -> DataSet:
    rng = np.random.default_rng(5)
    return random_network(rng, cardinalities=[2, 3, 2, 2]).sample(count, rng)


# -- rows and plan


def test_without_a_split_the_rows_are_parted_by_the_seed_and_none_is_lost() -> None:
    data = rows_of_a_network(200)
    rows = race_rows(data, seed=3)
    assert rows.valid is not None
    assert (rows.train.row_count, rows.valid.row_count, rows.test.row_count) == (140, 20, 40)
    again = race_rows(data, seed=3)
    assert again.fingerprint == rows.fingerprint
    assert race_rows(data, seed=4).fingerprint != rows.fingerprint


def test_the_parts_of_a_split_are_taken_as_they_are() -> None:
    data = rows_of_a_network(200)
    three = split(data, (0.5, 0.2, 0.3), 1)
    rows = race_rows(data, three, seed=9)
    expected = [part.fingerprint for part in three.parts(data)]
    assert rows.valid is not None
    assert [rows.train.fingerprint, rows.valid.fingerprint, rows.test.fingerprint] == expected
    two = split(data, (0.5, 0.5), 1)
    rows = race_rows(data, two, seed=9)
    assert rows.valid is not None
    assert rows.test.fingerprint == two.parts(data)[1].fingerprint
    assert (rows.train.row_count, rows.valid.row_count) == (90, 10)


def test_too_few_rows_are_refused_in_a_sentence() -> None:
    with pytest.raises(DataError, match="no rows to"):
        race_rows(rows_of_a_network(2))


def test_every_language_is_one_run_for_each_seed_whatever_it_could_sweep() -> None:
    rows = race_rows(rows_of_a_network())
    plan = languages_plan(LANGUAGES, rows, seeds=(4, 5))
    runs = runs_of_plan(plan, (0.2, 0.5))
    assert [run.name for run in runs] == [one.title for one in LANGUAGES.values() for _ in (4, 5)]
    assert {run.seed for run in runs} == {4, 5}
    with pytest.raises(UnknownNameError, match="ldag"):
        languages_plan(["ldga"], rows)


# -- the budget


def test_a_budget_is_shared_fairly_and_kept_whatever_the_runs_take() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        count, processes = int(rng.integers(1, 15)), int(rng.integers(1, 5))
        budget = Budget(100.0)
        free = [0.0] * processes  # when each process has time again
        spans: list[tuple[float, float]] = []
        for done in range(count):
            number = int(np.argmin(free))
            now = free[number]
            # Those that are over by now; the others are still running or waiting.
            over = len([end for _, end in spans if end <= now])
            share = budget.share(100.0 - now, count - over, processes)
            takes = share if done % 3 else share * rng.random()
            spans.append((now, now + takes))
            free[number] = now + takes
        assert max(free) <= 100.0 + 0.5 * count  # the last may have the least there is
        # Where all need their whole share, all shares are the same.
    assert Budget(60.0).share(60.0, 7, 2) == pytest.approx(15.0)
    assert Budget(60.0).share(45.0, 5, 2) == pytest.approx(15.0)
    assert Budget(60.0).share(0.0, 1, 2) > 0
    assert Budget(60.0, "each").share(3.0, 7, 2) == 60.0


def test_a_budget_of_no_time_is_refused() -> None:
    with pytest.raises(ParameterError, match="budget"):
        Budget(0.0)


def test_a_run_that_is_ended_early_gives_what_it_has_by_then() -> None:
    rows = race_rows(rows_of_a_network())
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


class Clock:
    """A machine that gives a process what the test says."""

    def __init__(self) -> None:
        self.now = self.used = 0.0

    def time(self) -> float:
        return self.now

    def process_time(self) -> float:
        return self.used


def test_a_run_without_a_model_has_its_share_as_processor_time_unless_it_is_asked_to_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, flags = Clock(), np.zeros(1, dtype=np.uint8)
    monkeypatch.setattr(languages_running, "time", clock)
    run = runs_of_plan(languages_plan(["tree"], race_rows(rows_of_a_network())), ())[0]
    work = languages_running._Work(PointWork(run), 0, Packed(b"", None, ()), 10.0, 36.0, 10.0, 76.0)
    term = languages_running._Term(work, flags)
    assert not term.is_over(has_model=True)
    flags[0] = DUE  # others wait
    clock.now, clock.used = 10.0, 1.0
    assert not term.is_over(has_model=False)
    clock.now = 14.0
    assert not term.is_over(has_model=False)
    assert term.is_over(has_model=True)
    assert "it had 4.0 s more" in term.extra_told()
    assert term.extra_told() == ""
    clock.used = 10.0
    assert term.is_over(has_model=False)
    clock.now, clock.used = 76.0, 2.0
    assert term.is_over(has_model=False)
    clock.now, flags[0] = 1.0, ASKED
    assert term.is_over(has_model=False)


def test_a_race_gives_the_models_of_its_learners_and_one_that_is_called_off_gives_none() -> None:
    rows = race_rows(rows_of_a_network())
    finish = Finish()
    finish.end("Latent classes")  # before it has begun
    race = Race(["tree", "latent"])
    plan = languages_plan(["latent", "tree"], rows)
    for event in LanguagesTask(plan, rows, Budget(600.0), finish, processes=1)(NEVER):
        race.take(event)
    race.end()
    table = race.table()
    tree, latent = table.row("Chow–Liu tree"), table.row("Latent classes")
    assert (tree.state, latent.state) == ("learned", "no model")
    assert tree.point is not None
    assert isinstance(tree.point.model, Tree)
    assert tree.compared is not None
    expected = compare({"tree": tree.point.model}, rows.test)["tree"]
    assert tree.compared.log2_likelihood_per_row == expected.log2_likelihood_per_row
    assert tree.compared.standard_error == expected.standard_error
    assert tree.point.inference_seconds is not None


def test_stopping_a_race_keeps_what_is_there_and_every_language_is_over() -> None:
    rows = race_rows(rows_of_a_network())
    switch, race = StopSwitch(), Race(["tree", "latent", "mixture"])
    plan = languages_plan(["tree", "latent", "mixture"], rows)
    task = LanguagesTask(plan, rows, Budget(600.0), Finish(), processes=1)

    def run() -> None:
        for event in task(switch):
            race.take(event)
            if isinstance(event, RunOver):
                switch.cancel()

    with pytest.raises(Cancelled):
        run()
    race.end()
    table = race.table()
    assert table.row("Chow–Liu tree").state == "learned"
    assert table.row("Mixture of trees").state == "no model"  # it had not begun
    assert all(row.is_over for row in table.rows)


# -- the table


def test_a_paired_difference_computed_by_hand() -> None:
    one, other = np.array([-1.0, -2.0, -3.0, -4.0]), np.array([-1.5, -2.0, -2.5, -5.0])
    found = paired(one, other)
    # d = ½, 0, −½, 1: mean ¼, Σ(d − ¼)² = 1.25, s.e. √(1.25/3/4), t(0.975; 3) = 3.182446
    assert found.value == pytest.approx(0.25)
    assert found.standard_error == pytest.approx(math.sqrt(1.25 / 12))
    assert found.half == pytest.approx(3.182446 * math.sqrt(1.25 / 12), rel=1e-6)
    assert found.rows == 4
    back = paired(other, one)
    assert back.value == pytest.approx(-0.25)
    assert back.interval is not None
    assert found.interval is not None
    assert back.interval == pytest.approx((-found.interval[1], -found.interval[0]))


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


def raced(*languages: tuple[str, float, int]) -> Race:
    """A race in which languages got so many more bits per row than others, with these sizes."""
    rng = np.random.default_rng(1)
    base, race = rng.normal(-5, 1, 400), Race(["tree", "bn", "pdg"])
    titles = {one.key: one.title for one in LANGUAGES.values()}
    for key, bits, size in languages:
        logs = base + bits + rng.normal(0, 0.05, 400)
        events = [
            RunBegan(key, titles[key], 5.0),
            RunWent(key, titles[key], 0.5, "halfway"),
            *learned(titles[key], key, logs, valid=bits, size=size),
            RunDone(key, 1, 2.0),
            RunOver(key, titles[key]),
        ]
        for event in events:
            race.take(event)  # type: ignore[arg-type]
    return race


def test_rows_fill_as_languages_finish() -> None:
    race = raced(("tree", 0.0, 10))
    race.take(RunBegan("bn", "Bayesian network", 5.0))
    race.take(RunWent("bn", "Bayesian network", 0.25, "restart 3"))
    table = race.table()
    states = {row.language.key: row.state for row in table.rows}
    assert states == {"tree": "learned", "bn": "learning", "pdg": "waiting"}
    assert table.row("Bayesian network").fraction == 0.25
    assert table.row("Bayesian network").message == "restart 3"
    assert table.row("Chow–Liu tree").seconds == 2.0
    assert table.ranked[0].language.key == "tree"
    race.end()
    states = {row.language.key: row.state for row in race.table().rows}
    assert states == {"tree": "learned", "bn": "no model", "pdg": "no model"}


def test_validation_rows_choose_the_model_of_a_language_and_test_rows_do_not() -> None:
    race = Race(["pdg", "tree"])
    good, better = np.full(50, -3.0), np.full(50, -2.0)
    for logs, valid, size in ((better, -9.0, 20), (good, -4.0, 30), (good, -4.0, 25)):
        for event in learned("PDG", "k", logs, valid=valid, size=size):
            race.take(event)  # type: ignore[arg-type]
    chosen = race.chosen("PDG")
    assert chosen is not None
    assert chosen.effective_size == 25  # the smaller of the two that are best on validation rows


def test_differences_to_any_reference_are_those_of_the_rows() -> None:
    table = raced(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", -0.01, 20)).table()
    assert table.comparison is not None
    logs = table.comparison.row_log2
    against = table.against("Chow–Liu tree")
    change = logs["PDG"] - logs["Chow–Liu tree"]
    error = change.std(ddof=1) / math.sqrt(400)
    assert against["PDG"].value == pytest.approx(change.mean())
    assert against["PDG"].standard_error == pytest.approx(error)
    pairs = table.pairwise()
    assert len(pairs) == 6
    assert pairs["PDG", "Chow–Liu tree"].value == pytest.approx(change.mean())
    assert pairs["Chow–Liu tree", "PDG"].value == pytest.approx(-change.mean())


def test_the_sentence_takes_the_cheapest_of_those_that_cannot_be_told_from_the_best() -> None:
    equal = raced(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", -0.006, 20))
    assert "take PDG" in verdict(equal.table())
    assert "2.0 times cheaper" in verdict(equal.table())
    apart = raced(("tree", -0.3, 10), ("bn", 0.0, 40), ("pdg", -0.1, 20))
    told = verdict(apart.table())
    assert "Bayesian network is best" in told
    assert "PDG loses least, 0.098 bits per row at 2.0 times less" in told
    small = raced(("tree", 0.0, 10), ("bn", -0.2, 40))
    assert "Chow–Liu tree is best" in verdict(small.table())
    assert "the cheapest to ask: take Chow–Liu tree" in verdict(small.table())
    assert verdict(Race(["tree"]).table()) == ""


def test_a_table_in_a_file_has_every_language_and_all_digits() -> None:
    race = raced(("tree", -0.3, 10), ("bn", 0.0, 40))
    race.end()
    table = race.table()
    lines = list(csv.DictReader(io.StringIO(table_csv(table))))
    assert [line["language"] for line in lines] == ["bn", "tree", "pdg"]
    tree = table.row("Chow–Liu tree").compared
    assert tree is not None
    assert float(lines[1]["log2_likelihood_per_row"]) == tree.log2_likelihood_per_row
    assert float(lines[1]["difference"]) == tree.difference
    assert lines[2]["log2_likelihood_per_row"] == ""
    told = table.as_dict()
    assert told["best"] == "Bayesian network"
    assert len(told["pairs"]) == 2


def test_a_race_run_again_says_whether_it_is_the_same() -> None:
    first = raced(("tree", -0.3, 10), ("bn", 0.0, 40)).table()
    again = raced(("tree", -0.3, 10), ("bn", 0.0, 40)).table()
    assert same_words(first, again) == ("Reproduced: all 2 results identical.", "success")
    other = raced(("tree", -0.3, 10), ("bn", 0.1, 40)).table()
    told, level = same_words(first, other)
    assert level == "warning"
    assert "1 of 2 results identical; not Bayesian network." in told


# -- by variable


def test_bits_of_the_variables_add_up_to_those_of_the_row_in_every_language() -> None:
    rng = np.random.default_rng(2)
    network = random_network(rng, cardinalities=[2, 3, 2, 2])
    data = network.sample(25, rng)
    codes = data.codes.copy()
    codes[1, :5] = data.missing_code
    data = DataSet(data.domain, codes)
    joint = joint_table(network)
    for model in (network, LabelledDag.of_network(network), BayesianNetwork.uniform(data.domain)):
        bits = variable_bits(model, data)
        assert bits.sum(axis=0) == pytest.approx(row_log2(model, data))
    bits = variable_bits(network, data)
    assert (bits[1, :5] == 0).all()
    row = data.codes[:, 10]
    before = joint[row[0]].sum()
    assert bits[0, 10] == pytest.approx(math.log2(before))
    assert bits[1, 10] == pytest.approx(math.log2(joint[row[0], row[1]].sum() / before))


def test_means_by_variable_are_over_the_same_rows_for_all_models() -> None:
    rng = np.random.default_rng(3)
    network = random_network(rng, cardinalities=[2, 2, 3])
    data = network.sample(40, rng)
    models = {"true": network, "uniform": BayesianNetwork.uniform(data.domain)}
    found = [e for e in VariableBitsTask(models, data)(NEVER) if isinstance(e, VariableBits)]
    assert [one.name for one in found] == ["true", "uniform"]
    assert sum(found[0].bits.values()) == pytest.approx(row_log2(network, data).mean())
    assert found[1].bits[data.domain.names[2]] == pytest.approx(-math.log2(3))
    few = [e for e in VariableBitsTask(models, data, 7)(NEVER) if isinstance(e, VariableBits)]
    assert {one.rows for one in few} == {7}
