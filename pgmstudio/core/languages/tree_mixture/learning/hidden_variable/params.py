"""The settings of the search for hidden variables."""

from __future__ import annotations

from dataclasses import dataclass

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.tree_mixture.description_length import (
    CORRECTED,
    FINE_BITS,
    FORMS,
    RANGE_BITS,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.em import BIC, PENALTIES
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import MAX_SAMPLES
from pgmstudio.core.languages.tree_mixture.learning.params import steps_param, tolerance_param
from pgmstudio.core.learning.params import knowledge_param
from pgmstudio.core.params import param
from pgmstudio.core.scores.independence import SANOV
from pgmstudio.core.scores.independence import SANOV_TESTS as TESTS

LENGTH, HELD_OUT = "dl", "held-out"
HIDDEN, VISIBLE = "hidden", "visible"
SCORES = (LENGTH, "bic", "bic-h", HELD_OUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenParams:
    """The settings of the search for hidden variables."""

    components: tuple[int, ...] = param(
        (2, 3, 4),
        title="Hidden states",
        low=1,
        high=50,
        help="Numbers of states of the hidden variable that are tried, m.",
    )
    blocks: tuple[int, ...] | None = param(
        None,
        title="Blocks",
        low=1,
        none_label="as the penalty leaves",
        help="Numbers of blocks that are tried, p: edges are taken until so many parts are left. "
        "Without it the penalty of edges alone decides, from two blocks on.",
    )
    separator: str = param(
        HIDDEN,
        title="Separator",
        choices=(HIDDEN, VISIBLE),
        help="hidden: a variable nobody has seen holds the blocks apart, found by EM. visible: "
        "each column in turn is tried in its place, without EM.",
    )
    penalty: str = param(
        BIC,
        title="Edge penalty",
        choices=PENALTIES,
        help="What an edge must gain. bic: (m/2)(r−1)(s−1) log2 N bits. bic-h: the same with the "
        "rows of each state. constant: β bits. none: nothing; give the blocks then.",
    )
    restarts: int = param(
        5,
        title="Starts",
        low=1,
        high=1000,
        help="EM runs from random shares for each number of hidden states and blocks.",
    )
    score: str = param(
        LENGTH,
        title="Choose by",
        choices=SCORES,
        help="dl: the shortest message that tells the model and the rows. bic, bic-h: with "
        "½ log2 N bits for each parameter. held-out: bits of the held-out rows.",
    )
    validate: bool = param(
        True,
        title="Test the blocks",
        help="Test on held-out rows whether the blocks are independent given the hidden variable; "
        "the best model that is accepted is kept.",
    )
    held_out: float = param(
        1 / 3,
        title="Held-out rows",
        low=0,
        high=0.5,
        low_open=True,
        help="Share of the rows for the test of the blocks; the chosen tables are then fitted to "
        "all rows.",
    )
    delta: float = param(
        0.05,
        title="Level δ",
        low=0,
        high=0.5,
        low_open=True,
        help="A pair across blocks is rejected when its information is too large with more than "
        "this probability.",
    )
    label: str | None = param(
        None,
        title="Label column",
        none_label="none",
        help="A column that is not learned from: how well the hidden variable agrees with it is "
        "told for every model.",
    )
    edge_penalty: float = param(
        0.0, title="Penalty β", low=0, help="Bits, for the penalty “constant”.", advanced=True
    )
    smoothing: float = param(
        1.0,
        title="Smoothing",
        low=0,
        help="Fictitious rows like all rows together, split over the hidden states, so that "
        "nothing is impossible; the source has 0.",
        advanced=True,
    )
    best: int = param(
        5,
        title="Models tested",
        low=1,
        high=100,
        help="So many of the best models with different blocks are tested until one is accepted.",
        advanced=True,
    )
    epsilon: float = param(
        0.1,
        title="Error ε",
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        help="Chance that the sampling of the test misjudges some pair; rather large, for a small "
        "one makes the test permissive.",
        advanced=True,
    )
    test: str = param(
        SANOV,
        title="Test",
        choices=TESTS,
        help="sanov: holds for every number of rows, very cautious. chi2 and g: by their "
        "asymptotic quantiles.",
        advanced=True,
    )
    most_samples: int = param(
        MAX_SAMPLES,
        title="Most samples",
        low=100,
        high=1_000_000,
        help="Draws of the hidden variable after which a pair stays undecided.",
        advanced=True,
    )
    form: str = param(
        CORRECTED,
        title="Description length",
        choices=FORMS,
        help="corrected: every table counts. as-published: the sum printed in the source, which "
        "leaves out roots and counts one tree's states of parents.",
        advanced=True,
    )
    fine_bits: int = param(
        FINE_BITS,
        title="Most fine bits",
        low=0,
        high=20,
        help="Bits after the point that are tried for a parameter, from 0 on.",
        advanced=True,
    )
    range_bits: int = param(
        RANGE_BITS,
        title="Most range bits",
        low=0,
        high=10,
        help="Bits of range that are tried for a parameter, from 0 on.",
        advanced=True,
    )
    max_iterations: int = steps_param()
    tolerance: float = tolerance_param()
    knowledge: Knowledge | None = knowledge_param(
        "the search chooses blocks of columns, not edges; the model is only checked."
    )
