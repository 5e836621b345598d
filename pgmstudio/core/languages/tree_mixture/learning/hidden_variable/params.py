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
        help="Numbers m of hidden states to try.",
    )
    blocks: tuple[int, ...] | None = param(
        None,
        title="Blocks",
        low=1,
        none_label="as the penalty leaves",
        help="Numbers p of blocks to try: edges are added until p components are left. Without it "
        "the edge penalty decides, with at least two blocks.",
    )
    separator: str = param(
        HIDDEN,
        title="Separator",
        choices=(HIDDEN, VISIBLE),
        help="hidden: a hidden variable, learned by EM, separates the blocks. visible: each column"
        " is tried in its place, without EM.",
    )
    separator_columns: int = param(
        1,
        title="Separator columns",
        low=1,
        high=2,
        help="2 also tries every pair of columns as a visible separator; a pair has at most 100 "
        "joint states.",
    )
    levels: int = param(
        1,
        title="Levels",
        low=1,
        high=4,
        help="2 searches each block of the chosen model for a separator of its own and divides it "
        "if the criterion improves and the test accepts it; 3 the blocks of those, and so on.",
    )
    penalty: str = param(
        BIC,
        title="Edge penalty",
        choices=PENALTIES,
        help="Gain that an edge must exceed. bic: (m/2)(r−1)(s−1) log2 N bits. bic-h: the same "
        "with the rows of each state. constant: β bits. none: 0; set the blocks in this case.",
    )
    restarts: int = param(
        5,
        title="Starts",
        low=1,
        high=1000,
        help="EM runs from random responsibilities for each number of hidden states and blocks.",
    )
    score: str = param(
        LENGTH,
        title="Criterion",
        choices=SCORES,
        help="dl: description length of the model and the rows. bic, bic-h: ½ log2 N bits per "
        "parameter. held-out: bits of the held-out rows.",
    )
    validate: bool = param(
        True,
        title="Test the blocks",
        help="Test on held-out rows whether the blocks are independent given the hidden variable; "
        "the best accepted model is used.",
    )
    held_out: float = param(
        1 / 3,
        title="Held-out rows",
        low=0,
        high=0.5,
        low_open=True,
        help="Fraction of the rows for testing the blocks; the tables are then fitted to all rows.",
    )
    delta: float = param(
        0.05,
        title="Level δ",
        low=0,
        high=0.5,
        low_open=True,
        help="A pair across blocks is rejected if its information is too large with more than this"
        " probability.",
    )
    label: str | None = param(
        None,
        title="Label column",
        is_variable=True,
        none_label="none",
        help="A column that is not used for learning; the agreement of the hidden variable with it"
        " is reported for every model.",
    )
    edge_penalty: float = param(
        0.0, title="Penalty β", low=0, help="Bits, for the penalty “constant”.", advanced=True
    )
    smoothing: float = param(
        1.0,
        title="Smoothing",
        low=0,
        help="Pseudo-rows with the distribution of all rows, divided among the hidden states, so "
        "that nothing is impossible; the thesis uses 0.",
        advanced=True,
    )
    best: int = param(
        5,
        title="Models tested",
        low=1,
        high=100,
        help="Number of the best models with different blocks that are tested until one is "
        "accepted.",
        advanced=True,
    )
    epsilon: float = param(
        0.1,
        title="Error ε",
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        help="Probability that the sampling of the test misjudges some pair; a small value makes "
        "the test permissive.",
        advanced=True,
    )
    test: str = param(
        SANOV,
        title="Test",
        choices=TESTS,
        help="sanov: valid for any number of rows, very conservative. chi2 and g: asymptotic "
        "quantiles.",
        advanced=True,
    )
    most_samples: int = param(
        MAX_SAMPLES,
        title="Maximum samples",
        low=100,
        high=1_000_000,
        help="Number of samples of the hidden variable after which a pair is undecided.",
        advanced=True,
    )
    form: str = param(
        CORRECTED,
        title="Description length",
        choices=FORMS,
        help="corrected: every table counts. as-published: the printed formula, which omits roots "
        "and counts the parent states of one tree.",
        advanced=True,
    )
    fine_bits: int = param(
        FINE_BITS,
        title="Maximum fractional bits",
        low=0,
        high=20,
        help="Maximum number of fractional bits tried for a parameter.",
        advanced=True,
    )
    range_bits: int = param(
        RANGE_BITS,
        title="Maximum range bits",
        low=0,
        high=10,
        help="Maximum number of range bits tried for a parameter.",
        advanced=True,
    )
    max_iterations: int = steps_param()
    tolerance: float = tolerance_param()
    knowledge: Knowledge | None = knowledge_param(
        "the search chooses blocks of columns, not edges; the model is only checked."
    )
