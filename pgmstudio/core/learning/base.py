"""Learners are generators of events: progress, notes, improved models, artifacts and the result.

Besides its model a run may save artifacts (`ArtifactSaved`): the local optima of restarts, the log
of tests, the steps of a search. The window opens them as pages, the command line writes them with
`--log`, and the project stores them with the run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import count_of, whole

if TYPE_CHECKING:
    from pgmstudio.core.learning.cost_estimates import Passes

AVAILABLE, EM = "available", "em"  # what is done with missing cells
ON_MISSING = (
    "They are drawn given the observed cells of their row, by a network learned for this purpose. "
    "The structure is searched on the completed rows, and the parameters are fitted by EM to the "
    "observed cells, unless either would take too long, which the run reports. No row is "
    "dropped. It takes some seconds more, or several times as long as complete rows, and is "
    "consistent if cells are missing at random."
)
ON_MISSING_AVAILABLE = (
    "Each count uses the rows that have all its cells, so different tables use different rows. It "
    "takes little longer, but the model can be far from the data and even give probability 0 to "
    "training rows. --missing em avoids that."
)


ROWS_NEEDED = (
    "This learner needs all rows in memory, and the rows of this table stay in its file. Import a "
    "part of the rows, or choose a learner that needs only counts."
)


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

    text: str
    stage: str  # where in the run the search is
    model: Model
    touched: tuple[tuple[str, int], ...]
    gains: Mapping[str, float]


LearnEvent = Progress | Note | ImprovedModel | ArtifactSaved | Finished | SearchStep

P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)


class Learner(Protocol[P_contra]):
    """One way to learn a model from data; stateless.

    A learner may also have these attributes: `cost` (`Cost`, for the estimate before a run),
    `artifacts` (types of artifacts that its runs store), `obeys_knowledge` (False: models are
    checked after the run), `uses_tiers` (False: tiers are refused), `needs_start` (it keeps the
    edges of a given model), `starts_with_tree` (False: the best tree is no start model),
    `score_kind` (what its score measures), `passes` (`Passes`: it can learn from a table that is
    read in chunks, by counts or sums over the rows), `reports_steps` (it yields `SearchStep`
    events), `presets` (settings under a name, such as those of a publication) and
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


class BaseLearner(ABC, Generic[P]):
    """A learner with the usual answers before a run; `missing_treatment` is what it does with
    missing cells."""

    missing_treatment = ON_MISSING
    passes: Passes | None = None

    def refuses(self, data: DataSet) -> str | None:
        if isinstance(data, ChunkedData) and self.passes is None:
            return ROWS_NEEDED
        return refuse_empty(data)

    def on_missing(self, data: DataSet) -> str:
        return missing_data_text(data, self.missing_treatment)

    @abstractmethod
    def events(
        self, data: DataSet, params: P, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        """The events of a run that was not cancelled before it began."""

    def run(
        self, data: DataSet, params: P, *, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        cancel.raise_if_cancelled()
        yield from self.events(data, params, rng, cancel)


def missing_data_text(data: DataSet, treatment: str) -> str:
    """How many cells are missing in how many rows, and what is done with them, with its cost."""
    missing = sum(data.missing_counts)
    if not missing:
        return "No cells are missing."
    cells = whole(data.row_count * len(data.domain))
    rows = data.incomplete_row_count
    return (
        f"{whole(missing)} of {cells} cells {'is' if missing == 1 else 'are'} missing in "
        f"{count_of(rows, 'row')}. {treatment}"
    )


def refuse_empty(data: DataSet) -> str | None:
    """The reason when there is nothing to learn from."""
    if len(data.domain) == 0:
        return "The data has no columns. Import or choose at least one."
    if data.row_count == 0:
        return "The data has no rows. Import some, or widen the filter."
    if data.total_weight <= 0:
        return "Every row has weight 0. Choose another weight column."
    return None


def missing_data_note(learner: Learner[Any], data: DataSet, params: object) -> str:
    """The note on missing cells with these settings."""
    if getattr(params, "missing", None) == AVAILABLE:
        return missing_data_text(data, ON_MISSING_AVAILABLE)
    return learner.on_missing(data)
