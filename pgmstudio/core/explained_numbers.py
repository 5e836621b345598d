"""The numbers that the window explains: formula, inputs, unit, direction and reference of each.

The only place where they are written; the keys are the titles beside the numbers, without arrows.
A title that has several meanings (“Bits”) has a key with the subject in brackets, which the column
or fact names. The measures of association explain themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pgmstudio.core.scores.association_measures import MEASURES


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
# Scores of a graph, whose CPTs are not those of the learned model.
_OF_GRAPH = "with maximum-likelihood CPTs; those of the learned model are smoothed"
_COMPLETED = "N rows (their total weight) without missing cells, or with completed ones"
_TOTAL = "bits over all rows"


def _log_likelihood(rows: str) -> ExplainedNumber:
    return ExplainedNumber(
        "mean of log2 P(row); ± is its standard error", rows, "bits per row", _HIGHER, "Fisher 1922"
    )


def _count(of: str, inputs: str, direction: str = "") -> ExplainedNumber:
    return ExplainedNumber(f"number of {of}", inputs, "count", direction)


_INFORMATION = ExplainedNumber(
    "I(X;Y) = Σ P(x, y) log2( P(x, y) / (P(x) P(y)) )",
    "the joint distribution of the two variables",
    "bits",
    "0: independent; larger: more dependent",
    "Shannon 1948",
)
_P_VALUE = ExplainedNumber(
    "P(statistic ≥ the observed one | independence), of the χ² distribution with df degrees of "
    "freedom",
    "the table of counts of the two variables, for each joint state of the condition",
    "probability",
    "small: independence is rejected",
    "Fisher 1925",
)
_BELIEF = "the model and the evidence"

NUMBERS = {
    "Free parameters": ExplainedNumber(
        "of a Bayesian network: Σ (r − 1) q over the variables, with r states and q joint states "
        "of the parents",
        "the structure and the numbers of states",
        "numbers",
        "fewer is simpler",
        "Nielsen 2007, chapter 3",
    ),
    "Effective size": ExplainedNumber(
        "the table cells that one update of all beliefs visits; by language",
        "the structure that inference uses",
        "numbers",
        "smaller is faster",
        "Nielsen 2007, chapter 3",
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
    "BIC eff.": ExplainedNumber(
        "(L − ½ log2(N) · effective size) / N, experimental",
        _ROWS,
        "bits per row",
        _HIGHER,
        "Nielsen 2007, §4.3.3",
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
    # -- fit on some rows
    "Bits per row": _log_likelihood(_ROWS),
    "Test": _log_likelihood("the test rows, which no learner has seen"),
    "Training": _log_likelihood("the rows that the model was learned from"),
    "Held-out": _log_likelihood("rows that were held out while it was learned"),
    "Held-out (length)": ExplainedNumber(
        "−mean of log2 P(row)", "rows that were held out", "bits per row", _LOWER
    ),
    "Gain (division)": ExplainedNumber(
        "criterion of the model with the divided block − criterion of the model before",
        "the rows that the model was learned from",
        "bits per row",
        _HIGHER,
        "Meilă 1999, §6.2",
    ),
    "Weight (model)": ExplainedNumber(
        "2^BIC of the model / Σ 2^BIC over the ticked models; or as you typed it",
        "the rows chosen above",
        "a probability",
        "",
        "Meilă 1999, eq. 4.3",
    ),
    "log2 P(row)": ExplainedNumber(
        "log2 P(row); −∞ if the model gives the row probability 0",
        "the row, missing cells summed out",
        "bits",
        _HIGHER,
    ),
    "Difference, 95 % CI": ExplainedNumber(
        "mean of log2 P(row) − log2 P_reference(row), ± t · s / √n with n − 1 degrees of freedom",
        "the n test rows, in pairs",
        "bits per row",
        "below 0: worse than the reference",
        "Student 1908",
    ),
    "Difference of a row": ExplainedNumber(
        "log2 P(row) − log2 P_reference(row)", "the row", "bits", "below 0: worse"
    ),
    "Δ log-likelihood": ExplainedNumber(
        "Σ log2 P_second(row) − log2 P_first(row)", _ROWS, "bits", "above 0: the second fits better"
    ),
    "in bits per row": ExplainedNumber(
        "Δ log-likelihood / N, ± standard error",
        _ROWS,
        "bits per row",
        "above 0: the second fits better",
    ),
    "±": ExplainedNumber("s / √n", "the n values of the mean before it", "as the mean", _LOWER),
    "Queries": ExplainedNumber(
        "mean of log2 P(Q = q | E = e)",
        "random queries Q and evidence E from the test rows",
        "bits per query",
        _HIGHER,
    ),
    # -- scores of searches
    "Score (run)": ExplainedNumber(
        "the score that the learner raises; the inspector of the run names and defines it",
        "the learning rows",
        "bits over all rows, or per row",
        _HIGHER,
    ),
    "Score (graph)": ExplainedNumber(
        "Σ over the variables of their local scores", "the learning rows", "bits", _HIGHER
    ),
    "Δ score": ExplainedNumber(
        "score after the change − score before", "the learning rows", "bits", "above 0: better"
    ),
    "Δ BIC": ExplainedNumber(
        "BIC with the edge − BIC without it", "the learning rows", "bits", "below 0: leave it out"
    ),
    "ΔL": ExplainedNumber(
        "L after the change − L before, with the likeliest parameters", "all rows", "bits"
    ),
    "Δ size": ExplainedNumber("size after the change − size before", "the model", "numbers"),
    "Δ par.": ExplainedNumber(
        "free parameters after the change − before", "the model", "numbers", "below 0: simpler"
    ),
    "BIC, hidden cells counted": ExplainedNumber(
        "BIC with the rows of each hidden state as N of its parameters",
        _ROWS,
        "bits per row",
        _HIGHER,
    ),
    "BIC (length)": ExplainedNumber(
        "(−L + ½ log2(N) · free parameters) / N", _ROWS, "bits per row", _LOWER, "Schwarz 1978"
    ),
    "BIC-h": ExplainedNumber(
        "(−L + ½ Σ log2(N_h) · free parameters of h) / N, N_h the rows of hidden state h",
        _ROWS,
        "bits per row",
        _LOWER,
    ),
    "BIC (natural logarithms)": ExplainedNumber(
        "ln L̂ − ½ K ln N", _ROWS, "nats over all rows", _HIGHER, "Schwarz 1978"
    ),
    "log L̂": ExplainedNumber(
        "Σ ln P(row) with the likeliest parameters", _ROWS, "nats over all rows", _HIGHER
    ),
    "Log MPL": ExplainedNumber(
        "Σ over the variables of ln of the marginal likelihood given their neighbours",
        _ROWS,
        "nats over all rows",
        _HIGHER,
        "Pensar et al. 2017",
    ),
    "Likelihood (score)": ExplainedNumber(
        "log2 of the marginal likelihood of graph and labels, or BIC", _ROWS, "bits", _HIGHER
    ),
    "Length": ExplainedNumber(
        "(bits of the model + bits of the rows given the model) / N",
        _ROWS,
        "bits per row",
        _LOWER,
        "Rissanen 1978",
    ),
    "AIC, one bit per parameter": ExplainedNumber(
        "(L − free parameters) / N", _ROWS, "bits per row", _HIGHER, "Nielsen 2007"
    ),
    "BDeu": ExplainedNumber(
        "log2 of the marginal likelihood with Dirichlet priors α / (r q), α = 1, of the graph",
        "the counts of each family",
        "bits; in tables per row",
        _HIGHER,
        "Heckerman, Geiger and Chickering 1995",
    ),
    "BDeu (graph)": ExplainedNumber(
        "Σ over the variables of log2 of the marginal likelihood of the family, with Dirichlet "
        "priors α / (r q)",
        _COMPLETED,
        _TOTAL,
        _HIGHER,
        "Heckerman, Geiger and Chickering 1995",
    ),
    "K2": ExplainedNumber(
        "log2 of the marginal likelihood with one fictitious row in each cell",
        "the counts of each family",
        "bits",
        _HIGHER,
        "Cooper and Herskovits 1992",
    ),
    "Log-likelihood (graph)": ExplainedNumber(
        f"L̂ = Σ log2 P(x | parents) {_OF_GRAPH}", _COMPLETED, _TOTAL, _HIGHER, "Fisher 1922"
    ),
    "BIC (graph)": ExplainedNumber(
        f"L̂ − ½ log2(N) · free parameters, L̂ = Σ log2 P(x | parents) {_OF_GRAPH}",
        _COMPLETED,
        _TOTAL,
        _HIGHER,
        "Schwarz 1978",
    ),
    "AIC (graph)": ExplainedNumber(
        f"L̂ − log2(e) · free parameters, L̂ = Σ log2 P(x | parents) {_OF_GRAPH}",
        _COMPLETED,
        _TOTAL,
        _HIGHER,
        "Akaike 1974",
    ),
    "MDL (length)": ExplainedNumber(
        "Σ over the joint states of the parents of log2 C(n + r − 1, r − 1) + n H, for n rows, r "
        "states and the entropy H of their frequencies",
        _COMPLETED,
        _TOTAL,
        _LOWER,
        "Rissanen 1978",
    ),
    "KL": ExplainedNumber(
        "H(X | parents) − H(X | earlier variables), summed over the variables",
        "the rows without missing cells",
        "bits per row",
        _LOWER,
        "Kullback and Leibler 1951",
    ),
    "MDL": ExplainedNumber(
        "L − ½ log2(N) · free parameters", _ROWS, "bits", _HIGHER, "Lam and Bacchus 1994"
    ),
    "fNML": ExplainedNumber(
        "L − Σ log2 of the multinomial normalizers of the families",
        "the counts of each family",
        "bits",
        _HIGHER,
        "Silander et al. 2008",
    ),
    "λ-score": ExplainedNumber(
        "(1 − λ) L − λ · free parameters", _ROWS, "bits", _HIGHER, "Nielsen 2007, eq. 4.24"
    ),
    "PIC": ExplainedNumber(
        "Σ over the variables of Σ log2 P̂(x | neighbours) − ½ (r − 1) q log2(N), with r states and "
        "q joint states of the neighbours",
        _ROWS,
        "bits",
        _HIGHER,
        "Csiszár and Talata 2006",
    ),
    "Description length, negative": ExplainedNumber(
        "−(bits of the model + bits of the rows given the model)",
        _ROWS,
        "bits",
        _HIGHER,
        "Rissanen 1978",
    ),
    "Information of edges": ExplainedNumber(
        "N Σ over the edges of I(X;Y), less any penalty",
        "the counts of every pair",
        "bits",
        _HIGHER,
        "Chow and Liu 1968",
    ),
    "Log-likelihood with prior": ExplainedNumber(
        "L + log2 of the prior of the parameters",
        "the observed cells",
        "bits",
        _HIGHER,
        "Dempster, Laird and Rubin 1977",
    ),
    "Marginal likelihood": ExplainedNumber(
        "log2 ∫ P(rows | graph, parameters) dP(parameters)", "all rows", "bits", _HIGHER
    ),
    "Pseudo-likelihood": ExplainedNumber(
        "Σ over the variables of log2 of the marginal likelihood given their neighbours",
        "all rows",
        "bits",
        _HIGHER,
        "Besag 1975",
    ),
    "λ": ExplainedNumber(
        "score = (1 − λ) L − λ · size",
        "set in the plan of the run",
        "0 to 1",
        "near 0 favours likelihood, near 1 small models",
        "Nielsen 2007, eq. 4.24",
    ),
    "κ": ExplainedNumber(
        "each free parameter that a context saves multiplies the prior by κ",
        "set in the plan of the run",
        "0 to 1",
        "0: no contexts; 1: no penalty for them",
    ),
    # -- sizes and times
    "Size (curve)": ExplainedNumber(
        "the measure of size that the plot has as its axis",
        "the model",
        "numbers",
        "smaller is faster",
    ),
    "Learned in": ExplainedNumber(
        "time from start to end of the learner", "the run", "seconds", _LOWER
    ),
    "One update": ExplainedNumber(
        "mean time of one update of all beliefs", "random evidence", "milliseconds", _LOWER
    ),
    "Weight (pair)": ExplainedNumber(
        "the measure of association of the pair, which orders the edges",
        "the table of the two variables",
        "as the measure",
    ),
    "Smoothing α": ExplainedNumber(
        "fictitious rows, spread over the cells of all trees", "set or chosen by folds", "rows"
    ),
    "Effective trees": ExplainedNumber("2^H of the weights of the trees", "the weights", "trees"),
    # -- evidence
    "P(e)": ExplainedNumber(
        "Σ of P(x) over all joint states x that agree with the evidence; likelihoods are scaled "
        "to a largest value of 1",
        _BELIEF,
        "probability",
        "small: unexpected evidence",
    ),
    "Π(e)": ExplainedNumber(
        "max of π(x) over all joint states x that agree with the evidence",
        _BELIEF,
        "degree of possibility",
        "0: impossible",
    ),
    "Surprise": ExplainedNumber(
        "−log2 P(e)", _BELIEF, "bits", "larger: less expected", "Shannon 1948"
    ),
    "Conflict": ExplainedNumber(
        "log2( Π P(eᵢ) / P(e) )",
        "the pieces eᵢ of the evidence",
        "bits",
        "above 0: less probable together than apart; from 3 on strongly",
        "Jensen et al. 1990",
    ),
    "Value of information": ExplainedNumber(
        "I(target; variable | e), and its fraction of H(target | e); the bar is the range of the "
        "belief over the states that could be observed",
        _BELIEF,
        "bits, percent of the entropy",
        "larger: ask this first",
        "Howard 1966",
    ),
    "Share of entropy": ExplainedNumber(
        "I(target; variable | e) / H(target | e)", _BELIEF, "fraction", "larger: ask this first"
    ),
    "Lowest": ExplainedNumber(
        "min over the states s of P(target | e, variable = s)", _BELIEF, "probability"
    ),
    "Highest": ExplainedNumber(
        "max over the states s of P(target | e, variable = s)", _BELIEF, "probability"
    ),
    "Evidence impact": ExplainedNumber(
        "the belief in the target without the finding f; × is P(f | the rest) / P(f)",
        _BELIEF,
        "probability; ratio",
        "× below 1: the rest is evidence against it",
    ),
    "Belief": ExplainedNumber("P(target state | e)", _BELIEF, "probability"),
    "Belief without": ExplainedNumber(
        "P(target state | e without this finding)", _BELIEF, "probability"
    ),
    "Probability (finding)": ExplainedNumber("P(f)", "the model alone", "probability"),
    "Given rest": ExplainedNumber("P(f | the other evidence)", _BELIEF, "probability"),
    "Normalised likelihood": ExplainedNumber(
        "P(f | the other evidence) / P(f)",
        _BELIEF,
        "ratio",
        "below 1: the rest is evidence against it",
    ),
    "Conflict bits": ExplainedNumber(
        "log2( P(f) / P(f | the other evidence) )", _BELIEF, "bits", "above 0: it contradicts"
    ),
    "Sensitivity": ExplainedNumber(
        "P(target | e) = (a t + b) / (c t + d) as a function of one entry t of a CPT; the other "
        "entries of its column change in proportion",
        "the CPTs and the evidence",
        "probability",
        "a wide bar: this entry matters",
        "Laskey 1995; Kjærulff and van der Gaag 2000",
    ),
    "Value (entry)": ExplainedNumber("t, the entry of the CPT", "the model", "probability"),
    "Low (entry)": ExplainedNumber("the smallest t of the bar", "the chosen span", "probability"),
    "High (entry)": ExplainedNumber("the largest t of the bar", "the chosen span", "probability"),
    "Belief at low": ExplainedNumber("(a t + b) / (c t + d) at the low t", _BELIEF, "probability"),
    "Belief at high": ExplainedNumber(
        "(a t + b) / (c t + d) at the high t", _BELIEF, "probability"
    ),
    "Width (bar)": ExplainedNumber(
        "|belief at high − belief at low|", _BELIEF, "probability", "larger: it matters more"
    ),
    "Derivative": ExplainedNumber(
        "(a d − b c) / (c t + d)² at the entry itself", _BELIEF, "probability per probability"
    ),
    "Coefficient": ExplainedNumber(
        "of (a t + b) / (c t + d), the belief as a function of the entry", _BELIEF, "probability"
    ),
    # -- dependence
    "Mutual information": _INFORMATION,
    "Information content": ExplainedNumber(
        "log2 r + Σ P(x | t) log2 P(x | t)",
        "the model; t is a state of the target, r the number of states of x",
        "bits",
        "0: all states are equally probable; log2 r: one is certain",
        "Schneider and Stephens 1990",
    ),
    "MI": _INFORMATION,
    "MI (bits)": _INFORMATION,
    "Entropy": ExplainedNumber(
        "−Σ P(x) log2 P(x)", "the joint distribution", "bits", "0: certain", "Shannon 1948"
    ),
    "I(A;B|Z)": ExplainedNumber(
        "Σ P(a, b, z) log2( P(a, b | z) / (P(a | z) P(b | z)) )",
        "the model without its evidence; Z is what is given",
        "bits",
        "0: independent given Z",
        "Shannon 1948",
    ),
    "Bits (test)": ExplainedNumber(
        "I(X;Y|Z) of the rows",
        "the counts of the test",
        "bits",
        "0: independent in the rows",
        "Shannon 1948",
    ),
    "Bits (Hartley)": ExplainedNumber(
        "log2( |R(A)| |R(C)| / |R(A,C)| ), summed over the slices of a condition",
        "which pairs of states occur",
        "bits",
        "0: all pairs occur",
        "Hartley 1928",
    ),
    "Statistic": ExplainedNumber(
        "G² = 2 Σ N ln(N / expected), or X² = Σ (N − expected)² / expected",
        "the table of counts, for each joint state of the condition",
        "–",
        "larger: more dependent",
    ),
    "df": ExplainedNumber(
        "Σ (rows − 1)(columns − 1) over the joint states of the condition",
        "the rows and columns of the tables that occur",
        "degrees of freedom",
    ),
    "p-value": _P_VALUE,
    "p-value, corrected": ExplainedNumber(
        "p times the number of tests (Bonferroni), or of those left (Holm), at most 1",
        "the p-values of all columns",
        "probability",
        "small: independence is rejected",
        "Holm 1979",
    ),
    "Distance of two beliefs": ExplainedNumber(
        "½ Σ |P(s) − Q(s)| (total variation), or Σ P(s) log2(P(s) / Q(s)) (relative entropy)",
        "the beliefs of two models in one variable",
        "0 to 1, or bits",
        "0: they agree",
        "Kullback and Leibler 1951",
    ),
    # -- structures
    "Fraction (replicates)": ExplainedNumber(
        "replicates that have the edge / replicates",
        "models learned from rows drawn with replacement",
        "percent",
        "near 100 %: stable",
        "Friedman, Goldszmidt and Wyner 1999",
    ),
    "Fraction (of all)": ExplainedNumber("count / all of them", "the runs", "percent"),
    "SHD of the graphs": _count(
        "edges added, missing or reversed", "both graphs", "0: the same graph"
    ),
    "SHD of the classes": ExplainedNumber(
        "number of edges that differ between the CPDAGs",
        "both equivalence classes",
        "count",
        "0: the same independences",
        "Tsamardinos, Brown and Aliferis 2006",
    ),
    "Hamming distance": _count("edges added or missing", "both graphs", "0: the same graph"),
    "F1": ExplainedNumber(
        "2 TP / (2 TP + FP + FN)",
        "the edges, the first model being the truth",
        "0 to 1",
        "1: the same edges",
    ),
    # -- published experiments
    "Published": ExplainedNumber("as printed", "the publication", "as it is named"),
    "Obtained": ExplainedNumber(
        "mean ± standard deviation over the trials", "the trials so far", "as it is named"
    ),
    "Difference (published)": ExplainedNumber(
        "obtained − published", "both means", "as it is named", "0: as published"
    ),
    "P(predicted)": ExplainedNumber(
        "P(predicted state | other cells)", "the row", "probability", "near 1: sure"
    ),
    "P(true)": ExplainedNumber("P(true state | other cells)", "the row", "probability", _HIGHER),
}

# Other titles of the same numbers.
_SAME = {
    "Free par.": "Free parameters",
    "Parameters": "Free parameters",
    "Eff. size": "Effective size",
    "At size": "Effective size",
    "Test, bits per row": "Test",
    "Best test": "Test",
    "Held-out log-likelihood": "Held-out",
    "Update, ms": "One update",
}
# Numbers that say all by their names: counts, and numbers of rows, steps and runs.
# fmt: off
PLAIN = frozenset((
    "#", "Blocks", "Classes", "Contexts", "Count", "Directed", "Edges", "Forest", "Found",
    "No.", "Nodes", "Points", "Row", "Rows", "Runs", "Seed", "Start", "Step", "Steps",
    "Structure", "Time", "Trees", "Trials", "Tuples",
))
# fmt: on


def explained(title: str) -> ExplainedNumber | None:
    """The number of a title, with or without the arrow of its direction and what follows.

    Of a search it is the score of a graph; the criterion that chose a model is a fit per row.
    """
    of_search = title.startswith("Search: ")
    name = title.removeprefix("Search: ").removeprefix("Criterion: ")
    key = re.split(r"\s*[↑↓]", name)[0].strip().removesuffix(" with labels")
    of_graph = NUMBERS.get(f"{key} (graph)") if of_search else None
    return of_graph or NUMBERS.get(_SAME.get(key, key)) or _MEASURES.get(key)


_MEASURES = {
    measure.title: ExplainedNumber(
        measure.formula,
        f"the {measure.setting.value} table of parent A and child C"
        + (", for each state of Z" if measure.is_conditional else ""),
        "as the formula, logarithms to base 2",
        measure.direction,
        measure.reference,
    )
    for measure in MEASURES.values()
}
