"""Which findings cannot hold together: a smallest set of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from math import comb

from pgmstudio.core.inference.protocols import Finding

# How many sets of findings are tried in search of a smaller conflict; then a set from which
# nothing can be left out has to do.
MOST_TRIES = 3_000


def smallest_conflict(
    evidence: Mapping[str, Finding], is_possible: Callable[[Mapping[str, Finding]], bool]
) -> dict[str, str]:
    """A smallest set of findings that is impossible, each as text; `evidence` as a whole is.

    Findings are left out one by one as long as the rest stays impossible; sets smaller than what
    remains are then tried by size.
    """
    core = dict(evidence)
    for name in list(core):
        rest = {other: finding for other, finding in core.items() if other != name}
        if rest and not is_possible(rest):
            core = rest
    tries = MOST_TRIES
    for size in range(1, len(core)):
        tries -= comb(len(evidence), size)
        if tries < 0:
            break
        for names in combinations(evidence, size):
            chosen = {name: evidence[name] for name in names}
            if not is_possible(chosen):
                return {name: str(finding) for name, finding in chosen.items()}
    return {name: str(finding) for name, finding in core.items()}
