"""Parameters that several learners have, each declared once."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.learning.base import AVAILABLE, EM
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS


def missing_param() -> Any:
    """What is done with missing cells: one declaration for every learner that has the field."""
    return param(
        EM,
        title="Missing cells",
        choices=(EM, AVAILABLE),
        help="em: search the structure on completed rows and fit its parameters by EM to the "
        "observed cells; consistent if cells are missing at random. available: count each "
        "table over the rows that have its cells; faster, but different tables use different "
        "rows.",
    )


def smoothing_param() -> Any:
    """The pseudo-count in the cells of the final tables."""
    return param(
        "auto",
        title="Smoothing α",
        low=0,
        help="Pseudo-count added to every cell of a table. 0 is maximum likelihood; auto selects a"
        " value above 0 by cross-validation, so that no combination of known states is "
        "impossible.",
    )


def knowledge_param(more: str = "") -> Any:
    """Background knowledge about edges; `more` adds how the learner uses it."""
    text = "Required and forbidden edges and tiers"
    return param(None, title="Knowledge", help=f"{text}; {more}" if more else f"{text}.")


def edge_prices_param() -> Any:
    """Prices of edges, a prior of the structure."""
    return param(
        None,
        title="Edge prices",
        help="Prices β of pairs of variables, in nats: what an edge between them must gain; a "
        "negative price favours it. The prior of a structure is the product of exp(−β).",
        advanced=True,
    )


def max_parents_param(default: int | None = None) -> Any:
    """How many parents a variable may have."""
    return param(
        default,
        title="Maximum parents",
        low=0,
        none_label="no limit",
        help="Maximum number of parents of a variable.",
    )


def lambda_param() -> Any:
    """The weight of the size in the lambda score."""
    return param(
        None,
        title="λ",
        low=0,
        high=1,
        none_label="as in BIC",
        help="Weight of the size in the lambda score; larger values give smaller networks.",
    )


def bdeu_rows_param() -> Any:
    """The equivalent sample size of the BDeu score."""
    return param(
        1.0,
        title="Equivalent sample size",
        low=0,
        low_open=True,
        help="Equivalent sample size of the BDeu prior, in rows.",
    )


def max_table_cells_param() -> Any:
    """The largest table a search considers."""
    return param(
        MAX_TABLE_CELLS,
        title="Maximum table size",
        low=1,
        help="Families with a larger table (in cells) are not considered.",
        advanced=True,
    )


def tabu_param(*, advanced: bool = False) -> Any:
    """How far a climb goes on past a peak."""
    return param(
        10,
        title="Tabu length",
        low=0,
        help="Steps without improvement before a search ends; recently visited graphs are avoided."
        " 0 is plain hill climbing.",
        advanced=advanced,
    )


def restarts_param(default: int) -> Any:
    """The number of restarts."""
    return param(
        default,
        title="Restarts",
        low=0,
        help="Additional searches, each from the best graph with some of its edges removed.",
    )


def start_param() -> Any:
    """The graph a search begins with."""
    return param(
        None,
        title="Start",
        none_label="no edges",
        help="A model with the initial edges of the search.",
    )


def class_param() -> Any:
    """The variable a classifier is for."""
    return param(
        None,
        title="Target (class)",
        none_label="the last column",
        help="The variable to predict from the others.",
        is_variable=True,
    )
