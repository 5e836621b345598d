"""The numbers that the window explains: formula, inputs, unit, direction and reference of each.

The only place where they are written; the keys are the titles beside the numbers, without arrows.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExplainedNumber:
    """What a number is and where it comes from."""

    formula: str
    inputs: str
    unit: str
    direction: str = ""
    reference: str = ""

    def lines(self) -> list[tuple[str, str]]:
        """What is known of it, by its name."""
        named = [
            ("Formula", self.formula),
            ("Inputs", self.inputs),
            ("Unit", self.unit),
            ("Direction", self.direction),
            ("Reference", self.reference),
        ]
        return [(name, text) for name, text in named if text]


_HIGHER, _LOWER = "higher is better", "lower is better"
_ROWS = "N rows (their total weight), missing cells summed out"

NUMBERS = {
    "Free parameters": ExplainedNumber(
        "Σ (r − 1) q over the variables, with r states and q joint states of the parents",
        "the structure and the numbers of states",
        "numbers",
        "fewer is simpler",
    ),
    "Effective size": ExplainedNumber(
        "the operations of one update of all beliefs; by language",
        "the structure that inference uses",
        "numbers",
        "smaller is faster",
        "Nielsen 2007, chapter 4",
    ),
    "Junction-tree cells": ExplainedNumber(
        "Σ over the cliques of the product of their numbers of states",
        "the triangulated moral graph",
        "cells",
        "smaller is faster",
        "Lauritzen and Spiegelhalter 1988",
    ),
    "Log-likelihood": ExplainedNumber(
        "L / N, with L = Σ log2 P(row)", _ROWS, "bits per row", _HIGHER, "Fisher 1922"
    ),
    "BIC": ExplainedNumber(
        "(L − ½ log2(N) · free parameters) / N",
        _ROWS,
        "bits per row",
        _HIGHER,
        "Schwarz 1978",
    ),
    "AIC": ExplainedNumber(
        "(L − log2(e) · free parameters) / N", _ROWS, "bits per row", _HIGHER, "Akaike 1974"
    ),
    "Probability": ExplainedNumber(
        "max over all joint states x of P(x)", "the model", "probability", "", "Pearl 1988"
    ),
    "Given the evidence": ExplainedNumber(
        "max over x of P(x, e) / P(e)", "the model and the evidence", "probability"
    ),
    "With the evidence": ExplainedNumber(
        "max over x of P(x, e)", "the model and the evidence", "probability"
    ),
    "Accuracy": ExplainedNumber(
        "rows whose most probable state is the true one / rows, ± standard error",
        "the target given the other cells of each row",
        "percent of the rows",
        _HIGHER,
    ),
    "Majority class": ExplainedNumber(
        "rows of the most frequent state / rows",
        "the target of the rows",
        "percent of the rows",
        "a classifier should be above it",
    ),
    "Soft score": ExplainedNumber(
        "mean of P(true state | other cells)", "every row", "probability", _HIGHER
    ),
    "Brier score": ExplainedNumber(
        "mean of Σ (P(state | other cells) − [state is true])² over the states",
        "every row",
        "0 to 2",
        _LOWER,
        "Brier 1950",
    ),
    "Log loss, bits": ExplainedNumber(
        "−mean of log2 P(true state | other cells)", "every row", "bits per row", _LOWER
    ),
    "Mean AUC": ExplainedNumber(
        "mean over the states of the area under the ROC curve of each against the rest",
        "P(state | other cells) of every row",
        "0.5 (chance) to 1",
        _HIGHER,
        "Hand and Till 2001",
    ),
    "Calibration": ExplainedNumber(
        "mean over the bins of |mean probability − frequency|, weighted by their rows",
        "the most probable state of every row",
        "probability",
        _LOWER,
        "Naeini et al. 2015",
    ),
    "Effective classes": ExplainedNumber(
        "2^H of the class weights", "the weights, given the evidence", "classes"
    ),
}


def explained(title: str) -> ExplainedNumber | None:
    """The number of a title, with or without the arrow of its direction."""
    return NUMBERS.get(title.rstrip("↑↓ ").strip())
