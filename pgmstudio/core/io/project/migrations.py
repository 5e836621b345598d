"""Project files of older versions, brought to the present one step by step.

A migration is a function on the members of a project file: plain values for JSON members, bytes
for the rest. It returns the members of the next version and changes none it was given. Each has a
test with a real old file stored with the tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Members = Mapping[str, Any]
Migration = Callable[[Members], Members]

VERSION = 2

_SCORE_SETTINGS = ("score", "criterion", "measure")


def with_thesis_aic(value: Any) -> Any:
    """Settings written when `aic` was L − k bits, which is `aic-thesis` now.

    Points of scans hold their AIC as well; it becomes that of Akaike, L − k nats.
    """
    if isinstance(value, list):
        return [with_thesis_aic(item) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {
        name: _thesis_score(item) if name in _SCORE_SETTINGS else with_thesis_aic(item)
        for name, item in value.items()
    }
    for aic, train in (("aic", "train"), ("aic_bits", "train_bits")):
        bits, fit = value.get(aic), value.get(train)
        if isinstance(bits, float) and isinstance(fit, float):
            renamed[aic] = fit + (bits - fit) * math.log2(math.e)
    return renamed


def _thesis_score(value: Any) -> Any:
    if isinstance(value, list):
        return [_thesis_score(item) for item in value]
    return "aic-thesis" if value == "aic" else value


def _from_1(members: Members) -> Members:
    """Name the AIC of the thesis as such in runs, curves and the provenance of models."""
    top = members["project.json"]
    if isinstance(top, dict) and isinstance(models := top.get("models"), dict):
        entries = {
            key: {**entry, "provenance": with_thesis_aic(entry.get("provenance"))}
            if isinstance(entry, dict) and "provenance" in entry
            else entry
            for key, entry in models.items()
        }
        top = {**top, "models": entries}
    settings = {
        name: with_thesis_aic(value)
        for name, value in members.items()
        if name.startswith(("runs/", "curves/"))
    }
    return {**members, **settings, "project.json": top}


# From the version in the key to the next.
MIGRATIONS: dict[int, Migration] = {1: _from_1}


def migrated(
    members: Members,
    version: int,
    *,
    steps: Mapping[int, Migration] = MIGRATIONS,
    newest: int = VERSION,
) -> Members:
    """The members as the newest version has them; KeyError when a step is not known."""
    for step in range(version, newest):
        members = steps[step](members)
    return members
