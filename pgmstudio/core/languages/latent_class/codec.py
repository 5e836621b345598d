"""The JSON document of a latent class model."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.languages.codec import (
    TABLE,
    WEIGHTS,
    Codec,
    Reading,
    by_variable,
    check_names,
    object_schema,
    read_rows,
    read_weights,
)
from pgmstudio.core.languages.latent_class.model import LatentClasses


def encode_classes(model: LatentClasses) -> tuple[dict[str, Any], dict[str, Any]]:
    tables = {v.name: t.tolist() for v, t in zip(model.domain, model.tables, strict=True)}
    return {"hidden": model.hidden}, {"weights": model.weights.tolist(), "tables": tables}


def decode_classes(reading: Reading) -> LatentClasses:
    """A row per class in every table."""
    hidden = reading.structure["hidden"].text()
    weights = read_weights(reading)
    classes = Variable(hidden, tuple(str(c + 1) for c in range(weights.size)))
    tables = reading.parameters["tables"]
    check_names(reading.domain, tables)
    rows = tuple(
        read_rows(reading, tables[variable.name], variable, [classes])
        for variable in reading.domain
    )
    return LatentClasses(reading.domain, weights, rows, hidden)


CODEC = Codec(
    encode_classes,
    decode_classes,
    {
        "structure": object_schema(hidden={"type": "string", "minLength": 1}),
        "parameters": object_schema(weights=WEIGHTS, tables=by_variable(TABLE)),
    },
)
