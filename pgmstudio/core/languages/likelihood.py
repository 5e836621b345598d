"""The likelihood of rows in a model of any language, with missing cells summed out exactly."""

from __future__ import annotations

import math

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import DataError, ImpossibleEvidenceError
from pgmstudio.core.inference.base import observed_cells
from pgmstudio.core.languages.registry import inference_form
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import ProbabilisticModel


def log2_likelihood(model: ProbabilisticModel, data: DataSet) -> float:
    """Σ over rows of weight · log2 P(row); −inf when a row of positive weight is impossible."""
    logs = log2_probabilities(model, data)
    if data.weights is None:
        return float(logs.sum())
    counted = data.weights > 0
    return float(logs[counted] @ data.weights[counted]) if counted.any() else 0.0


def log2_probabilities(model: ProbabilisticModel, data: DataSet) -> Floats:
    """log2 P(observed cells) per row; −inf for impossible rows."""
    if not data.has_missing:
        return model.log2_probabilities(data)
    data = data.for_model(model.domain)
    is_complete = ~(data.codes == data.missing_code).any(axis=0)
    logs = np.zeros(data.row_count)
    logs[is_complete] = model.log2_probabilities(data.take_rows(is_complete))
    rest = data.take_rows(~is_complete)
    first, which = rest.distinct()
    once = DataSet(rest.domain, rest.codes.take(first, axis=1))
    row, form = inference_form(model)
    if row is not None and row.incomplete_log2 is not None:
        result = row.incomplete_log2.load()(form, once)
    else:
        result = _by_session(model, once)
    logs[~is_complete] = result[which]
    return logs


def _by_session(model: ProbabilisticModel, rows: DataSet) -> Floats:
    """By the model itself where it sums missing cells out, else row by row in a session."""
    try:
        return model.log2_probabilities(rows)
    except DataError:
        session = open_session(model)
    result = np.full(rows.row_count, -math.inf)
    for row in range(rows.row_count):
        session.retract_all()
        try:
            for name, finding in observed_cells(rows, row).items():
                session.set_evidence(name, finding)
        except ImpossibleEvidenceError:
            continue
        result[row] = session.log2_evidence()
    return result
