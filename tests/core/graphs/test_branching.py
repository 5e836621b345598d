"""Maximum branchings against all of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pgmstudio.core.errors import Cancelled
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.graphs.maximum_branching import branching_with_required, maximum_branching

Parents = tuple[int | None, ...]


def has_cycle(parents: Sequence[int | None]) -> bool:
    for start in range(len(parents)):
        node: int | None = start
        for _ in parents:
            node = None if node is None else parents[node]
        if node is not None:
            return True
    return False


def all_branchings(n: int) -> Iterator[Parents]:
    choices = [[None, *(p for p in range(n) if p != c)] for c in range(n)]
    for parents in itertools.product(*choices):
        if not has_cycle(parents):
            yield parents


def weight_of(parents: Sequence[int | None], weights: NDArray[np.float64]) -> float:
    return sum(float(weights[p, c]) for c, p in enumerate(parents) if p is not None)


BRANCHINGS = {n: list(all_branchings(n)) for n in range(1, 6)}


def test_there_are_as_many_branchings_as_rooted_labelled_forests() -> None:
    assert [len(BRANCHINGS[n]) for n in range(1, 6)] == [(n + 1) ** (n - 1) for n in range(1, 6)]


@settings(max_examples=80)
@given(st.integers(1, 5), st.integers(0, 2**32), st.booleans(), st.booleans())
def test_the_branching_found_is_a_heaviest_one(
    n: int, seed: int, symmetric: bool, with_ties: bool
) -> None:
    weights = np.random.default_rng(seed).normal(0.3, 1, (n, n))
    weights = weights + weights.T if symmetric else weights
    weights = np.round(2 * weights) if with_ties else weights
    result = maximum_branching(weights)
    assert not has_cycle(result)
    best = max(weight_of(parents, weights) for parents in BRANCHINGS[n])
    assert weight_of(result, weights) == pytest.approx(best)


@settings(max_examples=80)
@given(st.integers(2, 5), st.integers(0, 2**32))
def test_required_edges_are_there_and_the_rest_is_heaviest(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, allowed = rng.normal(0.3, 1, (n, n)), rng.random((n, n)) < 0.7
    required = []
    for index, node in enumerate(order := rng.permutation(n)):
        if index and rng.random() < 0.3:
            required.append((int(order[rng.integers(index)]), int(node)))
            allowed[required[-1]] = True
    result = branching_with_required(weights, allowed, required)
    legal = [
        parents
        for parents in BRANCHINGS[n]
        if all(p is None or allowed[p, c] for c, p in enumerate(parents))
        and all(parents[c] == p for p, c in required)
    ]
    assert tuple(result) in legal
    best = max(weight_of(parents, weights) for parents in legal)
    assert weight_of(result, weights) == pytest.approx(best)


def test_a_stop_is_heard_while_cycles_are_contracted() -> None:
    # Every node's best parent is its neighbour on one ring, so there is something to contract.
    weights = np.eye(50, k=1) + 1.0
    weights[-1, 0] = 2.0
    pressed = StopSwitch()
    pressed.cancel()
    with pytest.raises(Cancelled):
        maximum_branching(weights, pressed)
    with pytest.raises(Cancelled):
        branching_with_required(weights, np.ones((50, 50), dtype=bool), [], pressed)
