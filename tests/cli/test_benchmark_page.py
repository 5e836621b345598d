"""The manual's page of benchmarks is made from the lines that they print."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def run_all() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_all", ROOT / "benchmarks/run_all.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LINES = [
    "# 2026-01-01, Linux.",
    "score, alarm, PGM Studio, 0.1, 0.50000, 3 | 4, of 5, 20 MB, 1.0x",
    "grow, asia, bn.kes, 0.1, 0.10000, rows^1.0, 20 MB, -",
    "score, alarm, peer, 2.0, 1.00000, same, 20 MB, 2.0x",
    "plot: pictures/growth-rows.svg",
    "note: Rows are merged.",
    "a sentence, with, many, commas, but, no, seconds, in it",
]


def test_lines_of_benchmarks_become_a_table_for_each_task_and_other_lines_are_left_out(
    run_all: ModuleType,
) -> None:
    text = run_all.page({"all_scores": LINES})
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Benchmarks",
        "## All scores",
        "### Score",
        "### Grow",
    ]
    assert "2026-01-01, Linux. Rows are merged." in text
    assert "| alarm | PGM Studio | 0.1 | 0.50000 | 3 / 4, of 5 | 20 MB | 1.0x |" in text
    assert "| alarm | peer | 2.0 | 1.00000 | same | 20 MB | 2.0x |" in text
    assert "![Growth rows](pictures/growth-rows.svg)" in text
    assert "sentence" not in text
    assert all(line.count("|") == 8 for line in text.splitlines() if line.startswith("|"))


def test_a_benchmark_that_runs_again_replaces_its_own_lines_only(
    run_all: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_all, "STORED", tmp_path / "results" / "benchmarks.txt")
    monkeypatch.setattr(run_all, "PAGE", tmp_path / "benchmarks.md")
    again = ["# today", "search, asia, PGM Studio, 0.1, 1.00000, -, 20 MB, 1.0x"]
    run_all.store({"scores": LINES})
    run_all.store({**run_all.stored_runs(), "search": ["# before", again[1]]})
    run_all.store({**run_all.stored_runs(), "search": again})
    assert run_all.stored_runs() == {"scores": LINES, "search": again}
    assert run_all.PAGE.read_text() == run_all.page(run_all.stored_runs())


def test_the_page_of_the_manual_is_made_from_the_stored_lines(run_all: ModuleType) -> None:
    assert run_all.PAGE.read_text(encoding="utf-8") == run_all.page(run_all.stored_runs())
