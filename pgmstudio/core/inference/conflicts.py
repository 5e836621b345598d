"""Which findings cannot hold together: a smallest set of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import comb

from pgmstudio.core.inference.base import Finding

MAX_TRIES = 3_000


def smallest_conflict(
    evidence: Mapping[str, Finding],
    is_possible: Callable[[Mapping[str, Finding]], bool],
    most_tries: int = MAX_TRIES,
) -> dict[str, str]:
    """A smallest set of findings that is impossible, each as text; `evidence` as a whole is.

    First a set from which nothing can be left out; then smaller ones by size, until `most_tries`
    sets were tried. What is returned is then still a conflict without a superfluous finding.
    """

    def clash(names: Iterable[str]) -> bool:
        return not is_possible({name: evidence[name] for name in names})

    core: list[str] = []
    rest = list(evidence)
    while not core or not clash(core):
        # The finding that completes the first impossible beginning belongs to a conflict among
        # that beginning; beginnings are searched by halves.
        beginnings = range(1, len(rest))
        index = bisect_left(beginnings, True, key=lambda end: clash([*core, *rest[:end]]))
        core.append(rest[index])
        rest = rest[:index]
    chosen = core
    for size in range(1, len(core)):
        most_tries -= comb(len(evidence), size)
        smaller = combinations(evidence, size) if most_tries >= 0 else iter(())
        result = next((names for names in smaller if clash(names)), None)
        if result is not None:
            chosen = list(result)
            break
    return {name: str(finding) for name, finding in evidence.items() if name in chosen}
