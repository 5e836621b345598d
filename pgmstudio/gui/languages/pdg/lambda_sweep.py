"""The decision graphs of a sweep over λ, with their sizes and bits per row."""

from __future__ import annotations

from operator import attrgetter

from pgmstudio.core.languages.pdg.learning.trace import PdgScan
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.plots.scan_plots import ScanPlot
from pgmstudio.gui.runs.recorded_run import LAMBDA
from pgmstudio.gui.runs.results.content import ResultContent, ResultState, ResultView
from pgmstudio.gui.runs.results.scans import BIC, HELD_OUT, TRAINING, opening_of_point, scan_content
from pgmstudio.gui.widgets.table import Column


def _lambda_text(value: float) -> str:
    return f"{value:.3g}"


_COLUMNS = (
    Column("λ", _lambda_text, True, tip="The weight of the size; larger gives smaller graphs."),
    Column("Nodes", grouped, True),
    Column(
        "Size",
        grouped,
        True,
        tip="Effective size.",
        copied_title="Effective size",
        explains="Effective size",
    ),
    TRAINING,
    HELD_OUT,
    BIC,
    Column("Forest", str, True, tip="The forest of variables that its graphs are based on."),
    Column(
        "Origin",
        lambda is_reused: "merged" if is_reused else "searched",
        stretches=True,
        tip="Searched, or merged from that of a smaller λ.",
    ),
)
_ROW = attrgetter(
    "lambda_",
    "nodes",
    "effective_size",
    "train_bits",
    "held_bits",
    "bic_bits",
    "forest",
    "is_reused",
)


_LINES = (("training", attrgetter("train_bits")), ("held-out", attrgetter("held_bits")))


def draw_sweep(plot: ScanPlot, scan: PdgScan) -> None:
    """An SL-curve: every point is a model."""
    best = scan.best()
    ringed = "training" if best.held_bits is None else "held-out"
    rule = "" if scan.chosen is None else ", the smallest within one standard error"
    plot.show_points(
        scan.points,
        _LINES,
        titles=("Effective size", "Bits per row ↑"),
        x=attrgetter("effective_size"),
        best={ringed: scan.points.index(best)},
        hint=f"Best by {scan.criterion}{rule}: λ {_lambda_text(best.lambda_)} (ringed). Higher and "
        "further left is better; a click on a point opens its model.",
    )


def lambda_sweep_content(scan: PdgScan, state: ResultState) -> ResultContent | None:
    """Bits per row by effective size, a point for each λ."""
    made = f"a λ sweep: {state.run_title}"
    return scan_content(
        scan,
        view=ResultView(
            "plot", ScanPlot, lambda plot: draw_sweep(plot, scan), lambda plot: plot.chosen
        ),
        columns=_COLUMNS,
        row=_ROW,
        point_text=lambda p: f"λ {_lambda_text(p.lambda_)}, {counted(p.nodes, 'node')}",
        table_title="Models from the largest λ to the smallest",
        opening=opening_of_point(
            scan,
            state,
            lambda p: (
                p.model,
                f"λ {_lambda_text(p.lambda_)}",
                {"made by": made, LAMBDA: p.lambda_},
            ),
            icon="git-fork",
            tip="The graph of this λ, as a model of the project.",
            missing="its parameters were too many to be saved; learn with that λ alone.",
        ),
    )
