"""How each kind of keepsake is made again from its plain form.

What runs kept, read from files: none of its kinds is loaded before one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.ambiguity import (
    OpenStructure,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.independence_log import (
    TestLog,
)
from pgmstudio.core.languages.bayesian_network.learning.equivalence_search.local_optima import (
    KesOptima,
)
from pgmstudio.core.languages.bayesian_network.learning.score_based.k2 import K2Trace
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan
from pgmstudio.core.languages.ldag.learning.kappa_path import KappaPath
from pgmstudio.core.languages.ldag.learning.posterior import LdagPosterior
from pgmstudio.core.languages.pdg.learning.trace import PdgScan
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import HiddenScan
from pgmstudio.core.languages.tree_mixture.learning.trace import MixtureScan
from pgmstudio.core.learning.base import RunArtifact

RESTORED: Mapping[str, Callable[[Mapping[str, Any]], RunArtifact]] = {
    KesOptima.kind: KesOptima.restored,
    TestLog.kind: TestLog.restored,
    OpenStructure.kind: OpenStructure.restored,
    K2Trace.kind: K2Trace.restored,
    EdgeFrequencies.kind: EdgeFrequencies.restored,
    ClassScan.kind: ClassScan.restored,
    MixtureScan.kind: MixtureScan.restored,
    PdgScan.kind: PdgScan.restored,
    HiddenScan.kind: HiddenScan.restored,
    Adjacency.kind: Adjacency.restored,
    KappaPath.kind: KappaPath.restored,
    LdagPosterior.kind: LdagPosterior.restored,
}


def restored(kind: str, plain: Mapping[str, Any]) -> RunArtifact | None:
    """The keepsake that a file holds; None for a kind that is not known here, or not so."""

    if kind not in RESTORED:
        return None
    try:
        return RESTORED[kind](plain)
    except (KeyError, TypeError, ValueError, IndexError):
        return None  # written by another version, or by hand; the run itself is whole
