"""The settings of the learner of decision graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.pdg.learning.forest import BlockRules
from pgmstudio.core.languages.pdg.learning.search import SweepRules
from pgmstudio.core.learning.artifacts import criterion_param, held_out_param
from pgmstudio.core.learning.params import knowledge_param, smoothing_param
from pgmstudio.core.params import param

SIZE_EFF, SIZE_PAR = "size_eff", "size_par"
EXACT, PRINTED = "exact", "printed"
TESTS, GAINS, BOTH = "tests", "gains", "both"
WAYS = {BOTH: (GAINS, TESTS), TESTS: (TESTS,), GAINS: (GAINS,)}


def lambdas_param() -> Any:
    """The λ that give a model each."""
    return param(
        None,
        title="λ list",
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        none_label="20 values",
        help="Weights of the size in the score, one model each; larger values give smaller graphs."
        " Default: 20 values, λ/(1−λ) from 0.05 to 5·log2 N.",
    )


def size_param() -> Any:
    """Which size the score weighs."""
    return param(
        SIZE_EFF,
        title="Size in the score",
        choices=(SIZE_EFF, SIZE_PAR),
        help="size_eff counts the parameters of a node once for each variable below; size_par "
        "counts them once.",
    )


def levels_param(without: str) -> Any:
    """At which levels forests grow by tests: one declaration for learner and experiment."""
    return param(
        None,
        title="Significance levels",
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        none_label=without,
        help="Significance levels of the tests, one forest each, in turn; larger levels give fewer"
        " and deeper trees.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PdgParams:
    """The settings of the learner of decision graphs."""

    lambdas: tuple[float, ...] | None = lambdas_param()
    population: int = param(
        30,
        title="Forests",
        low=1,
        high=500,
        help="Number of forests of variables to try; poor ones are removed on the way.",
    )
    grow_by: str = param(
        BOTH,
        title="Forest method",
        choices=tuple(WAYS),
        help="tests: χ² tests join and separate the variables, as published. gains: each variable "
        "is placed below the most informative one. both: alternate.",
    )
    evolve: bool = param(
        True,
        title="Modify the best forests",
        help="Also try modified copies of the best forests for every λ: a variable moved, or two "
        "exchanged. no: the population as published.",
    )
    levels: tuple[float, ...] | None = levels_param("from 10⁻⁶ to 0.2")
    forest: str | None = param(
        None,
        title="Fixed forest",
        none_label="learned",
        help="A given forest, such as A->B->C, A->D, or chain for the order of the columns. "
        "Default: forests are learned.",
    )
    criterion: str = criterion_param(
        " Held-out rows choose the smallest graph within one standard error of the best."
    )
    held_out: float = held_out_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    size: str = size_param()
    reuse: bool = param(
        True,
        title="Re-use models of smaller λ",
        help="Also try the model of the next smaller λ, merged for this λ, and use the better one."
        " This finds dependences such as parity that are visible only several variables deep.",
    )
    deepen: bool = param(
        True,
        title="Deepen splits when stuck",
        help="After a sweep without improvement, add a traversal of splits before the merges. no: "
        "the schedule as published.",
    )
    split_sweeps: int = param(
        1,
        title="Split sweeps per merge",
        low=1,
        high=10,
        help="Traversals of splits before each merge.",
        advanced=True,
    )
    split: bool = param(True, title="Split", help="Allow splits of nodes.", advanced=True)
    merge: bool = param(True, title="Merge", help="Allow merges of nodes.", advanced=True)
    redirect: bool = param(
        True,
        title="Redirect",
        help="Allow redirection of edges to nodes that fit better.",
        advanced=True,
    )
    redirect_every: int = param(
        3,
        title="Redirect every … sweeps",
        low=1,
        help="Interval of redirection, which reads the rows; the last sweep always includes it.",
        advanced=True,
    )
    patience: int = param(
        5,
        title="Patience",
        low=1,
        help="A search ends after this many sweeps without a better graph.",
        advanced=True,
    )
    max_sweeps: int = param(
        200,
        title="Maximum sweeps",
        low=1,
        help="Maximum number of sweeps per search.",
        advanced=True,
    )
    merge_rule: str = param(
        EXACT,
        title="Merge rule",
        choices=(EXACT, PRINTED),
        help="exact: merge if the score rises. printed: the rule printed in the thesis, without "
        "the number of rows.",
        advanced=True,
    )
    prune_percent: float = param(
        25.0,
        title="Forests removed per λ, %",
        low=0,
        high=90,
        help="Percentage of the forests, those with the lowest scores, removed after each λ; 5 "
        "stay.",
        advanced=True,
    )
    forest_lambda: float | None = param(
        None,
        title="λ for growing forests",
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        none_label="the largest",
        help="Weight of the size in the graphs that are used for growing a forest.",
        advanced=True,
    )
    min_rows: float = param(
        5.0,
        title="Rows per parameter in tests",
        low=1,
        help="With fewer rows per parameter a test is not made, and the two are taken as "
        "independent.",
        advanced=True,
    )
    df_correction: bool = param(
        True,
        title="Degrees of freedom without empty cells",
        help="Subtract one degree of freedom for every empty cell.",
        advanced=True,
    )
    knowledge: Knowledge | None = knowledge_param(
        "a decision graph has edges between nodes, not between columns; the model is only checked."
    )

    def sweep_rules(self) -> SweepRules:
        return SweepRules(
            split=self.split,
            merge=self.merge,
            redirect=self.redirect,
            redirect_every=self.redirect_every,
            splits_per_merge=self.split_sweeps,
            deepen=self.deepen,
            patience=self.patience,
            max_sweeps=self.max_sweeps,
            merge_as_printed=self.merge_rule == PRINTED,
        )

    def test_rules(self) -> BlockRules:
        return BlockRules(self.min_rows, self.df_correction)
