"""What the run sheet says before a start: missing cells, and data that will not do."""

from __future__ import annotations

from typing import Any, Protocol

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.params import param

AVAILABLE, EM = "available", "em"


def missing_param() -> Any:
    """What is done with missing cells: one declaration for every learner that has the field."""
    return param(
        EM,
        title="Missing cells",
        choices=(EM, AVAILABLE),
        help="em: the structure is searched for on completed rows and its parameters are fitted "
        "by EM to the observed cells; right if cells are missing at random. available: each count "
        "is over the rows that have its cells; quicker, but different tables come from different "
        "rows.",
    )


ON_MISSING = (
    "They are drawn given the observed cells of their row, by a network learned for this; the "
    "structure is searched for on the completed rows, and the parameters are fitted by EM to the "
    "observed cells, unless either would take too long, which the run says. No row is "
    "dropped; it takes some seconds more, or several times as long as complete rows, and is right "
    "if cells are missing at random."
)
ON_MISSING_AVAILABLE = (
    "Each count is over the rows that have all its cells, so different tables come from different "
    "rows: it takes little longer, but the model may be far from the data, and even rule out "
    "rows it was learned from. --missing em avoids that."
)


def grouped_digits(number: int) -> str:
    """4242 as “4 242”, with a thin space that does not break."""
    return f"{number:,}".replace(",", "\u202f")


def count_of(number: int, word: str) -> str:
    """ "1 row", "4 242 rows"."""
    return f"{grouped_digits(number)} {word}{'' if number == 1 else 's'}"


def missing_sentence(data: DataSet, treatment: str) -> str:
    """How many cells are missing in how many rows, and what is done with them, with its cost."""
    missing = sum(data.missing_counts)
    if not missing:
        return "No cells are missing."
    cells = grouped_digits(data.row_count * len(data.domain))
    rows = data.incomplete_row_count
    return (
        f"{grouped_digits(missing)} of {cells} cells {'is' if missing == 1 else 'are'} missing in "
        f"{grouped_digits(rows)} {'row' if rows == 1 else 'rows'}. {treatment}"
    )


def refuse_empty(data: DataSet) -> str | None:
    """A sentence when there is nothing to learn from."""
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


def told_of_missing(learner: Teller, data: DataSet, params: object) -> str:
    """What a learner says of missing cells with these settings."""
    if getattr(params, "missing", None) == AVAILABLE:
        return missing_sentence(data, ON_MISSING_AVAILABLE)
    return learner.on_missing(data)
