"""The search for separators within blocks (Meilă 1999, §6.2: "one can proceed recursively").

A block A_j is learned from its columns and the components it depends on, A_j ∪ S, in the rows that
the model completes: every row stands once for each component, weighted by its responsibility. Then
the likelihood of the whole model grows at least as much as that of the block (a step of generalised
EM), and the description lengths of models with and without the division can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet, code_dtype
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.languages.latent_class.model import free_name
from pgmstudio.core.languages.tree_mixture.description_length import data_bits, empirical_length
from pgmstudio.core.languages.tree_mixture.learning.em import mixture_of
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.em import (
    Forest,
    HiddenTreeEm,
    converging,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.nested import (
    Combined,
    Division,
    Path,
    combined,
    part_of_tree,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.params import (
    HELD_OUT,
    HiddenParams,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.separators import (
    joint_codes,
    smoothed_weights,
    visible_separators,
    with_certain_columns,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import DividedBlock
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import (
    ACCEPTED,
    NOT_TESTED,
    PartitionCheck,
)
from pgmstudio.core.languages.tree_mixture.model import Blocks, TreeMixture
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.learning.sparse_rows import sparse_rows

# Blocks of fewer columns are not divided: two columns need no more than an edge.
MIN_COLUMNS = 3
# Trees of the mixture that combines all components of all blocks.
MAX_TREES = 500
# Weights of completed rows below this are left out.
_NO_ROWS = 1e-9

Check = Callable[[TreeMixture, Blocks, str], Generator[LearnEvent, None, PartitionCheck | None]]


class BlockEm(HiddenTreeEm):
    """EM for the trees of a block in every context; some columns stand apart, without edges."""

    apart: tuple[int, ...] = ()

    def edge_costs(self) -> Floats:
        costs = super().edge_costs()
        for column in self.apart:
            costs[column, :] = costs[:, column] = math.inf
        return costs


@dataclass(frozen=True, eq=False)
class CompletedRows:
    """The rows of a block, once for every context with a responsibility for them."""

    data: DataSet  # the columns of the block, then the context
    contexts: int

    @classmethod
    def of(cls, data: DataSet, responsibilities: Floats) -> CompletedRows:
        """`responsibilities` is rows × contexts."""
        rows, contexts = responsibilities.shape
        names = tuple(str(k) for k in range(contexts))
        context = Variable(free_name(data.domain, "context"), names)
        domain = Domain((*data.domain.variables, context))
        dtype = code_dtype(domain)
        missing = np.iinfo(dtype).max
        own = np.where(data.codes == data.missing_code, missing, data.codes).astype(dtype)
        weights = (data.row_weights[:, None] * responsibilities).T.ravel()
        which = np.repeat(np.arange(contexts), rows).astype(dtype)
        codes = np.concatenate([np.tile(own, (1, contexts)), which[None]])
        some = weights > _NO_ROWS
        return cls(DataSet(domain, codes[:, some], weights[some]).merged(), contexts)

    @property
    def names(self) -> tuple[str, ...]:
        return self.data.domain.names[:-1]


class Divider:
    """Divides the blocks of a model while that makes it better; `top` is the result."""

    def __init__(
        self,
        top: Division,
        domain: Domain,
        data: DataSet,
        held: DataSet | None,
        params: HiddenParams,
        score: str,
        rng: np.random.Generator,
        cancel: CancelToken,
        check: Check,
    ) -> None:
        self.top = top
        self.tried: list[DividedBlock] = []
        self._domain, self._data, self._held = domain, data.select_columns(domain.names), held
        self._params, self._score, self._rng, self._cancel = params, score, rng, cancel
        self._check, self._is_visible = check, bool(top.separator)

    # -- the search -------------------------------------------------------------------------------

    def run(self, value: float) -> Iterator[LearnEvent]:
        """`value` is the score of the model as it is, higher is better."""
        paths: list[Path] = [()]
        for _ in range(1, self._params.levels):
            below: list[Path] = []
            for path in paths:
                for block in self.top.at(path).blocks:
                    if len(block) < MIN_COLUMNS:
                        continue
                    better = yield from self._divide(path, block, value)
                    if better is not None:
                        value = better
                        below.append((*path, len(self.top.at(path).children) - 1))
            paths = below

    def _divide(
        self, path: Path, block: tuple[str, ...], value: float
    ) -> Generator[LearnEvent, None, float | None]:
        """The score with the block divided; None if it stays whole."""
        found: dict[tuple[tuple[str, ...], int, Blocks], tuple[float, Division]] = {}
        rows = self._completed(path, block, self._data)
        number = 0
        for separator, states, parts in self._cells(rows):
            for start in range(self._params.restarts if not separator else 1):
                number += 1
                what = " and ".join(separator) or f"{states} hidden states, start {start + 1}"
                message = f"Dividing the block {', '.join(block)}: {what}"
                yield Progress(None, message)
                division = yield from self._learned(rows, separator, states, parts, message)
                whole = self.top.with_child(path, division)
                if not is_division(division) or whole.tree_count() > MAX_TREES:
                    continue
                key = separator, states, division.blocks
                its = self._value(whole)
                if key not in found or its > found[key][0]:
                    found[key] = its, division
        ranked = sorted(found.values(), key=lambda pair: -pair[0])
        for its, division in ranked[: self._params.best]:
            is_better = its > value
            check = None
            if is_better:
                check = yield from self._check(
                    self._alone(path, division), division.blocks, f"the block {', '.join(block)}"
                )
            is_kept = is_better and (check is None or check.verdict in (ACCEPTED, NOT_TESTED))
            self.tried.append(
                DividedBlock(
                    block,
                    division.separator,
                    division.weights.shape[1],
                    division.blocks,
                    its - value,
                    is_kept,
                    check,
                )
            )
            yield Note(self.tried[-1].text())
            if is_kept:
                self.top = self.top.with_child(path, division)
                return its
            if not is_better:
                break
        return None

    def _cells(self, rows: CompletedRows) -> Iterator[tuple[tuple[str, ...], int, int]]:
        """Separators, their states and numbers of blocks within a block."""
        params, columns = self._params, rows.data.domain.variables[:-1]
        if not self._is_visible:
            for states in params.components:
                for parts in params.blocks or (2,):
                    if states > 1 and 2 <= parts <= len(columns):
                        yield (), states, parts
            return
        for names in visible_separators(columns, params.separator_columns):
            is_known = all((rows.data.column(n) != rows.data.missing_code).all() for n in names)
            if is_known and len(columns) - len(names) > 1:
                yield names, math.prod(rows.data.domain[name].cardinality for name in names), 2

    def _learned(
        self,
        rows: CompletedRows,
        separator: tuple[str, ...],
        states: int,
        parts: int,
        message: str,
    ) -> Generator[LearnEvent, None, Division]:
        """EM from a random start, or from the states of columns."""
        params = self._params
        em = self._em(rows, separator, states, parts)

        def start(data: DataSet) -> Floats:
            if not separator:
                return self._rng.dirichlet(np.full(states, 0.1), data.row_count)
            return np.eye(states)[joint_codes(data, separator)]

        em.start(within_contexts(rows, em, start, states))
        is_settled = bool(separator) and not em.rows.gap_count
        for step, _ in converging(em, params.max_iterations, params.tolerance, is_settled):
            yield Progress(None, message, {"EM step": float(step)})
        return self._division(rows, em, separator, states)

    def _em(
        self,
        rows: CompletedRows,
        separator: tuple[str, ...],
        states: int,
        parts: int = 1,
        forest: Forest | None = None,
    ) -> BlockEm:
        domain, params = rows.data.domain, self._params
        em = BlockEm(
            sparse_rows(rows.data, is_merged=True, cancel=self._cancel),
            rows.contexts * states,
            parts=parts + 1 + len(separator),
            penalty=params.penalty,
            edge_penalty=params.edge_penalty,
            smoothing=0.0,  # contexts stay apart; tables are smoothed at the end
            forest=forest,
            cancel=self._cancel,
        )
        em.apart = (len(domain) - 1, *(domain.index(name) for name in separator))
        return em

    def _division(
        self, rows: CompletedRows, em: BlockEm, separator: tuple[str, ...], states: int
    ) -> Division:
        """What EM has found, with smoothed tables."""
        masses = em.masses.copy()
        if self._params.smoothing > 0:
            for _ in em.smoothing(self._params.smoothing):
                pass
        trees = [part_of_tree(tree, rows.names) for tree in mixture_of(em.rows, em.taken()).trees]
        weights = smoothed_weights(masses.reshape(rows.contexts, states), self._params.smoothing)
        return Division(weights, with_certain_columns(trees, separator), masses, separator)

    # -- models -----------------------------------------------------------------------------------

    def model(self) -> TreeMixture:
        return combined(self.top, self._domain).model

    def _posterior(self, whole: Combined, path: Path, data: DataSet) -> Floats:
        """Responsibilities of the components of a division, rows × components."""
        count = self.top.at(path).weights.size
        return whole.posterior(path, count, whole.model.responsibilities(data))

    def _completed(self, path: Path, block: tuple[str, ...], data: DataSet) -> CompletedRows:
        whole = combined(self.top, self._domain)
        given = self._posterior(whole, path, data)
        return CompletedRows.of(data.select_columns(block), given)

    def _alone(self, path: Path, division: Division) -> TreeMixture:
        """The marginal of the model on the columns of a division."""
        whole = combined(self.top, self._domain)
        contexts = np.bincount(
            whole.components[path],
            weights=whole.model.weights,
            minlength=division.weights.shape[0],
        )
        weights = (contexts[:, None] * division.weights).ravel()
        return TreeMixture(division.trees[0].domain, weights / weights.sum(), division.trees)

    def _value(self, whole: Division) -> float:
        """The score of a model, higher is better; in bits per row."""
        data, shape = self._data, whole.shape()
        model, rows = combined(whole, self._domain).model, max(data.total_weight, 1e-300)
        if self._score == HELD_OUT and self._held is not None:
            return -data_bits(model, self._held) / self._held.total_weight
        if self._score == "bic":
            return -(data_bits(model, data) + shape.bic_bits(rows)) / rows
        if self._score == "bic-h":
            return -(data_bits(model, data) + shape.bic_h_bits(rows)) / rows
        return -self.length(whole)

    def length(self, whole: Division) -> float:
        """DL^emp in bits per row."""
        params, data = self._params, self._data
        length = empirical_length(
            combined(whole, self._domain).model,
            data,
            shape=whole.shape(),
            form=params.form,
            fine_bits=params.fine_bits,
            range_bits=params.range_bits,
            cancel=self._cancel,
        )
        return length.bits / max(data.total_weight, 1e-300)

    # -- the end ----------------------------------------------------------------------------------

    def refit(self, top: Division, data: DataSet, steps: int) -> Iterator[LearnEvent]:
        """The tables of all divisions fitted to these rows with fixed edges, `top` already is."""
        data = data.select_columns(self._domain.names)
        self.top = replace(top, children=self.top.children)
        for path in list(self.top.paths())[1:]:
            yield Progress(None, "fitting the divided blocks to all rows")
            old = self.top.at(path)
            rows, states = self._completed(path[:-1], old.names, data), old.weights.shape[1]
            above = (-1 if parent is None else parent for parent in old.trees[0].parents)
            forest = np.array([*above, -1], dtype=np.int64)
            em = self._em(rows, old.separator, states, forest=forest)
            em.start(within_contexts(rows, em, posterior_of(old), states))
            for _ in range(1 if old.separator else steps):
                em.improve()
                self._cancel.raise_if_cancelled()
            fitted = replace(self._division(rows, em, old.separator, states), children=old.children)
            self.top = self.top.with_division(path, fitted)


def is_division(division: Division) -> bool:
    """Whether there are several parts, other than the leaves of a column, which a tree has too."""
    blocks = division.blocks
    is_star = len(division.separator) == 1 and all(len(block) == 1 for block in blocks)
    return len(blocks) > 1 and not is_star


def posterior_of(division: Division) -> Callable[[DataSet], Floats]:
    """P(state | context, cells of the block) of completed rows, whose last column is the
    context."""

    def states_of(data: DataSet) -> Floats:
        size = len(division.trees)
        even = TreeMixture(division.trees[0].domain, np.full(size, 1 / size), division.trees)
        with np.errstate(divide="ignore"):
            logs = even.component_log2_likelihoods(data.select_columns(division.names))
            logs += np.log2(division.weights.ravel())[:, None]
        states, rows = division.weights.shape[1], np.arange(data.row_count)
        first = data.codes[-1].astype(np.int64) * states
        mine = np.stack([logs[first + state, rows] for state in range(states)], axis=1)
        top = mine.max(axis=1, keepdims=True)
        is_possible = np.isfinite(top)
        shares = np.where(is_possible, np.exp2(mine - np.where(is_possible, top, 0.0)), 1.0)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    return states_of


def within_contexts(
    rows: CompletedRows, em: BlockEm, states_of: Callable[[DataSet], Floats], states: int
) -> Floats:
    """First responsibilities of the components of every context for the rows of EM."""
    data = em.rows.data_of(0, em.rows.row_count)
    given = states_of(data)
    first = data.codes[-1].astype(np.int64) * states
    result = np.zeros((data.row_count, rows.contexts * states))
    for state in range(states):
        result[np.arange(data.row_count), first + state] = given[:, state]
    return result
