"""The notebooks of the manual are valid and show what they show when they are run again."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_notebooks", DOCS / "run_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["first-steps", "journeys", "scikit-learn"])
def test_a_notebook_is_valid_and_its_cells_show_what_is_stored(
    name: str, runner: ModuleType
) -> None:
    (path,) = runner.notebooks([name])
    stored = json.loads(path.read_text(encoding="utf-8"))
    nbformat.validate(nbformat.from_dict(stored))
    renewed = runner.executed(stored)
    nbformat.validate(nbformat.from_dict(renewed))
    assert any(runner.plain_outputs(stored))
    assert runner.shows_the_same(runner.plain_outputs(renewed), runner.plain_outputs(stored))


def test_every_notebook_is_in_the_manual(runner: ModuleType) -> None:
    page = (DOCS / "tutorials" / "notebooks.md").read_text(encoding="utf-8")
    names = [path.name for path in runner.notebooks()]
    assert names
    assert [name for name in names if f"notebooks/{name}" not in page] == []


def test_other_texts_and_other_numbers_are_noticed(runner: ModuleType) -> None:
    shown = [["difference 0.5012"], []]
    assert runner.shows_the_same(shown, [["difference 0.5013"], []])
    assert not runner.shows_the_same(shown, [["difference 0.51"], []])
    assert not runner.shows_the_same(shown, [["different 0.5012"], []])
    assert not runner.shows_the_same(shown, [["difference 0.5012", ""], []])
