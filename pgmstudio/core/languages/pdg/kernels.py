"""Flows through a decision graph, compiled (Nielsen 2007, §3.3.2).

The out-flow of a node, ofl(ν) = Σ_h w_h p_h Π_below ofl(succ(ν, h)) (eq. 3.45), is the probability
of the findings at and below it. It is stored as mantissa · 2^exponent: the flows of two nodes of
one variable may lie further apart than a float reaches, and the smaller may be the one that counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.languages.pdg.model import GraphArrays
from pgmstudio.core.numba_support import compiled

Ints = NDArray[np.int64]

_TINY = 1e-150


@compiled
def out_flows(
    a: GraphArrays,
    weights: Floats,
    fractions: Floats,
    exponents: Ints,
    flows: Floats,
    flow_exponents: Ints,
) -> None:
    """ofl(ν) = flows · 2^flow_exponents; and fractions[ν, h], the part of ofl(ν) from state h.

    `weights` has a number per state of every variable; `exponents` is a buffer for the slots.
    """
    cards, state_at, order, below = a.cards, a.state_at, a.order, a.below
    below_at, node_at, slot_at, head_at = a.below_at, a.node_at, a.slot_at, a.head_at
    heads, parameters = a.heads, a.parameters
    for step in range(order.size - 1, -1, -1):
        i = order[step]
        card, first, own = cards[i], slot_at[i], state_at[i]
        begin, end = below_at[i], below_at[i + 1]
        for node in range(node_at[i], node_at[i + 1]):
            at = first + (node - node_at[i]) * card
            top = 0
            is_seen = False
            for h in range(card):
                mass = parameters[at + h] * weights[own + h]
                exponent = 0
                if mass > 0.0:
                    for index in range(begin, end):
                        head = heads[head_at[below[index]] + at + h - first]
                        mass *= flows[head]
                        exponent += flow_exponents[head]
                        if mass < _TINY:
                            if mass <= 0.0:
                                break
                            mass, shift = math.frexp(mass)
                            exponent += shift
                fractions[at + h] = mass
                exponents[at + h] = exponent
                if mass > 0.0 and (not is_seen or exponent > top):
                    top = exponent
                    is_seen = True
            total = 0.0
            if is_seen:
                for h in range(card):
                    gap = exponents[at + h] - top
                    if gap < 0:
                        fractions[at + h] = math.ldexp(fractions[at + h], max(gap, -2000))
                    total += fractions[at + h]
                for h in range(card):
                    fractions[at + h] /= total
                flows[node], shift = math.frexp(total)
                flow_exponents[node] = top + shift
            else:
                flows[node] = 0.0
                flow_exponents[node] = 0


@compiled
def visits(a: GraphArrays, fractions: Floats, visited: Floats, beliefs: Floats) -> None:
    """P(the node is reached | findings) of all nodes, and the beliefs, a number per state.

    visited(ν) = ifl(ν) · ofl(ν) / P(e); so nothing is divided by an out-flow that may be 0.
    """
    cards, state_at, order, above = a.cards, a.state_at, a.order, a.above
    below, below_at, node_at, slot_at = a.below, a.below_at, a.node_at, a.slot_at
    head_at, heads = a.head_at, a.heads
    for node in range(visited.size):
        visited[node] = 0.0
    for state in range(beliefs.size):
        beliefs[state] = 0.0
    for step in range(order.size):
        i = order[step]
        if above[i] < 0:
            visited[node_at[i]] = 1.0
        card, first, own = cards[i], slot_at[i], state_at[i]
        for node in range(node_at[i], node_at[i + 1]):
            here = visited[node]
            if here <= 0.0:
                continue
            at = first + (node - node_at[i]) * card
            for h in range(card):
                passing = here * fractions[at + h]
                if passing > 0.0:
                    beliefs[own + h] += passing
                    for index in range(below_at[i], below_at[i + 1]):
                        visited[heads[head_at[below[index]] + at + h - first]] += passing
        total = 0.0
        for h in range(card):
            total += beliefs[own + h]
        for h in range(card):
            beliefs[own + h] /= total


@compiled
def best_flows(
    a: GraphArrays,
    log_parameters: Floats,
    log_weights: Floats,
    tops: Floats,
    chosen: Ints,
    reached: Ints,
    states: Ints,
) -> None:
    """The out-flow with a maximum for the sum, in logarithms, and the states that give it."""
    cards, state_at, order, above = a.cards, a.state_at, a.order, a.above
    below, below_at, node_at, slot_at = a.below, a.below_at, a.node_at, a.slot_at
    head_at, heads = a.head_at, a.heads
    for step in range(order.size - 1, -1, -1):
        i = order[step]
        card, first, own = cards[i], slot_at[i], state_at[i]
        for node in range(node_at[i], node_at[i + 1]):
            at = first + (node - node_at[i]) * card
            best, likeliest = -math.inf, 0
            for h in range(card):
                value = log_parameters[at + h] + log_weights[own + h]
                if value > -math.inf:
                    for index in range(below_at[i], below_at[i + 1]):
                        value += tops[heads[head_at[below[index]] + at + h - first]]
                if value > best:
                    best, likeliest = value, h
            tops[node] = best
            chosen[node] = likeliest
    for step in range(order.size):
        i = order[step]
        node = node_at[i] if above[i] < 0 else reached[i]
        states[i] = chosen[node]
        at = (node - node_at[i]) * cards[i] + states[i]
        for index in range(below_at[i], below_at[i + 1]):
            reached[below[index]] = heads[head_at[below[index]] + at]


@compiled
def expect_rows(
    codes: Any,
    row_weights: Floats,
    missing: int,
    begin: int,
    end: int,
    a: GraphArrays,
    weights: Floats,
    fractions: Floats,
    exponents: Ints,
    flows: Floats,
    flow_exponents: Ints,
    visited: Floats,
    beliefs: Floats,
    counts: Floats,
) -> float:
    """Add how often the rows are expected at each node with each state; their log2-likelihood."""
    cards, state_at, above, node_at, slot_at = a.cards, a.state_at, a.above, a.node_at, a.slot_at
    log2_likelihood = 0.0
    for row in range(begin, end):
        for i in range(cards.size):
            code = codes[i, row]
            for h in range(cards[i]):
                weights[state_at[i] + h] = 1.0 if code in (missing, h) else 0.0
        out_flows(a, weights, fractions, exponents, flows, flow_exponents)
        for i in range(cards.size):
            if above[i] < 0:
                flow = flows[node_at[i]]
                if flow <= 0.0:
                    return -math.inf
                log2_likelihood += row_weights[row] * (math.log2(flow) + flow_exponents[node_at[i]])
        visits(a, fractions, visited, beliefs)
        for i in range(cards.size):
            for node in range(node_at[i], node_at[i + 1]):
                here = row_weights[row] * visited[node]
                if here > 0.0:
                    at = slot_at[i] + (node - node_at[i]) * cards[i]
                    for h in range(cards[i]):
                        counts[at + h] += here * fractions[at + h]
    return log2_likelihood


@compiled
def row_flows(
    codes: Any,
    missing: int,
    a: GraphArrays,
    weights: Floats,
    fractions: Floats,
    exponents: Ints,
    flows: Floats,
    flow_exponents: Ints,
    logs: Floats,
) -> None:
    """log2 P(observed cells) of every row: an out-flow pass each; −inf for impossible rows."""
    cards, state_at, above, node_at = a.cards, a.state_at, a.above, a.node_at
    for row in range(codes.shape[1]):
        for i in range(cards.size):
            code = codes[i, row]
            for h in range(cards[i]):
                weights[state_at[i] + h] = 1.0 if code in (missing, h) else 0.0
        out_flows(a, weights, fractions, exponents, flows, flow_exponents)
        total = 0.0
        for i in range(cards.size):
            if above[i] < 0:
                flow = flows[node_at[i]]
                if flow <= 0.0:
                    total = -math.inf
                    break
                total += math.log2(flow) + flow_exponents[node_at[i]]
        logs[row] = total
