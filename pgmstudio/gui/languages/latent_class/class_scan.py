"""The models of a scan over numbers of classes, with their criteria."""

from __future__ import annotations

from operator import attrgetter

from pgmstudio.core.languages.latent_class.learning.trace import ClassScan, ScanPoint
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.plots.scan_plots import ScanPlot
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


_LINES = (
    ("training", attrgetter("train_bits")),
    ("BIC", attrgetter("bic_bits")),
    ("AIC", attrgetter("aic_bits")),
    ("held-out", attrgetter("held_bits")),
)


def flag_of(point: ScanPoint) -> str:
    """“2 empty, 1 double”; empty when all classes are of use."""
    parts = [f"{point.empty} empty"] if point.empty else []
    parts += [f"{point.duplicates} double"] if point.duplicates else []
    return ", ".join(parts)


def draw_scan(plot: ScanPlot, scan: ClassScan) -> None:
    """Criteria by number of classes; the best point of each is ringed."""
    points, best = scan.points, {}
    for name, value in _LINES[1:]:
        known = [i for i, point in enumerate(points) if value(point) is not None]
        if known:
            best[name] = max(known, key=lambda i: value(points[i]))
    chosen = ", ".join(f"{name} {points[i].classes}" for name, i in best.items())
    plot.show_points(
        points,
        _LINES,
        titles=("Classes", "Bits per row ↑"),
        x=attrgetter("classes"),
        ticks=[str(point.classes) for point in points],
        best=best,
        flags={point.classes: flag for point in points if (flag := flag_of(point))},
        hint=f"Best number of classes: {chosen} (ringed). "
        "Higher is better; a click on a point opens its model.",
    )


def _text(point: ScanPoint) -> str:
    return counted(point.classes, "class", "classes")


def class_scan_content(scan: ClassScan, state: ResultState) -> ResultContent | None:
    """Criteria by number of classes."""
    made = f"a scan of classes: {state.run_title}"
    return scan_content(
        scan,
        view=ResultView(
            "plot", ScanPlot, lambda plot: draw_scan(plot, scan), lambda plot: plot.chosen
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
