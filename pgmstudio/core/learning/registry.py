"""The table of learners: the built-in ones and those of installed plug-ins."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from typing import Any

from pgmstudio.core.errors import named
from pgmstudio.core.learning.protocols import Learner

PLUGIN_GROUP = "pgmstudio.learners"


def _built_in() -> dict[str, Learner[Any]]:
    # Loads a third of the program: whoever only names learners need not wait for it.
    from pgmstudio.core.learning.built_in import BUILT_IN

    return {learner.key: learner for learner in BUILT_IN}


@lru_cache(maxsize=1)
def _plugins() -> tuple[dict[str, Learner[Any]], tuple[str, ...]]:
    """Learners of other packages, and a sentence for each entry point that would not load."""
    found: dict[str, Learner[Any]] = {}
    problems: list[str] = []
    taken = set(_built_in())
    for entry in metadata.entry_points(group=PLUGIN_GROUP):
        try:
            made = entry.load()
            learner: Learner[Any] = made() if isinstance(made, type) else made
            key = learner.key
        except Exception as problem:  # a stranger's code may fail in any way; it is reported
            problems.append(f"The plug-in {entry.name} did not load: {problem}")
            continue
        if key in taken:
            problems.append(f"The plug-in {entry.name} is left out: {key} exists already.")
            continue
        taken.add(key)
        found[key] = learner
    return found, tuple(problems)


def all_learners() -> dict[str, Learner[Any]]:
    """Every learner by its key, built-in ones first."""
    return _built_in() | _plugins()[0]


def plugin_problems() -> tuple[str, ...]:
    """A sentence for each plug-in that could not be used."""
    return _plugins()[1]


def learner_of(key: str) -> Learner[Any]:
    """The learner of that key; UnknownNameError suggests the nearest."""
    return named("learner", key, all_learners())
