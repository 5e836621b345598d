"""The compiled maximum spanning forest of a dense graph."""

from __future__ import annotations

from pgmstudio.core.graphs.spanning_forest import grow
from pgmstudio.core.numba_support import compiled

grow_forest = compiled(grow)
