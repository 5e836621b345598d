"""The JSON document of a Bayesian network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError, ModelFileError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.codec import (
    NAMES,
    TABLE,
    Codec,
    Reading,
    by_variable,
    check_names,
    object_schema,
    parents_in,
    read_rows,
)


def encode_network(network: BayesianNetwork) -> tuple[dict[str, Any], dict[str, Any]]:
    parents = {name: list(network.dag.parents(name)) for name in network.domain.names}
    tables = {
        variable.name: table.reshape(-1, variable.cardinality).tolist()
        for variable, table in zip(network.domain, network.tables, strict=True)
    }
    return {"parents": parents}, {"tables": tables}


def decode_network(reading: Reading) -> BayesianNetwork:
    """One table per variable: a row per combination of its parents, the last running fastest."""
    listed, tables = reading.structure["parents"], reading.parameters["tables"]
    check_names(reading.domain, listed, tables)
    parents: dict[str, list[str]] = {}
    rows: dict[str, Floats] = {}
    for variable in reading.domain:
        parents[variable.name] = names = parents_in(reading, listed[variable.name], variable)
        givens = [reading.domain[name] for name in names]
        rows[variable.name] = read_rows(reading, tables[variable.name], variable, givens)
    return assembled_network(reading.path, reading.domain.variables, parents, rows)


def assembled_network(
    path: Path,
    variables: Sequence[Variable],
    parents: Mapping[str, Sequence[str]],
    rows: Mapping[str, Floats],
) -> BayesianNetwork:
    """The network of tables whose parents stand in the order of the file, the last fastest."""
    domain = Domain(tuple(variables))
    edges = [(parent, child) for child, listed in parents.items() for parent in listed]
    try:
        dag = Dag.from_edges(domain.names, edges)
    except (GraphError, UnknownNameError) as problem:
        raise ModelFileError(path, str(problem)) from problem
    tables = []
    for variable in domain:
        indices = [domain.index(parent) for parent in parents[variable.name]]
        shape = [domain.cardinalities[position] for position in indices]
        axes = sorted(range(len(indices)), key=indices.__getitem__)
        table = rows[variable.name].reshape(*shape, variable.cardinality)
        tables.append(table.transpose(*axes, len(indices)))
    return BayesianNetwork(domain, dag, tuple(tables))


CODEC = Codec(
    encode_network,
    decode_network,
    {
        "structure": object_schema(parents=by_variable(NAMES)),
        "parameters": object_schema(tables=by_variable(TABLE)),
    },
)
