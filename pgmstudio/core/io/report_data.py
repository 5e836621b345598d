"""What a report says of a data set: rows, columns, their states and what is missing."""

from __future__ import annotations

from collections.abc import Iterator

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.summary import ColumnSummary, summarise
from pgmstudio.core.experiments.number_words import count_of, decimal, whole
from pgmstudio.core.io.report_html import Content, Markup, bar, facts, joined, table, tag
from pgmstudio.core.project.project import DataEntry

# States and columns beyond these are counted, not listed.
MOST_STATES = 6
MOST_COLUMNS = 200


def data_part(entry: DataEntry) -> Markup:
    """A data set of a project with where it came from."""
    pairs: list[tuple[str, Content]] = []
    if entry.source:
        pairs.append(("File", entry.source))
    pairs += data_facts(entry.data)
    if entry.split is not None:
        parts = zip(entry.split.names, entry.split.sizes, strict=True)
        told = ", ".join(f"{name} {count_of(size, 'row')}" for name, size in parts)
        pairs.append(("Split", told))
    if entry.missing_markers:
        pairs.append(("Missing", ", ".join(f"“{marker}”" for marker in entry.missing_markers)))
    if entry.cuts:
        pairs.append(("Cut into intervals", ", ".join(entry.cuts)))
    notes = [tag("p", line) for line in entry.notes.splitlines() if line.strip()]
    return joined([facts(pairs), *notes, columns_table(entry.data)])


def data_facts(data: DataSet) -> list[tuple[str, Content]]:
    """How large it is, what is missing, and the fingerprint by which it is known again."""
    missing = sum(data.missing_counts)
    size = f"{count_of(data.row_count, 'row')}, {count_of(len(data.domain), 'column')}"
    if data.weights is not None:
        size += f", total weight {decimal(data.total_weight, 1)}"
    holes = "none"
    if missing:
        holes = f"{count_of(missing, 'cell')} in {count_of(data.incomplete_row_count, 'row')}"
    return [("Size", size), ("Missing cells", holes), ("Fingerprint", data.fingerprint)]


def columns_table(data: DataSet) -> Markup:
    """Every column with its states as bars."""
    summaries = summarise(data)
    rows = [
        (
            own.name,
            whole(len(own.counts)),
            decimal(own.entropy_bits, 2),
            f"{100 * own.missing_rate:.1f} %" if own.missing else "–",
            joined(_states(data, own)),
        )
        for own in summaries[:MOST_COLUMNS]
    ]
    head = ("Column", "States", "Entropy, bits", "Missing", "Share of its rows")
    told = table(head, rows, "<>>><")
    left = len(summaries) - MOST_COLUMNS
    if left > 0:
        return joined([told, tag("p", f"{count_of(left, 'column')} more are not listed.")])
    return told


def _states(data: DataSet, own: ColumnSummary) -> Iterator[Markup]:
    states, total = data.domain[own.name].states, float(own.counts.sum()) or 1.0
    order = list(range(len(states)))
    if len(states) > MOST_STATES:
        order = sorted(order, key=lambda code: (-own.counts[code], code))[: MOST_STATES - 1]
    for code in order:
        share = float(own.counts[code]) / total
        yield bar(share, f"{states[code]} {100 * share:.1f} %")
    if len(states) > MOST_STATES:
        rest = len(states) - len(order)
        share = 1 - sum(float(own.counts[code]) for code in order) / total
        yield bar(share, f"{rest} others {100 * share:.1f} %")
