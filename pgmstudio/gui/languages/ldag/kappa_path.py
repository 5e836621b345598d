"""The labelled DAGs of a path over κ, with their sizes, scores and held-out bits."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from pgmstudio.core.languages.ldag.learning.kappa_path import KappaPath, KappaPoint
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.gui.plots.scan_plots import ScanPlot, kappa_text
from pgmstudio.gui.runs.results.content import ResultContent, ResultState, ResultView
from pgmstudio.gui.runs.results.fields import SegmentsField
from pgmstudio.gui.runs.results.scans import HELD_OUT, opening_of_point, scan_content
from pgmstudio.gui.widgets.table import Column

HELD = "held"
_QUANTITIES = (
    (HELD, "Held-out rows", "Bits per held-out row by cross-validation; bars are standard errors."),
    ("score", "Score", "Marginal likelihood and prior of graph and labels."),
    ("likelihood", "Likelihood", "The marginal likelihood, or BIC, alone."),
    ("parameters", "Parameters", "Free parameters, and those of the same graph without labels."),
    ("edges", "Edges", "Edges, and contexts in their labels."),
)
# The title of the axis, and the lines.
_LINES = {
    HELD: ("Bits per held-out row ↑", (("held-out", attrgetter("held_bits")),)),
    "score": ("Score in bits ↑", (("likelihood and prior", attrgetter("score")),)),
    "likelihood": ("Bits ↑", (("marginal likelihood", attrgetter("log2_likelihood")),)),
    "parameters": (
        "Free parameters",
        (
            ("with labels", attrgetter("parameters")),
            ("without", attrgetter("unlabelled_parameters")),
        ),
    ),
    "edges": (
        "Edges and contexts",
        (("edges", attrgetter("edges")), ("contexts", attrgetter("labels"))),
    ),
}


_BITS = partial(decimal, digits=2)
_COLUMNS = (
    Column("κ", kappa_text, True, tip="The prior of labels; 0 is without labels."),
    HELD_OUT,
    Column("±", decimal, True, tip="Standard error of the mean over the folds."),
    Column(
        "Score ↑", _BITS, True, tip="Marginal likelihood and prior in bits.", explains="Score (run)"
    ),
    Column(
        "Likelihood",
        lambda bits: decimal(bits, 2),
        True,
        tip="Marginal likelihood, or BIC, in bits.",
        explains="Likelihood (score)",
    ),
    Column("Edges", grouped, True),
    Column("Contexts", grouped, True, tip="In the labels of all edges."),
    Column(
        "Free", grouped, True, stretches=True, tip="Free parameters.", explains="Free parameters"
    ),
)
_ROW = attrgetter(
    "kappa",
    "held_bits",
    "standard_error",
    "score",
    "log2_likelihood",
    "edges",
    "labels",
    "parameters",
)


def _text(point: KappaPoint) -> str:
    return f"κ {kappa_text(point.kappa)}" if point.kappa else "no labels"


def kappa_path_content(path: KappaPath, state: ResultState) -> ResultContent | None:
    """One of several quantities by κ."""
    quantity = state.value("along", HELD)
    made = f"the κ path of {state.run_title}"

    def draw(plot: ScanPlot) -> None:
        best, (title, lines) = path.best(), _LINES[quantity]
        by = f"{path.folds}-fold cross-validation" if best.held_bits is not None else "score so far"
        plot.show_points(
            path.points,
            lines,
            ticks=[kappa_text(point.kappa) for point in path.points],
            best={name: path.points.index(best) for name, _ in lines},
            titles=("κ, the prior of labels", title),
            hint=f"{_text(best) if best.kappa else 'No labels'} is best by {by} (ringed). "
            "A click on a point opens its model.",
            errors=[point.standard_error for point in path.points] if quantity == HELD else (),
        )

    return scan_content(
        path,
        fields=(SegmentsField("along", quantity, _QUANTITIES),),
        view=ResultView("plot", ScanPlot, draw, lambda plot: plot.chosen),
        columns=_COLUMNS,
        row=_ROW,
        point_text=lambda p: f"{_text(p)}, {counted(p.parameters, 'parameter')}",
        table_title="Models from the smallest κ to the largest",
        opening=opening_of_point(
            path,
            state,
            lambda p: (p.model, _text(p), {"made by": made, "kappa": p.kappa}),
            icon="tag",
            tip="The graph of this κ, as a model of the project.",
            missing="its model was not saved.",
        ),
    )
