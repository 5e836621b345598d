"""Inference in mixtures: every component answers, weighted by its probability given the evidence.

Q(x | e) = Σ_k P(k | e) T^k(x | e) with P(k | e) ∝ λ_k T^k(e) (Meilă 1999, eqs. 3.9–3.12, where the
weights of eq. 3.9 have to be those given the evidence). A latent class model is the mixture whose
components have independent variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Belief, Finding, weights_of
from pgmstudio.core.inference.programs import InferenceProgram, mixture_program
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.components import log2_sums
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.one_pass_session import (
    WholePassSession,
    named_beliefs,
    named_states,
)


class ComponentEngine(Protocol):
    """The components of a mixture under findings."""

    def update(self, weights: Floats) -> tuple[Floats, Floats]:
        """log2 of P(findings | k) for each component, and its beliefs, components × states;
        those of a component in which the findings are impossible are 0."""

    def explain(self, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """max_x log2 P(x, findings | k) for each component, and the states that reach it."""


class ClassEngine:
    """Variables that are independent given the class (Nielsen 2007, eq. 3.58)."""

    def __init__(self, model: LatentClasses) -> None:
        self._stacked = model.stacked
        self._starts = model.state_at[:-1]
        self._counts = np.diff(model.state_at)

    def update(self, weights: Floats) -> tuple[Floats, Floats]:
        weighed = self._stacked * weights[:, None]
        if not self._starts.size:
            return np.zeros(weighed.shape[1]), weighed.T
        masses = np.add.reduceat(weighed, self._starts, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            totals = np.log2(masses).sum(axis=0)
            beliefs = weighed / np.repeat(masses, self._counts, axis=0)
        beliefs[:, ~np.isfinite(totals)] = 0.0
        return totals, np.ascontiguousarray(beliefs.T)

    def explain(self, weights: Floats) -> tuple[Floats, NDArray[np.int64]]:
        weighed = self._stacked * weights[:, None]
        tops = np.zeros(weighed.shape[1])
        states = np.zeros((weighed.shape[1], self._starts.size), dtype=np.int64)
        for v, (at, count) in enumerate(zip(self._starts, self._counts, strict=True)):
            table = weighed[at : at + count]
            states[:, v] = table.argmax(axis=0)
            with np.errstate(divide="ignore"):
                tops += np.log2(table.max(axis=0))
        return tops, states


# Up to so many joint states the most probable one is looked up; a sum cannot be maximised by
# messages (spec: mixtures of trees, §4.3).
MAX_LISTED_STATES = 1_000_000


_BLOCK_ROWS = 65_536


@dataclass(frozen=True, eq=False)
class _Answers:
    """The answers to one set of findings."""

    posterior: Floats  # P(k | e)
    log2_evidence: float
    beliefs: Mapping[str, Belief]


@dataclass(frozen=True, eq=False)
class _Explained:
    states: Mapping[str, str]
    log2: float
    log2_bound: float


class MixtureSession(WholePassSession[_Answers]):
    """Inference in a mixture; exact, but for the most probable explanation of large ones."""

    def __init__(self, model: ComponentModel, engine: ComponentEngine, inner: Domain) -> None:
        """`inner` are the variables of the components, all but the choice variable."""
        super().__init__(model.domain)
        self.model = model
        self._engine = engine
        self._choice = model.choice
        self._inner = inner
        cards = self._inner.cardinalities
        self._at = np.concatenate(([0], np.cumsum(cards))).astype(np.int64)
        self._explanation: _Explained | None = None

    def _evidence_changed(self) -> None:
        self._explanation = None

    def _weights(self, evidence: Mapping[str, Finding]) -> tuple[Floats, Floats]:
        """One weight per state of the components' variables, and one per component."""
        states = np.ones(int(self._at[-1]))
        components = self.model.weights.copy()
        for name, finding in evidence.items():
            weights = weights_of(self.domain[name], finding)
            if name == self._choice:
                components *= weights
            else:
                position = self._inner.index(name)
                states[self._at[position] : self._at[position + 1]] = weights
        return states, components

    def _answers_to(self, evidence: Mapping[str, Finding]) -> _Answers | None:
        """None when the evidence is impossible."""
        states, components = self._weights(evidence)
        totals, beliefs = self._engine.update(states)
        with np.errstate(divide="ignore"):
            parts = totals + np.log2(components)
        log2 = float(log2_sums(parts[:, None])[0])
        if not np.isfinite(log2):
            return None
        responsibilities = np.exp2(parts - log2)
        responsibilities /= responsibilities.sum()
        mixed = responsibilities @ beliefs
        named = {}
        for index, variable in enumerate(self._inner):
            values = mixed[self._at[index] : self._at[index + 1]]
            named[variable.name] = values / values.sum()
        if self._choice is not None:
            named[self._choice] = responsibilities
        return _Answers(responsibilities, log2, named_beliefs(named))

    def component_posterior(self) -> Floats:
        """P(component | evidence); without evidence the weights of the mixture."""
        return self._answers().posterior

    def most_probable(self) -> Mapping[str, str]:
        """The most probable state of every variable together, with the evidence in it; the best
        one known where `is_most_probable_exact` is False."""
        return self._explained().states

    def log2_most_probable(self) -> float:
        """log2 of its joint probability with the evidence."""
        return self._explained().log2

    def log2_most_probable_bound(self) -> float:
        """No joint state has a larger log2 probability than this."""
        return self._explained().log2_bound

    @property
    def is_most_probable_exact(self) -> bool:
        """Whether `most_probable` is certainly the most probable state."""
        result = self._explained()
        return result.log2 >= result.log2_bound - 1e-9

    def _explained(self) -> _Explained:
        if self._explanation is None:
            self._explanation = self._explanation_of(*self._weights(self._evidence))
        return self._explanation

    def _explanation_of(self, states: Floats, components: Floats) -> _Explained:
        tops, chosen = self._engine.explain(states)
        with np.errstate(divide="ignore"):
            tops = tops + np.log2(components)
        if self._choice is not None or tops.size == 1:
            k = int(tops.argmax())
            codes = self._whole(chosen[k], k)
            return _Explained(named_states(self.domain, codes), float(tops[k]), float(tops[k]))
        if self.domain.joint_states() <= MAX_LISTED_STATES:
            codes, log2 = self._listed(states)
            return _Explained(named_states(self.domain, codes), log2, log2)
        # The best of the components' own explanations, then one variable at a time.
        bound = float(log2_sums(tops[:, None])[0])
        candidates = chosen[np.isfinite(tops)]
        values = self._weighed(candidates, states)
        codes = candidates[int(values.argmax())].copy()
        log2 = float(values.max())
        improved = True
        while improved:
            improved = False
            for index, card in enumerate(self._inner.cardinalities):
                tries = np.repeat(codes[None, :], card, axis=0)
                tries[:, index] = np.arange(card)
                values = self._weighed(tries, states)
                if values.max() > log2 + 1e-12:
                    codes = tries[int(values.argmax())].copy()
                    log2 = float(values.max())
                    improved = True
        return _Explained(named_states(self.domain, codes), log2, bound)

    def _listed(self, weights: Floats) -> tuple[NDArray[np.int64], float]:
        """The first of the most probable joint states, by looking at all of them."""
        shape = self._inner.cardinalities
        best = -np.inf
        result = np.zeros(0, dtype=np.int64)
        for begin in range(0, self._inner.joint_states(), _BLOCK_ROWS):
            numbers = np.arange(begin, min(begin + _BLOCK_ROWS, self._inner.joint_states()))
            rows = np.stack(np.unravel_index(numbers, shape), axis=1)
            values = self._weighed(rows, weights)
            if values.max() > best:
                best = float(values.max())
                result = rows[int(values.argmax())]
        return result, best

    def _weighed(self, rows: NDArray[np.int64], weights: Floats) -> Floats:
        """log2 Q(row) · Π weights, of rows of codes."""
        codes = rows.T.astype(code_dtype(self._inner))
        logs = self.model.log2_probabilities(DataSet(self._inner, codes))
        with np.errstate(divide="ignore"):
            given = np.log2(weights)
        for index in range(len(self._inner)):
            logs = logs + given[self._at[index] + rows[:, index]]
        return logs

    def _whole(self, inner: NDArray[np.int64], component: int) -> NDArray[np.int64]:
        """The codes over the whole domain: the choice variable's state is the component."""
        if self._choice is None:
            return inner
        return np.insert(inner, self.domain.index(self._choice), component)


class LatentClassSession(MixtureSession):
    """Inference in a latent class model; exact."""

    def __init__(self, model: LatentClasses) -> None:
        super().__init__(model, ClassEngine(model), model.domain)


def program_of(model: LatentClasses) -> InferenceProgram:
    """The classes as plain numbers: trees without edges."""
    count = len(model.domain)
    cards = model.domain.cardinalities
    trees = [
        ([None] * count, range(count), [table[c : c + 1] for table in model.tables])
        for c in range(model.class_count)
    ]
    return mixture_program(cards, model.weights, None, trees)
