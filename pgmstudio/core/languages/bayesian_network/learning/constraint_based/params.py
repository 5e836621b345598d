"""Parameters common to all learners by independence tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.learning.params import knowledge_param, missing_param, smoothing_param
from pgmstudio.core.params import param
from pgmstudio.core.scores.independence import TEST_HELP, TESTS, IndependenceRule


@dataclass(frozen=True, slots=True, kw_only=True)
class TestParams:
    """Parameters of the test, and background knowledge."""

    __test__ = False  # nothing for pytest to collect

    test: str = param("g2", title="Test", choices=TESTS, help=TEST_HELP)
    alpha: float = param(
        0.05,
        title="Significance α",
        low=0,
        low_open=True,
        high=1,
        high_open=True,
        help="For g2 and chi2: two columns are independent if the p-value is larger. A smaller α "
        "keeps fewer edges.",
    )
    epsilon: float = param(
        0.01,
        title="Threshold ε",
        low=0,
        high=5,
        help="For info_gain: two columns are independent up to this many bits.",
    )
    smoothing: float | Literal["auto"] = smoothing_param()
    missing: str = missing_param()
    knowledge: Knowledge | None = knowledge_param()
    adjusted: bool = param(
        True,
        title="Count occurring states only",
        help="Count degrees of freedom by the states that occur in each slice of the table. "
        "Otherwise all states count, which keeps fewer edges.",
        advanced=True,
    )

    def rule(self) -> IndependenceRule:
        """The test these settings describe."""
        return IndependenceRule(
            test=self.test, alpha=self.alpha, epsilon=self.epsilon, adjusted=self.adjusted
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParams(TestParams):
    """Parameters of a search that conditions on sets of columns."""

    max_condition: int | None = param(
        3,
        title="Maximum condition size",
        low=0,
        none_label="no limit",
        help="Maximum size of the conditioning set; large sets are slow and need many rows.",
    )
    choose: str | None = param(
        None,
        title="Decisions",
        none_label="by strength",
        help="Decisions where tests leave a choice, separated by commas: A - B keeps an uncertain "
        "edge, not A - B removes it, A -> B directs an undirected one.",
        advanced=True,
    )
