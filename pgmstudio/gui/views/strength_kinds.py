"""The readings of the strength of an edge, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StrengthKind:
    """One reading of strength: its words, and what it means."""

    words: str  # in the bar
    title: str  # in the legend
    unit: str
    tip: str


KINDS = {
    "none": StrengthKind("Edge width: none", "", "", "All edges are drawn alike."),
    "mi": StrengthKind(
        "Edge width: MI",
        "MI",
        "bits",
        "Mutual information: what the two ends tell about each other, by any path.",
    ),
    "removal": StrengthKind(
        "Edge width: KL of removal",
        "KL of removal",
        "bits",
        "How far the model moves when the child loses this parent; what the edge itself carries.",
    ),
    "score.bic": StrengthKind(
        "Edge width: Δ BIC", "Δ BIC", "bits", "What BIC would lose without the edge, on the rows."
    ),
    "score.aic": StrengthKind(
        "Edge width: Δ AIC", "Δ AIC", "bits", "What AIC would lose without the edge, on the rows."
    ),
    "score.bdeu": StrengthKind(
        "Edge width: Δ BDeu",
        "Δ BDeu",
        "bits",
        "What BDeu (one imagined row) would lose without the edge, on the rows.",
    ),
    "bootstrap": StrengthKind(
        "Edge width: bootstrap",
        "bootstrap",
        "%",
        "The share of bootstrap replicates that join the two ends.",
    ),
}
