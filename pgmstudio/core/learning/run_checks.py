"""What is checked around every run, whichever the learner: its settings before, its model after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.learning.missing_cells import grouped_digits
from pgmstudio.core.models.protocols import DirectedModel, Model

NEEDS_START = (
    "is needed, as this learner keeps the edges of a model. Give one that was drawn, opened or "
    "learned by another learner"
)

START_KEPT = "The search had found no model yet; the one it begins with was kept."


def given_start(start: DirectedModel | None) -> DirectedModel:
    """The model whose edges a learner keeps; ParameterError without one."""
    if start is None:
        raise ParameterError({"start": NEEDS_START})
    return start


def settings_refusal(learner: object, params: Any) -> str:
    """What keeps a learner from running with these settings; empty when nothing does."""
    if getattr(learner, "needs_start", False) and getattr(params, "start", None) is None:
        return f"A model {NEEDS_START}."
    return ""


def model_warnings(model: Model, data: DataSet) -> Iterator[str]:
    """What should be known of a learned model before it is relied on."""
    free, rows = model.representation_size(), data.total_weight
    if free > rows:
        yield (
            f"Warning: {grouped_digits(free)} free parameters were fitted to "
            f"{grouped_digits(round(rows))} rows, so many of them rest on few rows or none. "
            "Fewer parents, a score with a higher cost of parameters, or more smoothing would help."
        )
