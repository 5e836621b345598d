"""The JSON document of a mixture of trees."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.languages.codec import (
    WEIGHTS,
    Codec,
    Reading,
    object_schema,
    read_weights,
)
from pgmstudio.core.languages.tree.codec import CODEC as TREE_CODEC
from pgmstudio.core.languages.tree.codec import decode_tree, encode_tree
from pgmstudio.core.languages.tree_mixture.model import TreeMixture


def encode_mixture(mixture: TreeMixture) -> tuple[dict[str, Any], dict[str, Any]]:
    parts = [encode_tree(tree) for tree in mixture.trees]
    structure: dict[str, Any] = {"trees": [structure for structure, _ in parts]}
    if mixture.choice is not None:
        structure["choice"] = mixture.choice
    if mixture.certain:
        structure["certain"] = list(mixture.certain)
    return structure, {
        "weights": mixture.weights.tolist(),
        "trees": [parameters for _, parameters in parts],
    }


def decode_mixture(reading: Reading) -> TreeMixture:
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
        decode_tree(Reading(reading.path, inner, structure, tables, reading.checker))
        for structure, tables in zip(structures, parameters, strict=True)
    )
    listed = reading.structure.get("certain")
    certain = () if listed is None else tuple(one.text() for one in listed.elements())
    for name in certain:
        if name not in inner and listed is not None:
            listed.fail(f"there is no variable “{name}” in the trees.")
    return TreeMixture(reading.domain, read_weights(reading), trees, choice, certain)


_STRUCTURE = object_schema(
    trees={"type": "array", "minItems": 1, "items": TREE_CODEC.schema["structure"]}
)
_STRUCTURE["properties"]["choice"] = {
    "type": "string",
    "description": "The variable that names the tree, where it is observed.",
}
_STRUCTURE["properties"]["certain"] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Variables whose joint states are the trees, each certain of another one.",
}
CODEC = Codec(
    encode_mixture,
    decode_mixture,
    {
        "structure": _STRUCTURE,
        "parameters": object_schema(
            weights=WEIGHTS, trees={"type": "array", "items": TREE_CODEC.schema["parameters"]}
        ),
    },
)
