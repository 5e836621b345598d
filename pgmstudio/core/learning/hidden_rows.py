"""The rows of a search for hidden variables: to learn from, to test on, and their labels."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.learning.hidden_params import HELD_OUT, HiddenParams
from pgmstudio.core.learning.hidden_scan import label_accuracy
from pgmstudio.core.learning.latent_classes import LEAST_HELD_ROWS
from pgmstudio.core.learning.mixture_rows import SparseRows, joined, sparse_rows
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.core.running import CancelToken


class HiddenRows:
    """`data` are all rows without the label column, `held` the rows for the test, if any."""

    def __init__(
        self, data: DataSet, params: HiddenParams, rng: np.random.Generator, cancel: CancelToken
    ) -> None:
        self._cancel, self._label, self._labelled = cancel, params.label, data
        if params.label is not None:
            if params.label not in data.domain:
                raise ParameterError({"label": f"{params.label!r} is not a column"})
            data = data.of_columns([name for name in data.domain.names if name != params.label])
        self.data, self.train = data, data
        self.held: DataSet | None = None
        self.notes: list[str] = []
        if params.validate or params.score == HELD_OUT:
            self._split(int(data.row_count * params.held_out), rng)
        self.train = self.train.merged()
        self._known: tuple[str | None, SparseRows] | None = None

    def _split(self, count: int, rng: np.random.Generator) -> None:
        if count < LEAST_HELD_ROWS:
            self.notes.append(
                f"{count} held-out rows are too few to test blocks on: they stay untested."
            )
            return
        order = rng.permutation(self.data.row_count)
        self.held = self.data.of_rows(np.sort(order[:count]))
        self.train = self.data.of_rows(np.sort(order[count:]))

    def sparse(self, separator: str | None) -> SparseRows:
        """The rows learned from; with a separator, its column tells the component of a row."""
        if self._known is None or self._known[0] != separator:
            made = sparse_rows(self.train, None, separator, is_merged=True, cancel=self._cancel)
            self._known = separator, made
        return self._known[1]

    def all_sparse(self, separator: str | None) -> SparseRows:
        """Those and the rows of the test."""
        rows = self.sparse(separator)
        if self.held is None:
            return rows
        return joined(rows, sparse_rows(self.held, rows, separator, cancel=self._cancel))

    def accuracy(self, model: TreeMixture) -> float | None:
        """How well the component agrees with the label column; None without one."""
        if self._label is None:
            return None
        labels = self._labelled.column(self._label)
        known = labels != self._labelled.missing_code
        rows = self._labelled.of_columns(model.domain.names)
        found = model.responsibilities(rows).argmax(axis=1)
        return label_accuracy(labels[known].astype(np.intp), found[known])
