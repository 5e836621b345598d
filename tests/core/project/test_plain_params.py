"""Parameters of a run as plain values, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.params import param, parse_params
from pgmstudio.core.project.project import plain, plain_params, restored_params
from tests.strategies import random_network


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    restarts: int = param(0, title="Restarts", help="How many.")
    penalty: float = param(0.5, title="Penalty", help="How much.")
    lambdas: tuple[float, ...] = param((0.1, 0.2), title="Lambdas", help="Which.")
    limit: int | None = param(None, title="Limit", help="At most.")
    knowledge: Knowledge | None = param(None, title="Knowledge", help="Rules.")
    start: Any = param(None, title="Start", help="Where to begin.")


def test_parameters_come_back_as_they_were() -> None:
    model = random_network(np.random.default_rng(0))
    rules = Knowledge(frozenset({("a", "b")}), frozenset({("b", "a")}), (("a",), ("b",)), {1})
    params = Params(restarts=3, penalty=2.5, knowledge=rules, start=model)
    recorded = plain_params(params, {"m1": model})
    assert json.loads(json.dumps(recorded)) == recorded
    assert recorded["start"] == {"model": "m1"}
    again = parse_params(Params, restored_params(recorded, {"m1": model}))
    assert again == params
    assert again.start is model


def test_a_model_that_is_no_longer_there_is_named() -> None:
    recorded = plain_params(Params(start=random_network(np.random.default_rng(0))), {})
    with pytest.raises(UnknownNameError):
        restored_params(recorded, {})


class Word(Enum):
    YES = "yes"


def test_plain_values_are_what_json_holds() -> None:
    odd = {
        "a": (1, np.float64(0.5)),
        "b": {Word.YES},
        "c": float("-inf"),
        "d": np.int64(3),
        5: None,
    }
    assert plain(odd) == {"a": [1, 0.5], "b": ["yes"], "c": "-inf", "d": 3, "5": None}
    with pytest.raises(TypeError, match="ndarray is no plain value"):
        plain({"table": np.zeros(3)})
