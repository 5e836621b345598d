"""How items of the scene look: selected, hovered, focused."""

from __future__ import annotations

from collections.abc import Mapping


def take_over(look: object, changes: Mapping[str, object]) -> bool:
    """Set the fields of a look; whether any of them was different."""
    differs = False
    for name, value in changes.items():
        if getattr(look, name) != value:
            setattr(look, name, value)
            differs = True
    return differs
