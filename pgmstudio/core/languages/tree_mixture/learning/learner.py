"""Mixtures of trees by EM, each tree with its own edges or all with the same (Meilă 1999, §3.3)."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.chunked import ChunkedData, sample_note, sample_of, sample_size
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, case_total, hold_out
from pgmstudio.core.errors import ParameterError, PgmStudioError, no_column
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.execution.thread_pool import map_events
from pgmstudio.core.graphs.edge_prices import price_matrix
from pgmstudio.core.inference.base import JointSession
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.languages.tree.learning.accelerated import ACCELERATED, Choice
from pgmstudio.core.languages.tree.learning.priors import TreePriors, likeness_costs
from pgmstudio.core.languages.tree_mixture.averaging import averaged
from pgmstudio.core.languages.tree_mixture.learning.chunked_em import expected_pairs
from pgmstudio.core.languages.tree_mixture.learning.dense_em import TreeMixtureEm
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency
from pgmstudio.core.languages.tree_mixture.learning.em import (
    TreeMixtureSteps,
    TreeTables,
    mixture_of,
)
from pgmstudio.core.languages.tree_mixture.learning.initialization import (
    starting_with_classes,
    starting_with_model,
    starting_with_modes,
    starting_with_trees,
)
from pgmstudio.core.languages.tree_mixture.learning.params import (
    MixtureParams,
    MixturePoint,
    MixtureScan,
)
from pgmstudio.core.languages.tree_mixture.learning.row_blocks import Part
from pgmstudio.core.languages.tree_mixture.learning.sparse_em import mixture_em
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.artifacts import MIN_HELD_ROWS
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    BaseLearner,
    Finished,
    ImprovedModel,
    LearnEvent,
    P,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import ForestRules, rules_beside
from pgmstudio.core.learning.score_definition import ScoreKind
from pgmstudio.core.learning.sparse_rows import SparseRows, joined, listing_cells
from pgmstudio.core.params import AUTO
from pgmstudio.core.scores.local import AIC_BITS

# Fraction of a run that is done when its rows are prepared.
PREPARED = 0.02


@dataclass(frozen=True, eq=False)
class SplitRows:
    """Distinct rows, as data and as lists; `note` explains a change of the criterion."""

    data: DataSet
    train: SparseRows
    held: SparseRows | None
    criterion: str
    is_refitting: bool = False  # the held-out rows are of the data, so learned from at the end
    note: str = ""


def splitting_rows(
    data: DataSet,
    params: MixtureParams,
    held: DataSet | None,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Generator[Progress, None, SplitRows]:
    """With `held`, these rows choose the model, and all of `data` is for training; yields
    progress."""
    criterion, note, is_refitting = params.criterion, "", False
    yield Progress(0.0, "Merging equal rows")
    data = canonical(data, cancel)  # the result does not depend on the order of the rows
    if criterion == "held-out" and held is None:
        count = int(case_total(data) * params.held_out)
        if count < MIN_HELD_ROWS:
            criterion = "bic"
            note = f"{count} held-out rows are too few to compare models, so BIC chooses."
        else:
            yield Progress(0.0, "Holding out rows")
            data, held = hold_out(data, params.held_out, rng)
            is_refitting = True
    cancel.raise_if_cancelled()
    message = "Listing the cells of the rows"
    train = yield from _listed(listing_cells(data, None, params.choice, cancel), message, 0.0)
    held_rows = None
    if held is not None and criterion == "held-out":
        yield Progress(0.5 * PREPARED, "Merging equal held-out rows")
        held, message = held.merged(cancel), "Listing the cells of the held-out rows"
        listing = listing_cells(held, train, params.choice, cancel)
        held_rows = yield from _listed(listing, message, 0.5 * PREPARED)
    return SplitRows(data, train, held_rows, criterion, is_refitting, note)


def _listed(
    listing: Generator[float, None, SparseRows], message: str, begin: float
) -> Generator[Progress, None, SparseRows]:
    """The listed rows; progress covers half of the preparation, from `begin` on."""

    def progress(fraction: float) -> Progress:
        return Progress(begin + 0.5 * PREPARED * fraction, f"{message}: {fraction:.0%}")

    return (yield from map_events(listing, progress))


# Numbers of trees tried by default.
COMPONENT_COUNTS = (1, 2, 5, 10, 20, 30, 50)
# Pseudo-rows per tree that are tried for “auto”, and the default without held-out rows.
ROWS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
USUAL_ROWS = 3.0
# Steps between two tries of other smoothing on held-out rows.
TUNED_EVERY = 5
# Steps between two reported models before the first start has ended.
REPORTED_EVERY = 3
# A tree with fewer rows than this is considered empty.
EMPTY_ROWS = 1.0
# EM steps on all rows, from the chosen mixture; few, since there is no held-out data left to stop
# them.
LAST_STEPS = 5
# A typical number of EM steps, for the progress.
USUAL_STEPS = 20
_BITS = 1 / math.log(2)


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A fitted mixture with its measures."""

    point: MixturePoint
    tables: TreeTables
    model: TreeMixture


class MixtureSearch:
    """The search: training rows, held-out rows, and the models so far."""

    def __init__(
        self,
        data: DataSet,
        params: MixtureParams,
        *,
        is_shared: bool,
        rng: np.random.Generator,
        cancel: CancelToken,
        held: DataSet | None = None,
        all_rows: ChunkedData | None = None,
    ) -> None:
        """With `held`, these rows choose the model, and all of `data` is for training."""
        self._params, self._rng, self._cancel = params, rng, cancel
        if params.choice is not None and params.choice not in data.domain:
            raise ParameterError({"choice": no_column(params.choice, data.domain.names)})
        self._data, self._given, self._is_shared = data, held, is_shared
        if params.choice is not None and params.average > 1:
            raise ParameterError({"average": "must be 1 with a choice variable"})
        self._all_rows = all_rows  # of which `data` are a sample
        self._best: _Fitted | None = None
        self._top: list[_Fitted] = []  # the models to average, best first
        self._best_reported = -math.inf  # the score of the last reported model
        self._has_method_note = False
        self._is_tuned = False  # the smoothing of the current start is tuned on held-out rows

    def _preparing(self) -> Iterator[LearnEvent]:
        split = yield from splitting_rows(
            self._data, self._params, self._given, self._rng, self._cancel
        )
        if split.note:
            yield Note(split.note)
        self._split, self._train, self._held = split, split.train, split.held
        self._scan = MixtureScan(split.criterion)
        self._adjacency = Adjacency(self._train.domain.names)
        self._costs, self._rules = self._structure_costs(), self._forest_rules()
        self._joints = self._prior_joints()
        self._check_start()

    def _forest_rules(self) -> ForestRules | None:
        params, names = self._params, self._data.domain.names
        knowledge = params.knowledge
        if knowledge is None or knowledge.is_empty:
            return None
        knowledge.check(names)
        if params.choice is not None:
            knowledge = rules_beside(params.choice, knowledge, names)
        return ForestRules.of(self._train.domain.names, knowledge)

    def _prior_joints(self) -> Mapping[tuple[int, int], Floats] | None:
        """P' of all pairs of variables in the model to smooth towards."""
        model, domain = self._params.toward_model, self._train.domain
        if self._params.toward != "model" or model is None:
            return None
        if any(variable not in tuple(model.domain) for variable in domain):
            raise ParameterError({"toward_model": "needs every column, with the same states"})
        session, joints = open_session(model), {}
        if not isinstance(session, JointSession):
            raise ParameterError({"toward_model": "has no joint probabilities of two variables"})
        for u, one in enumerate(domain.names):
            self._cancel.raise_if_cancelled()
            joints[u, u] = np.diag(np.asarray(session.joint((one,))))
            for v, other in enumerate(domain.names[u + 1 :], start=u + 1):
                joints[u, v] = np.asarray(session.joint((one, other)))
        return joints

    def _check_start(self) -> None:
        """ParameterError if the model to start from does not fit."""
        params, model = self._params, self._params.start_model
        if model is None:
            return
        count = len(model.weights)
        if params.choice is not None:
            raise ParameterError({"start_model": "the choice variable determines the trees"})
        if params.components not in (None, (count,)):
            raise ParameterError({"components": f"must be {count}, as in the model to start from"})
        try:
            self._train.data_of(0, 0).for_model(model.domain)
        except PgmStudioError:
            raise ParameterError(
                {"start_model": "needs the columns of the data, with the same states"}
            ) from None

    def _structure_costs(self) -> Floats | None:
        """β_uv of the given prices and of the likeness to a model."""
        params, domain = self._params, self._train.domain
        prices = params.edge_prices
        if prices is not None:
            prices.matrix(self._data.domain.names)  # the choice variable may have prices
            prices = prices.among(domain.names)
        costs = price_matrix(prices, domain.names)
        if params.like is None:
            return costs
        edges = np.zeros((len(domain), len(domain)), dtype=bool)
        for one, other in params.like.edges:
            if one in domain and other in domain:
                u, v = domain.index(one), domain.index(other)
                edges[u, v] = edges[v, u] = True
        likeness = likeness_costs(edges, params.kappa)
        return likeness if costs is None else likeness + costs

    # -- the run ----------------------------------------------------------------------------------

    def run(self) -> Iterator[LearnEvent]:
        yield from self._preparing()
        params = self._params
        numbers = params.components or COMPONENT_COUNTS
        starts = params.restarts
        if params.choice is not None:
            numbers, starts = (self._data.domain[params.choice].cardinality,), 1
        elif params.start_model is not None:
            numbers, starts = (len(params.start_model.weights),), 1  # others would be the same
        smoothings: tuple[float | str, ...] = params.smoothings or (params.smoothing,)
        tries = [(smoothing, start) for smoothing in smoothings for start in range(starts)]
        for index, count in enumerate(numbers):
            before = self._best
            if params.components is None and count > max(1.0, self._train.total_weight / 5):
                break  # fewer than five rows for each tree
            for turn, (smoothing, start) in enumerate(tries):
                if count == 1 and start:
                    continue  # one tree is the same from every start
                span = (1 - PREPARED) / (len(numbers) * len(tries))
                done = PREPARED + span * (index * len(tries) + turn)
                fitted = yield from self._fit(count, start, smoothing, done, span)
                self._top = sorted(
                    [*self._top, fitted], key=lambda one: self._value(one.point), reverse=True
                )[: params.average]
                if self._best is None or self._value(fitted.point) > self._value(self._best.point):
                    self._best = fitted
                    yield from self._better(fitted.point, fitted.model)
            is_scan = params.components is None and count > 2
            if before is not None and self._best is before and is_scan:
                yield Note(
                    f"{count} trees are no better than {before.point.trees}; "
                    "larger numbers are not tried."
                )
                break
        yield from self._finish()

    def _value(self, point: MixturePoint) -> float:
        return point.value(self._scan.criterion)

    def _better(self, point: MixturePoint, model: TreeMixture) -> Iterator[LearnEvent]:
        """Report a model if it is better than those reported before."""
        measures = self._measures(point)
        if measures["score"] > self._best_reported:
            self._best_reported = measures["score"]
            yield ImprovedModel(model, measures)

    def _finish(self) -> Iterator[LearnEvent]:
        """The chosen mixture, fitted to all rows."""
        best = self._best
        assert best is not None
        point, model, rows = best.point, best.model, self._train
        weights = posterior_weights([one.point for one in self._top], rows.total_weight)
        if len(self._top) > 1:
            model = averaged([one.model for one in self._top], weights)
            point = self._averaged_point(model, point)
        measures = self._measures(point)
        if self._split.is_refitting:
            assert self._held is not None
            rows = joined(self._train, self._held)
            refitted, bits = [], 0.0
            for one in self._top:
                model, bits = yield from self._refitted(one, rows)
                refitted.append(model)
            if len(refitted) > 1:
                model = averaged(refitted, weights)
                bits = _bits_per_row(model, rows)
            measures["log2_likelihood_per_row"] = bits
        if len(self._top) > 1:
            yield Note(
                f"{len(self._top)} models are averaged; the heaviest has {weights.max():.3g} of "
                "the weight."
            )
        if self._all_rows is not None:
            yield Note(sample_note(self._data))
            yield ImprovedModel(model, measures)
            model, bits = yield from self._fitted_to_all(best, model, self._all_rows)
            measures["log2_likelihood_per_row"] = bits
        if point.empty:
            yield Note(f"{point.empty} of {point.trees} trees have less than one row.")
        yield Progress(1.0, f"{point.trees} trees", {"score": measures["score"]})
        yield Finished(model, measures)

    def _refitted(
        self, fitted: _Fitted, rows: SparseRows
    ) -> Generator[LearnEvent, None, tuple[TreeMixture, float]]:
        """The mixture after a few more steps on all rows, and their bits per row."""
        message = "fitting the chosen mixture to all rows"
        em, _ = self._em(rows, fitted.point.trees, fitted.point.smoothing)
        em.put(fitted.tables)
        for step in range(LAST_STEPS if self._params.choice is None else 1):
            bits = yield from self._improved(em, message, None)
            counters = {"score": bits, "restart": -1.0, "EM step": float(step + 1)}
            yield Progress(None, message, counters)
        bits = em.log_likelihood() * _BITS / max(rows.total_weight, 1e-300)
        return self._model(em.taken()), bits

    def _fitted_to_all(
        self, best: _Fitted, model: TreeMixture, data: ChunkedData
    ) -> Generator[LearnEvent, None, tuple[TreeMixture, float]]:
        """The mixture after a few more steps on a table that is read in chunks, and the bits per
        row before the last of them."""
        priors = self._priors(best.point.trees, best.point.smoothing)
        em = TreeMixtureEm(self._train, best.point.trees, priors, self._cancel)
        bits = 0.0
        for step in range(LAST_STEPS):
            total, masses, pairs = expected_pairs(data, model, self._cancel)
            bits = total / data.total_weight
            em.improve_by(pairs, masses, data.total_weight)
            model = em.mixture()
            counters = {"score": bits, "restart": -2.0, "EM step": float(step + 1)}
            yield Progress((step + 1) / LAST_STEPS, "EM on all rows", counters)
        return model, bits

    def _averaged_point(self, model: TreeMixture, best: MixturePoint) -> MixturePoint:
        """The measures of an average of models; `best` is the first of them."""
        total = max(self._train.total_weight, 1e-300)
        train, size = _bits_per_row(model, self._train), model.representation_size()
        weights = model.weights[model.weights > 0]
        return replace(
            best,
            trees=len(model.trees),
            train_bits=train,
            held_bits=None if self._held is None else _bits_per_row(model, self._held),
            bic_bits=train - 0.5 * math.log2(max(total, 2)) * size / total,
            aic_bits=train - AIC_BITS * size / total,
            effective_size=model.effective_size(),
            representation_size=size,
            edges=sum(len(tree.edges) for tree in model.trees),
            effective_trees=math.exp(-float((weights * np.log(weights)).sum())),
            empty=int((model.weights * total < EMPTY_ROWS).sum()),
        )

    # -- one EM run -------------------------------------------------------------------------------

    def _fit(
        self, count: int, start: int, smoothing: float | str, begin: float, span: float
    ) -> Generator[LearnEvent, None, _Fitted]:
        """EM from one start: to the best of its steps by the held-out rows, or to the end.

        The progress of the whole run is `begin` at its start and `span` more at its end.
        """
        params, began, done = self._params, time.perf_counter(), begin
        message = f"{count} trees" if count > 1 else "1 tree"
        if params.restarts > 1 and count > 1:
            message += f", start {start + 1} of {params.restarts}"
        if params.smoothings is not None:
            message += f", smoothing {smoothing:g}"
        self._is_tuned = smoothing == AUTO and params.policy == "rows" and self._held is not None
        strength = USUAL_ROWS * count if smoothing == AUTO else float(smoothing)
        yield Progress(done, f"{message}: preparing")
        em, choice = self._em(self._train, count, strength)
        if choice.backend == ACCELERATED and not self._has_method_note:
            self._has_method_note = True
            yield Note(choice.reason)
        yield Progress(done, f"{message}: starting")
        yield from _with_progress(self._starting(em), f"{message}: starting", done)
        yield from self._tuning(em, ROWS, message, done)
        best, best_held, best_step = em.taken(), self._held_bits(em), 0
        best_strength = em.priors.strength
        before, quiet, steps, due = -math.inf, 0, 0, 0
        is_settled = count == 1 or (params.choice is not None and (self._train.choice >= 0).all())
        if is_settled and not self._train.gap_count:
            steps = 1
        else:
            for steps in range(1, params.max_iterations + 1):
                # The number of steps is not known; the typical number counts as half of the way.
                done = begin + span * steps / (steps + USUAL_STEPS)
                bits = yield from self._improved(em, message, done)
                if steps % TUNED_EVERY == 0:
                    near = em.priors.strength / count
                    yield from self._tuning(em, (near / 3, near, near * 3), message, done)
                held = self._held_bits(em)
                counters = {
                    "score": bits,
                    "restart": float(len(self._scan.points)),
                    "EM step": float(steps),
                    "trees": float(count),
                    "edges changed": float(em.changed_edges),
                    "effective trees": em.effective_components,
                }
                if self._held is not None:
                    counters["held-out"] = held
                if count > 1:
                    counters |= {f"weight {k + 1}": float(w) for k, w in enumerate(em.weights)}
                yield Progress(done, message, counters)
                is_best = self._held is None or held > best_held
                if self._best is None and (steps == 1 or (is_best and steps >= due)):
                    # A run that is stopped now has a mixture of as many trees as its curves.
                    due = steps + REPORTED_EVERY
                    spent, strength = time.perf_counter() - began, em.priors.strength
                    point = self._point(em, strength, start, steps, spent, bits, held)
                    yield from self._better(point, self._model(em.taken()))
                if is_best:
                    best, best_held, best_step = em.taken(), held, steps
                    best_strength = em.priors.strength
                elif steps - best_step >= params.patience:
                    yield Note(
                        f"{message}: no gain on held-out rows after step {best_step}; "
                        "that step is used."
                    )
                    break
                quiet = quiet + 1 if bits - before < params.tolerance * abs(bits) else 0
                before = bits
                if quiet >= 3:
                    break
        em.put(best)
        train = em.log_likelihood() * _BITS / max(self._train.total_weight, 1e-300)
        spent = time.perf_counter() - began
        point = self._point(em, best_strength, start, steps, spent, train, self._held_bits(em))
        self._scan = self._scan.with_point(point)
        yield ArtifactSaved(self._scan)
        model = self._model(best)
        self._adjacency = self._adjacency.with_restart(model)
        yield ArtifactSaved(self._adjacency)
        return _Fitted(point, best, model)

    def _improved(
        self, em: TreeMixtureSteps, message: str, done: float | None
    ) -> Generator[LearnEvent, None, float]:
        """One step of EM; bits per row before its M step."""
        yield from _with_progress(em.improving(), message, done)
        return em.last_log_likelihood * _BITS / max(em.rows.total_weight, 1e-300)

    def _starting(self, em: TreeMixtureSteps) -> Iterator[Part]:
        if em.count == 1:
            return em.starting(np.ones((em.rows.row_count, 1)))
        if self._params.start_model is not None:
            return starting_with_model(em, self._params.start_model)
        if self._params.choice is not None or self._params.start == "shares":
            return em.starting_at_random(self._rng)
        if self._params.start == "trees":
            return starting_with_trees(em, self._rng)
        if self._params.start == "modes":
            return starting_with_modes(em, self._rng)
        return starting_with_classes(em, self._split.data, self._rng, self._cancel)

    def _tuning(
        self, em: TreeMixtureSteps, choices: tuple[float, ...], message: str, done: float
    ) -> Iterator[LearnEvent]:
        """With “auto”, choose the pseudo-rows that make the held-out rows most probable."""
        if not self._is_tuned:
            return
        tried = []
        for index, rows in enumerate(choices):
            text = f"{message}: trying smoothing {index + 1} of {len(choices)}"
            yield from _with_progress(em.smoothing(rows * em.count), text, done)
            tried.append((self._held_bits(em), rows))
        text = f"{message}: applying the best smoothing"
        yield from _with_progress(em.smoothing(max(tried)[1] * em.count), text, done)

    def _held_bits(self, em: TreeMixtureSteps) -> float:
        if self._held is None:
            return -math.inf
        return em.log_likelihood(self._held) * _BITS / max(self._held.total_weight, 1e-300)

    def _em(self, rows: SparseRows, count: int, strength: float) -> tuple[TreeMixtureSteps, Choice]:
        priors = self._priors(count, strength)
        return mixture_em(rows, count, priors, self._cancel, self._params.tree)

    def _priors(self, count: int, strength: float) -> TreePriors:
        params = self._params
        return TreePriors(
            strength,
            params.policy,
            params.toward,
            1.0 if params.toward in ("marginal", "product") else 0.0,
            params.edge_penalty / (count if params.share_penalty else 1),
            params.penalty,
            params.weight_rows,
            params.weight_entropy,
            self._is_shared,
            self._costs,
            self._rules,
            self._joints,
        )

    # -- results ----------------------------------------------------------------------------------

    def _model(self, tables: TreeTables) -> TreeMixture:
        """The parameters as a model; their coding is that of the rows learned from."""
        hidden = mixture_of(self._train, tables)
        if self._params.choice is None:
            return hidden
        return TreeMixture(self._data.domain, hidden.weights, hidden.trees, self._params.choice)

    def _point(
        self,
        em: TreeMixtureSteps,
        strength: float,
        start: int,
        steps: int,
        seconds: float,
        bits: float,
        held: float,
    ) -> MixturePoint:
        """`bits` and `held`: log-likelihoods per row, of the rows learned from and held out."""
        rows = max(self._train.total_weight, 1e-300)
        train = bits * rows
        effective, size = em.sizes
        return MixturePoint(
            em.count,
            start,
            strength,
            bits,
            held if self._held is not None else None,
            (train - 0.5 * math.log2(max(rows, 2)) * size) / rows,
            (train - AIC_BITS * size) / rows,
            effective,
            size,
            int((em.forests >= 0).sum()),
            em.effective_components,
            int((em.weights * rows < EMPTY_ROWS).sum()),
            steps,
            seconds,
        )

    def _measures(self, point: MixturePoint) -> dict[str, float]:
        result = {
            "score": point.value(self._scan.criterion),
            "trees": float(point.trees),
            "edges": float(point.edges),
            "effective_trees": point.effective_trees,
            "smoothing": point.smoothing,
            "log2_likelihood_per_row": point.train_bits,
        }
        if point.held_bits is not None:
            result["held_out_log2_likelihood_per_row"] = point.held_bits
        return result


def posterior_weights(points: Sequence[MixturePoint], rows: float) -> Floats:
    """Pr[Q | D] of models of so many rows, as BIC approximates it; they sum to 1."""
    logs = rows * math.log(2) * np.array([point.bic_bits for point in points])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _bits_per_row(model: TreeMixture, rows: SparseRows) -> float:
    """The mean log2-likelihood of rows."""
    data = replace(rows.data_of(0, rows.row_count), weights=rows.weights)
    logs = model.log2_probabilities(data)
    return float(logs @ rows.weights / max(rows.total_weight, 1e-300))


def _with_progress(
    parts: Iterator[Part], message: str, done: float | None
) -> Generator[LearnEvent, None, None]:
    """The progress events of a long step."""
    for part in parts:
        yield Progress(done, f"{message}: {part}")


# Maximum states of all columns, the most frequent of each column not counted: the counts of all
# pairs of them take gigabytes beyond this. Sparse binary rows need no such counts.
MAX_CELLS = 12_000


class TreeMixtureLearner(BaseLearner[P]):
    """The answers of a learner of mixtures of trees before a run."""

    kind = "tree-mixture"
    missing_treatment = (
        "EM keeps these rows and counts every missing cell with the probabilities of its "
        "states; exact if cells are missing at random, and such rows take longer."
    )
    is_shared = False
    score_kind = ScoreKind.CRITERION

    def refuses(self, data: DataSet) -> str | None:
        if (why := super().refuses(data)) is not None:
            return why
        cards = data.domain.cardinalities
        cells = sum(card - 1 for card in cards)
        is_dense = self.is_shared or data.has_missing or max(cards) > 2
        if cells > MAX_CELLS and is_dense:
            return (
                f"The columns have {cells} states, not counting the most frequent of "
                f"each; the counts of their pairs fit into memory up to {MAX_CELLS}. "
                "Leave columns out, or merge states."
            )
        return None


class MixtureLearner(TreeMixtureLearner[MixtureParams]):
    """MixTree: EM for trees with edges of their own."""

    key = "mixture.trees"
    passes = Passes(1 + LAST_STEPS, has_sample=True)
    title = "Mixture of trees"
    params_type = MixtureParams
    cost = Cost(
        3.0,
        1.0,
        1.5,
        states=2.0,
        gaps=1.5,
        completes=False,
        repeats="restarts",
        compiling=3.5,
    )
    artifacts = (MixtureScan, Adjacency)

    def events(
        self, data: DataSet, params: MixtureParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rows, all_rows = data, None
        if isinstance(data, ChunkedData):
            rows = sample_of(data, sample_size(len(data.domain)), rng, cancel)
            all_rows = data if rows.row_count < data.row_count else None
        search = MixtureSearch(
            rows, params, is_shared=self.is_shared, rng=rng, cancel=cancel, all_rows=all_rows
        )
        yield from search.run()

    def refuses(self, data: DataSet) -> str | None:
        if isinstance(data, ChunkedData) and data.has_missing:
            return (
                "Mixtures of trees with missing cells need all rows in memory, and the rows of "
                "this table stay in its file. Import a part of the rows, or take missing as a "
                "state."
            )
        return super().refuses(data)


class SharedMixtureLearner(MixtureLearner):
    """MixTreeS: EM for trees that have the same edges and tables of their own."""

    key = "mixture.trees-shared"
    title = "Mixture of trees with shared edges"
    is_shared = True
