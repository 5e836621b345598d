"""The rows of a search for hidden variables: to learn from, to test on, and their labels."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.editing import weights_of
from pgmstudio.core.data.resampling import canonical, case_total, hold_out
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
        data = canonical(data, cancel)  # the same rows start alike however they are written
        self.data, self.train = data, data
        self.held: DataSet | None = None
        self.notes: list[str] = []
        if params.validate or params.score == HELD_OUT:
            self._split(params.held_out, rng)
        self._known: tuple[str | None, SparseRows] | None = None

    def _split(self, fraction: float, rng: np.random.Generator) -> None:
        count = int(case_total(self.data) * fraction)
        if count < LEAST_HELD_ROWS:
            self.notes.append(
                f"{count} held-out rows are too few to test blocks on: they stay untested."
            )
            return
        self.train, self.held = hold_out(self.data, fraction, rng)

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
        weights = weights_of(self._labelled)[known]
        return label_accuracy(labels[known].astype(np.intp), found[known], weights)
