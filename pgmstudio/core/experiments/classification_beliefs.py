"""What a model believes about one variable, the target, given the rest of each row.

P(t | rest) = P(t, rest) / Σ_s P(s, rest), so any language that gives rows a probability can
classify (Meilă 1999, eqs. 7.3 and 7.4). Cells that are missing are summed out exactly. Rows that
are alike but for the target are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import Codes, DataSet
from pgmstudio.core.data.editing import rows_over
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError
from pgmstudio.core.inference.likelihood import log2_probabilities
from pgmstudio.core.models.bayesian_network import BayesianNetwork
from pgmstudio.core.models.components import likeliest, log2_sums, shares
from pgmstudio.core.models.kinds import a_kind
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.protocols import Model, ProbabilisticModel
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.running import CancelToken, Progress

Floats = NDArray[np.float64]

ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class TargetBeliefs:
    """`shares[row, state]` is P(target = state | the other cells of the row that are there)."""

    variable: Variable
    shares: Floats
    log2_rest: Floats  # log2 P(other cells); −inf: the model rules them out, the prior stands in

    @property
    def chosen(self) -> NDArray[np.intp]:
        """The most probable state of every row, the first of equal ones."""
        return likeliest(self.shares)


def target_beliefs(
    model: Model, data: DataSet, target: str, cancel: CancelToken
) -> Iterator[Progress | TargetBeliefs]:
    """Progress, and last the beliefs of every row in the order of the data.

    The target's own column is not looked at and may be absent, as may others.
    """
    if not isinstance(model, ProbabilisticModel):
        raise DataError(f"{a_kind(model.kind, 'A')} gives rows no probability.")
    variable = model.domain[target]
    rows = _without(rows_over(data, model.domain), target)
    first, which = rows.distinct()
    joint = np.empty((variable.cardinality, first.size))
    for at in range(0, first.size, ROWS_AT_ONCE):
        cancel.raise_if_cancelled()
        yield Progress(at / first.size, "Classifying", {"rows": float(at)})
        part = first[at : at + ROWS_AT_ONCE]
        joint[:, at : at + part.size] = joint_log2(model, rows.of_rows(part), target)
    totals = log2_sums(joint)
    prior = np.full(variable.cardinality, 1 / variable.cardinality)
    if np.isneginf(totals).any():
        prior = np.exp2(joint_log2(model, _nothing_seen(rows), target)[:, 0])
    yield TargetBeliefs(variable, shares(joint, prior)[which], totals[which])


def joint_log2(model: ProbabilisticModel, rows: DataSet, target: str) -> Floats:
    """log2 P(target = s, other cells of the row), states × rows; rows are over the model's domain.

    What a family knows better than to ask for every state is used; the answer is the same.
    """
    if isinstance(model, TreeMixture) and target == model.choice:
        return model.log2_parts(_without(rows, target))
    if isinstance(model, LatentClasses):
        parts = model.log2_parts(_without(rows, target))
        with np.errstate(divide="ignore"):
            logs = np.log2(model.tables[model.domain.index(target)])
        return np.stack([log2_sums(parts + column[:, None]) for column in logs.T])
    network = model.as_bayesian_network if isinstance(model, Tree) else model
    if not isinstance(network, BayesianNetwork):
        return _by_every_state(model, rows, target)
    is_missing = rows.codes == rows.missing_code
    is_missing[rows.domain.index(target)] = False
    complete = ~is_missing.any(axis=0)
    found = np.empty((rows.domain[target].cardinality, rows.row_count))
    found[:, complete] = _by_tables(network, rows.codes[:, complete], target)
    if not complete.all():
        found[:, ~complete] = _by_every_state(network, rows.of_rows(~complete), target)
    return found


def _by_every_state(model: ProbabilisticModel, rows: DataSet, target: str) -> Floats:
    codes, place = rows.codes.copy(), rows.domain.index(target)
    found = np.empty((rows.domain[target].cardinality, rows.row_count))
    for state, logs in enumerate(found):
        codes[place] = state
        logs[:] = log2_probabilities(model, DataSet(rows.domain, codes))
    return found


def _by_tables(network: BayesianNetwork, codes: Codes, target: str) -> Floats:
    """Only the tables of the target and its children differ between its states."""
    cards, chosen = network.domain.cardinalities, network.domain.index(target)
    found = np.zeros((cards[chosen], codes.shape[1]))
    common = np.zeros(codes.shape[1])
    for child, parents in enumerate(network.dag.parent_indices):
        cells, step, stride = np.zeros(codes.shape[1], dtype=np.intp), 0, 1
        for v in reversed((*parents, child)):
            if v == chosen:
                step = stride
            else:
                cells += codes[v].astype(np.intp) * stride
            stride *= cards[v]
        with np.errstate(divide="ignore"):
            logs = np.log2(network.tables[child]).ravel()
        if not step:
            common += logs[cells]
            continue
        for state, row in enumerate(found):
            row += logs[cells + state * step]
    return found + common


def _without(rows: DataSet, target: str) -> DataSet:
    codes = rows.codes.copy()
    codes[rows.domain.index(target)] = rows.missing_code
    return DataSet(rows.domain, codes)


def _nothing_seen(rows: DataSet) -> DataSet:
    codes = np.full((len(rows.domain), 1), rows.missing_code, dtype=rows.codes.dtype)
    return DataSet(rows.domain, codes)
