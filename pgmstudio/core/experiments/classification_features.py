"""Which variables a prediction of the target rests on: the feature selection that a graph implies.

In a tree the class depends on its neighbours alone and the tree classifies as naive Bayes on them
does (Meilă 1999, §7.3.5); in a Bayesian network on the Markov blanket.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.inference.information import information_about
from pgmstudio.core.inference.sessions import open_session
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.protocols import DirectedModel, Model
from pgmstudio.core.models.tree import Tree
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.running import NEVER, CancelToken


@dataclass(frozen=True, slots=True)
class Feature:
    """`bits` is I(target; variable) in the model, None where that cannot be computed.

    `role` says in words how it stands to the target; "" for variables that say nothing more once
    the others are known.
    """

    name: str
    bits: float | None
    role: str

    @property
    def is_used(self) -> bool:
        return bool(self.role)


def features_of(model: Model, target: str, cancel: CancelToken = NEVER) -> tuple[Feature, ...]:
    """All variables but the target: those with a role first, the most telling of them first."""
    roles = roles_towards(model, target)
    bits: dict[str, float] = {}
    with suppress(TooLargeError):  # complete rows can be classified all the same
        bits = information_about(open_session(model), model.domain, target, cancel)
    found = [
        Feature(name, bits.get(name), roles.get(name, ""))
        for name in model.domain.names
        if name != target
    ]
    return tuple(sorted(found, key=lambda one: (not one.is_used, -(one.bits or 0.0))))


def roles_towards(model: Model, target: str) -> dict[str, str]:
    """How the variables that a prediction uses stand to the target; absent ones are not used.

    A language without edges between variables uses all of them.
    """
    others = [name for name in model.domain.names if name != target]
    if isinstance(model, TreeMixture):
        if target == model.choice:
            return dict.fromkeys(others, "in the trees it chooses")
        return _roles_in_trees(model, target)
    if isinstance(model, LatentClasses):
        return dict.fromkeys(others, f"through {model.hidden}")
    if not isinstance(model, DirectedModel):
        return dict.fromkeys(others, "in the model")
    children = [child for parent, child in model.edges if parent == target]
    if isinstance(model, Tree):
        parents = [parent for parent, child in model.edges if child == target]
        return dict.fromkeys((*parents, *children), "neighbour")
    found: dict[str, str] = {}
    for parent, child in model.edges:
        if child in children and parent != target:
            found[parent] = "parent of a child"
    found.update(dict.fromkeys(children, "child"))
    found.update((parent, "parent") for parent, child in model.edges if child == target)
    return found


def _roles_in_trees(model: TreeMixture, target: str) -> dict[str, str]:
    count = len(model.trees)
    found = {}
    for pair, trees in model.edge_counts.items():
        if target in pair:
            other = pair[1] if pair[0] == target else pair[0]
            found[other] = f"neighbour in {trees} of {count} trees" if count > 1 else "neighbour"
    if model.choice is not None:
        found[model.choice] = "chooses the tree"
    return found
