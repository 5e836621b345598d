"""Messages in every tree of a mixture at once, compiled (Meilă 1999, §2.5, in directed form)."""

from __future__ import annotations

import math
from typing import Any

from pgmstudio.core.numba_support import compiled

_SMALL = 1e-60


@compiled
def update(
    order: Any,
    parents: Any,
    table_at: Any,
    state_at: Any,
    cards: Any,
    tables: Any,
    weights: Any,
    below: Any,
    sent: Any,
    log2_totals: Any,
    beliefs: Any,
) -> None:
    """Beliefs and log2 of the total of every tree; `weights` has a number per state.

    Upwards, below[x_v] = weight(x_v) · Π messages of v's children, and v sends its parent
    sent[x_pa] = Σ_x P(x | x_pa) below[x]. Downwards, the belief of v is
    Σ_pa belief(x_pa) · P(x | x_pa) below[x] / sent[x_pa]; where sent is 0, so is belief(x_pa).
    `below` and `sent` are buffers for one tree.
    """
    width = parents.shape[1]
    for k in range(parents.shape[0]):
        total = 0.0
        possible = True
        for index in range(state_at[width]):
            below[index] = weights[index]
        for step in range(width - 1, -1, -1):
            v = order[k, step]
            at, parent, card, own = table_at[k, v], parents[k, v], cards[v], state_at[v]
            if parent < 0:
                mass = 0.0
                for state in range(card):
                    mass += tables[at + state] * below[own + state]
                if mass <= 0.0:
                    possible = False
                    break
                total += math.log2(mass)
                continue
            # A variable sends to one parent, so its messages stand where the parent's states
            # stand in a row of the variable's own.
            largest = 0.0
            for above in range(cards[parent]):
                mass = 0.0
                for state in range(card):
                    mass += tables[at + above * card + state] * below[own + state]
                sent[v, above] = mass
                below[state_at[parent] + above] *= mass
                if below[state_at[parent] + above] > largest:
                    largest = below[state_at[parent] + above]
            if largest <= 0.0:
                possible = False
                break
            if largest < _SMALL:
                total += math.log2(largest)
                for above in range(cards[parent]):
                    below[state_at[parent] + above] /= largest
        if not possible:
            log2_totals[k] = -math.inf
            for index in range(state_at[width]):
                beliefs[k, index] = 0.0
            continue
        log2_totals[k] = total
        for step in range(width):
            v = order[k, step]
            at, parent, card, own = table_at[k, v], parents[k, v], cards[v], state_at[v]
            for state in range(card):
                beliefs[k, own + state] = 0.0
            if parent < 0:
                for state in range(card):
                    beliefs[k, own + state] = tables[at + state] * below[own + state]
            else:
                for above in range(cards[parent]):
                    if sent[v, above] > 0.0:
                        fraction = beliefs[k, state_at[parent] + above] / sent[v, above]
                        for state in range(card):
                            beliefs[k, own + state] += (
                                fraction * tables[at + above * card + state] * below[own + state]
                            )
            mass = 0.0
            for state in range(card):
                mass += beliefs[k, own + state]
            for state in range(card):
                beliefs[k, own + state] /= mass


@compiled
def explain(
    order: Any,
    parents: Any,
    table_at: Any,
    state_at: Any,
    cards: Any,
    log_tables: Any,
    log_weights: Any,
    below: Any,
    best: Any,
    log2_best: Any,
    states: Any,
) -> None:
    """max_x log2 (T^k(x) · weights) and the first x that reaches it, for every tree."""
    width = parents.shape[1]
    for k in range(parents.shape[0]):
        total = 0.0
        for index in range(state_at[width]):
            below[index] = log_weights[index]
        for step in range(width - 1, -1, -1):
            v = order[k, step]
            at, parent, card, own = table_at[k, v], parents[k, v], cards[v], state_at[v]
            above_count = 1 if parent < 0 else cards[parent]
            for above in range(above_count):
                top, chosen = -math.inf, 0
                for state in range(card):
                    value = log_tables[at + above * card + state] + below[own + state]
                    if value > top:
                        top, chosen = value, state
                best[v, above] = chosen
                if parent < 0:
                    total += top
                else:
                    below[state_at[parent] + above] += top
        log2_best[k] = total
        for step in range(width):
            v = order[k, step]
            parent = parents[k, v]
            above = 0 if parent < 0 else states[k, parent]
            states[k, v] = best[v, above]
