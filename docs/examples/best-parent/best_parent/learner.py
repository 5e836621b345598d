"""Each column takes the best parent among the columns before it.

For columns X_1, …, X_n in the order of the data, the parent of X_i is the X_j with j < i that has
the largest mutual information I(X_i; X_j), if that is at least a threshold in bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.counting import pair_counts
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.languages.bayesian_network.learning.parameter_fitting import fit_tables
from pgmstudio.core.learning.base import Finished, LearnEvent
from pgmstudio.core.params import param
from pgmstudio.core.scores.mutual_information import mutual_information_nats


@dataclass(frozen=True, slots=True, kw_only=True)
class BestParentParams:
    """The form of the window and the options of the command line are made from these fields."""

    min_information: float = param(
        0.01,
        title="Minimum information",
        low=0,
        help="Mutual information in bits below which a column gets no parent.",
    )
    smoothing: float = param(
        1.0,
        title="Smoothing",
        low=0,
        help="Pseudo-count added to every cell of a table; 0 is maximum likelihood.",
    )


class BestParentLearner:
    """A forest in which every edge follows the order of the columns."""

    key = "example.best-parent"
    title = "Best parent (example)"
    kind = "bayesian-network"
    params_type = BestParentParams

    def refuses(self, data: DataSet) -> str | None:
        """Why the data cannot be used, or None; shown at the disabled Start button."""
        return None if data.row_count else "The data have no rows. Import some."

    def on_missing(self, data: DataSet) -> str:
        """How missing cells are treated; shown before the run starts."""
        return "Each count uses the rows that have its cells."

    def run(
        self,
        data: DataSet,
        params: BestParentParams,
        *,
        rng: np.random.Generator,
        cancel: CancelToken,
    ) -> Iterator[LearnEvent]:
        """Yield progress, and one Finished event with the model and its measures at the end."""
        yield Progress(0.0, "Counting pairs of columns")
        information = mutual_information_nats(pair_counts(data, cancel), cancel) / math.log(2)
        parents: list[tuple[int, ...]] = []
        for child in range(len(data.domain)):
            cancel.raise_if_cancelled()
            earlier = information[child, :child]
            is_found = child > 0 and earlier.max() >= params.min_information
            parents.append((int(earlier.argmax()),) if is_found else ())
            yield Progress((child + 1) / len(data.domain), "Choosing parents")
        dag = Dag(data.domain.names, tuple(parents))
        fitted = fit_tables(data, dag, params.smoothing, rng=rng, cancel=cancel)
        edges = sum(len(found) for found in parents)
        yield Finished(
            fitted.network,
            {"edges": float(edges), "log2_likelihood": fitted.log2_likelihood},
        )
