"""Plans in files, and the rows they name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.errors import DataError, FileError, PgmStudioError
from pgmstudio.core.experiments.plans.expansion import runs_of_plan
from pgmstudio.core.experiments.plans.plan import DataPlan, Plan
from pgmstudio.core.io.data.reader import read_data
from pgmstudio.core.io.experiments import read_plan, read_plan_rows, split_rows

TOML = """
title = "Trees"
lambdas = [0.2, 0.8]

[data]
file = "rows.csv"
test-share = 0.25

[[learners]]
key = "tree.chow-liu"
smoothing = [0, 1]
"""
JSON = """{"title": "Trees", "lambdas": [0.2, 0.8],
"data": {"file": "rows.csv", "test-share": 0.25},
"learners": [{"key": "tree.chow-liu", "smoothing": [0, 1]}]}"""


def test_both_forms_say_the_same_and_files_lie_beside_the_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TOML)
    (tmp_path / "plan.json").write_text(JSON)
    plan = read_plan(tmp_path / "plan.toml")
    assert plan == read_plan(tmp_path / "plan.json")
    assert plan.data is not None
    assert Path(plan.data.file) == tmp_path / "rows.csv"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("plan.toml", "lambdas = [", "is no TOML"),
        ("plan.json", "{", "line 1"),
        ("plan.toml", "colour = 1\nlearners = ['x']", "colour is not known here"),
        ("plan.txt", "", "ends in .json or .toml"),
        ("plan.toml", f"seeds = [{'1' * 5000}]", "thousands of digits"),
        ("plan.toml", f"seeds = {'[' * 900}{']' * 900}", "nested too deeply"),
        ("plan.json", f'{{"seeds": {"[" * 90_000}{"]" * 90_000}}}', "nested too deeply"),
        ("plan.json", f'{{"seeds": [{"1" * 5000}]}}', "seeds must be a list of whole numbers"),
    ],
)
def test_what_is_no_plan_is_refused_with_a_message(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=message):
        read_plan(tmp_path / name)
    with pytest.raises(FileError, match="does not exist"):
        read_plan(tmp_path / "absent.toml")


WHOLE_PLAN: Mapping[str, Any] = {
    "title": "Trees",
    "seeds": [0, 1],
    "lambdas": [0.2, 0.5],
    "time-limit": 60,
    "optima": 1,
    "data": {
        "file": "rows.csv",
        "test-share": 0.1,
        "valid-share": 0.1,
        "split-seed": 0,
        "complete": True,
        "bins": 5,
        "binning": "width",
        "target": "c",
        "frequency": "w",
        "leave-out": ["b"],
        "as-states": ["a"],
        "missing-as-state": True,
    },
    "queries": {"count": 10, "targets": 1, "given": 1, "timed": 2, "seed": 0},
    "learners": [
        {"key": "bn.hill-climb", "max-parents": [1, 2], "score": "bic"},
        {"key": "bn.kes", "name": "KES", "greediness": [[0.3, 1.0]], "lambdas": [0.5]},
        {"key": "mixture.trees", "components": [1, 2], "edge-penalty": 0, "time-limit": 6},
    ],
}
ODD_VALUES = (
    *("x", "", None, True, 1.5, -1, 10**30, 1e300, "1e400", "\ud800", "a\0b"),
    *([], [1], ["x"], [1.5], [True], [None], [[]], [["x"]], {}, {"a": 1}, [{}], [[[[1]]]]),
)


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every entry, of groups and lists too."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        yield (*at, key)
        if isinstance(part, dict | list):
            yield from leaves(part, (*at, key))


@pytest.fixture
def plan_rows(tmp_path: Path) -> Path:
    lines = [f"{i % 2},{i % 3},{1 + i % 2},{i * 0.7},{'nm'[i % 2]}" for i in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,w,x,c", *lines]))
    return tmp_path


@pytest.mark.parametrize("at", list(leaves(WHOLE_PLAN)), ids=lambda at: ".".join(map(str, at)))
def test_a_value_of_any_type_anywhere_is_taken_or_refused_with_a_message(
    plan_rows: Path, at: tuple[Any, ...]
) -> None:
    file = plan_rows / "plan.json"
    for odd in ODD_VALUES:
        plain = json.loads(json.dumps(WHOLE_PLAN))
        inside = plain
        for key in at[:-1]:
            inside = inside[key]
        inside[at[-1]] = odd
        file.write_text(json.dumps(plain))
        with suppress(PgmStudioError):
            plan = read_plan(file)
            runs_of_plan(plan, [0.3])
            if at[0] == "data" and plan.data is not None:
                read_plan_rows(plan.data)


@pytest.mark.parametrize(
    "wrong",
    [
        *('bins = "x"', "bins = 2.5", "bins = true", "bins = [3]", "leave-out = [1]"),
        *("leave-out = true", "frequency = 1.5", 'missing-as-state = "yes"', "binning = ['width']"),
        *("target = 1979-05-27", "as-states = [['a']]", "complete = 1", "split-seed = 1.0"),
    ],
)
def test_options_of_the_rows_are_checked_by_type_with_their_name(
    tmp_path: Path, wrong: str
) -> None:
    (tmp_path / "plan.toml").write_text(
        f"[data]\nfile = 'rows.csv'\n{wrong}\n[[learners]]\nkey = 'tree.chow-liu'\n"
    )
    with pytest.raises(FileError, match=f"data {wrong.split(' ')[0]} must be "):
        read_plan(tmp_path / "plan.toml")


def test_shares_part_the_rows_and_files_of_their_own_come_first(
    sample_data: Path, tmp_path: Path
) -> None:
    file = str(sample_data / "asia_sample.csv")
    whole = read_data(file)
    rows = read_plan_rows(DataPlan(file))
    assert rows.valid is None
    assert rows.train.row_count + rows.test.row_count == whole.row_count
    assert rows.test.row_count == pytest.approx(0.1 * whole.row_count, rel=0.01)
    three = read_plan_rows(DataPlan(file, valid_share=0.2, test_share=0.3))
    assert three.valid is not None
    counts = [part.row_count / whole.row_count for part in (three.train, three.valid, three.test)]
    assert counts == pytest.approx([0.5, 0.2, 0.3], abs=0.01)
    given = read_plan_rows(DataPlan(file, test=file, reference=str(sample_data / "asia.json")))
    assert given.train.row_count == given.test.row_count == whole.row_count
    assert given.reference is not None
    other = read_plan_rows(DataPlan(file, split_seed=1))
    assert other.fingerprint != rows.fingerprint == read_plan_rows(DataPlan(file)).fingerprint


def test_a_plan_without_test_rows_is_refused(sample_data: Path) -> None:
    rows = read_data(sample_data / "asia_sample.csv")
    with pytest.raises(DataError, match="needs test rows"):
        split_rows(rows, DataPlan("", test_share=0.0))
    with pytest.raises(DataError, match="leave no training rows"):
        split_rows(rows, DataPlan("", test_share=0.5, valid_share=0.5))


def test_rows_with_missing_cells_can_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "holes.csv"
    file.write_text("a,b\n" + "x,y\n?,y\nz,w\n" * 20)
    data = DataPlan(str(file), test_share=0.5)
    assert read_plan_rows(data).train.has_missing
    rows = read_plan_rows(replace(data, complete=True))
    assert (rows.train.row_count, rows.test.row_count) == (20, 20)


def test_a_plan_without_data_can_still_be_read(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"learners": ["tree.chow-liu"]}')
    assert read_plan(tmp_path / "plan.json") == Plan.of(["tree.chow-liu"])
