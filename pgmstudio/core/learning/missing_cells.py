"""What the run sheet says before a start: missing cells, and data that will not do."""

from __future__ import annotations

from pgmstudio.core.data.dataset import DataSet


def grouped_digits(number: int) -> str:
    """4242 as “4 242”, with a thin space that does not break."""
    return f"{number:,}".replace(",", "\u202f")


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
