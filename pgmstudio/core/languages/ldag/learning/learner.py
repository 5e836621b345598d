"""Labelled DAGs by hill climbing, and labels for a given graph.

The search has the two levels of Pensar, Nyman, Koski and Corander (2015): the outer level changes
one edge, the inner level finds labels for the one or two tables that change. κ, which penalizes
dense graphs with very many labels, may be chosen by cross-validation, as there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import case_total, folds
from pgmstudio.core.execution.events import NEVER, CancelToken, Note, Progress
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.score_based.climb import GraphClimb
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import ClimbSearch
from pgmstudio.core.languages.ldag.learning.kappa_path import KappaPath, KappaPoint
from pgmstudio.core.languages.ldag.learning.label_learner import (
    GivenKappaParams,
    LabelLearner,
    LabelParams,
    kappa_of,
    kappa_param,
    label_scores,
)
from pgmstudio.core.languages.ldag.learning.label_search import (
    FULL,
    GROUPED_TREE,
    MAX_CONFIGURATIONS,
    TREE,
    LabelScores,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.partitions import label_of
from pgmstudio.core.languages.likelihood import log2_likelihood
from pgmstudio.core.languages.run_checks import given_start
from pgmstudio.core.learning.base import (
    ArtifactSaved,
    Finished,
    ImprovedModel,
    LearnEvent,
)
from pgmstudio.core.learning.cost_estimates import Cost, Passes
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.params import (
    knowledge_param,
    max_parents_param,
    max_table_cells_param,
    restarts_param,
    start_param,
    tabu_param,
)
from pgmstudio.core.model import DirectedModel
from pgmstudio.core.number_format import count_of
from pgmstudio.core.params import AUTO, param


def model_and_measures(
    scores: LabelScores, dag: Dag, cancel: CancelToken = NEVER
) -> tuple[LabelledDag, dict[str, float]]:
    """The labelled model of a graph, and its measures; scores in bits."""
    model, log2_likelihood = scores.model(dag, cancel)
    measures = scores.measures(dag, cancel) | {
        "edges": float(len(dag.edges)),
        "labels": float(model.label_count),
        "parameters": float(model.representation_size()),
        "parameters_without_labels": float(model.unlabelled_size()),
        "kappa": scores.score.kappa,
    }
    if not scores.data.has_missing:
        measures["log2_likelihood_per_row"] = log2_likelihood / scores.total_weight
    return model, measures


def label_notes(scores: LabelScores, dag: Dag) -> Iterator[str]:
    """A note on the contexts of labels without support in the data, if there are any."""
    unseen, total = unsupported_contexts(scores, dag)
    if unseen:
        contexts = "1 context of the labels has" if unseen == 1 else f"{unseen} contexts have"
        yield (
            f"Of {count_of(total, 'context')} in labels, {contexts} no support in the data: rows "
            "show at most one state of the parent there, so its rows were merged freely."
        )


def unsupported_contexts(scores: LabelScores, dag: Dag) -> tuple[int, int]:
    """Contexts in labels where fewer than two states of the parent were seen; and all contexts."""
    unseen, total = 0, 0
    for child, parents in enumerate(dag.parent_indices):
        if len(parents) < 2:
            continue
        classes = scores.family(child, parents).classes
        rows = scores.counts(child, parents).sum(axis=-1) > 0
        for axis in range(classes.ndim):
            label = label_of(classes, axis)
            seen = np.moveaxis(rows, axis, -1).sum(axis=-1)
            total += int(label.sum())
            unseen += int((label & (seen < 2)).sum())
    return unseen, total


MIN_GAIN = 1e-6  # in nats or bits; smaller gains are rounding


Families = Sequence[Iterable[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LdagParams(LabelParams):
    """The settings of hill climbing with labels."""

    kappa: float | Literal["auto"] | None = kappa_param(
        "; auto selects it by cross-validation and stores the model of every κ"
    )
    kappas: tuple[float, ...] = param(
        (1.0, 0.5, 0.1, 0.01, 1e-3, 1e-4, 0.0),
        title="κ to try",
        low=0,
        high=1,
        help="For auto: the values to try; 0 is without labels.",
        advanced=True,
    )
    folds: int = param(
        10,
        title="Folds",
        low=2,
        high=20,
        help="For auto: number of folds of the cross-validation.",
        advanced=True,
    )
    max_parents: int | None = max_parents_param(4)
    restarts: int = restarts_param(5)
    tabu: int = tabu_param(advanced=True)
    knowledge: Knowledge | None = knowledge_param()
    start: DirectedModel | None = start_param()
    max_table_cells: int = max_table_cells_param()


@dataclass(frozen=True, slots=True, kw_only=True)
class CsiTreeParams(LdagParams):
    """The settings of hill climbing with trees for tables."""

    structure: str = param(
        TREE,
        title="Tests in trees",
        choices=(TREE, GROUPED_TREE),
        help="csi-tree: a test has a branch for every state of a parent. extended-tree: a test has"
        " two groups of states as branches, for parents with many states.",
    )


class LdagLearner(LabelLearner[LdagParams]):
    """Greedy search over graphs and labels."""

    key = "ldag.greedy"
    passes = Passes(columns=2.0, repeats="restarts")
    title = "Labelled graph"
    params_type: type[LdagParams] = LdagParams
    cost = Cost(1.0, 0.3, 2.2, states=3.0, gaps=6.0, repeats="restarts", each=0.005, compiling=2.0)
    artifacts = (KappaPath,)

    def search(
        self, data: DataSet, params: LdagParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, params.knowledge, params.max_parents)
        start = yield from rules.start_of(params.start)
        if params.kappa == AUTO:
            yield from _by_cross_validation(data, params, rules, start, rng, cancel)
            return
        search = LabelSearch(data, params, kappa_of(params), rules, start, rng)
        yield from search.all_climbs(start, cancel)
        plain = search.plain
        if plain is not None and params.kappa is None:
            why = search.why_plain(cancel)
            if why is not None:
                yield Note(why)
                yield Finished(*plain.best(cancel))
                return
        yield from map(Note, label_notes(search.scores, search.graph.best_dag()))
        yield Finished(*search.best(cancel))


class CsiTreeLearner(LdagLearner):
    """CPTs as decision trees, by greedy search."""

    key = "bn.csi-tree"
    title = "Tables as trees"
    params_type = CsiTreeParams
    cost = Cost(1.0, 0.5, 2.0, states=1.0, gaps=6.0, compiling=2.0)


class LabelSearch(ClimbSearch[LabelScores]):
    """The climbs of one κ, with the labelled model of the best graph."""

    def __init__(
        self,
        data: DataSet,
        params: LdagParams,
        kappa: float,
        rules: EdgeRules,
        start: Dag,
        rng: np.random.Generator,
        *,
        restarts: int | None = None,
    ) -> None:
        self.scores = label_scores(data, params, kappa, start, params.max_table_cells)
        self._arguments = (data, params, rules, deepcopy(rng))
        self.plain: LabelSearch | None = None  # the search without labels, once it has run
        columns = len(data.domain)
        super().__init__(
            GraphClimb(self.scores, rules),
            rng,
            tabu=params.tabu,
            restarts=params.restarts if restarts is None else restarts,
            column_seconds=columns * (2e-4 + data.row_count * 2e-9),
            fit_seconds=columns * (1e-4 + data.row_count * 3e-9),
        )

    def all_climbs(self, start: Dag, cancel: CancelToken) -> Iterator[LearnEvent]:
        """Climbs from the start, from the restarts, and from the best graph without labels.

        With labels a climb takes another path. The search without them uses the same random
        numbers, so the same seed never scores below it, and both agree where no label pays.
        """
        yield from self.run(start, cancel)
        if self.scores.structure == FULL or self.scores.score.kappa == 0:
            return
        data, params, rules, own = self._arguments
        without = replace(params, structure=FULL)
        plain = LabelSearch(data, without, 0.0, rules, start, own, restarts=self.restarts)
        for event in plain.run(start, cancel):
            if isinstance(event, Progress):
                yield Progress(None, "Without labels", {"step": event.counters.get("step", 0.0)})
        self.plain = plain
        yield from self.begin(plain.graph.best_dag(), cancel)

    def why_plain(self, cancel: CancelToken) -> str | None:
        """Why the best graph without labels is the better answer; None where it is not.

        A higher marginal likelihood is not enough: it sums how well each row is predicted by those
        before it, and early rows favour fewer parameters than are best for all rows. So each row is
        also left out and predicted by all others.
        """
        assert self.plain is not None
        plain = self.plain.scores
        here = self.graph.best_dag().parent_indices
        without = self.plain.graph.best_dag().parent_indices
        has_labels = self._has_labels(here, cancel)
        # Without labels both are plain graphs, and the prior of labels does not apply.
        mine = (self.scores if has_labels else plain).total(here, cancel)
        if mine - plain.total(without, cancel) <= MIN_GAIN:
            why = "is at least as probable"
        elif self.scores.left_out(here, cancel) - plain.left_out(without, cancel) <= MIN_GAIN:
            why = "predicts left-out rows better"
        else:
            return None
        if not has_labels:
            return "No labels were found."
        return f"The result has no labels: the best graph without labels {why}."

    def _has_labels(self, parent_indices: Families, cancel: CancelToken) -> bool:
        families = enumerate(parent_indices)
        partitions = (
            self.scores.family(child, parents, cancel).classes for child, parents in families
        )
        return any(int(one.max(initial=0)) + 1 < max(one.size, 1) for one in partitions)

    def best(self, cancel: CancelToken) -> tuple[LabelledDag, dict[str, float]]:
        model, measures = model_and_measures(self.scores, self.graph.best_dag(), cancel)
        return model, measures | {"steps": float(self.graph.step)}

    def counters(self) -> dict[str, float]:
        return super().counters() | {"families": float(self.scores.families_scored)}


Point = tuple[LabelledDag, dict[str, float]]


def _by_cross_validation(
    data: DataSet,
    params: LdagParams,
    rules: EdgeRules,
    start: Dag,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[LearnEvent]:
    """The model of every κ on all rows, then cross-validation; the model of the best κ is last."""
    kappas = sorted(set(params.kappas))
    count = min(params.folds, case_total(data))
    path, models = KappaPath(count), dict[float, Point]()
    runs = len(kappas) * (1 + (count if len(kappas) > 1 and count > 1 else 0))
    seed = int(rng.integers(2**63))
    for index, kappa in enumerate(kappas):
        own = np.random.default_rng(seed)  # the same random numbers for every κ
        search = LabelSearch(data, params, kappa, rules, start, own)
        models[kappa] = yield from _climbed(search, start, index / runs, f"κ {kappa:g}", cancel)
        path = path.with_point(KappaPoint.of(kappa, *models[kappa]))
        yield ArtifactSaved(path)
        if index == 0:
            yield ImprovedModel(*models[kappa])  # available if the run is stopped
    chosen, note = kappas[0], "Only one κ was tried."
    if runs > len(kappas):
        bits: dict[float, list[float]] = {kappa: [] for kappa in kappas}
        index = len(kappas)
        for fold, (train, held) in enumerate(folds(data, count, rng)):
            for kappa in kappas:
                label = f"Fold {fold + 1} of {count}, κ {kappa:g}"
                own = np.random.default_rng(seed)
                search = LabelSearch(train, params, kappa, rules, start, own, restarts=0)
                model, _ = yield from _climbed(search, start, index / runs, label, cancel)
                bits[kappa].append(held_out_bits(model, held))
                index += 1
            path = path.with_held_out(bits)
            yield ArtifactSaved(path)
        best = path.best()
        chosen = best.kappa
        bits_per_row = f"{best.held_bits:.4f}".replace("-", "−")
        note = (
            f"κ {chosen:g} was chosen by {count}-fold cross-validation: {bits_per_row} bits per "
            "held-out row."
        )
    elif len(kappas) > 1:
        note = f"There are too few rows to compare κ, so {chosen:g} was used."
    yield Note(note)
    model, measures = models[chosen]
    yield Finished(model, measures | {"kappa": chosen})


def _climbed(
    search: LabelSearch, start: Dag, fraction: float, label: str, cancel: CancelToken
) -> Generator[LearnEvent, None, Point]:
    """The result of a climb; yields only its progress, with `label` before the messages."""
    yield Progress(fraction, label)
    for event in search.all_climbs(start, cancel):
        if isinstance(event, Progress):
            yield Progress(fraction, f"{label}: {event.message}", event.counters)
    return search.best(cancel)


def held_out_bits(model: LabelledDag, held: DataSet) -> float:
    """Mean log2-probability of held-out rows, missing cells summed out."""
    return log2_likelihood(model.as_bayesian_network, held) / max(held.total_weight, 1e-300)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenGraphParams(GivenKappaParams):
    """The settings of labels for a given graph."""

    start: DirectedModel | None = param(
        None,
        title="Model",
        none_label="not chosen",
        help="The model with the graph whose tables get labels.",
    )
    knowledge: Knowledge | None = knowledge_param(
        "the edges are those of the given model; the model is only checked."
    )


class LabelsLearner(LabelLearner[GivenGraphParams]):
    """The labels and tables of a given graph."""

    key = "ldag.labels"
    title = "Labels of a graph"
    params_type = GivenGraphParams
    cost = Cost(0.3, 0.5, 1.5, states=2.0, gaps=12.0, compiling=3.0)
    obeys_knowledge = False
    needs_start = True

    def search(
        self, data: DataSet, params: GivenGraphParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        rules = EdgeRules.of(data.domain.names, None, None)
        dag, _ = rules.starting_graph(given_start(params.start).edges)
        plain = label_scores(data, params, 0.0, is_given_graph=True)
        yield ImprovedModel(*model_and_measures(plain, dag, cancel))
        scores = label_scores(data, params, kappa_of(params), is_given_graph=True)
        too_large = []
        for child, parents in enumerate(dag.parent_indices):
            name = dag.names[child]
            yield Progress(child / len(dag.names), f"Labels of {name}")
            cancel.raise_if_cancelled()
            if scores.family(child, parents, cancel).classes.size > MAX_CONFIGURATIONS:
                too_large.append(name)
        if too_large:
            yield Note(
                f"The table of {', '.join(too_large)} has more than {MAX_CONFIGURATIONS} rows; "
                "no labels were searched for there."
            )
        model, measures = model_and_measures(scores, dag, cancel)
        without = plain.measures(dag, cancel)["score"]
        yield from map(Note, label_notes(scores, dag))
        yield Finished(model, measures | {"score_without_labels": without})
