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


def test_lines_of_benchmarks_become_a_table_for_each_task_and_other_lines_are_left_out(
    run_all: ModuleType,
) -> None:
    lines = [
        "== scores\n",
        "score, alarm, PGM Studio, 0.1, 0.50000, 3 | 4, of 5, 20 MB, 1.0x\n",
        "grow, asia, bn.kes, 0.1, 0.10000, rows^1.0, 20 MB, -\n",
        "score, alarm, peer, 2.0, 1.00000, same, 20 MB, 2.0x\n",
        "a sentence, with, many, commas, but, no, seconds, in it\n",
    ]
    text = run_all.page(lines, "# Benchmarks\n\n")
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Benchmarks",
        "## Score",
        "## Grow",
    ]
    assert "| alarm | PGM Studio | 0.1 | 0.50000 | 3 / 4, of 5 | 20 MB | 1.0x |" in text
    assert "| alarm | peer | 2.0 | 1.00000 | same | 20 MB | 2.0x |" in text
    assert "sentence" not in text
    assert all(line.count("|") == 8 for line in text.splitlines() if line.startswith("|"))
