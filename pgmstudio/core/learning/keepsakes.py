"""The table of what runs keep beside their models: from plain values back to values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.learning.adjacency import Adjacency
from pgmstudio.core.learning.class_scan import ClassScan
from pgmstudio.core.learning.hidden_scan import HiddenScan
from pgmstudio.core.learning.k2 import K2Trace
from pgmstudio.core.learning.kappa_path import KappaPath
from pgmstudio.core.learning.kes_optima import KesOptima
from pgmstudio.core.learning.ldag_posterior import LdagPosterior
from pgmstudio.core.learning.mixture_scan import MixtureScan
from pgmstudio.core.learning.open_structure import OpenStructure
from pgmstudio.core.learning.pc_log import TestLog
from pgmstudio.core.learning.pdg_scan import PdgScan
from pgmstudio.core.learning.protocols import Keepsake

RESTORED: Mapping[str, Callable[[Mapping[str, Any]], Keepsake]] = {
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


def restored(kind: str, plain: Mapping[str, Any]) -> Keepsake | None:
    """The keepsake that a file holds; None for a kind that is not known here, or not so."""
    if kind not in RESTORED:
        return None
    try:
        return RESTORED[kind](plain)
    except (KeyError, TypeError, ValueError, IndexError):
        return None  # written by another version, or by hand; the run itself is whole
