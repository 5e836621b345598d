"""Learners are generators of events: progress, notes, improved models, artifacts and the result.

Beside its model a run may keep what it saw on the way (`Kept`): the local optima of restarts, the
log of tests, the steps of a search. The window opens them as pages, the command line writes them
with `--log`, and the project keeps them with the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class ImprovedModel:
    """An interim model that is better than all before it.

    `is_start`: a first model from before the search, in case it is stopped early.
    """

    model: Model
    measures: Mapping[str, float]
    is_start: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """Exactly one, last."""

    model: Model
    measures: Mapping[str, float]


class RunArtifact(Protocol):
    """What a run saw on the way, for looking at afterwards; a frozen value."""

    @property
    def kind(self) -> str:
        """Its name in files; `restored` of its type makes it again from its plain form."""

    def plain(self) -> dict[str, Any]:
        """All of it as texts, numbers, lists and dicts."""

    def table(self) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """Head and rows for a file of comma-separated values."""


@dataclass(frozen=True, slots=True)
class ArtifactSaved:
    """An artifact to store with the model; a later one of the same kind replaces it."""

    artifact: RunArtifact


@dataclass(frozen=True, slots=True)
class SearchStep:
    """One step of a search, reported only while the run is stepped through (`StepToken`).

    `model` is the one after it, `touched` the nodes of variables that it has changed; of the gains,
    `score` is by the criterion of the search.
    """

    words: str
    place: str  # where in the run the search is
    model: Model
    touched: tuple[tuple[str, int], ...]
    gains: Mapping[str, float]


LearnEvent = Progress | Note | ImprovedModel | ArtifactSaved | Finished | SearchStep

P_contra = TypeVar("P_contra", contravariant=True)


class Learner(Protocol[P_contra]):
    """One way to learn a model from data; stateless.

    A learner may also have these attributes: `cost` (`Cost`, for the estimate before a run),
    `artifacts` (types of artifacts that its runs store), `obeys_knowledge` (False: models are
    checked after the run), `needs_start` (it keeps the edges of a given model), `starts_with_tree`
    (False: the best tree is no start model), `reports_steps` (it yields `SearchStep` events) and
    `curve_settings` (parameters for runs whose every model is a point of a curve).
    """

    @property
    def key(self) -> str:
        """ "bn.hill-climb": file format and command line."""

    @property
    def title(self) -> str:
        """The name in menus."""

    @property
    def kind(self) -> str:
        """The kind of model that comes out."""

    @property
    def params_type(self) -> type: ...

    def refuses(self, data: DataSet) -> str | None:
        """Why the learner cannot use this data, shown at the disabled button; None if it can."""

    def on_missing(self, data: DataSet) -> str:
        """One message: how many cells are missing, what this learner does with them, the cost."""

    def run(
        self, data: DataSet, params: P_contra, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        """The same data, parameters and seed give the same events, in any runner."""
