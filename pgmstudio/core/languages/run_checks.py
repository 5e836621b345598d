"""Checks around every run: the parameters before it, the model after it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgmstudio.core.data.chunked import Arrays, ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import ParameterError, TooLargeError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.likelihood import log2_probabilities
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.model import (
    DirectedModel,
    HasTables,
    HasTrees,
    Model,
    ProbabilisticModel,
    UndirectedModel,
)
from pgmstudio.core.number_format import count_of, whole

# Rows whose missing cells are summed out to see whether they have probability 0.
MAX_INCOMPLETE = 5_000

NEEDS_START = (
    "is needed, as this learner keeps the edges of a model. Give one that was drawn, opened or "
    "learned by another learner"
)

START_KEPT = (
    "The search was stopped before it found a better model than its start model, "
    "which is the result."
)


def given_start(start: DirectedModel | None) -> DirectedModel:
    """The model whose edges a learner keeps; ParameterError without one."""
    if start is None:
        raise ParameterError({"start": NEEDS_START})
    return start


def settings_refusal(learner: object, params: Any) -> str:
    """Why a learner cannot run with these parameters; empty if it can."""
    if getattr(learner, "needs_start", False) and getattr(params, "start", None) is None:
        return f"A model {NEEDS_START}."
    return ""


def knowledge_of(params: Any) -> Knowledge | None:
    """The rules about edges among the settings of a run; None without any."""
    result = getattr(params, "knowledge", None)
    return result if isinstance(result, Knowledge) and not result.is_empty else None


def obeys_knowledge(learner: object) -> bool:
    """Whether a learner finds only models that keep the rules it is given."""
    return getattr(learner, "obeys_knowledge", True)


def unused_rules(knowledge: Knowledge, where: str) -> str:
    """A note where learners run without the given constraints; empty without constraints."""
    count = knowledge.rule_count()
    if count == 0:
        return ""
    rules = "1 rule about edges is" if count == 1 else f"{count} rules about edges are"
    return f"{rules} not used in {where}."


def rules_note(learner: object, knowledge: Knowledge) -> str:
    """Whether a learner obeys the constraints, as a message before it starts."""
    count = knowledge.rule_count()
    rules = "1 rule" if count == 1 else f"{count} rules"
    if obeys_knowledge(learner):
        return f"{rules} about edges will be obeyed."
    return (
        f"{rules} about edges cannot be imposed on this learner. Its model will be checked, and "
        "what it breaks is listed at the end."
    )


def model_warnings(model: Model, data: DataSet) -> Iterator[str]:
    """Warnings about a learned distribution."""
    if not isinstance(model, ProbabilisticModel):
        return
    impossible = _impossible_rows(model, data)
    if impossible:
        yield (
            f"Warning: {count_of(impossible, 'row')} of the data it was learned from "
            f"{'has' if impossible == 1 else 'have'} probability 0 in this model. Smoothing above "
            "0 prevents that, and with missing cells --missing em."
        )
    free = model.representation_size()
    rows = data.total_weight
    if free > rows:
        yield (
            f"Warning: {whole(free)} free parameters were fitted to "
            f"{whole(round(rows))} rows, so many of them rest on few rows or none. "
            "Fewer parents, a score with a higher cost of parameters, or more smoothing would help."
        )


def _impossible_rows(model: ProbabilisticModel, data: DataSet) -> int:
    """How many rows of the data have probability 0; of very many incomplete ones some are asked."""
    if isinstance(data, ChunkedData):
        if _is_positive(model):
            return 0  # without reading the rows
        (impossible,) = data.sums(_ImpossibleRows(model))
        return int(impossible)
    lacking = np.flatnonzero((data.codes == data.missing_code).any(axis=0))
    if lacking.size > MAX_INCOMPLETE:
        left_out = np.ones(lacking.size, dtype=bool)
        left_out[:: -(-lacking.size // MAX_INCOMPLETE)] = False
        data = data.take_rows(np.delete(np.arange(data.row_count), lacking[left_out]))
    try:
        logs = log2_probabilities(model, rows_over(data, model.domain))
    except TooLargeError:
        return 0
    return int(data.row_weights[logs == -math.inf].sum())


def _is_positive(model: Model) -> bool:
    """Whether its tables show that no row has probability 0."""
    if isinstance(model, HasTrees):
        trees = zip(model.trees, model.weights, strict=True)
        return any(weight > 0 and _is_positive(tree) for tree, weight in trees)
    return isinstance(model, HasTables) and all(bool((table > 0).all()) for table in model.tables)


@dataclass(frozen=True)
class _ImpossibleRows:
    """Counts those of a chunk."""

    model: ProbabilisticModel

    def __call__(self, chunk: DataSet, _first_row: int) -> Arrays:
        return (np.array(_impossible_rows(self.model, chunk)),)


def broken_rules(model: Model, knowledge: Knowledge) -> list[str] | None:
    """The constraints that a model violates, as messages, read from the model and not from its
    learner. None for a language without edges between variables."""
    row = LANGUAGES.get(model.kind)
    if row is not None and row.violations is not None:
        return row.violations.load()(model, knowledge)
    if isinstance(model, UndirectedModel):
        return knowledge.undirected_violations(model.undirected_edges)
    return knowledge.violations(model.edges) if isinstance(model, DirectedModel) else None
