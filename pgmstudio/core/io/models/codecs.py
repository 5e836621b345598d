"""How each model language is written into the native JSON document; one row per language."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.shared.cpt_checks import TableChecker, assembled_network, row_namer
from pgmstudio.core.json_documents import JsonPlace
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class Reading:
    """What a codec reads from: the checked domain, its two parts, and the checker of tables."""

    path: Path
    domain: Domain
    structure: JsonPlace
    parameters: JsonPlace
    checker: TableChecker


@dataclass(frozen=True, slots=True)
class ModelCodec:
    """`encode` gives the entries `structure` and `parameters`; `decode` checks and reads them."""

    encode: Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]
    decode: Callable[[Reading], Model]


def _encode_network(network: BayesianNetwork) -> tuple[dict[str, Any], dict[str, Any]]:
    parents = {name: list(network.dag.parents(name)) for name in network.domain.names}
    tables = {
        variable.name: table.reshape(-1, variable.cardinality).tolist()
        for variable, table in zip(network.domain, network.tables, strict=True)
    }
    return {"parents": parents}, {"tables": tables}


def _decode_network(reading: Reading) -> BayesianNetwork:
    """One table per variable: a row per combination of its parents, the last running fastest."""
    listed, tables = reading.structure["parents"], reading.parameters["tables"]
    for place in (listed, tables):
        for name, inside in place.entries():
            if name not in reading.domain:
                inside.fail("there is no such variable.")
    parents: dict[str, list[str]] = {}
    rows: dict[str, NDArray[np.float64]] = {}
    for variable in reading.domain:
        parents[variable.name] = names = parents_in(reading, listed[variable.name], variable)
        givens = [reading.domain[name] for name in names]
        rows[variable.name] = read_rows(reading, tables[variable.name], variable, givens)
    return assembled_network(reading.path, reading.domain.variables, parents, rows)


def parents_in(reading: Reading, place: JsonPlace, variable: Variable) -> list[str]:
    """The parents of a variable, which exist and differ."""
    names = list(place.texts())
    for name in names:
        if name not in reading.domain:
            place.fail(f"there is no variable “{name}”.")
    if len(set(names)) != len(names) or variable.name in names:
        place.fail("a parent is named twice, or the variable itself.")
    return names


def read_rows(
    reading: Reading, place: JsonPlace, variable: Variable, givens: list[Variable]
) -> NDArray[np.float64]:
    """The rows of a table P(variable | givens), checked and each summing to 1."""
    shape = (*(given.cardinality for given in givens), variable.cardinality)
    reading.checker.reserve(variable.name, shape)
    count = int(np.prod(shape[:-1], dtype=np.int64))
    listed = place.elements()
    if len(listed) != count:
        place.fail(f"has {len(listed)} rows instead of {count}.")
    for row in listed:
        numbers = row.value
        if not isinstance(numbers, list) or len(numbers) != variable.cardinality:
            row.fail(f"expected a row of {variable.cardinality} numbers, one per state.")
        if not all(type(number) in (float, int) for number in numbers):
            for element in row.elements():
                element.number()
    table = np.array(place.value, dtype=np.float64).reshape(count, variable.cardinality)
    return reading.checker.checked(variable.name, table, row_namer(givens), lambda row: None)


def _encode_tree(tree: Tree) -> tuple[dict[str, Any], dict[str, Any]]:
    return _encode_network(tree.as_bayesian_network)


def _decode_tree(reading: Reading) -> Tree:
    try:
        return Tree.from_bayesian_network(_decode_network(reading))
    except GraphError as problem:
        reading.structure.fail(str(problem))


def _encode_mixture(mixture: TreeMixture) -> tuple[dict[str, Any], dict[str, Any]]:
    parts = [_encode_tree(tree) for tree in mixture.trees]
    structure: dict[str, Any] = {"trees": [structure for structure, _ in parts]}
    if mixture.choice is not None:
        structure["choice"] = mixture.choice
    return structure, {
        "weights": mixture.weights.tolist(),
        "trees": [parameters for _, parameters in parts],
    }


def _decode_mixture(reading: Reading) -> TreeMixture:
    """One document as of a tree for every component, and their weights."""
    named = reading.structure.get("choice")
    choice = None if named is None else named.text()
    if named is not None and choice not in reading.domain:
        named.fail(f"there is no variable “{choice}”.")
    names = [name for name in reading.domain.names if name != choice]
    inner = reading.domain.restricted_to(names)
    structures, parameters = (
        reading.structure["trees"].elements(),
        reading.parameters["trees"].elements(),
    )
    if len(structures) != len(parameters):
        reading.parameters["trees"].fail(f"has {len(parameters)} trees, not {len(structures)}.")
    trees = tuple(
        _decode_tree(Reading(reading.path, inner, structure, tables, reading.checker))
        for structure, tables in zip(structures, parameters, strict=True)
    )
    try:
        return TreeMixture(reading.domain, _weights(reading), trees, choice)
    except GraphError as problem:
        reading.structure.fail(str(problem))


def _weights(reading: Reading) -> NDArray[np.float64]:
    place = reading.parameters["weights"]
    weights = np.array([element.number() for element in place.elements()], dtype=np.float64)
    if not (weights.size and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-6):
        place.fail("the weights of the components have to be at least 0 and sum to 1.")
    return weights


def _encode_classes(model: LatentClasses) -> tuple[dict[str, Any], dict[str, Any]]:
    tables = {v.name: t.tolist() for v, t in zip(model.domain, model.tables, strict=True)}
    return {"hidden": model.hidden}, {"weights": model.weights.tolist(), "tables": tables}


def _decode_classes(reading: Reading) -> LatentClasses:
    """A row per class in every table."""
    hidden, weights = reading.structure["hidden"].text(), _weights(reading)
    classes = Variable(hidden, tuple(str(c + 1) for c in range(weights.size)))
    tables = reading.parameters["tables"]
    for name, inside in tables.entries():
        if name not in reading.domain:
            inside.fail("there is no such variable.")
    rows = tuple(
        read_rows(reading, tables[variable.name], variable, [classes])
        for variable in reading.domain
    )
    try:
        return LatentClasses(reading.domain, weights, rows, hidden)
    except GraphError as problem:
        reading.structure.fail(str(problem))


def _encode_graph(graph: DecisionGraph) -> tuple[dict[str, Any], dict[str, Any]]:
    names = graph.domain.names
    above = {names[i]: names[p] for i, p in enumerate(graph.forest) if p is not None}
    edges = {
        name: found.tolist()
        for name, found in zip(names, graph.successors, strict=True)
        if found is not None
    }
    nodes = {name: rows.tolist() for name, rows in zip(names, graph.parameters, strict=True)}
    return {"above": above, "successors": edges}, {"nodes": nodes}


def _decode_graph(reading: Reading) -> DecisionGraph:
    """A row of numbers per node; a row of nodes per node of the variable above, from 0."""
    domain = reading.domain
    above, edges = reading.structure["above"], reading.structure["successors"]
    nodes = reading.parameters["nodes"]
    _only_of_variables(domain, above, edges, nodes)
    forest: list[int | None] = []
    parameters, successors = [], list[NDArray[np.int64] | None]()
    for variable in domain:
        upper = above.get(variable.name)
        if upper is not None and upper.text() not in domain:
            upper.fail(f"there is no variable “{upper.text()}”.")
        forest.append(None if upper is None else domain.index(upper.text()))
        listed = nodes[variable.name]
        numbers = tuple(str(n + 1) for n in range(max(1, len(listed.elements()))))
        parameters.append(read_rows(reading, listed, variable, [Variable("node", numbers)]))
        given = edges.get(variable.name)
        successors.append(None if given is None else _whole_numbers(given))
    try:
        return DecisionGraph(domain, tuple(forest), tuple(parameters), tuple(successors))
    except GraphError as problem:
        reading.structure.fail(str(problem))


def _encode_labelled(model: LabelledDag) -> tuple[dict[str, Any], dict[str, Any]]:
    names = model.domain.names
    parents = {name: list(model.dag.parents(name)) for name in names}
    classes = {n: c.ravel().tolist() for n, c in zip(names, model.classes, strict=True)}
    rows = {name: rows.tolist() for name, rows in zip(names, model.rows, strict=True)}
    return {"parents": parents, "classes": classes}, {"rows": rows}


def _decode_labelled(reading: Reading) -> LabelledDag:
    """A class per combination of the parents, the last running fastest; a row per class."""
    domain = reading.domain
    listed, classes = reading.structure["parents"], reading.structure["classes"]
    rows = reading.parameters["rows"]
    _only_of_variables(domain, listed, classes, rows)
    edges, partitions, tables = [], [], []
    for variable in domain:
        parents = parents_in(reading, listed[variable.name], variable)
        edges += [(parent, variable.name) for parent in parents]
        shape = [domain[parent].cardinality for parent in parents]
        reading.checker.reserve(variable.name, shape)
        place = classes[variable.name]
        numbers = [element.whole() for element in place.elements()]
        if len(numbers) != math.prod(shape):
            place.fail(f"has {len(numbers)} classes instead of {math.prod(shape)}.")
        order = sorted(range(len(parents)), key=lambda axis: domain.index(parents[axis]))
        partitions.append(np.array(numbers, dtype=np.int64).reshape(shape).transpose(order))
        given = rows[variable.name]
        kinds = tuple(str(n + 1) for n in range(max(1, len(given.elements()))))
        tables.append(read_rows(reading, given, variable, [Variable("class", kinds)]))
    try:
        dag = Dag.from_edges(domain.names, edges)
        return LabelledDag(domain, dag, tuple(partitions), tuple(tables))
    except GraphError as problem:
        reading.structure.fail(str(problem))


def _only_of_variables(domain: Domain, *places: JsonPlace) -> None:
    for place in places:
        for name, inside in place.entries():
            if name not in domain:
                inside.fail("there is no such variable.")


def _whole_numbers(place: JsonPlace) -> NDArray[np.int64]:
    rows = [[element.whole() for element in row.elements()] for row in place.elements()]
    if not rows or len({len(row) for row in rows}) != 1:
        place.fail("expected rows of equal length, one per node of the variable above.")
    return np.array(rows, dtype=np.int64)


CODECS: dict[str, ModelCodec] = {
    BayesianNetwork.kind: ModelCodec(_encode_network, _decode_network),
    Tree.kind: ModelCodec(_encode_tree, _decode_tree),
    TreeMixture.kind: ModelCodec(_encode_mixture, _decode_mixture),
    LatentClasses.kind: ModelCodec(_encode_classes, _decode_classes),
    DecisionGraph.kind: ModelCodec(_encode_graph, _decode_graph),
    LabelledDag.kind: ModelCodec(_encode_labelled, _decode_labelled),
}
