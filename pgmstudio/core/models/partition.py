"""The blocks of variables that a hidden variable holds apart: tree H models (Meilă 1999, §6.3).

A mixture of trees with the same edges is an H model: given the hidden variable h the connected
parts of its forest are independent of each other, A_1 ⟂ A_2 ⟂ … | h.
"""

from __future__ import annotations

from collections.abc import Iterable

from pgmstudio.core.large_counts import count_text
from pgmstudio.core.models.tree_mixture import TreeMixture

Blocks = tuple[tuple[str, ...], ...]

GUARANTEED = "guaranteed"
NOT_GUARANTEED = "not guaranteed"
NOT_IDENTIFIABLE = "not identifiable"
UNKNOWN = "unknown"


def blocks_of(names: Iterable[str], edges: Iterable[tuple[str, str]]) -> Blocks:
    """The connected parts of a graph, each in the order of the names, the first name first."""
    order = tuple(names)
    head = {name: name for name in order}

    def found(name: str) -> str:
        while head[name] != name:
            head[name] = name = head[head[name]]
        return name

    for one, other in edges:
        head[found(one)] = found(other)
    parts: dict[str, list[str]] = {}
    for name in order:
        parts.setdefault(found(name), []).append(name)
    return tuple(tuple(part) for part in parts.values())


def partition_of(model: TreeMixture) -> Blocks | None:
    """The blocks around the choice of a mixture; None where trees differ in their edges."""
    if not model.is_shared:
        return None
    return blocks_of(model.tree_domain.names, model.trees[0].edges)


def identifiability(model: TreeMixture) -> tuple[str, str]:
    """Whether the hidden variable can be told from the rows at all, and a sentence about it.

    Sufficient where every variable has two states, the hidden one included (Stanghellini and
    Vantaggi, cited in §6.2): three blocks, or two of which neither is fully connected; a tree is
    so up to two variables. It cannot be where the free parameters outnumber the free cells of the
    joint table.
    """
    if model.choice is not None:
        return GUARANTEED, f"Identifiable: {model.choice} is a column."
    parameters, cells = _free_parameters(model), model.domain.joint_states() - 1
    if parameters > cells:
        return NOT_IDENTIFIABLE, (
            f"Not identifiable: the model has {parameters:,} free parameters, and the joint table "
            f"of the variables only {count_text(cells)}. Use fewer hidden states."
        )
    blocks = partition_of(model)
    if blocks is None:
        return UNKNOWN, "The trees differ in their edges, so nothing is known of identifiability."
    if len(model.trees) != 2 or any(card != 2 for card in model.domain.cardinalities):
        return UNKNOWN, (
            "Identifiability is unknown: the rule holds only where every variable, the hidden one "
            "included, has two states."
        )
    if len(blocks) >= 3:
        return GUARANTEED, f"Identifiable: {len(blocks)} blocks, three are enough."
    if len(blocks) == 2 and all(len(block) > 2 for block in blocks):
        return GUARANTEED, "Identifiable: two blocks, and neither is fully connected."
    why = "one block only" if len(blocks) == 1 else "two blocks, one of them fully connected"
    return NOT_GUARANTEED, (
        f"Not guaranteed to be identifiable: {why}. Other hidden variables may give the same rows."
    )


def _free_parameters(model: TreeMixture) -> int:
    """Of a mixture whose component is hidden: its weights and the tables of its trees."""
    parameters = len(model.trees) - 1
    for tree in model.trees:
        for table in tree.tables:
            parameters += table.size - table.size // table.shape[-1]
    return parameters
