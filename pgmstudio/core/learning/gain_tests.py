"""Tests of conditional independence by a gain in bits that may be at most ε."""

from __future__ import annotations

from dataclasses import dataclass

from pgmstudio.core.params import param
from pgmstudio.core.scores.association_measures import AGGREGATIONS
from pgmstudio.core.scores.independence import NO_DISTRIBUTION, Outcome

ASSUMPTIONS = (
    "The graph is right if it is a perfect map of the data (faithfulness) and every test is."
)
_ROUNDING = 1e-12


# Not slotted, so that they mix with the parameters of every setting.
@dataclass(frozen=True, kw_only=True)
class GainTestParams:
    """The settings of a search by tests."""

    epsilon: float = param(
        0.0,
        title="ε (bits)",
        low=0,
        high=5,
        help="A pair counts as independent if the gain is at most this. 0 is the exact test.",
    )
    aggregation: str = param(
        "mean",
        title="Aggregation",
        choices=AGGREGATIONS,
        help="The gain given a condition: the mean over its states that occur, the mean weighted "
        "by their tuples, or the largest.",
    )
    max_condition: int | None = param(
        3,
        title="Maximum condition",
        low=0,
        none_label="no limit",
        help="Maximum number of variables in a condition.",
    )


def gain_outcome(gain: float, epsilon: float) -> Outcome:
    """The result of a test of a gain in bits, which has no p-value."""
    is_independent = gain <= epsilon + _ROUNDING
    p_value = float(is_independent)
    return Outcome(gain, NO_DISTRIBUTION, p_value, gain, is_independent, reliable=True)
