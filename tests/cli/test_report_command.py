"""`pgmstudio report` and `pgmstudio study` on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION
from pgmstudio.core.io.project.project_file import write_project
from tests.core.reports.test_reports import checked, learned_project
from tests.strategies import random_network

Call = Callable[..., Any]


@pytest.fixture(autouse=True, scope="module")
def one_version() -> Iterator[None]:
    """The children of a test must not find another version because a file was saved meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PINNED_VERSION, "the version under test")
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path / "climb.pgmz", learned_project())
    return tmp_path / "climb.pgmz"


def test_a_project_is_written_as_a_page_and_reproduced(
    call: Call, project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.html"
    done = call("report", project, "-o", out, "--reproduce", "--json")
    assert done.code == 0, done.err
    assert done.json["same"] is True
    assert done.json["file"] == str(out)
    output = " ".join(checked(out.read_text(encoding="utf-8")).text)
    assert "The same model, bit for bit." in output


def test_a_result_that_differs_is_named_and_ends_with_two(call: Call, tmp_path: Path) -> None:
    from dataclasses import replace

    made = learned_project()
    other = random_network(np.random.default_rng(9), 4)
    entry = replace(made.models["m1"], model=other)
    write_project(tmp_path / "other.pgmz", replace(made, models={"m1": entry}))
    done = call("report", tmp_path / "other.pgmz", "--reproduce")
    assert done.code == 2
    assert "differs" in done.out
    assert "Climb" in done.out


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ((), "-o OUT.html"),
        (("-o", "out.docx"), ".html"),
    ],
)
def test_where_it_goes_must_be_given(
    call: Call, project: Path, argv: tuple[str, ...], expected: str
) -> None:
    done = call("report", project, *argv)
    assert done.code == 2
    assert expected in done.err


def test_a_missing_source_is_reported(call: Call, tmp_path: Path) -> None:
    done = call("report", tmp_path / "none.pgmz", "-o", tmp_path / "out.html")
    assert done.code == 2
    assert "does not exist" in done.err


def test_studies_are_listed_with_what_they_read(call: Call) -> None:
    output = call("study", "--json").json["studies"]
    assert [one["key"] for one in output] == ["real", "made", "article"]
    assert "adult" in output[0]["sets"]
    assert call("study", "reel").code == 2
    done = call("study", "made")
    assert done.code == 2
    assert "--out" in done.err


@pytest.mark.long
def test_a_study_prints_and_keeps_its_tables(call: Call, tmp_path: Path) -> None:
    small = ["--only", "logic2", "--rows", 200, "--test-rows", 100, "--greediness", 1, "--forests"]
    small += [1, "--graphs", 2, "--most-classes", 2, "--queries", 0, "--processes", 1]
    done = call("study", "made", "--out", tmp_path, *small, "--json")
    assert done.code == 0, done.err
    assert done.json["outcome"] == "finished"
    (own,) = done.json["sets"]
    assert own["points"] > 20
    assert (tmp_path / "logic2.svg").read_text(encoding="utf-8").startswith("<svg")
    table = (tmp_path / "tables.md").read_text(encoding="utf-8")
    again = call("study", "made", "--out", tmp_path, "--tables", *small)
    assert again.code == 0
    assert "The best model on the test rows" in again.out
    assert (tmp_path / "tables.md").read_text(encoding="utf-8") == table


def test_a_report_is_written_as_pdf(call: Call, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    done = call("report", project, "-o", out, "--look", "dark", "--without", "tables,runs")
    assert done.code == 0, done.err
    assert out.read_bytes().startswith(b"%PDF")
