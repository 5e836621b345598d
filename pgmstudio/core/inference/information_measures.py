"""Information measures of beliefs in bits: entropy, shift from the prior, information, conflict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Finding, JointSession, weights_of

# Above 0 the findings are less probable together than if they had nothing to do with each other;
# from here on by a factor of eight and more.
STRONG_CONFLICT_BITS = 3.0


def entropy_bits(belief: Floats) -> float:
    """H = −Σ p log2 p, with 0 log 0 = 0."""
    seen = belief[belief > 0]
    return float(-(seen * np.log2(seen)).sum()) + 0.0


def shift_bits(belief: Floats, prior: Floats) -> float:
    """How far a belief moved: Σ p log2 (p / prior), the Kullback–Leibler divergence."""
    seen = (belief > 0) & (prior > 0)  # what is possible now was possible before
    return max(0.0, float((belief[seen] * np.log2(belief[seen] / prior[seen])).sum()))


def shifts_bits(beliefs: Mapping[str, Floats], priors: Mapping[str, Floats]) -> dict[str, float]:
    """`shift_bits` of every variable that has both, in one stroke."""
    return _by_variable(beliefs, priors)


def largest_changes(
    beliefs: Mapping[str, Floats], priors: Mapping[str, Floats]
) -> dict[str, float]:
    """The largest change of a degree of each variable that has both, for degrees of possibility."""
    return {
        name: float(np.abs(values - priors[name]).max(initial=0.0))
        for name, values in beliefs.items()
        if name in priors and len(priors[name]) == len(values)
    }


def entropies_bits(beliefs: Mapping[str, Floats]) -> dict[str, float]:
    """`entropy_bits` of every variable, in one stroke."""
    return {name: -bits + 0.0 for name, bits in _by_variable(beliefs, None).items()}


def _by_variable(
    beliefs: Mapping[str, Floats], priors: Mapping[str, Floats] | None
) -> dict[str, float]:
    names = [
        name
        for name, values in beliefs.items()
        if values.size and (priors is None or len(priors.get(name, ())) == values.size)
    ]
    if not names:
        return {}
    p = np.concatenate([beliefs[name] for name in names])
    logs = np.log2(p, out=np.zeros_like(p), where=p > 0)
    if priors is not None:
        q = np.concatenate([priors[name] for name in names])
        logs -= np.log2(q, out=np.zeros_like(q), where=(p > 0) & (q > 0))
    starts = np.cumsum([0, *(beliefs[name].size for name in names[:-1])])
    sums = np.add.reduceat(p * logs, starts)
    if priors is not None:
        sums = np.maximum(sums, 0.0)
    return dict(zip(names, map(float, sums), strict=True))


def mutual_information_bits(joint: Floats) -> float:
    """I(X;Y) = Σ p(x,y) log2 p(x,y) / (p(x) p(y)), with 0 log 0 = 0."""
    p = joint / joint.sum()
    independent = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    seen = p > 0
    return max(0.0, float(np.sum(p[seen] * np.log2(p[seen] / independent[seen]))))


def conditional_information_bits(joint: Floats) -> float:
    """I(X;Y|Z) = Σ p(z) I(X;Y|z) of a joint table with the axes X, Y and those of Z."""
    slices = joint.reshape(*joint.shape[:2], -1)
    fractions = slices.sum(axis=(0, 1))
    terms = (
        float(fraction) * mutual_information_bits(slices[..., index])
        for index, fraction in enumerate(fractions)
        if fraction > 0
    )
    return sum(terms) / float(fractions.sum())


def conflict_bits(
    domain: Domain,
    evidence: Mapping[str, Finding],
    priors: Mapping[str, Floats],
    log2_evidence: float,
) -> float:
    """conf(e) = log2( Π P(eᵢ) / P(e) ) (Jensen 1991); above 0 the findings do not go together."""
    alone = 0.0
    for name, finding in evidence.items():
        probability = float(priors[name] @ weights_of(domain[name], finding))
        alone += math.log2(probability) if probability > 0 else -math.inf
    return alone - log2_evidence


def conflict_word(bits: float) -> str:
    """none, mild or strong."""
    # A single finding has conf = 0 up to the last digits.
    if bits <= 1e-9:
        return "none"
    return "mild" if bits < STRONG_CONFLICT_BITS else "strong"


def ranked(bits: Mapping[str, float], *, least: float = 0.005) -> Sequence[tuple[str, float]]:
    """The names with at least so many bits, the most first; ties in the order given."""
    kept = [(name, value) for name, value in bits.items() if value >= least]
    return sorted(kept, key=lambda pair: -pair[1])


def end_information(
    session: JointSession, edges: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], float]]:
    """I(U; X) in bits of the two ends of each edge, one after the other."""
    for edge in edges:
        yield edge, mutual_information_bits(session.joint(list(edge)))
