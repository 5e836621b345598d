"""How the choices of settings read; a script writes them in plain letters."""

from __future__ import annotations

_WORDS = {
    "aic": "AIC",
    "aic-thesis": "AIC (thesis)",
    "aic_half": "AIC / 2",
    "bdeu": "BDeu",
    "bic": "BIC",
    "chi2": "χ²",
    "chi2_norm": "χ², normalised",
    "cramers_v": "Cramér’s V",
    "dl": "description length",
    "em": "EM",
    "g2": "G²",
    "gini": "Gini index",
    "gini_sym": "Gini index, symmetric",
    "hill-climb": "hill climbing",
    "info_gain": "information gain",
    "k2": "K2",
    "kes": "KES",
    "lambda": "λ-score",
    "loglik": "log-likelihood",
    "mdl": "MDL",
    "mdl_abs": "MDL, absolute",
    "mdl_rel": "MDL, relative",
    "stoch_complexity": "stochastic complexity",
    "sym_gain_ratio1": "symmetric gain ratio 1",
    "sym_gain_ratio2": "symmetric gain ratio 2",
}


def choice_words(choice: str) -> str:
    """`bic` as BIC, `gain_ratio` as gain ratio."""
    return _WORDS.get(choice) or choice.replace("_", " ")
