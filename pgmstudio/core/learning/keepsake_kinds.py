"""How each kind of keepsake is made again from its plain form."""

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
