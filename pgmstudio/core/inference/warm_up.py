"""Loading the compiled loops ahead of the moment when they are needed."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.graphs.clique_trees import clique_tree_of_scopes
from pgmstudio.core.inference.plan import Factor, plan_of
from pgmstudio.core.inference.propagation import Propagation, compiled_passes


def warm_up() -> None:
    """Load, and at the very first time compile, the loops; for a thread beside the window.

    Until it is done the plain loops go on answering, so nobody else waits for the compiler.
    """
    from pgmstudio.core.inference import passes_kernels

    small = Factor((0, 1), np.full((2, 2), 0.25))
    plan = plan_of(clique_tree_of_scopes([small.scope], [2, 2]), [small])
    compiled = Propagation(plan, passes_kernels)
    compiled.set_weights(0, np.array([1.0, 0.5]))
    compiled.beliefs()
    compiled.most_probable()
    compiled_passes()
