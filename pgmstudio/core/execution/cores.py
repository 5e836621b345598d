"""How many cores there are for this process."""

from __future__ import annotations

import os
import sys


def core_count() -> int:
    """As many processes as may run at once here."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
