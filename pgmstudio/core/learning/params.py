"""Parameters that learners share, and the notes about data shown before a run.

Settings that several learners of networks have, each declared once.
"""

from __future__ import annotations

from typing import Any, Protocol

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.number_format import count_of, whole
from pgmstudio.core.params import param
from pgmstudio.core.scores.family_cache import MAX_TABLE_CELLS

AVAILABLE, EM = "available", "em"


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


ON_MISSING = (
    "They are drawn given the observed cells of their row, by a network learned for this purpose. "
    "The structure is searched on the completed rows, and the parameters are fitted by EM to the "
    "observed cells, unless either would take too long, which the run reports. No row is "
    "dropped. It takes some seconds more, or several times as long as complete rows, and is "
    "consistent if cells are missing at random."
)
ON_MISSING_AVAILABLE = (
    "Each count uses the rows that have all its cells, so different tables use different rows. It "
    "takes little longer, but the model can be far from the data and even give probability 0 to "
    "training rows. --missing em avoids that."
)


def missing_data_text(data: DataSet, treatment: str) -> str:
    """How many cells are missing in how many rows, and what is done with them, with its cost."""
    missing = sum(data.missing_counts)
    if not missing:
        return "No cells are missing."
    cells = whole(data.row_count * len(data.domain))
    rows = data.incomplete_row_count
    return (
        f"{whole(missing)} of {cells} cells {'is' if missing == 1 else 'are'} missing in "
        f"{count_of(rows, 'row')}. {treatment}"
    )


def refuse_empty(data: DataSet) -> str | None:
    """The reason when there is nothing to learn from."""
    if len(data.domain) == 0:
        return "Not now: the data has no columns. Import or choose at least one."
    if data.row_count == 0:
        return "Not now: the data has no rows. Import some, or widen the filter."
    if data.total_weight <= 0:
        return "Not now: every row has weight 0. Choose another weight column."
    return None


class Teller(Protocol):
    """A learner, as far as it speaks of missing cells."""

    def on_missing(self, data: DataSet) -> str: ...


def missing_data_note(learner: Teller, data: DataSet, params: object) -> str:
    """The note on missing cells with these settings."""
    if getattr(params, "missing", None) == AVAILABLE:
        return missing_data_text(data, ON_MISSING_AVAILABLE)
    return learner.on_missing(data)


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
        help="Additional searches, each from the best graph with most of its edges removed.",
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
    )
