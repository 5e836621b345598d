"""How the nodes of a decision graph are called: ν with a number, counted along the forest."""

from __future__ import annotations

from functools import lru_cache

from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.decision_graph_choices import Deed, Step
from pgmstudio.core.pictures.bands import orders_of

# Variables that stand alone are counted last: their band shows no node.
_KEPT = 8


@lru_cache(maxsize=_KEPT)
def first_numbers(graph: DecisionGraph) -> tuple[int, ...]:
    """The number of the first node of every variable, from 1."""
    alone = [graph.forest[i] is None and not graph.children[i] for i in range(len(graph.domain))]
    found, number = [0] * len(graph.domain), 1
    for i in sorted(graph.order, key=lambda i: alone[i]):
        found[i] = number
        number += graph.node_counts[i]
    return tuple(found)


@lru_cache(maxsize=_KEPT)
def node_numbers(graph: DecisionGraph) -> tuple[tuple[int, ...], ...]:
    """The number of every node of every variable: as the bands show them, from left to right."""
    found = []
    for order, first in zip(orders_of(graph), first_numbers(graph), strict=True):
        numbers = [0] * len(order)
        for place, node in enumerate(order):
            numbers[node] = first + place
        found.append(tuple(numbers))
    return tuple(found)


def node_name(graph: DecisionGraph, variable: str, node: int) -> str:
    """ν7 for the seventh node, counted band by band."""
    return f"ν{node_numbers(graph)[graph.domain.index(variable)][node]}"


def step_words(graph: DecisionGraph, step: Step) -> str:
    """What a step does, as the name of a command."""
    mine = node_name(graph, step.variable, step.node)
    if step.deed is Deed.MERGE:
        return f"Merge {mine} with {node_name(graph, step.variable, step.other)}"
    if step.deed is Deed.SPLIT:
        return f"Split {mine}"
    i = graph.domain.index(step.variable)
    above = graph.forest[i]
    assert above is not None
    upper, state = graph.domain.names[above], graph.domain.variables[above].states[step.state]
    return f"Lead {node_name(graph, upper, step.upper)} {state} to {mine}"


def short_words(graph: DecisionGraph, step: Step, *, is_from_here: bool) -> str:
    """The same in a list about one node, which need not be named; `is_from_here`: its own arc."""
    mine = node_name(graph, step.variable, step.node)
    if step.deed is Deed.MERGE:
        return f"Merge with {node_name(graph, step.variable, step.other)}"
    if step.deed is Deed.SPLIT:
        return "Split"
    above = graph.forest[graph.domain.index(step.variable)]
    assert above is not None
    upper, state = graph.domain.names[above], graph.domain.variables[above].states[step.state]
    if is_from_here:
        return f"{state} → {mine}"
    return f"{node_name(graph, upper, step.upper)} {state} → here"


def share_words(value: float) -> str:
    """A parameter in two digits, such as .71; 1 and 0 only where they are exact."""
    if value >= 0.995:
        return "1" if value >= 1 else ".99"
    return f"{value:.2f}".removeprefix("0") if value > 0 else "0"


NOT_REACHED, NO_DATA = "not reached", "no data"
