"""The JSON document of a tree."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.errors import GraphError
from pgmstudio.core.languages.bayesian_network.codec import CODEC as NETWORK_CODEC
from pgmstudio.core.languages.bayesian_network.codec import decode_network, encode_network
from pgmstudio.core.languages.codec import (
    NAMES,
    Codec,
    Reading,
    by_variable,
    object_schema,
)
from pgmstudio.core.languages.tree.model import Tree


def encode_tree(tree: Tree) -> tuple[dict[str, Any], dict[str, Any]]:
    return encode_network(tree.as_bayesian_network)


def decode_tree(reading: Reading) -> Tree:
    try:
        return Tree.from_bayesian_network(decode_network(reading))
    except GraphError as problem:
        reading.structure.fail(str(problem))


STRUCTURE = object_schema(parents=by_variable(NAMES | {"maxItems": 1}))
CODEC = Codec(
    encode_tree,
    decode_tree,
    {"structure": STRUCTURE, "parameters": NETWORK_CODEC.schema["parameters"]},
)
