"""The log-linear form of a Markov network in the inspector: its φ's, restrictions, and scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon

from pgmstudio.core.languages.markov_network.fitting import (
    CLOSED_FORM,
    PSEUDO_LIKELIHOOD,
    FittedMarkovNetwork,
)
from pgmstudio.core.languages.markov_network.log_linear import (
    Parameter,
    element_rows,
    parameter_count,
    parameter_symbol,
    restriction_text,
    restrictions_of,
)
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import Edge
from pgmstudio.core.languages.markov_network.summaries import StructureScores
from pgmstudio.core.number_format import counted, decimal, general, grouped
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.fact_rows import Fact
from pgmstudio.gui.widgets.table import Column, Table

MAX_RESTRICTIONS = 8
MAX_PARAMETERS = 2000  # φ's that are listed
MAX_SHOWN_ROWS = 12
MAX_UNBROKEN = 16  # characters of an equation
ERRORS = 3  # the column of standard errors

Title = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """A φ: its symbol, its variables, its value, whether contexts set it to 0, and the standard
    error of its estimate, not a number where it is not known."""

    symbol: str
    variables: str
    value: float
    is_zero: bool
    error: float = math.nan


def parameter_rows(
    model: MarkovNetwork,
    title: Title = str,
    wanted: Callable[[Parameter], bool] | None = None,
    scores: StructureScores | None = None,
) -> list[ParameterRow]:
    """The φ's with their values; `wanted` chooses some. None where there are very many."""
    structure, domain = model.structure, model.domain
    if parameter_count(structure) > MAX_PARAMETERS:
        return []
    fixed = {p for p, row in restrictions_of(structure).rows.items() if len(row) == 1}
    known = None if scores is None else scores.standard_errors
    errors = np.full(len(model.parameters), math.nan) if known is None else known
    return [
        ParameterRow(
            parameter_symbol(domain, parameter),
            ", ".join(title(domain.names[v]) for v in parameter[0]),
            float(value),
            parameter in fixed,
            math.nan if parameter in fixed else float(error),
        )
        for parameter, value, error in zip(
            model.log_linear.parameters, model.parameters, errors, strict=True
        )
        if wanted is None or wanted(parameter)
    ]


class ParameterTable(Table):
    """φ's; a lock marks those that contexts set to 0."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            "Log-linear parameters",
            (
                Column("Term", value=lambda row: row.symbol, tip="Variables by their numbers."),
                Column("Variables", value=lambda row: row.variables, stretches=True),
                Column(
                    "Value",
                    _value_text,
                    True,
                    value=lambda row: row.value,
                    icon=_lock,
                    tip="In natural logarithms; 0 where a variable is in its first state.",
                ),
                Column(
                    "SE",
                    _error_text,
                    True,
                    value=lambda row: row.error,
                    tip="Standard error of the maximum-likelihood estimate, by the Fisher "
                    "information.",
                ),
            ),
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_parameters(self, rows: Sequence[ParameterRow]) -> None:
        """As high as its rows, up to a dozen; standard errors only where there are some."""
        self.show_rows(rows)
        self.setColumnHidden(ERRORS, all(math.isnan(row.error) for row in rows))
        height = self.verticalHeader().defaultSectionSize()
        shown = min(MAX_SHOWN_ROWS, len(rows))
        head = self.horizontalHeader().sizeHint().height()
        self.setFixedHeight(shown * height + head + theme().space(2))


def _value_text(value: float) -> str:
    return decimal(value) if math.isfinite(value) else "not finite"


def _error_text(value: float) -> str:
    return decimal(value) if math.isfinite(value) else ""


def _lock(row: ParameterRow) -> QIcon:
    return icon("lock-simple", "label_ink") if row.is_zero else QIcon()


def restriction_facts(
    model: MarkovNetwork, title: Title = str, first: Edge | None = None
) -> list[Fact]:
    """Every context of an edge with what it restricts: `φ₂₃ + φ₁₂₃ = 0`; those of `first` first."""
    structure, domain = model.structure, model.domain
    facts: list[Fact] = []
    total = 0
    for edge in sorted(structure.contexts, key=lambda edge: (edge != first, edge)):
        ends = " – ".join(title(domain.names[v]) for v in edge)
        common = structure.common_neighbours(*edge)
        for element in sorted(structure.contexts[edge]):
            rows = list(element_rows(structure, edge, element))
            total += len(rows)
            if len(facts) >= MAX_RESTRICTIONS:
                continue
            where = ", ".join(
                f"{title(domain.names[v])} = {domain.variables[v].states[s]}"
                for v, s in zip(common, element, strict=True)
            )
            texts = [_equation(restriction_text(domain, row, parameter_symbol)) for row in rows]
            shown = texts[: MAX_RESTRICTIONS - len(facts)]
            facts += [(f"{ends} when {where}", text, text) for text in shown]
    if total > len(facts):
        facts.append((f"… and {grouped(total - len(facts))} more", ""))
    return facts


def _equation(text: str) -> str:
    """A short equation stays on one line."""
    return text.replace(" ", "\u00a0") if len(text) <= MAX_UNBROKEN else text


def nats(value: float) -> str:
    """A score in natural logarithms."""
    return decimal(value, 2)


def cost_facts(model: MarkovNetwork, scores: StructureScores | None) -> list[Fact]:
    """Parameters and scores of a model, with and without its contexts."""
    structure = model.structure
    free, plain = model.representation_size(), parameter_count(structure)
    without = f" ({grouped(plain)} without contexts)" if structure.contexts else ""
    tip = "φ's less the rank of the restrictions by contexts."
    facts: list[Fact] = [("Free parameters", f"{grouped(free)}{without}", tip)]
    if scores is None:
        return facts
    facts.append(
        ("Log MPL", nats(scores.log_mpl_nats), "Marginal pseudo-likelihood, natural logarithm.")
    )
    if structure.contexts:
        tip = "The same graph without contexts."
        facts.append(("Log MPL without contexts", nats(scores.plain_log_mpl_nats), tip))
    if scores.fitted is not None:
        tip = "log L̂ − ½ K ln N of the maximum-likelihood fit, natural logarithm."
        facts.append(("BIC", nats(scores.fitted.bic_nats), tip))
        if structure.contexts:
            tip = "The same graph without contexts."
            facts.append(("BIC without contexts", nats(scores.plain_bic_nats), tip))
    return facts


def fit_facts(fitted: FittedMarkovNetwork) -> list[Fact]:
    """How the parameters of largest likelihood are found, and whether the search converged."""
    how = "pseudo-likelihood, approximate" if fitted.method == PSEUDO_LIKELIHOOD else "exact"
    steps = (
        "closed form"
        if fitted.method == CLOSED_FORM
        else f"{counted(fitted.iterations, 'Newton step')}, gradient "
        f"{general(fitted.gradient_norm, 2)}"
    )
    return [
        ("Maximum likelihood", how, "Exact where the junction tree is small enough."),
        ("Convergence", steps, "The largest component of the gradient, per row of data."),
        ("Log-likelihood", nats(fitted.log_likelihood_nats), "At the maximum, natural logarithm."),
    ]
