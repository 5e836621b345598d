"""The table of learners and its plug-ins."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata

import pytest

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.languages import learners as registry
from pgmstudio.core.languages.tree.learning.chow_liu import ChowLiuLearner


class OutsideLearner(ChowLiuLearner):
    """A learner of another package."""

    key = "outside.tree"


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[metadata.EntryPoint]]:
    """Entry points that the registry finds instead of the installed ones."""
    result: list[metadata.EntryPoint] = []
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: result)
    registry.PLUGINS.reload()
    yield result
    registry.PLUGINS.reload()


def entry(name: str, value: str) -> metadata.EntryPoint:
    return metadata.EntryPoint(name, value, registry.PLUGINS.group)


def test_keys_are_unique_and_each_learner_is_found_by_its_own() -> None:
    keys = registry.learner_keys()
    assert len(set(keys)) == len(keys)
    for key, learner in registry.all_learners().items():
        assert learner.key == key
        assert registry.learner_of(key) is learner


def test_an_unknown_key_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean bn\.hill-climb\?"):
        registry.learner_of("bn.hillclimb")


def test_a_plug_in_joins_the_table(plugins: list[metadata.EntryPoint]) -> None:
    plugins.append(entry("outside", f"{__name__}:OutsideLearner"))
    assert isinstance(registry.all_learners()["outside.tree"], OutsideLearner)
    assert registry.PLUGINS.problems == ()


def test_a_plug_in_that_fails_is_a_message_and_the_others_stay(
    plugins: list[metadata.EntryPoint],
) -> None:
    plugins.append(entry("broken", "no_such_module:Learner"))
    plugins.append(entry("twin", f"{ChowLiuLearner.__module__}:ChowLiuLearner"))
    plugins.append(entry("odd", "math:pi"))
    assert set(registry.all_learners()) == set(registry.learner_keys())
    broken, twin, odd = registry.PLUGINS.problems
    assert "broken did not load" in broken
    assert "tree.chow-liu exists already" in twin
    assert "odd did not load" in odd


def test_looking_up_learners_loads_no_heavy_library() -> None:
    code = (
        "import sys; from pgmstudio.core.languages.learners import all_learners; all_learners();"
        "print([name for name in ('numba', 'scipy', 'networkx', 'polars') if name in sys.modules])"
    )
    reported = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert reported.stdout.strip() == "[]"
