"""The settings of the learners of mixtures of trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.tree.learning.accelerated import AUTO, EM_BACKENDS
from pgmstudio.core.languages.tree.learning.priors import PENALTIES, POLICIES, TOWARDS
from pgmstudio.core.learning.artifacts import criterion_param, held_out_param
from pgmstudio.core.learning.params import knowledge_param
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.params import param

STARTS = ("classes", "shares", "trees")


def steps_param() -> Any:
    """How long EM may go on: one declaration for the learners of mixtures."""
    return param(
        200,
        title="Most EM steps",
        low=1,
        high=100_000,
        help="EM steps from a start.",
        advanced=True,
    )


def tolerance_param() -> Any:
    """When EM ends by itself: one declaration for the learners of mixtures."""
    return param(
        1e-5,
        title="Tolerance",
        low=1e-12,
        high=0.1,
        help="EM ends when three steps in a row gain less than this share of the log-likelihood.",
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
        help="How many trees; a list is scanned and the best is kept. Without it 1, 2, 5, 10, 20, "
        "30 and 50 are tried, until held-out rows no longer gain.",
    )
    choice: str | None = param(
        None,
        title="Choice variable",
        none_label="hidden",
        help="The column that tells which tree a row comes from, one tree for each of its states; "
        "hidden: EM finds the trees without it.",
    )
    smoothing: float | Literal["auto"] = param(
        "auto",
        title="Smoothing",
        low=0,
        help="How much the tables of a tree are drawn towards those of all rows, as the policy "
        "counts it; auto finds the fictitious rows by held-out rows.",
    )
    smoothings: tuple[float, ...] | None = param(
        None,
        title="Smoothings to compare",
        low=0,
        none_label="the one above",
        help="A list instead of one smoothing: each is tried with each number of trees, and the "
        "best by the criterion is kept.",
        advanced=True,
    )
    restarts: int = param(
        1,
        title="Starts",
        low=1,
        high=1000,
        help="EM runs for each number of trees; the best by the criterion is kept.",
    )
    knowledge: Knowledge | None = knowledge_param("every tree is the best one that obeys them.")
    criterion: str = criterion_param()
    held_out: float = held_out_param()
    penalty: str = param(
        "none",
        title="Kind of edge penalty",
        choices=PENALTIES,
        help="constant: β nats for each edge. mdl: β for each of its (r−1)(s−1) parameters. bic: "
        "half the log of the tree's rows for each parameter. An edge that gains less is left out.",
        advanced=True,
    )
    edge_penalty: float = param(
        0.0,
        title="Edge penalty β",
        low=0,
        help="Nats an edge must gain on the rows of its tree to be kept.",
        advanced=True,
    )
    share_penalty: bool = param(
        False,
        title="Share β among the trees",
        help="Each tree has β divided by the number of trees, so that trees times β stays the same "
        "along a list of numbers.",
        advanced=True,
    )
    like: DirectedModel | None = param(
        None,
        title="Like the edges of",
        help="A model whose edges, without their directions, every tree is expected to have.",
        advanced=True,
    )
    kappa: float = param(
        0.5,
        title="Likeness κ",
        low=0,
        high=1,
        low_open=True,
        help="A tree is less probable by this factor for each edge more or less than that model.",
        advanced=True,
    )
    policy: str = param(
        "rows",
        title="Smoothing policy",
        choices=POLICIES,
        help="rows: fictitious rows, split evenly over the trees. share: parts of 1, larger for "
        "trees with few rows. edges: the same divided by the edges, after they are chosen. "
        "fraction: the same part for all.",
        advanced=True,
    )
    toward: str = param(
        "marginal",
        title="Smooth towards",
        choices=TOWARDS,
        help="marginal: the tables of all rows, with one row spread over all states. uniform: the "
        "even tables.",
        advanced=True,
    )
    weight_rows: float = param(
        0.0,
        title="Rows for even weights",
        low=0,
        help="Fictitious rows that draw the weights of the trees to equal ones.",
        advanced=True,
    )
    tree: str = param(
        AUTO,
        title="Trees found by",
        choices=EM_BACKENDS,
        help="dense counts all pairs of columns; accelerated only those that occur together, for "
        "sparse rows. Both give the best trees; auto takes the one with the lower forecast.",
        advanced=True,
    )
    start: str = param(
        "classes",
        title="Start from",
        choices=STARTS,
        help="classes: some steps of EM for latent classes. shares: a random share of every row in "
        "each tree. trees: random trees with random tables.",
        advanced=True,
    )
    max_iterations: int = steps_param()
    tolerance: float = tolerance_param()
    patience: int = param(
        5,
        title="Patience",
        low=1,
        help="EM ends after so many steps without gain on held-out rows; the best is kept.",
        advanced=True,
    )
