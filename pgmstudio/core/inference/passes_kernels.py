"""The loops of passes.py, compiled."""

from __future__ import annotations

from pgmstudio.core.compiled import compiled
from pgmstudio.core.inference import passes

collect = compiled(passes.collect)
visit = compiled(passes.visit)
explain = compiled(passes.explain)
