"""The session of models without probabilities: relations and possibility distributions.

Beliefs are scaled to a largest degree of 1, the degree of the evidence being Π(e). `degrees_of` has
them unscaled, with necessity N(a) = Π(e) − the largest degree of the other states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.inference.base import Belief, Finding, Scale, weights_of
from pgmstudio.core.inference.belief_text import necessity_of
from pgmstudio.core.inference.join_tree import JoinTree
from pgmstudio.core.inference.programs import InferenceProgram, join_tree_program
from pgmstudio.core.languages.one_pass_session import WholePassSession, named_states
from pgmstudio.core.model import Model


class JoinedModel(Model, Protocol):
    """A model whose tuples are the join of tables."""

    @property
    def join_tree(self) -> JoinTree: ...


def program_of(model: JoinedModel, scale: Scale = Scale.POSSIBILITY) -> InferenceProgram:
    """The same propagation as plain numbers."""
    return join_tree_program(model.join_tree, scale)


@dataclass(frozen=True, eq=False)
class Degrees:
    """Π and N of every state of a variable, given the evidence."""

    possibility: Floats
    necessity: Floats


def degrees_of(belief: Floats, log2_evidence: float) -> Degrees:
    """Π(a | e), the largest degree of a tuple with a and e, and N(a | e) of a belief."""
    possibility = belief * 2**log2_evidence
    necessity = np.array(necessity_of(possibility.tolist()), dtype=np.float64)
    return Degrees(possibility, necessity)


@dataclass(frozen=True, eq=False)
class _Answers:
    log2_evidence: float
    beliefs: Mapping[str, Belief]
    values: Sequence[Floats]


class DegreeSession(WholePassSession[_Answers]):
    """Evidence in, degrees out, by one propagation in the junction tree."""

    def __init__(self, model: JoinedModel, scale: Scale = Scale.POSSIBILITY) -> None:
        super().__init__(model.domain)
        self._tree = model.join_tree
        self._scale = scale

    def _weights(self, evidence: Mapping[str, Finding]) -> dict[int, Floats]:
        weights = {
            self.domain.index(name): weights_of(self.domain[name], finding)
            for name, finding in evidence.items()
        }
        if self._scale is Scale.RELATION:  # a state is possible or not
            weights = {v: (weight > 0).astype(np.float64) for v, weight in weights.items()}
        return weights

    def _answers_to(self, evidence: Mapping[str, Finding]) -> _Answers | None:
        values = self._tree.propagate(self._weights(evidence))
        top = float(values[0].max(initial=0.0))
        if top <= 0:
            return None
        beliefs = {}
        for index, name in enumerate(self.domain.names):
            degrees = self._tree.maxima(values, index) / top
            degrees.flags.writeable = False
            beliefs[name] = Belief(name, self._scale, degrees)
        return _Answers(math.log2(top), beliefs, values)

    def joint(self, variables: Sequence[str]) -> Floats:
        """The degrees of joint states, scaled as beliefs are: a pass for every combination of
        states of all but the last."""
        *outer, last = map(self.domain.index, variables)
        cards = self.domain.cardinalities
        table = np.zeros([cards[v] for v in (*outer, last)])
        given = self._weights(self._evidence)
        for states in np.ndindex(*table.shape[:-1]):
            narrowed = dict(given)
            for v, state in zip(outer, states, strict=True):
                only = np.zeros(cards[v])
                only[state] = given[v][state] if v in given else 1.0
                narrowed[v] = only
            table[states] = self._tree.maxima(self._tree.propagate(narrowed), last)
        return table / 2 ** self.log2_evidence()

    def most_probable(self) -> Mapping[str, str]:
        """A most possible tuple with the evidence in it."""
        return named_states(self.domain, self._tree.best_tuple(self._answers().values))

    def log2_most_probable(self) -> float:
        """log2 of its degree, which is that of the evidence."""
        return self.log2_evidence()
