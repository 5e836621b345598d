"""The contextual Markov networks of a path over κ, of which BIC selects one."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from pgmstudio.core.languages.markov_network.learning.contextual import FROM_MPL
from pgmstudio.core.languages.markov_network.learning.kappa_path import ContextPath, ContextPoint
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.gui.plots.scan_plots import ScanPlot, kappa_text
from pgmstudio.gui.runs.results.content import ResultContent, ResultState, ResultView
from pgmstudio.gui.runs.results.fields import SegmentsField
from pgmstudio.gui.runs.results.scans import opening_of_point, scan_content
from pgmstudio.gui.widgets.table import Column

WITHOUT = "no contexts"
_QUANTITIES = (
    ("bic", "BIC", "log L̂ − ½ K ln N of the maximum-likelihood fit; it selects the model."),
    ("mpl", "Log MPL", "Marginal pseudo-likelihood, without the priors of edges and contexts."),
    ("parameters", "Parameters", "Free parameters: φ's less the rank of the restrictions."),
    ("edges", "Edges", "Edges, and the contexts in which they vanish."),
)
# The title of the axis, and the lines.
_LINES = {
    "bic": (
        "BIC and log-likelihood in nats ↑",
        (("BIC", attrgetter("bic_nats")), ("log-likelihood", attrgetter("log_likelihood_nats"))),
    ),
    "mpl": ("Log MPL in nats ↑", (("log MPL", attrgetter("log_mpl_nats")),)),
    "parameters": ("Free parameters", (("free parameters", attrgetter("parameters")),)),
    "edges": (
        "Edges and contexts",
        (("edges", attrgetter("edges")), ("contexts", attrgetter("contexts"))),
    ),
}
_NATS = partial(decimal, digits=2)
_COLUMNS = (
    Column(
        "κ",
        partial(kappa_text, without=WITHOUT),
        True,
        tip="The prior of a context; 0: no context.",
    ),
    Column(
        "BIC ↑",
        _NATS,
        True,
        tip="log L̂ − ½ K ln N, in natural logarithms.",
        explains="BIC (natural logarithms)",
    ),
    Column("log L̂ ↑", _NATS, True, tip="Log-likelihood of the fit, in natural logarithms."),
    Column("Log MPL ↑", _NATS, True, tip="Marginal pseudo-likelihood, in natural logarithms."),
    Column("Edges", grouped, True),
    Column("Contexts", grouped, True, tip="In which some edge vanishes."),
    Column("K", grouped, True, tip="Free parameters.", explains="Free parameters"),
    Column(
        "Better start",
        lambda start: "no contexts" if start == FROM_MPL else start,
        stretches=True,
        tip="Of the two searches, which scored higher: from no edges or from the graph without "
        "contexts.",
    ),
)
_ROW = attrgetter(
    "kappa",
    "bic_nats",
    "log_likelihood_nats",
    "log_mpl_nats",
    "edges",
    "contexts",
    "parameters",
    "start",
)


def _text(point: ContextPoint) -> str:
    return f"κ {kappa_text(point.kappa)}" if point.kappa else WITHOUT


def kappa_path_content(path: ContextPath, state: ResultState) -> ResultContent | None:
    """One of several quantities by κ."""
    quantity = state.value("along", "bic")
    made = f"the κ path of {state.run_title}"

    def draw(plot: ScanPlot) -> None:
        best, (title, lines) = path.best(), _LINES[quantity]
        plot.show_points(
            path.points,
            lines,
            ticks=[kappa_text(point.kappa, "none") for point in path.points],
            best={name: path.points.index(best) for name, _ in lines},
            titles=("κ, the prior of contexts", title),
            hint=f"{_text(best) if best.kappa else 'No contexts'} is best by "
            f"{path.criterion} (ringed). A click on a point opens its model.",
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
            icon="polygon",
            tip="The network of this κ, as a model of the project.",
            missing="its model was not saved.",
        ),
        digits=2,
        value_unit="nats",
    )
