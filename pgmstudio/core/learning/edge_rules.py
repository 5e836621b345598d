"""Knowledge about edges as arrays, the graph a search starts from, and the check after a run."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.errors import CycleError, ParameterError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.knowledge import Edge, Knowledge
from pgmstudio.core.models.decision_graph import DecisionGraph
from pgmstudio.core.models.graph_networks import dependences
from pgmstudio.core.models.latent_classes import LatentClasses
from pgmstudio.core.models.protocols import DirectedModel, Model
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.running import Note

Flags = NDArray[np.uint8]


def allowed_edges(names: Sequence[str], knowledge: Knowledge) -> Flags:
    """For every p → c whether the knowledge allows it; `Knowledge.allows` for all pairs at once."""
    # Columns in no tier are as far behind as in front: no comparison holds.
    tiers = np.array([knowledge.tier_of.get(name, np.nan) for name in names], dtype=np.float64)
    before, after = tiers[:, None], tiers[None, :]
    is_closed = np.isin(tiers, list(knowledge.closed_tiers))
    kept_out = (before > after) | ((before == after) & is_closed[:, None])
    place = {name: i for i, name in enumerate(names)}
    for source, target in knowledge.forbidden:
        if source in place and target in place:
            kept_out[place[source], place[target]] = True
    allowed: Flags = (~kept_out).astype(np.uint8)
    return allowed


@dataclass(frozen=True, eq=False)
class EdgeRules:
    """`allowed[p, c]` and `required[p, c]` say whether p → c may, or must, be there."""

    names: tuple[str, ...]
    allowed: Flags
    required: Flags
    most_parents: int

    @classmethod
    def of(
        cls, names: Sequence[str], knowledge: Knowledge | None, max_parents: int | None
    ) -> EdgeRules:
        """KnowledgeError or ParameterError when the rules cannot hold together."""
        n = len(names)
        allowed = np.ones((n, n), dtype=np.uint8)
        np.fill_diagonal(allowed, 0)
        required = np.zeros((n, n), dtype=np.uint8)
        most = n if max_parents is None else max_parents
        if knowledge is not None and not knowledge.is_empty:
            knowledge.check(names)
            allowed &= allowed_edges(names, knowledge)
            place = {name: i for i, name in enumerate(names)}
            for source, target in knowledge.required:
                required[place[source], place[target]] = 1
        for c, count in enumerate(required.sum(axis=0)):
            if count > most:
                message = f"is {most}, but {count} parents of {names[c]} are required"
                raise ParameterError({"max_parents": message})
        return cls(tuple(names), allowed, required, most)

    def starting_graph(self, edges: Iterable[Edge]) -> tuple[Dag, int]:
        """The required edges and as many of `edges` as the rules let in; and how many they do not.

        An edge is left out when it is forbidden, would close a cycle, or is one parent too many.
        """
        p_c = np.argwhere(self.required)
        required = [(self.names[p], self.names[c]) for p, c in p_c]
        edges = list(edges)
        with contextlib.suppress(CycleError):  # mostly all of them can be there: one look is enough
            whole = Dag.from_edges(self.names, dict.fromkeys([*required, *edges]))
            if all(len(above) <= self.most_parents for above in whole.parent_indices) and all(
                self.allowed[p, c] for c, above in enumerate(whole.parent_indices) for p in above
            ):
                return whole, 0
        dag = Dag.from_edges(self.names, required)
        left_out = 0
        for source, target in edges:
            p, c = dag.index(source), dag.index(target)
            if dag.has_edge(source, target):
                continue
            if not self.allowed[p, c] or len(dag.parent_indices[c]) >= self.most_parents:
                left_out += 1
                continue
            try:
                dag = dag.with_edge(source, target)
            except CycleError:
                left_out += 1
        return dag, left_out

    def start_of(self, model: DirectedModel | None) -> Generator[Note, None, Dag]:
        """The graph a search starts from when a person gave a model, or none; says what is lost."""
        start, left_out = self.starting_graph(() if model is None else model.edges)
        if left_out:
            yield Note(left_out_sentence(left_out))
        return start


def left_out_sentence(count: int) -> str:
    """What is said when the rules let not all edges of a start in."""
    edges = "1 edge" if count == 1 else f"{count} edges"
    return f"The rules do not allow {edges} of the start; the search begins without."


def broken_rules(model: Model, knowledge: Knowledge) -> list[str] | None:
    """Which rules a model breaks, in sentences, looked up in the model and not taken from its
    learner. None for a language without directed edges.

    Of a mixture, in any of its trees; latent classes have no edges between columns; those of a
    decision graph lead from each variable to those whose nodes it helps to decide.
    """
    if isinstance(model, TreeMixture):
        return [
            f"Tree {number}: {sentence}"
            for number, tree in enumerate(model.trees, start=1)
            for sentence in knowledge.among(tree.domain.names).violations(tree.edges)
        ]
    if isinstance(model, LatentClasses):
        return knowledge.violations(())
    if isinstance(model, DecisionGraph):
        return knowledge.violations(dependences(model))
    return knowledge.violations(model.edges) if isinstance(model, DirectedModel) else None


def knowledge_sentence(model: DirectedModel, knowledge: Knowledge) -> str:
    """Whether a model obeys the rules, looked up in its edges and not taken from its learner."""
    broken = knowledge.violations(model.edges)
    if broken:
        return " ".join(broken)
    count = knowledge.rule_count()
    return "The constraint holds." if count == 1 else f"All {count} constraints hold."
