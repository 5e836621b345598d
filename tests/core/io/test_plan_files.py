"""Plans in files, and the rows they name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pgmstudio.core.errors import DataError, FileError
from pgmstudio.core.experiments.plans.plan import DataPlan, Plan
from pgmstudio.core.io.data_files import read_data
from pgmstudio.core.io.plan_files import read_plan, read_plan_rows, split_rows

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
    ("name", "text", "said"),
    [
        ("plan.toml", "lambdas = [", "is no TOML"),
        ("plan.json", "{", "line 1"),
        ("plan.toml", "colour = 1\nlearners = ['x']", "colour is not known here"),
        ("plan.txt", "", "ends in .json or .toml"),
    ],
)
def test_what_is_no_plan_is_refused_in_a_sentence(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=said):
        read_plan(tmp_path / name)
    with pytest.raises(FileError, match="is not there"):
        read_plan(tmp_path / "absent.toml")


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
    with pytest.raises(DataError, match="leave rows"):
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
