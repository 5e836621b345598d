"""What is shown of a Markov network: its scores on data, classes of a blanket, gains of contexts.

Scores are in natural logarithms, as papers print them; higher is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError, TooLargeError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.execution.thread_pool import run_to_end
from pgmstudio.core.languages.ldag.partitions import Classes, partition_of
from pgmstudio.core.languages.markov_network.fitting import (
    MAX_PROJECTED_CELLS,
    FittedMarkovNetwork,
    fit,
)
from pgmstudio.core.languages.markov_network.log_linear import normalised
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.pseudo_likelihood import (
    MPL,
    PseudoLikelihood,
    merges_of,
    neighbour_masks,
    pseudo_score,
)
from pgmstudio.core.languages.markov_network.standard_errors import standard_errors
from pgmstudio.core.languages.markov_network.strata import strata_problems, stratified_total
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
    edge_of,
)

LN2 = math.log(2)
MAX_CLASSED_CELLS = 4096  # of a blanket, whose classes are listed


@dataclass(frozen=True, eq=False)
class StructureScores:
    """The scores of a structure on data.

    `fitted` is its maximum-likelihood fit, None where that takes long or cells are missing;
    `standard_errors` are those of its φ's where they are finite and few.
    `plain_` is the same graph without contexts. `stratified_nats` is the marginal likelihood of a
    decomposable graph with strata, None for other graphs.
    """

    log_mpl_nats: float
    plain_log_mpl_nats: float
    variable_nats: tuple[float, ...]
    fitted: FittedMarkovNetwork | None
    plain_bic_nats: float
    stratified_nats: float | None
    standard_errors: Floats | None = None


def pseudo_likelihood_of(
    structure: MarkovStructure, data: DataSet, ess: float = 1.0
) -> PseudoLikelihood | None:
    """The scores of a data set that has the variables with these states; None for another."""
    domain = structure.domain
    if not all(v.name in data.domain and data.domain[v.name] == v for v in domain):
        return None
    rows = data if data.domain == domain else data.select_columns(domain.names)
    return PseudoLikelihood(rows, pseudo_score(MPL, rows.total_weight, ess=ess))


def total_nats(
    scores: PseudoLikelihood, structure: MarkovStructure, cancel: CancelToken = NEVER
) -> float:
    """The logarithm of the marginal pseudo-likelihood."""
    masks = neighbour_masks(len(structure.domain), structure.edges)
    return scores.total(masks, structure.contexts, cancel) * LN2


def structure_scores(
    scores: PseudoLikelihood, structure: MarkovStructure, cancel: CancelToken = NEVER
) -> StructureScores:
    """The scores of a structure and of its variables, and its fit."""
    data = scores.families.counter.data
    masks = neighbour_masks(len(structure.domain), structure.edges)
    variables = tuple(
        scores.local(node, mask, merges_of(node, masks, structure.contexts), cancel) * LN2
        for node, mask in enumerate(masks)
    )
    plain = structure.without_contexts()
    fitted, plain_bic, errors = None, math.nan, None
    if not data.has_missing and structure.junction_tree.table_cells <= MAX_PROJECTED_CELLS:
        fitted = run_to_end(fit(structure, data, cancel=cancel))
        plain_bic = fitted.bic_nats
        if fitted.is_finite:
            errors = standard_errors(fitted.network, fitted.total_weight, cancel)
        if structure.contexts:
            plain_bic = run_to_end(fit(plain, data, cancel=cancel)).bic_nats
    is_decomposable = next(strata_problems(structure), None) is None
    return StructureScores(
        math.fsum(variables),
        total_nats(scores, plain, cancel),
        variables,
        fitted,
        plain_bic,
        stratified_total(scores, structure, cancel) * LN2 if is_decomposable else None,
        errors,
    )


def edge_change(structure: MarkovStructure, data: DataSet, edge: Edge) -> float | None:
    """The change of the log MPL by one more edge, with the equivalent sample size 1; None where the
    data have other variables. Only the ends of the edge, and contexts that change, are counted."""
    scores = pseudo_likelihood_of(structure, data)
    if scores is None:
        return None
    count, after = len(structure.domain), structure.with_edge(*edge)
    change = 0.0
    for one, sign in ((after, LN2), (structure, -LN2)):
        masks = neighbour_masks(count, one.edges)
        # Contexts of edges that gain a common neighbour merge other rows.
        near = set(edge) | set(after.common_neighbours(*edge))
        change += sign * math.fsum(
            scores.local(v, masks[v], merges_of(v, masks, one.contexts)) for v in near
        )
    return change


def context_changes(
    scores: PseudoLikelihood, structure: MarkovStructure, edge: Edge, cancel: CancelToken = NEVER
) -> dict[Configuration, tuple[float, float]]:
    """Per context of an edge, the rows of data in it, and the change of the log MPL when the edge
    vanishes there, or when it no longer does."""
    common = structure.common_neighbours(*edge)
    rows = scores.families.counter.counts(common, cancel)
    listed = structure.contexts.get(edge, frozenset())
    now = total_nats(scores, structure, cancel)
    result = {}
    for element in structure.completions(edge, {}):
        try:
            changed = (
                structure.without_context(edge, element)
                if element in listed
                else normalised(structure.with_context(edge, element))
            )
            change = total_nats(scores, changed, cancel) - now
        except GraphError:  # it would cover all contexts
            change = math.nan
        result[element] = float(rows[element]), change
    return result


def blanket_classes(structure: MarkovStructure, variable: int) -> Classes:
    """The class of every configuration of a variable's blanket, an axis per member, ascending."""
    members = sorted(structure.neighbours[variable])
    cards = [structure.domain.cardinalities[v] for v in members]
    if math.prod(cards) > MAX_CLASSED_CELLS:
        name = structure.domain.names[variable]
        raise TooLargeError(f"The neighbours of {name} have too many joint states to list.")
    labels = []
    for axis, other in enumerate(members):
        edge = edge_of(variable, other)
        common = structure.common_neighbours(*edge)
        label = np.zeros(cards, dtype=bool)
        for element in structure.contexts.get(edge, ()):
            states = dict(zip(common, element, strict=True))
            label[tuple(states.get(v, slice(None)) for v in members)] = True
        labels.append(label.take(0, axis))
    return partition_of(tuple(cards), labels)


def given_blanket(model: MarkovNetwork, variable: int) -> Floats:
    """P(variable | blanket), an axis per member of the blanket, ascending, then the variable's; not
    a number where the blanket's configuration is impossible."""
    members = [*sorted(model.structure.neighbours[variable]), variable]
    cards = model.domain.cardinalities
    table = np.ones([cards[v] for v in members])
    for factor in model.factors:
        if variable in factor.scope:
            order = sorted(range(len(factor.scope)), key=lambda a: members.index(factor.scope[a]))
            inside = set(factor.scope)
            shape = [cards[v] if v in inside else 1 for v in members]
            table = table * factor.values.transpose(order).reshape(shape)
            table = table / table.max()
    with np.errstate(invalid="ignore"):
        return np.asarray(table / table.sum(axis=-1, keepdims=True))
