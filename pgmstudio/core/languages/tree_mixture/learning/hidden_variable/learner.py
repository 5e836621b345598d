"""H-learn: blocks of variables that are independent given a hidden one (Meilă 1999, §6.4.1).

EM from many starts, description lengths and a test.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, case_total, hold_out
from pgmstudio.core.errors import ParameterError, no_column
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.tree_mixture.averaging import averaged
from pgmstudio.core.languages.tree_mixture.description_length import (
    data_bits,
    empirical_length,
    shape_of,
)
from pgmstudio.core.languages.tree_mixture.learning.em import TreeTables, mixture_of
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.divisions import Divider
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.em import (
    BIC_H,
    HiddenTreeEm,
    converging,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.nested import Division
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.params import (
    HELD_OUT,
    LENGTH,
    VISIBLE,
    HiddenParams,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.separators import (
    around_columns,
    as_one_column,
    smoothed_weights,
    visible_separators,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import (
    Candidate,
    HiddenScan,
    Structure,
    label_accuracy,
    separator_text,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import (
    ACCEPTED,
    NOT_TESTED,
    PartitionCheck,
    checks,
)
from pgmstudio.core.languages.tree_mixture.learning.learner import EMPTY_ROWS, TreeMixtureLearner
from pgmstudio.core.languages.tree_mixture.model import (
    Blocks,
    TreeMixture,
    identifiability,
    partition_of,
)
from pgmstudio.core.learning.artifacts import MIN_HELD_ROWS
from pgmstudio.core.learning.base import ArtifactSaved, Finished, ImprovedModel, LearnEvent
from pgmstudio.core.learning.cost_estimates import Cost
from pgmstudio.core.learning.sparse_rows import SparseRows, joined, sparse_rows


class HiddenRows:
    """The rows of a search: `data` without the label column, `held` for the test, if any."""

    def __init__(
        self, data: DataSet, params: HiddenParams, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        self._cancel, self._label, self._labelled = cancel, params.label, data
        if params.label is not None:
            if params.label not in data.domain:
                raise ParameterError({"label": no_column(params.label, data.domain.names)})
            data = data.select_columns([name for name in data.domain.names if name != params.label])
        data = canonical(data, cancel)  # the result does not depend on the order of the rows
        self.data, self.train = data, data
        self.held: DataSet | None = None
        self.notes: list[str] = []
        if params.validate or params.score == HELD_OUT:
            self._split(params.held_out, rng)
        self._known: tuple[tuple[str, ...], SparseRows] | None = None

    def _split(self, fraction: float, rng: np.random.Generator) -> None:
        count = int(case_total(self.data) * fraction)
        if count < MIN_HELD_ROWS:
            self.notes.append(
                f"{count} held-out rows are too few to test the blocks; they are not tested."
            )
            return
        self.train, self.held = hold_out(self.data, fraction, rng)

    def sparse(self, separator: tuple[str, ...]) -> SparseRows:
        """The training rows; with a separator, its columns give the component of a row."""
        if self._known is None or self._known[0] != separator:
            self._known = separator, self._listed(self.train, separator)
        return self._known[1]

    def all_sparse(self, separator: tuple[str, ...]) -> SparseRows:
        """The training rows and the held-out rows."""
        rows = self.sparse(separator)
        if self.held is None:
            return rows
        return joined(rows, self._listed(self.held, separator, rows))

    def _listed(
        self, data: DataSet, separator: tuple[str, ...], like: SparseRows | None = None
    ) -> SparseRows:
        choice = None
        if separator:
            data, choice = as_one_column(data, separator)
        is_merged = like is None and len(separator) < 2
        return sparse_rows(data, like, choice, is_merged=is_merged, cancel=self._cancel)

    def accuracy(self, model: TreeMixture) -> float | None:
        """How well the component agrees with the label column; None without one."""
        if self._label is None:
            return None
        labels = self._labelled.column(self._label)
        known = labels != self._labelled.missing_code
        rows = self._labelled.select_columns(model.domain.names)
        assigned = model.responsibilities(rows).argmax(axis=1)
        weights = self._labelled.row_weights[known]
        return label_accuracy(labels[known].astype(np.intp), assigned[known], weights)


# EM steps on all rows from the chosen model, with fixed edges.
LAST_STEPS = 10
# Models this close in bits per row cannot be distinguished by their lengths.
NEAR_BITS = 0.01


@dataclass(frozen=True, eq=False)
class _Cell:
    """One setting of the grid: a separator, hidden with m states or columns, and p blocks."""

    separator: tuple[str, ...]
    states: int
    blocks: int
    start: int

    def label(self, params: HiddenParams) -> str:
        text = separator_text(self.separator, self.states)
        if not self.separator:
            text += f", start {self.start + 1} of {params.restarts}"
        return text if params.blocks is None else f"{self.blocks} blocks, {text}"


class HiddenSearch:
    """The search for hidden variables: its rows and the candidates so far."""

    def __init__(
        self, data: DataSet, params: HiddenParams, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        self._params, self._rng, self._cancel = params, rng, cancel
        self._rows = HiddenRows(data, params, rng, cancel)
        self._score = params.score
        if self._score == HELD_OUT and self._rows.held is None:
            self._score = LENGTH
        self._cells = self._grid()
        self._scan = HiddenScan(self._score)
        # Of every separator and partition the best; its tables make its model again.
        self._tables: dict[Structure, tuple[float, TreeTables]] = {}

    def _grid(self) -> list[_Cell]:
        params, domain = self._params, self._rows.data.domain
        separators: list[tuple[str, ...]] = [()]
        if params.separator == VISIBLE:
            separators = list(visible_separators(domain.variables, params.separator_columns))
        free = len(domain) - (params.separator == VISIBLE)
        if not separators or free < 1:
            problem = "needs a column with several states and another column"
            raise ParameterError({"separator": problem})
        for asked in params.blocks or ():
            if asked > free:
                raise ParameterError({"blocks": f"{asked} blocks are more than {free} columns"})
        return [
            _Cell(names, states, blocks, start)
            for names in separators
            for states in (
                (math.prod(domain[name].cardinality for name in names),)
                if names
                else params.components
            )
            for blocks in params.blocks or (min(2, len(domain) - len(names)),)
            if blocks <= len(domain) - len(names)
            for start in range(params.restarts if not names and states > 1 else 1)
        ]

    # -- the run ----------------------------------------------------------------------------------

    def run(self) -> Iterator[LearnEvent]:
        yield from (Note(note) for note in self._rows.notes)
        if self._params.penalty == BIC_H:
            yield Note(
                "bic-h depends on the rows of the states, so the objective of EM may decrease."
            )
        for number, cell in enumerate(self._cells):
            yield from self._candidate(cell, number)
        check = yield from self._validate()
        yield from self._finish(check)

    def _candidate(self, cell: _Cell, number: int) -> Iterator[LearnEvent]:
        """EM from one start, its lengths, and whether it is the best so far."""
        done, rows = number / len(self._cells), self._rows.sparse(cell.separator)
        em = HiddenTreeEm(
            rows,
            cell.states,
            parts=cell.blocks,
            penalty=self._params.penalty,
            edge_penalty=self._params.edge_penalty,
            smoothing=self._params.smoothing,
            cancel=self._cancel,
        )
        message = cell.label(self._params)
        yield Progress(done, f"{message}: starting")
        if cell.separator or cell.states == 1:
            em.start(np.full((rows.row_count, cell.states), 1 / cell.states))
        else:
            em.start_at_random(self._rng)
        steps = yield from self._run_em(em, message, done, number)
        model = self._model_of(cell.separator, rows, em.taken())
        blocks = partition_of(model)
        assert blocks is not None
        candidate = self._measured(cell, em, model, blocks, steps)
        text = f"{len(blocks)} blocks, {candidate.length_bits:.3f} bits per row"
        yield Progress(done, f"{message}: {text}")
        best = self._scan.best
        self._scan = self._scan.with_candidate(candidate)
        yield ArtifactSaved(self._scan)
        value, key = candidate.value(self._score), candidate.structure
        if key not in self._tables or value > self._tables[key][0]:
            self._tables[key] = value, em.taken()
        if best is None or value > best.value(self._score):
            yield ImprovedModel(model, self._measures(candidate))

    def _run_em(
        self, em: HiddenTreeEm, message: str, done: float, number: int
    ) -> Generator[LearnEvent, None, int]:
        params, step = self._params, 0
        is_known = em.count == 1 or bool((em.rows.choice >= 0).all())
        is_settled = is_known and not em.rows.gap_count
        for step, part in converging(em, params.max_iterations, params.tolerance, is_settled):
            if part is not None:
                yield Progress(done, f"{message}: {part}")
            else:
                yield Progress(done, message, self._counters(em, step, number))
        return step

    def _counters(self, em: HiddenTreeEm, step: int, number: int) -> dict[str, float]:
        best, rows = self._scan.best, max(em.rows.total_weight, 1e-300)
        counters = {
            "score": em.last_log_likelihood / math.log(2) / rows,
            "restart": float(number),
            "EM step": float(step),
            "hidden states": float(em.count),
            "blocks": float(int((em.forests[0] < 0).sum())),
            "edges changed": float(em.changed_edges),
            "structures": float(len(self._scan.structures())),
        }
        if best is not None:
            counters["best length"] = best.length_bits
        if em.count > 1:
            counters |= {f"weight {k + 1}": float(w) for k, w in enumerate(em.weights)}
        return counters

    def _measured(
        self, cell: _Cell, em: HiddenTreeEm, model: TreeMixture, blocks: Blocks, steps: int
    ) -> Candidate:
        """The candidate with all its lengths in bits per row."""
        params, data, held = self._params, self._rows.train, self._rows.held
        rows = max(data.total_weight, 1e-300)
        shape = shape_of(model)
        length = empirical_length(
            model,
            data,
            form=params.form,
            fine_bits=params.fine_bits,
            range_bits=params.range_bits,
            cancel=self._cancel,
        )
        exact = length.exact_data_bits
        first, second = (*cell.separator, None, None)[:2]
        return Candidate(
            first,
            cell.states,
            cell.blocks,
            cell.start,
            blocks,
            length.bits / rows,
            (exact + shape.bic_bits(rows)) / rows,
            (exact + shape.bic_h_bits(rows, em.masses)) / rows,
            exact / rows,
            None if held is None else data_bits(model, held) / held.total_weight,
            length.precision.fine,
            length.precision.range,
            shape.free_parameters,
            int((em.masses < EMPTY_ROWS).sum()),
            steps,
            length.gained_by_rounding / rows,
            self._rows.accuracy(model),
            second_separator=second,
        )

    def _model_of(
        self, separator: tuple[str, ...], rows: SparseRows, tables: TreeTables
    ) -> TreeMixture:
        if len(separator) > 1:  # some joint states may be in no row
            masses = tables.weights[None] * rows.total_weight
            tables = replace(tables, weights=smoothed_weights(masses, self._params.smoothing)[0])
        hidden = mixture_of(rows, tables)
        return around_columns(hidden, self._rows.data.domain, separator) if separator else hidden

    def _model(self, candidate: Candidate) -> TreeMixture:
        rows = self._rows.sparse(candidate.columns)
        return self._model_of(candidate.columns, rows, self._tables[candidate.structure][1])

    # -- the test ---------------------------------------------------------------------------------

    def _validate(self) -> Generator[LearnEvent, None, PartitionCheck | None]:
        """The best candidates in turn, until one is accepted; that one is chosen."""
        ranked = self._scan.distinct()
        chosen: int | None = None
        if self._params.validate and self._rows.held is not None:
            for rank, index in enumerate(ranked[: self._params.best], start=1):
                check = yield from self._check(index, rank)
                self._scan = self._scan.with_check(index, check)
                yield ArtifactSaved(self._scan)
                if check.verdict in (ACCEPTED, NOT_TESTED):
                    chosen = index
                    break
            tested = min(len(ranked), self._params.best)
            if chosen is None:
                yield Note(
                    f"None of the {tested} best models was accepted; the best of all was selected. "
                    "True blocks may not be trees."
                )
            elif chosen != ranked[0]:
                yield Note(
                    "The shortest model was not accepted; the next accepted one was selected."
                )
        self._scan = replace(self._scan, chosen=ranked[0] if chosen is None else chosen)
        best = self._scan.best
        assert best is not None
        return best.check

    def _check(self, index: int, rank: int) -> Generator[LearnEvent, None, PartitionCheck]:
        candidate = self._scan.candidates[index]
        what = f"the model ranked {rank}"
        result = yield from self._tested(self._model(candidate), candidate.blocks, what)
        assert result is not None
        return result

    def _tested(
        self, model: TreeMixture, blocks: Blocks, what: str
    ) -> Generator[LearnEvent, None, PartitionCheck | None]:
        """The test of blocks on the held-out rows; None if there is none."""
        params, held, result = self._params, self._rows.held, None
        if held is None or not params.validate:
            return None
        for result in checks(
            model,
            held,
            blocks,
            rng=self._rng,
            delta=params.delta,
            epsilon=params.epsilon,
            test=params.test,
            most_samples=params.most_samples,
            cancel=self._cancel,
        ):
            open_pairs = sum(pair.verdict == "undecided" for pair in result.pairs)
            samples = max((pair.samples for pair in result.pairs), default=0)
            yield Progress(
                None,
                f"Testing the blocks of {what}: {samples} samples, "
                f"{len(result.pairs) - open_pairs} of {len(result.pairs)} pairs decided",
                {"pairs decided": float(len(result.pairs) - open_pairs), "samples": float(samples)},
            )
        return result

    # -- the end ----------------------------------------------------------------------------------

    def _finish(self, check: PartitionCheck | None) -> Iterator[LearnEvent]:
        """The chosen model, its tables fitted to all rows with fixed edges."""
        best = self._scan.best
        assert best is not None
        model = self._model(best)
        divider = yield from self._divide(best, model)
        divided = {} if divider is None else self._divided_measures(divider)
        if self._rows.held is not None:
            tables = self._tables[best.structure][1]
            rows = self._rows.all_sparse(best.columns)
            em = HiddenTreeEm(
                rows,
                best.states,
                smoothing=self._params.smoothing,
                forest=tables.forests[0],
                cancel=self._cancel,
            )
            em.put(tables)
            for _ in range(1 if best.columns else LAST_STEPS):
                for part in em.improving():
                    yield Progress(None, f"fitting the chosen model to all rows: {part}")
                self._cancel.raise_if_cancelled()
            model = self._model_of(best.columns, rows, em.taken())
            if divider is not None:
                top = division_of(model, em.masses)
                yield from divider.refit(top, self._rows.data, LAST_STEPS)
        if divider is not None:
            model = divider.model()
        note = identifiability(model)[1]
        self._scan = replace(self._scan, identifiability=note)
        yield ArtifactSaved(self._scan)
        yield Note(self._partition_note(best))
        yield Note(note)
        if check is not None:
            yield Note(check.summary())
        yield from (Note(warning) for warning in self._warnings(best))
        measures = self._measures(best)
        measures |= divided
        if check is not None:
            measures["pairs_tested"] = float(len(check.pairs))
            measures["pairs_rejected"] = float(len(check.pairs_with("rejected")))
            measures["pairs_undecided"] = float(len(check.pairs_with("undecided")))
        if self._rows.held is not None:
            whole = max(self._rows.data.total_weight, 1e-300)
            measures["log2_likelihood_per_row"] = -data_bits(model, self._rows.data) / whole
        yield Progress(1.0, f"{best.what}, {len(best.blocks)} blocks")
        yield Finished(model, measures)

    def _divide(
        self, best: Candidate, model: TreeMixture
    ) -> Generator[LearnEvent, None, Divider | None]:
        """Blocks with separators of their own; None if no block is divided."""
        if self._params.levels == 1:
            return None
        masses = model.weights * self._rows.train.total_weight
        divider = Divider(
            division_of(model, masses),
            self._rows.data.domain,
            self._rows.train,
            self._rows.held,
            self._params,
            self._score,
            self._rng,
            self._cancel,
            self._tested,
        )
        yield from divider.run(best.value(self._score))
        self._scan = replace(self._scan, divisions=tuple(divider.tried))
        if divider.top.children:
            return divider
        yield Note("No block was divided further.")
        return None

    def _divided_measures(self, divider: Divider) -> dict[str, float]:
        """What differs from those of the candidate; of the rows learned from, as there."""
        kept = [division for division in self._scan.divisions if division.is_kept]
        best, model = self._scan.best, divider.model()
        assert best is not None
        result = {
            "score": best.value(self._score) + sum(division.gained for division in kept),
            "blocks": float(len(partition_of(model) or ())),
            "divided_blocks": float(len(kept)),
            "description_length_per_row": divider.length(divider.top),
        }
        for name, rows in (("", self._rows.train), ("held_out_", self._rows.held)):
            if rows is not None:
                bits = data_bits(model, rows) / max(rows.total_weight, 1e-300)
                result[f"{name}log2_likelihood_per_row"] = -bits
        return result

    def _partition_note(self, best: Candidate) -> str:
        number, times = self._scan.structures()[best.blocks]
        blocks = " | ".join(", ".join(block) for block in best.blocks)
        return (
            f"{best.what}, {len(best.blocks)} blocks (structure {number}, the result of {times} of "
            f"{len(self._scan.candidates)} candidates): {blocks}."
        )

    def _warnings(self, best: Candidate) -> Iterator[str]:
        """Warnings about the chosen model from the lengths of all candidates."""
        by_states: dict[int, float] = {}
        near = set[Blocks]()
        for candidate in self._scan.candidates:
            length = candidate.length_bits
            known = by_states.get(candidate.states, math.inf)
            by_states[candidate.states] = min(length, known)
            if length - best.length_bits < NEAR_BITS:
                near.add(candidate.blocks)
        if len(near) > 1:
            yield f"{len(near)} structures are within {NEAR_BITS} bits per row of the chosen one."
        lengths = [by_states[states] for states in sorted(by_states)]
        if not best.columns and len(lengths) > 2 and all(b < a for a, b in pairwise(lengths)):
            yield (
                "The description length decreases with every further hidden state: true blocks "
                "may not be trees, or more states are needed."
            )
        if best.gained_by_rounding > NEAR_BITS:
            yield "Rounded tables fit the rows better: EM was not at a maximum. Allow more steps."
        if best.empty:
            yield f"{best.empty} of {best.states} states have less than one row."

    def _measures(self, candidate: Candidate) -> dict[str, float]:
        result = {
            "score": candidate.value(self._score),
            "hidden_states": float(candidate.states),
            "blocks": float(len(candidate.blocks)),
            "description_length_per_row": candidate.length_bits,
            "log2_likelihood_per_row": -candidate.train_bits,
        }
        if candidate.held_bits is not None:
            result["held_out_log2_likelihood_per_row"] = -candidate.held_bits
        if candidate.accuracy is not None:
            result["accuracy"] = candidate.accuracy
        return result


def division_of(model: TreeMixture, masses: Floats) -> Division:
    """A model as the division at the top; all its columns are in its trees."""
    even = averaged([model], np.ones(1))  # a choice variable becomes certain in every tree
    return Division(model.weights[None], even.trees, masses.copy(), model.separators)


class HiddenLearner(TreeMixtureLearner[HiddenParams]):
    """Blocks of columns that are independent given a hidden variable (Meilă 1999, ch. 6)."""

    key = "mixture.hidden"
    title = "Hidden variables"
    params_type = HiddenParams
    cost = Cost(5.0, 0.7, 1.5, states=1.0, gaps=1.5, completes=False, compiling=3.5)
    artifacts = (HiddenScan,)
    obeys_knowledge = False

    def events(
        self, data: DataSet, params: HiddenParams, rng: np.random.Generator, cancel: CancelToken
    ) -> Iterator[LearnEvent]:
        yield Progress(0.0, "Merging equal rows")
        yield from HiddenSearch(data, params, rng, cancel).run()
