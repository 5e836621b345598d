"""Latent class models of growing size, and the one with the best test likelihood."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import Progress
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.params import param
from pgmstudio.studies.measures import bits
from pgmstudio.studies.recipe import RecipeContext, only_param


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassesParams:
    """Settings of both recipes of latent classes."""

    only: str | None = only_param()
    growth: float = param(
        0.25, title="Growth", low=0, low_open=True, help="Classes added in a round, as a fraction."
    )
    patience: int = param(
        3, title="Patience", low=1, help="Rounds without gain on held-out rows before growing ends."
    )
    smoothing: float | Literal["auto"] = param(
        "auto", title="Smoothing α", low=0, help="Pseudo-count of every cell in EM."
    )
    most_models: int = param(60, title="Maximum models", low=1, help="Maximum number of rounds.")


def class_sequence(
    message: str,
    rows: DataSet,
    test: DataSet,
    params: ClassesParams,
    context: RecipeContext,
    rng: np.random.Generator,
) -> Generator[Progress, None, tuple[dict[str, float], LatentClasses]]:
    """Add classes step by step on `rows`; returns the model with the fewest bits on `test`."""
    yield from context.learn(
        message,
        "nb.latent",
        rows,
        rng,
        growth=params.growth,
        patience=params.patience,
        most_models=params.most_models,
        smoothing=params.smoothing,
    )
    scan = context.artifacts[ClassScan.kind]
    assert isinstance(scan, ClassScan)
    models = [point.model for point in scan.points if point.model is not None]
    best = min(models, key=lambda model: bits(model, test))
    values = {
        "classes": float(best.class_count),
        "train": bits(best, rows),
        "test": bits(best, test),
    }
    return values, best
