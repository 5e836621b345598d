"""Settings that several learners of networks have, each declared once."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.params import param
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS


def smoothing_param() -> Any:
    """The pseudo-count in the cells of the final tables."""
    return param(
        "auto",
        title="Smoothing α",
        low=0,
        help="Pseudo-count added to every cell of a table; 0 is maximum likelihood, auto finds one "
        "above 0 by cross-validation, so that no combination of known states is impossible.",
    )


def knowledge_param(more: str = "") -> Any:
    """What an expert says of edges; `more` tells what the learner makes of it."""
    said = "Required and forbidden edges and tiers"
    return param(None, title="Knowledge", help=f"{said}; {more}" if more else f"{said}.")


def max_parents_param(default: int | None = None) -> Any:
    """How many parents a variable may have."""
    return param(
        default,
        title="Most parents",
        low=0,
        none_label="no limit",
        help="A limit for each variable.",
    )


def lambda_param() -> Any:
    """The weight of the size in the lambda score."""
    return param(
        None,
        title="λ",
        low=0,
        high=1,
        none_label="as in BIC",
        help="Weight of the size in the lambda score; larger gives smaller networks.",
    )


def bdeu_rows_param() -> Any:
    """The equivalent sample size of the BDeu score."""
    return param(
        1.0,
        title="Equivalent sample size",
        low=0,
        low_open=True,
        help="How many imagined rows the prior of BDeu is worth.",
    )


def max_table_cells_param() -> Any:
    """The largest table a search considers."""
    return param(
        MAX_TABLE_CELLS,
        title="Largest table",
        low=1,
        help="Families whose table would have more cells are not considered.",
        advanced=True,
    )


def tabu_param(*, advanced: bool = False) -> Any:
    """How far a climb goes on past a peak."""
    return param(
        10,
        title="Steps past a peak",
        low=0,
        help="Steps without a new best before a climb ends; graphs visited lately are avoided. "
        "0 is plain hill climbing.",
        advanced=advanced,
    )


def restarts_param(default: int) -> Any:
    """How often a climb is begun anew."""
    return param(
        default,
        title="Restarts",
        low=0,
        help="Further climbs, each from the best graph without most of its edges.",
    )


def start_param() -> Any:
    """The graph a search begins with."""
    return param(
        None,
        title="Start",
        none_label="no edges",
        help="A model whose edges the search starts from.",
    )


def class_param() -> Any:
    """The variable a classifier is for."""
    return param(
        None,
        title="Target (class)",
        none_label="the last column",
        help="The variable that is to be told from the others.",
    )
