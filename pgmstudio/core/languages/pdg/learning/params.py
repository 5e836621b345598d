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
        help="Weights of the size in the score, each of which gives a model; larger gives smaller "
        "graphs. Without a list 20 values, λ/(1−λ) from 0.05 to 5·log2 of the rows.",
    )


def size_param() -> Any:
    """Which size the score weighs."""
    return param(
        SIZE_EFF,
        title="Size in the score",
        choices=(SIZE_EFF, SIZE_PAR),
        help="size_eff counts the numbers of a node once for each variable below; size_par counts "
        "them once.",
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
        help="One forest for each level of the tests, in turn; larger levels give fewer and deeper "
        "trees.",
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
        help="How many forests of variables are tried; the poor ones are left out on the way.",
    )
    grow_by: str = param(
        BOTH,
        title="Forests grow by",
        choices=tuple(WAYS),
        help="tests is as printed: χ² tests join and part the variables. gains puts each variable "
        "below the one that tells most about it. both takes them in turn.",
    )
    evolve: bool = param(
        True,
        title="Change the best forests",
        help="For every λ a few changed copies of the best forests are tried as well: a variable "
        "elsewhere, or two exchanged. No is the population as printed.",
    )
    levels: tuple[float, ...] | None = levels_param("from 10⁻⁶ to 0.2")
    forest: str | None = param(
        None,
        title="Fixed forest",
        none_label="learned",
        help="What stands below what, such as A->B->C, A->D; or chain for the order of the "
        "columns. Without it forests are learned by tests.",
    )
    criterion: str = criterion_param()
    held_out: float = held_out_param()
    smoothing: float | Literal["auto"] = smoothing_param()
    size: str = size_param()
    reuse: bool = param(
        True,
        title="Re-use models of smaller λ",
        help="Also try the model of the next smaller λ, merged for this λ, and keep the better. It "
        "finds what shows only several variables deep, such as parity.",
    )
    deepen: bool = param(
        True,
        title="Split deeper when stuck",
        help="After a sweep without a better graph, one more traversal of splits comes before the "
        "merges; no is the schedule as printed.",
    )
    split_sweeps: int = param(
        1,
        title="Split sweeps per merge",
        low=1,
        high=10,
        help="Traversals of splits before each merge.",
        advanced=True,
    )
    split: bool = param(True, title="Split", help="Nodes are split.", advanced=True)
    merge: bool = param(True, title="Merge", help="Nodes are merged.", advanced=True)
    redirect: bool = param(
        True, title="Redirect", help="Edges are led to nodes that fit better.", advanced=True
    )
    redirect_every: int = param(
        3,
        title="Redirect every … sweeps",
        low=1,
        help="Redirecting reads the rows, so it is done less often; the last sweep always has it.",
        advanced=True,
    )
    patience: int = param(
        5,
        title="Patience",
        low=1,
        help="A search ends after so many sweeps without a better graph.",
        advanced=True,
    )
    max_sweeps: int = param(
        200, title="Most sweeps", low=1, help="Sweeps of one search.", advanced=True
    )
    merge_rule: str = param(
        EXACT,
        title="Merge rule",
        choices=(EXACT, PRINTED),
        help="exact merges when the score rises; printed is the listing of the thesis, without "
        "the number of rows.",
        advanced=True,
    )
    prune_percent: float = param(
        25.0,
        title="Forests left out per λ, %",
        low=0,
        high=90,
        help="The share of the forests with the lowest scores that goes after each λ; 5 stay.",
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
        help="The weight of the size in the small graphs by which a forest grows.",
        advanced=True,
    )
    min_rows: float = param(
        5.0,
        title="Rows per parameter in tests",
        low=1,
        help="With fewer rows a test is not made, and the two count as independent.",
        advanced=True,
    )
    df_correction: bool = param(
        True,
        title="Degrees of freedom without empty cells",
        help="Every empty cell of a test takes one degree of freedom away.",
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
