"""The settings of the latent-class learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.model_scan import criterion_param, held_out_param
from pgmstudio.core.learning.network_params import knowledge_param
from pgmstudio.core.params import param


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentParams:
    """The settings of the latent-class learner."""

    components: tuple[int, ...] | None = param(
        None,
        title="Classes",
        low=1,
        none_label="as many as pay",
        help="How many hidden classes; a list is scanned and the best is kept. Without it classes "
        "are added, pruned and split until held-out rows no longer gain.",
    )
    criterion: str = criterion_param()
    held_out: float = held_out_param()
    restarts: int = param(
        3,
        title="Starts",
        low=1,
        high=100,
        help="EM runs for each number of classes of a list, the likeliest kept; growing uses one.",
    )
    smoothing: float | Literal["auto"] = param(
        "auto",
        title="Smoothing α",
        low=0,
        help="Pseudo-count added to every cell of a table in EM; 0 is maximum likelihood, auto is "
        "one row spread over all states of a column.",
    )
    max_iterations: int = param(
        100, title="Most EM steps", low=1, help="EM steps for each model.", advanced=True
    )
    tolerance: float = param(
        1e-5,
        title="Tolerance",
        low=0,
        low_open=True,
        help="EM ends when a step gains less than this share of the log-likelihood.",
        advanced=True,
    )
    growth: float = param(
        0.25,
        title="Growth",
        low=0,
        low_open=True,
        help="Classes added in a round, as a share of those there are; at least one.",
        advanced=True,
    )
    prune_below: float = param(
        1000.0,
        title="Prune below 1 in",
        low=1,
        low_open=True,
        help="A class with at most this small a share of the rows is left out after EM.",
        advanced=True,
    )
    split_above: float = param(
        0.9,
        title="Split above",
        low=0.5,
        high=1,
        low_open=True,
        help="A class with at least this share of the rows is split in two.",
        advanced=True,
    )
    merge_duplicates: bool = param(
        False,
        title="Merge equal classes",
        help="Classes with the same tables become one after EM.",
        advanced=True,
    )
    patience: int = param(
        3,
        title="Patience",
        low=1,
        help="Growing ends after so many rounds without a better model.",
        advanced=True,
    )
    most_models: int = param(
        60, title="Most models", low=1, help="Growing ends after so many rounds.", advanced=True
    )
    knowledge: Knowledge | None = knowledge_param(
        "only the class has edges, to every column; the model is only checked."
    )
