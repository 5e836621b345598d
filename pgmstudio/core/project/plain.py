"""Plain values: what can be written into a file as it is; parameters of a run as such values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.models.protocols import Model


def plain(value: Any) -> Any:
    """Texts, numbers, lists and dicts with the same content; TypeError for anything else.

    Numbers that are not finite become texts ("inf"), since JSON has none.
    """
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(entry) for entry in value), key=repr)
    raise TypeError(f"{type(value).__name__} is no plain value; a file could not hold it")


def told_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for a file; a model or rules among them are told by what they are."""
    told = {}
    for name, value in parameters.items():
        try:
            told[name] = plain(value)
        except TypeError:
            told[name] = type(value).__name__
    return told


def plain_params(params: Any, models: Mapping[str, Model]) -> dict[str, Any]:
    """The parameters of a run as plain values; a model of the project becomes its id."""
    return {
        declared.name: _plain_param(getattr(params, declared.name), models)
        for declared in dataclasses.fields(params)
    }


def _plain_param(value: Any, models: Mapping[str, Model]) -> Any:
    if isinstance(value, Knowledge):
        return {
            "required": plain(value.required),
            "forbidden": plain(value.forbidden),
            "tiers": plain(value.tiers),
            "closed_tiers": plain(value.closed_tiers),
        }
    if isinstance(value, Model):
        return {"model": next((key for key, model in models.items() if model is value), None)}
    return plain(value)


def restored_params(recorded: Mapping[str, Any], models: Mapping[str, Model]) -> dict[str, Any]:
    """What `plain_params` made, ready for `parse_params`: knowledge and models are values again."""
    return {name: _restored(value, models) for name, value in recorded.items()}


def _restored(value: Any, models: Mapping[str, Model]) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "model" in value:
        if value["model"] not in models:
            raise UnknownNameError("model", str(value["model"]), models)
        return models[value["model"]]
    return Knowledge(
        frozenset((source, target) for source, target in value["required"]),
        frozenset((source, target) for source, target in value["forbidden"]),
        tuple(tuple(tier) for tier in value["tiers"]),
        frozenset(value["closed_tiers"]),
    )
