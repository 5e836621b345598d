"""The starts of a scan over numbers of trees and smoothings, with their criteria."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from pgmstudio.core.experiments.sl_curves.sweep import (
    has_smoothings,
    smoothing_sweep,
    trees_sweep,
)
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureScan
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot
from pgmstudio.gui.runs.results.content import ResultContent, ResultState, ResultView
from pgmstudio.gui.runs.results.fields import SegmentsField
from pgmstudio.gui.runs.results.scans import AIC, BIC, HELD_OUT, TRAINING, scan_content
from pgmstudio.gui.widgets.table import Column

_ALONG = (
    ("trees", "Trees", "Bits per row against the number of trees."),
    ("smoothing", "Smoothing", "What the run chose by against the smoothing α."),
)
_COLUMNS = (
    Column("Trees", str, True),
    Column("Start", lambda start: str(start + 1), True),
    TRAINING,
    BIC,
    AIC,
    HELD_OUT,
    Column("Smoothing α", lambda a: f"{a:.3g}", True, tip="Fictitious rows of all trees."),
    Column("Edges", grouped, True),
    Column("Steps", str, True, tip="Of EM."),
    Column("Effective trees", lambda t: f"{t:.2f}", True, stretches=True),
)
_ROW = attrgetter(
    "trees",
    "start",
    "train_bits",
    "bic_bits",
    "aic_bits",
    "held_bits",
    "smoothing",
    "edges",
    "steps",
    "effective_trees",
)


def tree_scan_content(scan: MixtureScan, state: ResultState) -> ResultContent | None:
    """Criteria by number of trees, or by smoothing where several were compared."""
    along, has_several = state.value("along", "trees"), has_smoothings(scan)
    sweep = smoothing_sweep if along == "smoothing" and has_several else trees_sweep
    return scan_content(
        scan,
        fields=(SegmentsField("along", along, _ALONG),) if has_several else (),
        view=ResultView(
            "plot",
            partial(SweepLinesPlot, "treeScanPlot"),
            lambda plot: plot.show_sweep(sweep(scan)),
        ),
        columns=_COLUMNS,
        row=_ROW,
        point_text=lambda point: counted(point.trees, "tree"),
        table_title="Starts, in the order of the run",
        unit="start",
    )
