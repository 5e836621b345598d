"""What runs kept, read from files: none of its kinds is loaded before one is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pgmstudio.core.learning.protocols import Keepsake


def restored(kind: str, plain: Mapping[str, Any]) -> Keepsake | None:
    """The keepsake that a file holds; None for a kind that is not known here, or not so."""
    from pgmstudio.core.learning.keepsake_kinds import RESTORED

    if kind not in RESTORED:
        return None
    try:
        return RESTORED[kind](plain)
    except (KeyError, TypeError, ValueError, IndexError):
        return None  # written by another version, or by hand; the run itself is whole
