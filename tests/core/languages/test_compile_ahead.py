"""Learners are compiled ahead of their first run, once for each installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.languages import compile_ahead
from pgmstudio.core.languages.compile_ahead import CompileAhead, is_compiled
from pgmstudio.core.languages.learners import learner_of


def test_every_learner_runs_once_and_the_next_start_knows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = ("tree.chow-liu", "bn.k2", "bn.tan")
    monkeypatch.setattr(
        compile_ahead, "all_learners", lambda: {key: learner_of(key) for key in keys}
    )
    monkeypatch.setattr(compile_ahead, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(compile_ahead.os, "nice", lambda _by: 0)
    assert not is_compiled()
    progress = [*CompileAhead()(NEVER)]
    assert [one.message for one in progress] == [learner_of(key).title for key in keys]
    assert is_compiled()
    monkeypatch.setattr(compile_ahead, "__version__", "0.0.0")  # another version is compiled anew
    assert not is_compiled()


def test_its_rows_are_taken_by_most_learners() -> None:
    for missing in (0.0, compile_ahead.MISSING):
        data = compile_ahead._rows(missing)
        assert data.has_missing is (missing > 0)
        taken = [one for one in compile_ahead.all_learners().values() if one.refuses(data) is None]
        assert len(taken) > len(compile_ahead.all_learners()) / 2
