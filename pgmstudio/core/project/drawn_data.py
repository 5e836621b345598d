"""Data sets that are drawn: from a model of the project, or by a generator of synthetic data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import split
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.experiments.generators.registry import generator_of
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.sessions import Sampled, SamplePlan, sample_rows
from pgmstudio.core.model import Model
from pgmstudio.core.params import params_to_dict, parse_params
from pgmstudio.core.project.edits import add_data, add_model
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project

TEST_FRACTION = 1 / 3  # 10 000 training and 5 000 test rows, as in the thesis
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def sample_model(
    project: Project,
    *,
    model_id: str,
    rows: int,
    seed: int,
    missing_rate: float = 0.0,
    evidence: Mapping[str, Finding] = _NOTHING,
) -> Project:
    """One more data set: rows drawn from a model, given evidence on it."""
    plan = SamplePlan(rows, seed, missing_rate, evidence or None)
    entry = project.model_entry(model_id)
    *_, last = sample_rows(entry.model, plan, NEVER)
    assert isinstance(last, Sampled)
    return add_data(project, entry=sampled_entry(model_id, entry.title, plan, last))


def sampled_entry(model_id: str, title: str, plan: SamplePlan, sampled: Sampled) -> DataEntry:
    """Rows drawn from a model of this title."""
    return DataEntry(
        name=f"{title} sample",
        data=sampled.data,
        provenance={
            "made by": f"sampled from model {title}",
            "model": model_id,
            "rows": plan.rows,
            "seed": plan.seed,
            "missing rate": plan.missing_rate,
            "evidence": {name: str(finding) for name, finding in (plan.evidence or {}).items()},
            **({"note": sampled.note} if sampled.note else {}),
        },
    )


def generate(
    project: Project,
    *,
    generator: str,
    rows: int,
    seed: int,
    parameters: Mapping[str, Any] = _NOTHING,
    name: str = "",
    is_split: bool = False,
    adds_truth: bool = False,
) -> Project:
    """One more data set by a generator, with the model that it was drawn from if that is wanted."""
    known = generator_of(generator)
    params: Any = parse_params(known.params_type, parameters)
    data, truth = draw(known, params, seed, rows, adds_truth)
    entry = generated_entry(known, params, seed, data, name=name, is_split=is_split)
    return add_generated(project, entry=entry, truth=truth)


def draw(
    generator: Generator, params: Any, seed: int, rows: int, adds_truth: bool
) -> tuple[DataSet, Model | None]:
    """Rows, and the model that they were drawn from."""
    truth = None
    if adds_truth and generator.truth is not None:
        truth = generator.truth(params, np.random.default_rng(seed))
    return generator.generate(params, np.random.default_rng(seed), rows), truth


def generated_entry(
    generator: Generator, params: Any, seed: int, data: DataSet, *, name: str, is_split: bool
) -> DataEntry:
    """The rows of a generator; a third of them are test rows where they are split."""
    origin = {
        "made by": f"generator {generator.name}",
        "rows": data.row_count,
        "seed": seed,
        **params_to_dict(params),
    }
    parts = split(data, (1 - TEST_FRACTION, TEST_FRACTION), seed) if is_split else None
    return DataEntry(name or generator.title, data, split=parts, provenance=origin)


def add_generated(project: Project, *, entry: DataEntry, truth: Model | None) -> Project:
    """The data set and its model."""
    data_id = project.next_data_id()
    project = add_data(project, entry=entry)
    if truth is None:
        return project
    title = f"True model of {entry.name}"
    model = ModelEntry(title, truth, data_id=data_id, provenance=dict(entry.provenance))
    return add_model(project, entry=model)
