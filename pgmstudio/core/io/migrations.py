"""Project files of older versions, brought to the present one step by step.

A migration is a function on the members of a project file: plain values for JSON members, bytes
for the rest. It returns the members of the next version and changes none it was given. Each has a
test with a real old file kept beside the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Members = Mapping[str, Any]
Migration = Callable[[Members], Members]

VERSION = 1

# From the version in the key to the next.
MIGRATIONS: dict[int, Migration] = {}


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
