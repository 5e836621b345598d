"""Value of information: the mutual information of each variable with a target, given the
evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Done, InferenceSession, Observed, as_seen, weights_of
from pgmstudio.core.inference.information_measures import entropy_bits, mutual_information_bits


def joints_with(
    session: InferenceSession, domain: Domain, target: str, cancel: CancelToken = NEVER
) -> dict[str, Floats]:
    """P(target, X | e) for every other X, from one update per state of the target.

    P(t, x | e) = P(t | e) · P(x | e, t), so any session can answer. Its evidence is put back.
    """
    states = domain[target].states
    weights = session.belief(target).values
    before = session.evidence.get(target)
    others = [variable for variable in domain if variable.name != target]
    joints = {v.name: np.zeros((len(states), v.cardinality)) for v in others}
    if isinstance(before, Done):  # its state is certain, and observing it would add information
        position = states.index(before.state)
        for name, joint in joints.items():
            joint[position] = session.belief(name).values
        return joints
    try:
        for position, state in enumerate(states):
            if weights[position] > 0:
                cancel.raise_if_cancelled()
                session.set_evidence(target, Observed(state))
                for name, joint in joints.items():
                    joint[position] = weights[position] * session.belief(name).values
    finally:
        if before is None:
            session.retract(target)
        else:
            session.set_evidence(target, before)
    return joints


def information_about(
    session: InferenceSession, domain: Domain, target: str, cancel: CancelToken = NEVER
) -> dict[str, float]:
    """I(target; X | e) in bits for every other X: the expected information of X about the
    target."""
    joints = joints_with(session, domain, target, cancel)
    return {name: mutual_information_bits(joint) for name, joint in joints.items()}


@dataclass(frozen=True, eq=False)
class InformationGain:
    """Expected information gain of observing one variable; `joint` is P(target, variable | e)."""

    variable: str
    states: tuple[str, ...]
    joint: Floats
    bits: float  # I(T; X | e): the expected fall of the target's entropy

    def outcomes(self, code: int) -> list[tuple[str, float, float]]:
        """Of every possible state x: its name, P(x | e), and P(T = the code-th state | x, e)."""
        chances = self.joint.sum(axis=0)
        return [
            (state, float(chance), float(self.joint[code, index] / chance))
            for index, (state, chance) in enumerate(zip(self.states, chances, strict=True))
            if chance > 0
        ]

    def extremes(self, code: int) -> tuple[tuple[str, float], tuple[str, float]]:
        """The states that would make T = the code-th state least and most probable."""
        result = [(state, belief) for state, _, belief in self.outcomes(code)]
        return min(result, key=lambda one: one[1]), max(result, key=lambda one: one[1])


@dataclass(frozen=True, eq=False)
class ValueOfEvidence:
    """Value of information of all variables for a target, the highest first."""

    target: str
    belief: Floats
    entropy: float  # H(T | e) in bits
    worths: tuple[InformationGain, ...]

    def entropy_fraction(self, worth: InformationGain) -> float:
        """The expected reduction of the target's entropy, as a fraction of it."""
        return min(1.0, worth.bits / self.entropy) if self.entropy > 0 else 0.0


def value_of_evidence(
    session: InferenceSession, domain: Domain, target: str, cancel: CancelToken = NEVER
) -> ValueOfEvidence:
    """I(T; X | e) of every variable whose state is not known, from one update per state of T."""
    belief = session.belief(target).values
    joints = joints_with(session, domain, target, cancel)
    known = {
        name
        for name, finding in session.evidence.items()
        if (weights_of(domain[name], as_seen(finding)) > 0).sum() == 1
    }
    worths = [
        InformationGain(name, domain[name].states, joint, mutual_information_bits(joint))
        for name, joint in joints.items()
        if name not in known
    ]
    worths.sort(key=lambda worth: -worth.bits)
    return ValueOfEvidence(target, belief, entropy_bits(belief), tuple(worths))
