"""Latent classes: naive Bayes with a hidden class whose number of states is learned.

Nielsen (2007), §4.4: EM, then light classes are pruned, heavy ones split and new ones added around
random rows, repeatedly (after Lowd and Domingos 2005). Or EM for each of a list of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from pgmstudio.core.data.chunked import ChunkedData, sample_note, sample_of, sample_size
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, case_total, hold_out
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.latent_class.learning.chunked_em import em_steps
from pgmstudio.core.languages.latent_class.learning.em import ClassRows, LatentEm, class_rows
from pgmstudio.core.languages.latent_class.learning.growth import (
    duplicate_classes,
    with_merged_duplicates,
    with_new_classes,
    with_split_classes,
    without_light_classes,
)
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan, ScanPoint
from pgmstudio.core.languages.latent_class.model import LatentClasses, free_name
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.learning.artifacts import MIN_HELD_ROWS, criterion_param, held_out_param
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.params import knowledge_param
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.params import AUTO, param
from pgmstudio.core.scores.local import AIC_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentParams:
    """The settings of the latent-class learner."""

    components: tuple[int, ...] | None = param(
        None,
        title="Classes",
        low=1,
        none_label="as many as pay",
        help="Number of hidden classes; of a list the best is selected. Without it classes are "
        "added, pruned and split until held-out rows no longer improve.",
    )
    criterion: str = criterion_param()
    held_out: float = held_out_param()
    restarts: int = param(
        3,
        title="Starts",
        low=1,
        high=100,
        help="EM runs for each number of classes of a list; the most likely is used. Growing uses "
        "one.",
    )
    smoothing: float | Literal["auto"] = param(
        "auto",
        title="Smoothing α",
        low=0,
        help="Pseudo-count added to every cell of a table in EM. 0 is maximum likelihood; auto is "
        "one row spread over all states of a column.",
    )
    max_iterations: int = param(
        100,
        title="Maximum EM steps",
        low=1,
        help="Maximum number of EM steps for each model.",
        advanced=True,
    )
    tolerance: float = param(
        1e-5,
        title="Tolerance",
        low=0,
        low_open=True,
        help="EM ends when a step gains less than this fraction of the log-likelihood.",
        advanced=True,
    )
    growth: float = param(
        0.25,
        title="Growth",
        low=0,
        low_open=True,
        help="Classes added per round, as a fraction of the current number; at least one.",
        advanced=True,
    )
    prune_below: float = param(
        1000.0,
        title="Prune below 1 in",
        low=1,
        low_open=True,
        help="Classes with at most 1 in this many rows are removed after EM.",
        advanced=True,
    )
    split_above: float = param(
        0.9,
        title="Split above",
        low=0.5,
        high=1,
        low_open=True,
        help="Classes with at least this fraction of the rows are split in two.",
        advanced=True,
    )
    merge_duplicates: bool = param(
        False,
        title="Merge equal classes",
        help="Merge classes with the same tables after EM.",
        advanced=True,
    )
    patience: int = param(
        3,
        title="Patience",
        low=1,
        help="Growing ends after this many rounds without a better model.",
        advanced=True,
    )
    most_models: int = param(
        60, title="Maximum models", low=1, help="Maximum number of rounds.", advanced=True
    )
    knowledge: Knowledge | None = knowledge_param(
        "only the class has edges, to every column; the model is only checked."
    )


# A class with fewer rows than this is as good as empty.
EMPTY_ROWS = 1.0


class LatentClassLearner(BaseLearner[LatentParams]):
    """EM for latent classes."""

    key = "nb.latent"
    passes = Passes(steps="max_iterations", has_sample=True)
    title = "Latent classes"
    kind = "latent-class"
    params_type = LatentParams
    missing_treatment = (
        "EM keeps these rows: a missing cell carries no information on the class of its row, "
        "and it takes no longer; exact if cells are missing at random."
    )
    cost = Cost(1.3, 0.7, 1.0, gaps=1.5, completes=False, repeats="restarts")
    score_kind = ScoreKind.CRITERION
    artifacts = (ClassScan,)
    # Every model of a curve is fitted to all rows, since a curve has test rows of its own.
    curve_settings: ClassVar[Mapping[str, object]] = {"criterion": "aic-thesis"}
    obeys_knowledge = False

    def events(
        self, data: DataSet, params: LatentParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows = data
        if isinstance(data, ChunkedData):
            yield Progress(None, "Drawing a sample of the rows")
            rows = sample_of(data, sample_size(len(data.domain)), rng, cancel)
        search = _Search(rows, params, rng, cancel)
        if search.note:
            yield Note(search.note)
        yield from search.scan() if params.components else search.grow()
        if not isinstance(data, ChunkedData) or rows.row_count == data.row_count:
            yield from search.finish()
            return
        yield Note(sample_note(rows))
        for event in search.finish():
            if isinstance(event, Finished):
                yield ImprovedModel(event.model, event.measures)
                yield from search.refit(event, data)
            else:
                yield event


class _Search:
    """One run: the rows it learns from, those it holds out, and the models so far."""

    def __init__(
        self, data: DataSet, params: LatentParams, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        data = canonical(data, cancel)  # the same rows give the same start in any order
        self._all = data
        self._params = params
        self._rng = rng
        self._cancel = cancel
        self._train = data
        self.note = ""
        self._held: DataSet | None = None
        criterion = params.criterion
        if criterion == "held-out":
            count = int(case_total(data) * params.held_out)
            if count < MIN_HELD_ROWS:
                criterion = "bic"
                self.note = f"{count} held-out rows are too few to compare models, so BIC chooses."
            else:
                self._train, self._held = hold_out(data, params.held_out, rng)
        self._rows: ClassRows = class_rows(self._train, cancel)
        self._scan = ClassScan(criterion)
        self._smoothing = params.smoothing
        self._hidden = free_name(data.domain)
        self._best: ScanPoint | None = None

    # -- the two ways -----------------------------------------------------------------------------

    def scan(self) -> Iterator[LearnEvent]:
        """EM from several starts for each number of the list."""
        numbers = self._params.components or ()
        starts = len(numbers) * self._params.restarts
        for index, classes in enumerate(numbers):
            best: LatentClasses | None = None
            likeliest = -math.inf
            for start in range(self._params.restarts):
                done = (index * self._params.restarts + start) / starts
                message = f"{classes} classes, start {start + 1} of {self._params.restarts}"
                begin = with_new_classes(None, self._train, classes, self._rng, hidden=self._hidden)
                em = yield from self._em(begin, message, done, float(index))
                bits = em.log2_likelihood()
                if bits > likeliest or best is None:
                    likeliest = bits
                    best = em.model
                if classes == 1:
                    break  # every start would end in the same model
            assert best is not None
            yield from self._keep(best)

    def grow(self) -> Iterator[LearnEvent]:
        """EM, prune, split, add, until no better model comes for some rounds (Alg. 4.5)."""
        params = self._params
        model = with_new_classes(None, self._train, 1, self._rng, hidden=self._hidden)
        worse = 0
        for round_ in range(params.most_models):
            message = f"round {round_ + 1}, {model.class_count} classes"
            em = yield from self._em(model, message, None, float(round_))
            model = em.model
            if params.merge_duplicates:
                model = with_merged_duplicates(model)
            before = self._best
            yield from self._keep(model)
            worse = 0 if self._best is not before else worse + 1
            if worse >= params.patience or model.class_count >= params.prune_below:
                break
            pruned = without_light_classes(model, params.prune_below)
            split = with_split_classes(pruned, self._rng, threshold=params.split_above)
            more = max(1, round(params.growth * split.class_count))
            model = with_new_classes(split, self._train, more, self._rng)

    def finish(self) -> Iterator[LearnEvent]:
        """The chosen model, fitted to all rows."""
        best = self._scan.best()
        assert best.model is not None
        model = best.model
        if self._held is not None:
            self._rows = class_rows(self._all, self._cancel)
            held = self._held
            self._held = None
            em = yield from self._em(model, "fitting the chosen model to all rows", None, -1.0)
            model = em.model
            self._held = held
        yield from self._warn(best)
        measures = self._measures(model, self._all)
        measures["score"] = best.value(self._scan.criterion)
        yield Progress(1.0, f"{model.class_count} classes", {"score": measures["score"]})
        yield Finished(model, measures)

    def refit(self, chosen: Finished, data: ChunkedData) -> Iterator[LearnEvent]:
        """EM from the model that a sample has chosen, on all rows."""
        params, rows = self._params, data.total_weight
        assert isinstance(chosen.model, LatentClasses)
        model, bits = chosen.model, -math.inf
        steps = em_steps(data, chosen.model, self._alpha(), self._cancel)
        for step, (stepped, now) in zip(range(params.max_iterations), steps, strict=False):
            model = stepped
            counters = {"score": now / rows, "restart": -2.0, "EM step": float(step + 1)}
            yield Progress((step + 1) / params.max_iterations, "EM on all rows", counters)
            is_over = now - bits < params.tolerance * abs(now)
            bits = now
            if is_over:
                break
        # The likelihood is that before the last step, which gains less than the tolerance.
        measures = {**chosen.measures, "log2_likelihood_per_row": bits / rows}
        yield Finished(model, measures)

    # -- parts ------------------------------------------------------------------------------------

    def _em(
        self, model: LatentClasses, message: str, done: float | None, group: float
    ) -> Generator[LearnEvent, None, LatentEm]:
        """EM until it no longer pays; returns the run."""
        params = self._params
        em = LatentEm(self._rows, model, smoothing=self._alpha(), cancel=self._cancel)
        rows = float(self._rows.weights.sum())
        before = -math.inf
        for step in range(params.max_iterations):
            bits = em.improve()
            yield Progress(
                done,
                message,
                {
                    "score": bits / rows,
                    "restart": group,
                    "classes": float(model.class_count),
                    "EM step": float(step + 1),
                },
            )
            if bits - before < params.tolerance * abs(bits):
                break
            before = bits
        return em

    def _alpha(self) -> float:
        """One row over all states of a column, on average."""
        if self._smoothing != AUTO:
            return float(self._smoothing)
        cards = self._all.domain.cardinalities
        return len(cards) / max(1, sum(cards))

    def _keep(self, model: LatentClasses) -> Iterator[LearnEvent]:
        """Evaluate the model, and report it if it is the best so far."""
        rows = self._train.total_weight
        train = log2_likelihood(model, self._train)
        held = None
        if self._held is not None:
            held = log2_likelihood(model, self._held) / self._held.total_weight
        size = model.representation_size()
        point = ScanPoint(
            model.class_count,
            train / rows,
            held,
            (train - 0.5 * math.log2(max(rows, 2)) * size) / rows,
            (train - AIC_BITS * size) / rows,
            model.effective_size(),
            size,
            int((model.weights * rows < EMPTY_ROWS).sum()),
            len(duplicate_classes(model)),
            model,
        )
        self._scan = self._scan.with_point(point)
        yield ArtifactSaved(self._scan)
        value = point.value(self._scan.criterion)
        if self._best is None or value > self._best.value(self._scan.criterion):
            self._best = point
            measures = self._measures(model, self._train)
            measures["score"] = value
            if held is not None:
                measures["held_out_log2_likelihood_per_row"] = held
            yield ImprovedModel(model, measures)

    def _measures(self, model: LatentClasses, data: DataSet) -> dict[str, float]:
        bits = log2_likelihood(model, data) / data.total_weight
        return {"classes": float(model.class_count), "log2_likelihood_per_row": bits}

    def _warn(self, point: ScanPoint) -> Iterator[LearnEvent]:
        if point.empty:
            yield Note(f"{point.empty} of {point.classes} classes have less than one row.")
        if point.duplicates:
            yield Note(f"{point.duplicates} of {point.classes} classes repeat another one.")
