"""What knowing one variable would tell about another, given the evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.measures import mutual_information_bits
from pgmstudio.core.inference.protocols import Done, InferenceSession, Observed
from pgmstudio.core.running import NEVER, CancelToken


def joints_with(
    session: InferenceSession, domain: Domain, target: str, cancel: CancelToken = NEVER
) -> dict[str, NDArray[np.float64]]:
    """P(target, X | e) for every other X, from one update per state of the target.

    P(t, x | e) = P(t | e) · P(x | e, t), so any session can answer. Its evidence is put back.
    """
    states = domain[target].states
    weights = session.belief(target).values
    before = session.evidence.get(target)
    others = [variable for variable in domain if variable.name != target]
    joints = {v.name: np.zeros((len(states), v.cardinality)) for v in others}
    if isinstance(before, Done):  # its state is certain, and observing it would say more
        place = states.index(before.state)
        for name, joint in joints.items():
            joint[place] = session.belief(name).values
        return joints
    try:
        for place, state in enumerate(states):
            if weights[place] > 0:
                cancel.raise_if_cancelled()
                session.set_evidence(target, Observed(state))
                for name, joint in joints.items():
                    joint[place] = weights[place] * session.belief(name).values
    finally:
        if before is None:
            session.retract(target)
        else:
            session.set_evidence(target, before)
    return joints


def information_about(
    session: InferenceSession, domain: Domain, target: str, cancel: CancelToken = NEVER
) -> dict[str, float]:
    """I(target; X | e) in bits for every other X: how much asking X is expected to tell."""
    joints = joints_with(session, domain, target, cancel)
    return {name: mutual_information_bits(joint) for name, joint in joints.items()}
