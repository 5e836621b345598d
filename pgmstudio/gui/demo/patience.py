"""How long to wait for something on a machine that other processes use, too."""

from __future__ import annotations

import os


def patience(seconds: float) -> float:
    """So many seconds on an idle machine; longer the more processes share a core."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return seconds * max(1.0, load / (os.cpu_count() or 1))
