"""A request for a learning run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Learner, parameters, seed and data of a run: enough to repeat it."""

    title: str
    learner_key: str
    params: Any
    seed: int
    data_id: str
    split_part: str | None = None  # "train" when the data set has a split
    cluster: str = ""  # the scheduler whose workers read a table that stays in its file
    reproduces: str | None = None  # the id of the recorded run that this one repeats
