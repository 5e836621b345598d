"""The optimum spanning tree by Kruskal's algorithm, with every step as an artifact.

Edges are taken by descending strength, of equal ones that of the earlier columns first; an edge
joins the tree unless it would close a cycle (Kruskal 1956).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.execution.events import CancelToken, Note
from pgmstudio.core.learning.artifacts import PlainFields
from pgmstudio.core.learning.base import ArtifactSaved, LearnEvent
from pgmstudio.core.learning.undirected_rules import Edge, UndirectedRules
from pgmstudio.core.params import param
from pgmstudio.core.scores.association_measures import MEASURES, Setting, measures_of

NOT_UNIQUE = "Edges of equal weight could be exchanged: the spanning tree is not unique."
# Strengths that differ by rounding only are equal.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class KruskalStep:
    """One edge in the order it was looked at; `result` is why it is in the tree or not."""

    first: str
    second: str
    weight: float
    is_added: bool
    result: str


@dataclass(frozen=True)
class SpanningTreeSteps(PlainFields):
    """The steps of a run; `is_unique` is False if edges of equal weight could be exchanged."""

    measure: str
    steps: tuple[KruskalStep, ...]
    is_unique: bool

    kind = "spanning-tree"

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """One row for each edge."""
        rows: list[tuple[object, ...]] = [
            (number, step.first, step.second, step.weight, step.result)
            for number, step in enumerate(self.steps, start=1)
        ]
        return ("step", "first", "second", "weight", "result"), rows


def pair_weights(
    count: int, table: Callable[[tuple[int, int]], Floats], measure: str, cancel: CancelToken
) -> Floats:
    """A symmetric measure of every pair, from its table."""
    value = MEASURES[measure].value
    weights = np.zeros((count, count))
    for a, b in combinations(range(count), 2):
        cancel.raise_if_cancelled()
        weights[a, b] = weights[b, a] = value(table((a, b)))
    return weights


def spanning_tree(
    names: Sequence[str],
    weights: Floats,
    measure: str,
    *,
    larger_is_stronger: bool = True,
    minimum: float = 0.0,
    rules: UndirectedRules | None = None,
) -> tuple[list[Edge], SpanningTreeSteps]:
    """The edges of the optimum spanning tree, or forest.

    Where larger weights are stronger, edges of at most the `minimum` are left out. Required edges
    come first; KnowledgeError if they close a cycle.
    """
    rules = UndirectedRules(len(names)) if rules is None else rules
    sign = -1.0 if larger_is_stronger else 1.0
    pairs = [e for e in combinations(range(len(names)), 2) if rules.may_change(e)]
    order = [*sorted(rules.required), *sorted(pairs, key=lambda e: (sign * weights[e], e))]
    part = list(range(len(names)))  # a number for each tree
    edges: list[Edge] = []
    steps: list[KruskalStep] = []
    for a, b in order:
        weight = float(weights[a, b])
        is_required = (a, b) in rules.required
        if part[a] == part[b]:
            if is_required:
                raise KnowledgeError(
                    [f"{names[a]} – {names[b]} is required, but it closes a cycle in a tree."]
                )
            result = "closes a cycle"
        elif not is_required and larger_is_stronger and weight <= minimum:
            result = "too weak"
        else:
            result = "required" if is_required else "added"
            old, new = part[b], part[a]
            part = [new if one == old else one for one in part]
            edges.append((a, b))
        is_added = result in ("required", "added")
        steps.append(KruskalStep(names[a], names[b], weight, is_added, result))
    weights_in = {step.weight for step in steps if step.result == "added"}
    tied = any(
        step.result == "closes a cycle"
        and any(abs(step.weight - weight) <= _EQUAL for weight in weights_in)
        for step in steps
    )
    return sorted(edges), SpanningTreeSteps(measure, tuple(steps), not tied)


def tree_events(
    names: Sequence[str],
    weights: Floats,
    measure: str,
    *,
    minimum: float = 0.0,
    rules: UndirectedRules | None = None,
) -> Generator[LearnEvent, None, list[Edge]]:
    """The edges of the tree; its steps are saved, and a note says if the tree is not unique."""
    edges, steps = spanning_tree(
        names,
        weights,
        measure,
        larger_is_stronger=MEASURES[measure].larger_is_stronger,
        minimum=minimum,
        rules=rules,
    )
    yield ArtifactSaved(steps)
    if not steps.is_unique:
        yield Note(NOT_UNIQUE)
    return edges


def measure_param(setting: Setting, default: str, more: str) -> Any:
    """The measure of a pair; `more` adds what the tree does with it."""
    return param(
        default,
        title="Measure",
        choices=measures_of(setting, symmetric=True),
        help=f"Strength of the dependence of a pair{more}",
    )


def min_weight_param(more: str = "") -> Any:
    """The weight that an edge has to exceed."""
    return param(
        0.0,
        title="Minimum weight",
        low=0,
        help="Edges whose measure is not above this are left out, so that the result can be a "
        f"forest.{more}",
    )
