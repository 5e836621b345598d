"""What the run sheet says before a start: missing cells, and data that will not do."""

from __future__ import annotations

from typing import Any, Protocol

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.params import param

AVAILABLE, EM = "available", "em"


def missing_param() -> Any:
    """How the final tables are filled: one declaration for every learner that has the field."""
    return param(
        AVAILABLE,
        title="Missing cells",
        choices=(AVAILABLE, EM),
        help="How the final tables are filled when cells are missing. available: each from the "
        "rows that have its cells. em: every missing cell counts with the probabilities of its "
        "states, by EM, which takes longer.",
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
    """What a learner says of missing cells, and what its settings add to it."""
    told = learner.on_missing(data)
    if getattr(params, "missing", None) != EM or not data.has_missing:
        return told
    return f"{told} The final tables are filled by EM, which takes longer."
