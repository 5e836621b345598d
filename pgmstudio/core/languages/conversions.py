"""Conversions between languages that keep the distribution, and the check that they do.

The check is KL(before ‖ after) in bits, over all joint states of the common variables where these
are few, else over rows drawn from the first model. Variables that only one of the models has, such
as a hidden component, are summed out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.base import BAYESIAN_NETWORK, Conversion
from pgmstudio.core.languages.registry import LANGUAGES, a_kind
from pgmstudio.core.model import DirectedModel, HasDag, Model, ProbabilisticModel


def conversions_of(kind: str) -> dict[str, Conversion]:
    """The kinds that models of a kind can be converted to, in the order of the registry."""
    source = LANGUAGES.get(kind)
    if source is None:
        return {}
    result = {}
    for target, row in LANGUAGES.items():
        if target == kind:
            continue
        if target in source.conversions:
            result[target] = source.conversions[target]
        elif kind in row.conversions_from:
            result[target] = row.conversions_from[kind]
        elif target == BAYESIAN_NETWORK and source.to_network is not None:
            result[target] = Conversion(source.to_network)
    return result


def not_converted_reason(model: Model, kind: str) -> str | None:
    """Why the model cannot be converted to this kind, as far as its structure shows at once."""
    if kind == model.kind:
        return "it is one already."
    conversion = conversions_of(model.kind).get(kind)
    if conversion is None:
        return f"{a_kind(model.kind)} cannot become {a_kind(kind)}."
    reason = conversion.unsupported_reason
    return None if reason is None else reason.load()(model)


def converted(model: Model, kind: str) -> Model:
    """The same distribution in another language; GraphError if it is impossible."""
    if model.kind == kind:
        return model
    conversions = conversions_of(model.kind)
    if kind not in conversions:
        known = ", ".join(conversions) or "none"
        refused = f"{a_kind(model.kind)} cannot become {a_kind(kind)}"
        raise GraphError(f"{refused[:1].upper()}{refused[1:]}; what it can become: {known}.")
    return conversions[kind].convert.load()(model)


MAX_COMPARED_STATES = 2**18
DRAWN_ROWS = 2000
# Bits by which rounding may make equal distributions differ.
ROUNDING_BITS = 1e-9


@dataclass(frozen=True, slots=True)
class SameDistribution:
    """The divergence in bits, over all joint states or over rows drawn from the first model."""

    bits: float
    cases: int
    is_exact: bool

    @property
    def is_same(self) -> bool:
        return abs(self.bits) < ROUNDING_BITS

    def message(self) -> str:
        """The result as a message."""
        number = "0" if self.is_same else f"{self.bits:.3g}"
        over = "over all {} joint states" if self.is_exact else "on {} rows drawn from it"
        result = f"KL = {number} bits {over.format(f'{self.cases:,}'.replace(',', ' '))}"
        return f"The same distribution: {result}." if self.is_same else f"Not the same: {result}."


def same_distribution(before: Model, after: Model, cancel: CancelToken = NEVER) -> SameDistribution:
    """KL(before ‖ after) over the variables that both have; both have probabilities."""
    assert isinstance(before, ProbabilisticModel)
    assert isinstance(after, ProbabilisticModel)
    common = before.domain.restricted_to(n for n in before.domain.names if n in after.domain)
    is_exact = common.joint_states() <= MAX_COMPARED_STATES
    if is_exact:
        codes = np.indices(common.cardinalities).reshape(len(common), -1)
        rows = DataSet(common, codes.astype(code_dtype(common)))
    else:
        drawn = before.sample(DRAWN_ROWS, np.random.default_rng(0))
        rows = drawn.select_columns(common.names)
    one, other = (_log2_of(model, rows, cancel) for model in (before, after))
    weights = np.exp2(one) if is_exact else np.full(rows.row_count, 1 / rows.row_count)
    held = weights > 0
    with np.errstate(invalid="ignore"):
        bits = float((weights[held] * (one[held] - other[held])).sum())
    return SameDistribution(bits, rows.row_count, is_exact)


def _log2_of(model: ProbabilisticModel, rows: DataSet, cancel: CancelToken) -> NDArray[np.float64]:
    """log2 of the probability of each row, the model's other variables summed out."""
    hidden = [variable for variable in model.domain if variable.name not in rows.domain]
    domain = Domain((*rows.domain.variables, *hidden))
    logs = np.full(rows.row_count, -math.inf)
    for states in product(*(range(variable.cardinality) for variable in hidden)):
        cancel.raise_if_cancelled()
        more = np.tile(np.array(states, dtype=np.int64)[:, None], (1, rows.row_count))
        whole = np.concatenate((rows.codes.astype(np.int64), more)).astype(code_dtype(domain))
        data = DataSet(domain, whole).select_columns(model.domain.names)
        logs = np.logaddexp2(logs, model.log2_probabilities(data))
    return logs


def dag_of(model: Model) -> Dag:
    """Variables and directed edges; GraphError for a language without them."""
    if isinstance(model, HasDag):
        return model.dag
    if not isinstance(model, DirectedModel):
        raise GraphError(f"{a_kind(model.kind, 'A')} has no directed edges to look at.")
    return Dag.from_edges(model.domain.names, model.edges)
