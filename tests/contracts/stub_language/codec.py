"""The JSON document of independent variables."""

from __future__ import annotations

from typing import Any

from pgmstudio.core.languages.codec import (
    TABLE,
    Codec,
    Reading,
    by_variable,
    check_names,
    object_schema,
    read_rows,
)
from tests.contracts.stub_language.model import IndependentVariables


def encode(model: IndependentVariables) -> tuple[dict[str, Any], dict[str, Any]]:
    tables = {
        name: [marginal.tolist()]
        for name, marginal in zip(model.domain.names, model.marginals, strict=True)
    }
    return {}, {"marginals": tables}


def decode(reading: Reading) -> IndependentVariables:
    tables = reading.parameters["marginals"]
    check_names(reading.domain, tables)
    marginals = tuple(read_rows(reading, tables[v.name], v, [])[0] for v in reading.domain)
    return IndependentVariables(reading.domain, marginals)


CODEC = Codec(
    encode,
    decode,
    {"structure": object_schema(), "parameters": object_schema(marginals=by_variable(TABLE))},
)
