"""Classifier structures: naive Bayes, and a tree or forest over the features on top of it.

The class is a parent of every feature. Tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt
1997) gives each feature at most one further parent: the tree of largest likelihood is a maximum
spanning tree of the conditional mutual informations I(X; Y | class). A forest (FAN) leaves an edge
out when N·I(X; Y | class), in nats, does not exceed its penalty; naive Bayes leaves all out.

Knowledge that asks for a feature above the class is obeyed: that feature, and what must be above
it, is then no child of the class. Where knowledge forbids class → X, X simply has no such parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.counting import pair_counts, pair_counts_by_state
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import KnowledgeError, ParameterError, no_column
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.graphs.maximum_branching import branching_with_required
from pgmstudio.core.languages.bayesian_network.learning.missing_data.completed_rows import (
    completed_rows,
)
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import network_events
from pgmstudio.core.learning.base import (
    AVAILABLE,
    BaseLearner,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules, best_forest
from pgmstudio.core.learning.params import (
    class_param,
    knowledge_param,
    missing_param,
    smoothing_param,
)
from pgmstudio.core.params import param, params_to_dict
from pgmstudio.core.scores.mutual_information import mutual_information_nats

AUGMENTS = ("tree", "forest", "none")

Matrix = NDArray[np.float64]

# Mutual information below this many nats per row is rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class TanParams:
    """The settings of classifier structures."""

    # Not `target`: reading data has an option of that name.
    class_: str | None = class_param()
    augment: str = param(
        "tree",
        title="Edges between features",
        choices=AUGMENTS,
        help="tree: one additional parent per feature. forest: only if it improves the score. "
        "none: naive Bayes.",
    )
    edge_penalty: float | None = param(
        None,
        title="Edge penalty β",
        low=0,
        none_label="as in BIC",
        help="For a forest: gain in nats over all rows that an edge must exceed.",
    )
    root: str | None = param(
        None,
        title="Root",
        is_variable=True,
        none_label="the first feature",
        help="The root feature; edges between features point away from it.",
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()

    def __post_init__(self) -> None:
        if self.edge_penalty is not None and self.augment != "forest":
            raise ParameterError({"edge_penalty": "is for a forest; set augment to forest"})


class TanLearner(BaseLearner[TanParams]):
    """Predicts one variable from the others."""

    key = "bn.tan"
    passes = Passes(3)
    title = "Classifier (naive Bayes, TAN)"
    kind = "bayesian-network"
    params_type = TanParams
    cost = Cost(0.02)

    def events(
        self, data: DataSet, params: TanParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        target = _target(data, params)
        rules = EdgeRules.of(data.domain.names, params.knowledge, None)
        # Without edges between features there is nothing to search for.
        search = AVAILABLE if params.augment == "none" else params.missing
        rows = yield from completed_rows(data, search, rng=rng, cancel=cancel)
        yield Progress(0.0, f"Counting pairs of columns for each state of {_name(data, target)}")
        structure = _Structure(rows, params, target, rules)
        dag, information = structure.learn(cancel)
        yield Progress(0.6, "Filling the tables")
        measures = {"conditional_information_bits": information / math.log(2)}
        yield from network_events(dag, rows, data, params, measures, rng=rng, cancel=cancel)


def _target(data: DataSet, params: TanParams) -> int:
    names = data.domain.names
    problems = {}
    for what, name in (("class", params.class_), ("root", params.root)):
        if name is not None and name not in names:
            problems[what] = no_column(name, names)
    target = names[-1] if params.class_ is None else params.class_
    if params.root == target:
        problems["root"] = f"{target} is the class; choose a feature"
    if problems:
        raise ParameterError(problems)
    return names.index(target)


def _name(data: DataSet, column: int) -> str:
    return data.domain.names[column]


def conditional_information_nats(data: DataSet, target: int, cancel: CancelToken = NEVER) -> Matrix:
    """I(X; Y | class) of all pairs of columns, each over the rows that have both and the class.

    I(X; Y | class) = Σ_c P(c) I(X; Y | class = c) (relational-and-possibilistic, §7.7).
    """
    n = len(data.domain)
    above = np.triu_indices(n, 1)
    summed, rows = np.zeros((n, n)), np.zeros((n, n))
    for pairs in pair_counts_by_state(data, target, cancel):
        total = np.zeros((n, n))
        if n > 1:
            total[above] = np.add.reduceat(pairs.flat, pairs.offsets[above])
        total += total.T
        summed += total * mutual_information_nats(pairs)
        rows += total
    information: Matrix = np.divide(summed, rows, out=np.zeros((n, n)), where=rows > 0)
    return information


class _Structure:
    """The children of the class, and the tree over the features."""

    def __init__(self, data: DataSet, params: TanParams, target: int, rules: EdgeRules) -> None:
        self.data = data
        self.params = params
        self.target = target
        self.rules = rules
        self.names = data.domain.names
        self.features = [i for i in range(len(self.names)) if i != target]
        required = () if params.knowledge is None else params.knowledge.required
        above = Dag.from_edges(self.names, required).ancestors(self.names[target])
        self.is_above = np.array([name in above for name in self.names])
        self.is_child = ~self.is_above & rules.allowed[target].astype(bool)

    def learn(self, cancel: CancelToken) -> tuple[Dag, float]:
        """The graph, and the information its edges between features have, in nats."""
        information = np.zeros((len(self.names), len(self.names)))
        if self.params.augment != "none" or self.rules.required.any():
            information = conditional_information_nats(self.data, self.target, cancel)
        if not self.is_child[self.features].all():
            # For a column that is no child of the class, a parent gains I(X; Y).
            marginal = mutual_information_nats(pair_counts(self.data, cancel))
            information = np.where(self.is_child[None, :], information, marginal)
        edges = {(int(p), int(c)) for p, c in np.argwhere(self.rules.required)}
        if self.params.augment != "none" and self.features:
            parents = self._tree(self._weights(information), cancel)
            edges |= {(p, c) for c, p in zip(self.features, parents, strict=True) if p is not None}
        between = sum(float(information[p, c]) for p, c in edges if self.target not in (p, c))
        edges |= {(self.target, int(c)) for c in np.flatnonzero(self.is_child)}
        named = [(self.names[p], self.names[c]) for p, c in sorted(edges)]
        return Dag.from_edges(self.names, named), between

    def _weights(self, information: Matrix) -> Matrix:
        total = self.data.total_weight
        gain = np.where(information > _ROUNDING, total * information, 0.0)
        if self.params.augment != "forest":
            return gain
        if self.params.edge_penalty is not None:
            return gain - self.params.edge_penalty
        free = np.array(self.data.domain.cardinalities, dtype=np.float64) - 1
        slices = np.where(self.is_child, self.data.domain.cardinalities[self.target], 1)
        parameters = np.outer(free, free * slices)
        weights: Matrix = gain - 0.5 * math.log(max(total, 1.0)) * parameters
        return weights

    def _tree(self, weights: Matrix, cancel: CancelToken) -> list[int | None]:
        """The parent of each feature among the features."""
        features = self.features
        root = self.params.root
        chosen = np.ix_(features, features)
        knowledge = self.params.knowledge
        if knowledge is None or knowledge.is_empty:
            names = tuple(self.names[i] for i in features)
            indices = best_forest(np.ascontiguousarray(weights[chosen]), names, root)
        else:
            required = self._required_between()
            allowed = self.rules.allowed.astype(bool)
            # Whatever is below the class may not lead back to what is above it.
            allowed[np.ix_(~self.is_above, self.is_above)] = False
            if root is not None:
                allowed[:, self.names.index(root)] = False
            indices = branching_with_required(weights[chosen], allowed[chosen], required, cancel)
        return [None if position is None else features[position] for position in indices]

    def _required_between(self) -> list[tuple[int, int]]:
        index = {column: i for i, column in enumerate(self.features)}
        clashes, required = [], []
        for child in self.features:
            parents = [int(p) for p in np.flatnonzero(self.rules.required[:, child])]
            parents = [p for p in parents if p != self.target]
            required += [(index[p], index[child]) for p in parents]
            name = self.names[child]
            above = " and ".join(self.names[p] for p in parents)
            if len(parents) > 1:
                clashes.append(
                    f"{above} are required as parents of {name}, "
                    "but a feature may have one parent besides the class."
                )
            if parents and name == self.params.root:
                clashes.append(f"{above} → {name} is required, but {name} is to be the root.")
        if clashes:
            raise KnowledgeError(clashes)
        return required


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveBayesParams:
    """The settings of naive Bayes."""

    # Not `target`: reading data has an option of that name.
    class_: str | None = class_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()


class NaiveBayesLearner(BaseLearner[NaiveBayesParams]):
    """The class is the only parent of each feature."""

    key = "bn.naive-bayes"
    passes = Passes()
    title = "Naive Bayes classifier"
    kind = "bayesian-network"
    params_type = NaiveBayesParams
    missing_treatment = (
        "The tables are fitted by EM to the observed cells: no row is dropped, it takes a few "
        "passes over the rows, and the result is right if cells are missing at random."
    )
    cost = Cost(0.01, 1.0, 1.0, completes=False)

    def events(
        self, data: DataSet, params: NaiveBayesParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        plain = TanParams(augment="none", **params_to_dict(params))
        return TanLearner().run(data, plain, rng=rng, cancel=cancel)
