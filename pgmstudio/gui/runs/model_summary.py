"""Facts about a whole model that take a moment: its sizes and how well it fits its data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pgmstudio.core.analysis.fit_comparison import fit_of as fit_without_probabilities
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.languages.sizes import SizeBreakdown, size_breakdown
from pgmstudio.core.model import Model, ProbabilisticModel
from pgmstudio.core.number_format import counted, decimal, grouped, measure_title
from pgmstudio.core.params import ParamKind, specs_of
from pgmstudio.core.project.project import restored_params
from pgmstudio.core.scores.local import AIC_BITS
from pgmstudio.gui.widgets.param_form import choice_label


@dataclass(frozen=True)
class ModelFacts:
    """Summary of a model; `problem`: why it has no fit.

    `fit`: bits per row by name, higher is better; of a model without probabilities the measures of
    its language.
    """

    effective_size: int
    method: str  # of the triangulation; empty where there is none
    fit: Mapping[str, float]
    problem: str = ""
    sizes: SizeBreakdown = field(default_factory=SizeBreakdown)
    size_note: str = ""  # a text of the language after the effective size


def model_facts(model: Model, data: DataSet | None, size_note: Callable[[Any], str]) -> ModelFacts:
    """The sizes and the fit of a model; takes a moment, so it runs in the background."""
    sizes = size_breakdown(model)
    method = sizes.triangulator
    size = model.effective_size()
    note = size_note(model)
    try:
        fit = {}
        if data is not None and language_of(model).fit_measures is not None:
            fit = fit_without_probabilities(model, data)
        elif data is not None:
            fit = fit_per_row(model, data)
    except PgmStudioError as error:
        return ModelFacts(size, method, {}, str(error), sizes, note)
    return ModelFacts(size, method, fit, "", sizes, note)


def fit_per_row(model: Model, data: DataSet) -> dict[str, float]:
    """The fit of a model to the observed cells of some rows."""
    rows = data.total_weight
    if not isinstance(model, ProbabilisticModel) or rows <= 0:
        return {}
    total = log2_likelihood(model, rows_over(data, model.domain))
    return fit_of(total / rows, model.representation_size(), rows)


def fit_of(bits_per_row: float, free: int, rows: float) -> dict[str, float]:
    """L/N, and with k free parameters BIC = L − k/2 · log2 N and AIC = L − k · log2 e, over N."""
    return {
        "Log-likelihood": bits_per_row,
        "BIC": bits_per_row - free / 2 * math.log2(max(rows, 1.0)) / rows,
        "AIC": bits_per_row - AIC_BITS * free / rows,
    }


_FIT_TIPS = {
    "Log-likelihood": "log₂ P(row) of the model with its own parameters, mean over the rows; of a "
    "row with missing cells, of the observed ones.",
    "BIC": "Log-likelihood − k/2 · log₂ N / N with k free parameters and N rows.",
    "AIC": "Log-likelihood − k · log₂ e / N with k free parameters and N rows.",
}


def fit_facts(fit: Mapping[str, float]) -> list[tuple[str, str, str]]:
    """The fit of a model; the same names, definitions and digits for a run and for a model."""
    return [
        (f"{name} ↑", bits_text(value), f"{_FIT_TIPS[name]} Higher is better.")
        if name in _FIT_TIPS
        else (measure_title(name), measure_text(value), "")
        for name, value in fit.items()
    ]


def measure_text(value: float) -> str:
    """A count, or a number with three digits."""
    return grouped(int(value)) if value.is_integer() else decimal(value)


def bits_text(value: float) -> str:
    """Three digits, a true minus; rows that are impossible make it −∞."""
    if math.isinf(value):
        return "−∞, some rows are impossible"
    return f"{decimal(value)} bits per row"


def provenance_facts(provenance: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The card: how a model came about, enough to make it again."""
    key = str(provenance.get("learner", ""))
    learner = all_learners().get(key)
    facts = [("Learner", learner.title if learner is not None else key, key)]
    specs = {} if learner is None else {s.name: s for s in specs_of(learner.params_type)}
    for name, value in dict(provenance.get("parameters", {})).items():
        spec = specs.get(name)
        if not _is_shown(value) or (spec and spec.advanced and value == spec.default):
            continue
        title = spec.title if spec is not None else str(name).replace("_", " ").capitalize()
        is_choice = spec is not None and spec.kind is ParamKind.CHOICE
        facts.append((title, choice_label(value) if is_choice else _short(value), str(value)))
    pairs = (
        ("Seed", "seed", "The same seed gives the same model."),
        ("Data", "data", "The fingerprint of its rows."),
        ("Version", "version", "Of the program."),
        ("Outcome", "outcome", "How the run ended."),
        ("Time", "seconds", "How long it took."),
    )
    for title, entry, tip in pairs:
        if entry in provenance:
            details, tip = _provenance_row(entry, provenance[entry], tip)
            facts.append((title, details, tip))
    return facts


def _provenance_row(entry: str, value: Any, tip: str) -> tuple[str, str]:
    """One line of the card and its tip; a model file describes its data in a group of facts."""
    if entry == "data":
        group = value if isinstance(value, Mapping) else {"fingerprint": value}
        fingerprint = str(group.get("fingerprint", ""))
        return str(group.get("file", fingerprint[:12])), f"{tip} {fingerprint}"
    if entry == "seconds":
        return f"{float(value):.3g} s", tip
    return str(value), tip


def _is_shown(value: Any) -> bool:
    return value is not None and value != {} and value != []


def _short(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return grouped(value)
    if isinstance(value, Mapping):
        if "model" in value:
            return str(value["model"] or "a model")
        rules = restored_params({"knowledge": value}, {})["knowledge"]
        return counted(rules.rule_count(), "rule")
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"
