"""The models of a scan over numbers of classes, with their criteria."""

from __future__ import annotations

from operator import attrgetter

from pgmstudio.core.languages.latent_class.learning.trace import ClassScan, ScanPoint
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.plots.scan_plots import ScanPlot, flag_of
from pgmstudio.gui.runs.results.content import ResultContent, ResultState, ResultView
from pgmstudio.gui.runs.results.scans import (
    AIC,
    BIC,
    HELD_OUT,
    TRAINING,
    opening_of_point,
    scan_content,
)
from pgmstudio.gui.widgets.table import Column

_COLUMNS = (
    Column("Classes", str, True),
    TRAINING,
    BIC,
    AIC,
    HELD_OUT,
    Column("Parameters", grouped, True),
    Column("Classes of no use", str, stretches=True, tip="Without rows, or the same as another."),
)
_NUMBERS = attrgetter(
    "classes", "train_bits", "bic_bits", "aic_bits", "held_bits", "representation_size"
)


def _text(point: ScanPoint) -> str:
    return counted(point.classes, "class", "classes")


def class_scan_content(scan: ClassScan, state: ResultState) -> ResultContent | None:
    """Criteria by number of classes."""
    made = f"a scan of classes: {state.run_title}"
    return scan_content(
        scan,
        view=ResultView(
            "plot", ScanPlot, lambda plot: plot.show_scan(scan), lambda plot: plot.chosen
        ),
        columns=_COLUMNS,
        row=lambda point: (*_NUMBERS(point), flag_of(point) or "none"),
        point_text=_text,
        table_title="Models of the scan, in the order of the run",
        opening=opening_of_point(
            scan,
            state,
            lambda p: (
                p.model,
                _text(p),
                {"made by": made, "classes": p.classes, "bic": p.bic_bits, "aic": p.aic_bits},
            ),
            icon="circle-dashed",
            tip="The model with this number of classes, as one of the project.",
            missing="its tables were too large to be saved; learn that number alone.",
        ),
    )
