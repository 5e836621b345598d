"""LearnPDG: split, merge and redirect until the score no longer rises (Nielsen 2007, Alg. 4.7)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial

import numpy as np

from pgmstudio.core.learning.pdg_state import PdgState
from pgmstudio.core.learning.pdg_steps import PdgStep, in_steps
from pgmstudio.core.running import CancelToken, StepToken

# A gain below this is rounding.
_ROUNDING = 1e-7


@dataclass(frozen=True, slots=True)
class SweepRules:
    """Which operators are used and how often."""

    split: bool = True
    merge: bool = True
    redirect: bool = True
    redirect_every: int = 3
    splits_per_merge: int = 1
    deepen: bool = True
    patience: int = 5
    max_sweeps: int = 200
    merge_as_printed: bool = False


@dataclass(frozen=True, slots=True)
class Swept:
    """Where a search stands after a sweep; splits, merges and redirects are those so far."""

    sweep: int
    nodes: int
    score: float
    log2_likelihood: float
    size: int
    splits: int
    merges: int
    redirects: int


def learn_pdg(
    state: PdgState,
    lambda_: float,
    rules: SweepRules,
    rng: np.random.Generator,
    cancel: CancelToken,
    walker: StepToken | None = None,
) -> Generator[Swept | PdgStep, None, PdgState]:
    """Sweeps from `state` on; the generator's value is the best graph it passed.

    Splits are drawn and may lower the score, so a search ends after some sweeps without a better
    graph, and not before the last of these was redirected. While the `walker` steps, every deed is
    told, and the search waits after it.
    """
    best, best_score = state.copy(), state.score(lambda_)
    state = state.copy()
    splits = merges = redirects = worse = 0
    limits = state.merge_limits(lambda_, as_printed=rules.merge_as_printed)
    split, merge = partial(state.split, lambda_, rng), partial(state.merge, limits)
    for sweep in range(1, rules.max_sweeps + 1):
        cancel.raise_if_cancelled()
        if rules.split:
            for _ in range(rules.splits_per_merge + (worse if rules.deepen else 0)):
                splits += yield from in_steps(state, split, lambda_, walker)
        if rules.merge:
            merges += yield from in_steps(state, merge, lambda_, walker)
        is_last = worse + 1 >= rules.patience or sweep == rules.max_sweeps
        if rules.redirect and (sweep % rules.redirect_every == 0 or is_last):
            cancel.raise_if_cancelled()
            moved = yield from in_steps(state, state.redirect, lambda_, walker)
            redirects += moved
            if moved and rules.merge and is_last:
                merges += yield from in_steps(state, merge, lambda_, walker)
        score = state.score(lambda_)
        worse += 1
        if score > best_score + _ROUNDING * abs(best_score):
            best, best_score, worse = state.copy(), score, 0
        yield Swept(
            sweep,
            state.node_count,
            score,
            state.log2_likelihood(),
            state.size(),
            splits,
            merges,
            redirects,
        )
        if worse >= rules.patience:
            break
    return best
