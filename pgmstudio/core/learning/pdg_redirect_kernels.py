"""Compiled search for the node that the rows of an edge fit best (Nielsen 2007, Alg. 4.10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.compiled import compiled

Floats = NDArray[np.float64]
Fits = NDArray[np.float32]
Ints = NDArray[np.int32]
Codes = NDArray[np.uint16]
Heads = NDArray[np.uint32]  # numbers without a sign spare a question at each

_SINGLE_ROUNDING = 3e-6  # of sums of single-precision numbers
# So many classes of rows are added before nodes that are behind are left out.
_STEP = 4


@compiled
def sort_stably(order: Ints, keys: Ints, key_count: int, found: Ints) -> None:
    """List the rows of `order` by their keys, which are below `key_count`; equal ones as before."""
    place = np.zeros(key_count + 1, np.int64)
    for row in range(keys.shape[0]):
        place[keys[row] + 1] += 1
    for key in range(key_count):
        place[key + 1] += place[key]
    for at in range(order.shape[0]):
        row = order[at]
        found[place[keys[row]]] = row
        place[keys[row]] += 1


@compiled
def child_fits(
    fits: Fits, own: Fits, states: Ints, classes: Ints, heads: Heads, below_fits: Fits
) -> None:
    """Set log2 f for each class of rows and each node: its own part, and the child's that follows.

    Class c has state `states[c]` and, below, the child's class `classes[c]`; `own` and the edges
    `heads` are told state by state.
    """
    for one in range(fits.shape[0]):
        state, below = states[one], classes[one]
        for node in range(fits.shape[1]):
            fits[one, node] = own[state, node] + below_fits[below, heads[state, node]]


@compiled
def add_child_fits(fits: Fits, states: Ints, classes: Ints, heads: Heads, below_fits: Fits) -> None:
    """Add what a further child has to log2 f."""
    for one in range(fits.shape[0]):
        state, below = states[one], classes[one]
        for node in range(fits.shape[1]):
            fits[one, node] += below_fits[below, heads[state, node]]


@compiled
def _by_edge(
    labels: int,
    above: Ints,
    above_codes: Codes,
    order: Ints,
    classes: Ints,
    weights: Floats,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ones: Ints,
    masses: Floats,
) -> None:
    """For every edge the classes of its rows, from `starts` to `ends`, and what each weighs."""
    edge_of = np.empty(above.shape[0], np.int32)
    for row in range(above.shape[0]):
        edge = above[row] * labels + above_codes[row]
        edge_of[row] = edge
        starts[edge + 1] += 1
    for edge in range(ends.shape[0]):
        starts[edge + 1] += starts[edge]
        ends[edge] = starts[edge]
    for at in range(order.shape[0]):
        row = order[at]
        edge, one = edge_of[row], classes[row]
        end = ends[edge]
        if end > starts[edge] and ones[end - 1] == one:
            masses[end - 1] += weights[row]
        else:
            ones[end], masses[end] = one, weights[row]
            ends[edge] = end + 1


@compiled
def _best_head(
    fits: Fits, ones: Ints, masses: Floats, at: int, end: int, now: int, worth: Floats, left: Ints
) -> int:
    """The node that gives the classes of an edge the largest likelihood, `now` if none is better.

    A class never raises the sum of logarithms, so a node that has come down to what `now` has in
    the end is left out, as most are after a few classes.
    """
    aim = 0.0
    for place in range(at, end):
        aim += masses[place] * fits[ones[place], now]
    count = fits.shape[1]
    for node in range(count):
        worth[node], left[node] = 0.0, node
    while at < end and count > 0:
        kept = 0
        if at + _STEP <= end:
            one, two, three, four = ones[at], ones[at + 1], ones[at + 2], ones[at + 3]
            first, second = masses[at], masses[at + 1]
            third, fourth = masses[at + 2], masses[at + 3]
            for place in range(count):
                node, sum_ = left[place], worth[place]
                sum_ += first * fits[one, node]
                sum_ += second * fits[two, node]
                sum_ += third * fits[three, node]
                sum_ += fourth * fits[four, node]
                worth[kept], left[kept] = sum_, node
                kept += sum_ > aim
            at += _STEP
        else:
            one, first = ones[at], masses[at]
            for place in range(count):
                node = left[place]
                sum_ = worth[place] + first * fits[one, node]
                worth[kept], left[kept] = sum_, node
                kept += sum_ > aim
            at += 1
        count = kept
    best, most = now, aim
    for place in range(count):
        if worth[place] > most:
            best, most = left[place], worth[place]
    return best if most > aim + _SINGLE_ROUNDING * (1.0 + abs(aim)) else now


@compiled
def redirect_edges(
    edges: Ints,
    above: Ints,
    above_codes: Codes,
    order: Ints,
    classes: Ints,
    weights: Floats,
    fits: Fits,
) -> int:
    """Lead every edge to the node whose f gives the edge's rows the largest likelihood (4.49).

    `order` lists the rows class by class, `fits` has log2 f^ν for every class and node. An edge
    without rows stays.
    """
    labels = edges.shape[1]
    starts = np.zeros(edges.size + 1, np.int64)
    ends = np.empty(edges.size, np.int64)
    ones, masses = np.empty(above.shape[0], np.int32), np.empty(above.shape[0])
    _by_edge(labels, above, above_codes, order, classes, weights, starts, ends, ones, masses)
    worth, left = np.empty(fits.shape[1]), np.empty(fits.shape[1], np.int32)
    made = 0
    for edge in range(edges.size):
        now = edges[edge // labels, edge % labels]
        best = _best_head(fits, ones, masses, starts[edge], ends[edge], now, worth, left)
        if best != now:
            edges[edge // labels, edge % labels] = best
            made += 1
    return made
