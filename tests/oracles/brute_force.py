"""Inference by listing every joint state: for tests, obviously right and only for small models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.errors import ImpossibleEvidenceError, TooLargeError
from pgmstudio.core.inference.base import Belief, Finding, Scale, weights_of
from pgmstudio.core.inference.findings import smallest_conflict
from pgmstudio.core.large_counts import count_text
from pgmstudio.core.model import ProbabilisticModel

MAX_STATES = 2_000_000


def joint_table(model: ProbabilisticModel) -> NDArray[np.float64]:
    """P(x) for every joint state, one axis per variable."""
    domain = model.domain
    if domain.joint_states() > MAX_STATES:
        raise TooLargeError(
            f"Listing needs {count_text(domain.joint_states())} joint states; "
            f"{MAX_STATES:,} are possible."
        )
    shape = domain.cardinalities
    codes = np.indices(shape).reshape(len(shape), -1).astype(code_dtype(domain))
    return np.exp2(model.log2_probabilities(DataSet(domain, codes))).reshape(shape)


class BruteForceSession:
    """The same face as any session, from the joint table."""

    def __init__(self, model: ProbabilisticModel) -> None:
        self._domain = model.domain
        self._joint = joint_table(model)
        self._evidence: dict[str, Finding] = {}

    @property
    def evidence(self) -> Mapping[str, Finding]:
        return MappingProxyType(self._evidence)

    def set_evidence(self, variable: str, finding: Finding) -> None:
        """Replaces what was there; ImpossibleEvidenceError changes nothing."""
        self.set_all({**self._evidence, variable: finding})

    def set_all(self, evidence: Mapping[str, Finding]) -> None:
        """Exactly this evidence and no other; ImpossibleEvidenceError changes nothing."""
        if not self._weighed(evidence).any():
            conflict = smallest_conflict(evidence, lambda some: bool(self._weighed(some).any()))
            raise ImpossibleEvidenceError(conflict)
        self._evidence = dict(evidence)

    def retract(self, variable: str) -> None:
        """Forget the evidence on `variable`; nothing happens when there is none."""
        self._domain.index(variable)
        self._evidence.pop(variable, None)

    def retract_all(self) -> None:
        self._evidence = {}

    def _weighed(self, evidence: Mapping[str, Finding]) -> NDArray[np.float64]:
        """P(x, e): the joint table times the weights of every finding."""
        table = self._joint.copy()
        for name, finding in evidence.items():
            shape = [1] * table.ndim
            shape[self._domain.index(name)] = -1
            table *= weights_of(self._domain[name], finding).reshape(shape)
        return table

    def belief(self, variable: str) -> Belief:
        return Belief(variable, Scale.PROBABILITY, self.joint([variable]))

    def joint(self, variables: Sequence[str]) -> NDArray[np.float64]:
        """P(variables | evidence), one axis each in the order given."""
        indices = [self._domain.index(name) for name in variables]
        table = self._weighed(self._evidence)
        away = tuple(a for a in range(table.ndim) if a not in indices)
        summed = table.sum(axis=away) / table.sum()
        left = sorted(indices)
        return np.asarray(summed.transpose([left.index(p) for p in indices]))

    def log2_evidence(self) -> float:
        return float(np.log2(self._weighed(self._evidence).sum()))

    def most_probable(self) -> Mapping[str, str]:
        """The first of the most probable joint states, with the evidence in it."""
        table = self._weighed(self._evidence)
        states = np.unravel_index(int(table.argmax()), table.shape)
        return {v.name: v.states[int(s)] for v, s in zip(self._domain, states, strict=True)}

    def log2_most_probable(self) -> float:
        return float(np.log2(self._weighed(self._evidence).max()))
