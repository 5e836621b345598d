"""Learning inside a recipe: the learners' progress becomes that of the recipe."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator
from typing import Any, cast

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError, RunFailedError
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.languages.tree_mixture.learning.search import MixtureSearch
from pgmstudio.core.learning.base import Finished, Kept, RunArtifact
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.params import param, parse_params
from pgmstudio.studies.recipe import RecipeWork

Learning = Generator[Progress, None, ProbabilisticModel]


def trials_param(count: int) -> Any:
    """How often the experiment is repeated; the default is the source's number."""
    return param(
        count, title="Trials", low=1, high=1000, help="How often the experiment is repeated."
    )


def only_param(names: str = "Names of the data sets, with commas.") -> Any:
    """Which of its data sets a recipe looks at."""
    return param(None, title="Only", none_label="all", help=names)


def wanted(only: str | None, known: Iterable[str]) -> list[str]:
    """The names a person chose; ParameterError names those that there are."""
    names = list(known)
    if only is None:
        return names
    chosen = [name.strip() for name in only.split(",") if name.strip()]
    strange = [name for name in chosen if name not in names]
    if strange or not chosen:
        raise ParameterError({"only": f"there are {', '.join(names)}"})
    return chosen


def trials_of(
    work: RecipeWork, published: Collection[str]
) -> Iterator[tuple[int, str, np.random.Generator]]:
    """Trial after trial each data set a person chose, with random numbers of its own."""
    names, places = wanted(work.params.only, published), list(published)
    for trial in range(work.params.trials):
        for name in names:
            yield trial, name, work.rng(trial, places.index(name))


class Steps:
    """How far a recipe is, in models learned of so many."""

    def __init__(self, total: int, cancel: CancelToken) -> None:
        self._total, self._done, self._cancel = max(1, total), 0, cancel
        self.kept: dict[str, RunArtifact] = {}  # of the last run, by kind

    def learned(
        self, words: str, key: str, data: DataSet, rng: np.random.Generator, **given: object
    ) -> Learning:
        """The model a learner ends with; its progress is told under `words`."""
        learner = learner_of(key)
        params: Any = parse_params(learner.params_type, given)
        run = learner.run(data, params, rng=rng, cancel=self._cancel)
        return (yield from self._followed(words, run))

    def skip(self) -> None:
        """Count a model that was not learned after all."""
        self._done += 1

    def held(
        self,
        words: str,
        data: DataSet,
        valid: DataSet,
        rng: np.random.Generator,
        params: MixtureParams,
    ) -> Learning:
        """A mixture of trees whose EM stops when the likelihood of `valid` stops rising."""
        search = MixtureSearch(
            data, params, is_shared=False, rng=rng, cancel=self._cancel, held=valid
        )
        return (yield from self._followed(words, search.run()))

    def _followed(self, words: str, run: Any) -> Learning:
        done = self._done / self._total
        self.kept = {}
        yield Progress(done, words)
        model: ProbabilisticModel | None = None
        for event in run:
            self._cancel.raise_if_cancelled()
            if isinstance(event, Progress):
                yield Progress(done, words, event.counters)
            elif isinstance(event, Kept):
                self.kept[event.artifact.kind] = event.artifact
            elif isinstance(event, Finished):
                model = cast(ProbabilisticModel, event.model)
        if model is None:
            raise RunFailedError(f"{words}: the learner ended without a model.")
        self._done += 1
        yield Progress(self._done / self._total, words)
        return model
