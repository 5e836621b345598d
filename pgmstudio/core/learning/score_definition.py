"""What the score of a run measures, in which unit, and why the fitted model has other values.

A search compares graphs or numbers of components by its own score: on completed rows, on rows held
out, or of a graph without parameters. The fit of a model (`fit_per_row` of the window, `pgmstudio
evaluate`) is the log-likelihood of its own parameters on the observed cells. They are different
quantities, so the score has a name and a definition wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from pgmstudio.core.number_format import decimal, grouped


class ScoreUnit(Enum):
    """What a score counts."""

    BITS = "bits over all rows"
    BITS_PER_ROW = "bits per row"
    SIZE = "minus the effective size"


class ScoreKind(Enum):
    """What the learner's `score` measures; the value of its attribute `score_kind`."""

    GRAPH = "the score of a graph"
    INFORMATION = "the mutual information of edges"
    CRITERION = "the criterion that chooses a model"
    POSTERIOR = "the log-likelihood with its prior"
    LABELS = "the score of a graph and the prior of its labels"
    MARGINAL = "the marginal likelihood of a graph"
    PSEUDO = "the pseudo-likelihood of a graph"


@dataclass(frozen=True, slots=True)
class ScoreDefinition:
    """`title` is short (BIC); `text` defines it and states how it differs from the model's fit."""

    title: str
    unit: ScoreUnit
    text: str

    def format(self, score: float) -> str:
        """The score with its significant digits; a size without its minus."""
        match self.unit:
            case ScoreUnit.SIZE:
                return grouped(round(-score))
            case ScoreUnit.BITS_PER_ROW:
                return decimal(score, 3)
            case ScoreUnit.BITS:
                return decimal(score, 1)


_TITLES = {
    "bic": "BIC",
    "aic": "AIC",
    "aic-thesis": "AIC, one bit per parameter",
    "bdeu": "BDeu",
    "k2": "K2",
    "dl": "Description length, negative",
    "bic-h": "BIC, hidden cells counted",
    "mdl": "MDL",
    "fnml": "fNML",
    "loglik": "Log-likelihood",
    "lambda": "λ-score",
    "pic": "PIC",
    "mpl": "Pseudo-likelihood",
    "held-out": "Held-out log-likelihood",
}
_HIGHER = "Higher is better."
_GRAPH = (
    "Of the graph, in bits over all rows: with maximum-likelihood CPTs or all of them averaged. "
    "Missing cells are completed before. The fit of the model is of its own smoothed CPTs on the "
    f"observed cells. {_HIGHER}"
)
_TEXTS = {
    ScoreKind.GRAPH: _GRAPH,
    ScoreKind.INFORMATION: (
        "Mutual information of the joined variables, in bits over all rows, less any penalty. "
        "Not a likelihood: scores of networks are on another scale."
    ),
    ScoreKind.POSTERIOR: (
        "Log-likelihood of the observed cells plus the log prior of the CPTs, in bits over all "
        f"rows; EM raises it. {_HIGHER}"
    ),
    ScoreKind.LABELS: (
        "Score of graph and labels plus the log prior of the labels, in bits over all rows. "
        f"Missing cells are completed before. {_HIGHER}"
    ),
    ScoreKind.MARGINAL: (
        "Log marginal likelihood of the graph: its parameters are averaged, not fitted. Missing "
        f"cells are completed before. In bits over all rows. {_HIGHER}"
    ),
    ScoreKind.PSEUDO: (
        "Sum over the variables of the log marginal likelihood given their neighbours, in bits "
        f"over all rows. Not a likelihood: it can be above that of the model. {_HIGHER}"
    ),
    ScoreKind.CRITERION: (
        "The criterion that chose this model. Its value is of the fit to the other rows where "
        f"rows are held out; the model is then fitted to all rows. {_HIGHER}"
    ),
}
_MARGINAL_TITLES = {
    ScoreKind.INFORMATION: "Information of edges",
    ScoreKind.POSTERIOR: "Log-likelihood with prior",
    ScoreKind.MARGINAL: "Marginal likelihood",
}
LOSSLESS = "lossless"


def score_definition(learner: object, params: object | Mapping[str, object]) -> ScoreDefinition:
    """The definition of `measures["score"]` of a run with these parameters, as an object or as
    recorded."""
    kind: ScoreKind = getattr(learner, "score_kind", ScoreKind.GRAPH)
    if kind is ScoreKind.CRITERION:
        values = (_value(params, name) for name in ("criterion", "choose", "score"))
        chosen = str(next((value for value in values if value), "bic"))
        if chosen == LOSSLESS:
            text = "Of the smallest graph that fits the rows no worse than its network."
            return ScoreDefinition("Effective size", ScoreUnit.SIZE, text)
        title = _TITLES.get(chosen, chosen)
        return ScoreDefinition(title, ScoreUnit.BITS_PER_ROW, _TEXTS[kind])
    chosen = str(_value(params, "score") or "k2")
    title = _MARGINAL_TITLES.get(kind) or _TITLES.get(chosen, chosen)
    if kind is ScoreKind.LABELS:
        title = f"{title} with labels"
    return ScoreDefinition(title, ScoreUnit.BITS, _TEXTS[kind])


def _value(params: object | Mapping[str, object], name: str) -> object:
    return params.get(name) if isinstance(params, Mapping) else getattr(params, name, None)
