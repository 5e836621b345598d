"""The settings of the learners of mixtures of trees, and the trace of their runs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.tree.learning.accelerated import AUTO, EM_BACKENDS
from pgmstudio.core.languages.tree.learning.priors import PENALTIES, POLICIES, TOWARDS
from pgmstudio.core.learning.artifacts import (
    JudgedPoint,
    ModelScan,
    PlainFields,
    criterion_param,
    held_out_param,
)
from pgmstudio.core.learning.params import edge_prices_param, knowledge_param
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import param

# The trace of a run of mixtures of trees: every model with its criteria.


@dataclass(frozen=True)
class MixturePoint(JudgedPoint):
    """One model: bits are per row, higher is better; `held_bits` is None without held-out rows."""

    trees: int
    start: int
    smoothing: float
    train_bits: float
    held_bits: float | None
    bic_bits: float
    aic_bits: float
    effective_size: int
    representation_size: int
    edges: int
    effective_trees: float
    empty: int
    steps: int
    seconds: float = field(compare=False)  # depends on the machine, not on the run


@dataclass(frozen=True)
class MixtureScan(PlainFields, ModelScan[MixturePoint]):
    """The models of one run, in the order they were passed."""

    points: tuple[MixturePoint, ...] = ()

    kind = "mixture-scan"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows, one row per model."""
        names = tuple(item.name for item in fields(MixturePoint))
        head = tuple(f"{name}_per_row" if name.endswith("bits") else name for name in names)
        return head, [tuple(getattr(point, name) for name in names) for point in self.points]


STARTS = ("classes", "shares", "trees", "modes")


def steps_param() -> Any:
    """The maximum number of EM steps: one declaration for the learners of mixtures."""
    return param(
        200,
        title="Maximum EM steps",
        low=1,
        high=100_000,
        help="Maximum number of EM steps per start.",
        advanced=True,
    )


def tolerance_param() -> Any:
    """The tolerance of EM: one declaration for the learners of mixtures."""
    return param(
        1e-5,
        title="Tolerance",
        low=1e-12,
        high=0.1,
        help="EM ends when three consecutive steps gain less than this fraction of the log-"
        "likelihood.",
        advanced=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureParams:
    """The settings of the learners of mixtures of trees."""

    components: tuple[int, ...] | None = param(
        None,
        title="Trees",
        low=1,
        high=500,
        none_label="as many as pay",
        help="Number of trees; of a list the best is selected. Without it 1, 2, 5, 10, 20, 30 and "
        "50 are tried until held-out rows no longer improve.",
    )
    choice: str | None = param(
        None,
        title="Choice variable",
        is_variable=True,
        none_label="hidden",
        help="The column that determines the tree of a row, one tree per state; hidden: EM learns "
        "the components.",
    )
    smoothing: float | Literal["auto"] = param(
        "auto",
        title="Smoothing",
        low=0,
        help="Strength of smoothing towards the tables of all rows, in the unit of the policy; "
        "auto selects the pseudo-rows by held-out rows.",
    )
    smoothings: tuple[float, ...] | None = param(
        None,
        title="Smoothings to compare",
        low=0,
        none_label="the one above",
        help="A list of smoothings: each is tried with each number of trees, and the best by the "
        "criterion is selected.",
        advanced=True,
    )
    restarts: int = param(
        1,
        title="Starts",
        low=1,
        high=1000,
        help="EM runs for each number of trees; the best by the criterion is selected.",
    )
    average: int = param(
        1,
        title="Models to average",
        low=1,
        high=1000,
        help="The best models of all starts and numbers of trees are averaged: a mixture of all "
        "their trees, each model weighted by its posterior as approximated by BIC. 1 is the best "
        "model alone.",
        advanced=True,
    )
    knowledge: Knowledge | None = knowledge_param("every tree is the best one that satisfies them.")
    criterion: str = criterion_param()
    held_out: float = held_out_param()
    penalty: str = param(
        "none",
        title="Kind of edge penalty",
        choices=PENALTIES,
        help="constant: β nats per edge. mdl: β for each of its (r−1)(s−1) parameters. bic: half "
        "the log of the tree's rows for each parameter. Edges that gain less are left out.",
        advanced=True,
    )
    edge_penalty: float = param(
        0.0,
        title="Edge penalty β",
        low=0,
        help="Gain in nats over the rows of its tree that an edge must exceed.",
        advanced=True,
    )
    share_penalty: bool = param(
        False,
        title="Divide β among the trees",
        help="Divide β by the number of trees, so that the product stays the same along a list of "
        "numbers.",
        advanced=True,
    )
    like: DirectedModel | None = param(
        None,
        title="Reference structure",
        help="A model whose undirected edges are expected in every tree.",
        advanced=True,
    )
    kappa: float = param(
        0.5,
        title="Structure prior κ",
        low=0,
        high=1,
        low_open=True,
        help="Prior factor for each edge by which a tree differs from that model.",
        advanced=True,
    )
    edge_prices: EdgePrices | None = edge_prices_param()
    policy: str = param(
        "rows",
        title="Smoothing policy",
        choices=POLICIES,
        help="rows: pseudo-rows, divided evenly among the trees. share: fractions, larger for "
        "trees with few rows. edges: the same divided by the number of edges, after they are "
        "chosen. fraction: the same fraction for all.",
        advanced=True,
    )
    toward: str = param(
        "marginal",
        title="Smooth towards",
        choices=TOWARDS,
        help="marginal: the tables of all rows, plus one row spread over all states. product: the "
        "products of the margins of these tables. uniform: uniform tables. model: the tables of "
        "the model below.",
        advanced=True,
    )
    toward_model: DirectedModel | None = param(
        None,
        title="Model to smooth towards",
        help="A network or tree over the same columns, for smoothing towards a model: pseudo-rows "
        "have the probabilities of its pairs of variables.",
        advanced=True,
    )
    weight_rows: float = param(
        0.0,
        title="Pseudo-rows for weights",
        low=0,
        help="Pseudo-rows that draw the weights of the trees towards equal weights.",
        advanced=True,
    )
    weight_entropy: float = param(
        0.0,
        title="Entropy penalty of weights",
        low=0,
        help="α of the prior exp(−α H) of the weights with entropy H in nats; it empties trees of "
        "few rows.",
        advanced=True,
    )
    tree: str = param(
        AUTO,
        title="Tree method",
        choices=EM_BACKENDS,
        help="dense counts all pairs of columns; accelerated only those that occur together, for "
        "sparse rows. Both give the best trees; auto uses the one with the lower estimated "
        "cost.",
        advanced=True,
    )
    start: str = param(
        "classes",
        title="Start from",
        choices=STARTS,
        help="classes: a few EM steps of latent classes. shares: random responsibilities. trees: "
        "random trees with random tables. modes: k-modes, rows near the same row of most frequent "
        "states.",
        advanced=True,
    )
    start_model: ComponentModel | None = param(
        None,
        title="Start from a model",
        help="A mixture of trees or a latent class model over the same columns; EM begins with its "
        "components, and with as many. It replaces the start above.",
        advanced=True,
    )
    max_iterations: int = steps_param()
    tolerance: float = tolerance_param()
    patience: int = param(
        5,
        title="Patience",
        low=1,
        help="EM ends after this many steps without improvement on held-out rows; the best step is"
        " used.",
        advanced=True,
    )
