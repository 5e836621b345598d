"""The rows that a mixture of trees learns from, and those it holds out to choose by."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import canonical, case_total, hold_out
from pgmstudio.core.learning.latent_classes import LEAST_HELD_ROWS
from pgmstudio.core.learning.mixture_params import MixtureParams
from pgmstudio.core.learning.mixture_rows import SparseRows, listing_cells
from pgmstudio.core.learning.search_value import retold
from pgmstudio.core.running import CancelToken, Progress

# So much of a run is done when its rows are ready.
PREPARED = 0.02


@dataclass(frozen=True, eq=False)
class SplitRows:
    """Distinct rows, as data and as lists; `note` is a sentence where the criterion changed."""

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
    """With `held`, these rows choose, and all of `data` is learned from; tells what it does."""
    criterion, note, is_refitting = params.criterion, "", False
    yield Progress(0.0, "Merging equal rows")
    data = canonical(data, cancel)  # the same rows start alike however they are written
    if criterion == "held-out" and held is None:
        count = int(case_total(data) * params.held_out)
        if count < LEAST_HELD_ROWS:
            criterion = "bic"
            note = f"{count} held-out rows are too few to compare models, so BIC chooses."
        else:
            yield Progress(0.0, "Holding out rows")
            data, held = hold_out(data, params.held_out, rng)
            is_refitting = True
    cancel.raise_if_cancelled()
    words = "Listing the cells of the rows"
    train = yield from _told(listing_cells(data, None, params.choice, cancel), words, 0.0)
    kept = None
    if held is not None and criterion == "held-out":
        yield Progress(0.5 * PREPARED, "Merging equal held-out rows")
        held, words = held.merged(cancel), "Listing the cells of the held-out rows"
        listing = listing_cells(held, train, params.choice, cancel)
        kept = yield from _told(listing, words, 0.5 * PREPARED)
    return SplitRows(data, train, kept, criterion, is_refitting, note)


def _told(
    listing: Generator[float, None, SparseRows], words: str, begin: float
) -> Generator[Progress, None, SparseRows]:
    """The rows that are listed, while half of the preparation passes from `begin` on."""

    def told(share: float) -> Progress:
        return Progress(begin + 0.5 * PREPARED * share, f"{words}: {share:.0%}")

    return (yield from retold(listing, told))
