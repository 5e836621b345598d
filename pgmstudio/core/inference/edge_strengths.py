"""How strong the edges of a network are, read exactly from the model without any data.

Two readings in bits. The *mutual information* I(U; X) of the two ends counts every path between
them. The *divergence of removal* asks what the edge U → X itself carries: with P' the network whose
table of X has lost the parent U, P'(x | pa∖u) = P(x | pa∖u),

    KL(P ‖ P') = Σ P(pa, x) log2 P(x | pa) / P(x | pa∖u) = I(X; U | pa∖U)

because all other tables cancel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.inference.measures import mutual_information_bits

Floats = NDArray[np.float64]
Edge = tuple[str, str]


@runtime_checkable
class JointSession(Protocol):
    """A session that knows the joint belief of several variables."""

    def joint(self, variables: Sequence[str], /) -> Floats:
        """P(variables | evidence), one axis each."""


def end_information(session: JointSession, edges: Iterable[Edge]) -> Iterator[tuple[Edge, float]]:
    """I(U; X) in bits of the two ends of each edge, one after the other."""
    for edge in edges:
        yield edge, mutual_information_bits(session.joint(list(edge)))


def removal_divergences(
    session: JointSession, edges: Iterable[Edge]
) -> Iterator[tuple[Edge, float]]:
    """KL(P ‖ P') in bits for each edge, P' being the network whose child has lost that parent."""
    parents: dict[str, list[str]] = {}
    for source, target in edges:
        parents.setdefault(target, []).append(source)
    for child, sources in parents.items():
        family = session.joint([*sources, child])
        for axis, source in enumerate(sources):
            yield (source, child), removal_bits(family, axis)


def removal_bits(family: Floats, axis: int) -> float:
    """I(X; U | rest) from the joint of a family, X on the last axis and U on `axis`."""
    p = family / family.sum()
    without = p.sum(axis=axis, keepdims=True)
    given_rest = np.broadcast_to(_rows(without), p.shape)
    seen = p > 0
    return max(0.0, float(np.sum(p[seen] * np.log2(_rows(p)[seen] / given_rest[seen]))))


def _rows(joint: Floats) -> Floats:
    """P(last axis | others); rows of probability 0 stay 0."""
    sums = joint.sum(axis=-1, keepdims=True)
    rows: Floats = joint / np.where(sums > 0, sums, 1.0)
    return rows
