"""Results of learning mixtures of trees: component counts, hidden variables, edges of restarts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import attrgetter
from typing import Protocol, runtime_checkable

from pgmstudio.core.experiments.sl_curves.sweep import has_smoothings, smoothing_sweep, trees_sweep
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency, tally_of
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import (
    Candidate,
    DividedBlock,
    HiddenScan,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import PairCheck
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureScan
from pgmstudio.core.learning.base import RunArtifact
from pgmstudio.core.number_format import counted, decimal, grouped
from pgmstudio.gui.plots.matrix_plot import AdjacencyMatrix
from pgmstudio.gui.plots.plot_image import PlotDrawing
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot
from pgmstudio.gui.runs.results.content import (
    Edge,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import ComboField, ResultField, SegmentsField
from pgmstudio.gui.runs.results.scans import AIC, BIC, HELD_OUT, TRAINING, scan_content
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.table import Column

_ALONG = (
    ("trees", "Trees", "Bits per row against the number of trees."),
    ("smoothing", "Smoothing", "What the run chose by against the smoothing α."),
)
_SCAN_COLUMNS = (
    Column("Trees", str, True),
    Column("Start", lambda start: str(start + 1), True),
    TRAINING,
    BIC,
    AIC,
    HELD_OUT,
    Column("Smoothing α", lambda a: f"{a:.3g}", True, tip="Fictitious rows of all trees."),
    Column("Edges", grouped, True),
    Column("Steps", str, True, tip="Of EM."),
    Column("Effective trees", lambda t: f"{t:.2f}", True, stretches=True),
)
_ROW = attrgetter(
    "trees",
    "start",
    "train_bits",
    "bic_bits",
    "aic_bits",
    "held_bits",
    "smoothing",
    "edges",
    "steps",
    "effective_trees",
)


def tree_scan_content(scan: MixtureScan, state: ResultState) -> ResultContent | None:
    """Criteria by number of trees, or by smoothing where several were compared."""
    along, has_several = state.value("along", "trees"), has_smoothings(scan)
    sweep = smoothing_sweep if along == "smoothing" and has_several else trees_sweep
    return scan_content(
        scan,
        fields=(SegmentsField("along", along, _ALONG),) if has_several else (),
        view=ResultView(
            "plot",
            partial(SweepLinesPlot, "treeScanPlot"),
            lambda plot: plot.show_sweep(sweep(scan)),
        ),
        columns=_SCAN_COLUMNS,
        row=_ROW,
        point_text=lambda point: counted(point.trees, "tree"),
        table_title="Starts, in the order of the run",
        unit="start",
    )


_CANDIDATE_COLUMNS = (
    Column("Separator", tip="The hidden variable with its states, or one or two columns."),
    Column("Blocks", str, True, tip="Parts of the forest, p."),
    Column("Structure", str, True, tip="The same blocks have the same number."),
    Column("Found", str, True, tip="How many starts ended with these blocks."),
    Column("Length ↓", decimal, True, tip="Description length in bits per row."),
    Column("Test", tip="Are the blocks independent given the hidden variable?"),
    Column(
        "BIC ↓",
        decimal,
        True,
        tip="Bits per row with ½ log2 N for every parameter.",
        explains="BIC (length)",
    ),
    Column("BIC-h ↓", decimal, True, tip="The same with the rows of each hidden state."),
    Column(
        "Held-out ↓",
        decimal,
        True,
        tip="Bits per row of rows it has not learned from.",
        explains="Held-out (length)",
    ),
    Column(
        "Accuracy",
        decimal,
        stretches=True,
        tip="Agreement with the label column, if one was given.",
    ),
)
_DIVISIONS = (
    Column("Block", stretches=True),
    Column("Separator", tip="Of the block alone."),
    Column("Divides it into", stretches=True),
    Column(
        "Gain",
        decimal,
        True,
        tip="Bits per row that the criterion improves by.",
        explains="Gain (division)",
    ),
    Column("Test", tip="Are these parts independent given both separators?"),
)
_PAIRS = (
    Column("Pair"),
    Column("Verdict"),
    Column("Outside", tip="Samples whose information exceeded a threshold, with the interval."),
    Column("Information, bits", tip="In each hidden state, mean over the samples."),
    Column("Threshold, bits", tip="What it must not reach in each hidden state."),
)


def candidates_content(scan: HiddenScan, state: ResultState) -> ResultContent | None:
    """All candidates, and the blocks and pairs of the selected one."""
    best = scan.best
    if best is None:
        return None
    structures = scan.structures()
    selected = best if state.row is None else scan.candidates[state.row]
    check = selected.check
    blocks = " | ".join(", ".join(block) for block in selected.blocks)
    kept = sum(one.is_kept for one in scan.divisions)
    facts = [
        counted(len(scan.candidates), "model"),
        counted(len(structures), "structure"),
        f"{'chosen' if scan.chosen is not None else 'best so far'}: "
        f"{best.what}, {counted(len(best.blocks), 'block')}, "
        f"{decimal(best.length_bits)} bits per row",
    ]
    if kept:
        facts.append(f"{counted(kept, 'block')} divided")
    divided: tuple[ResultTable, ...] = ()
    if scan.divisions:
        divided = (
            ResultTable(
                "divisions",
                "Separators within blocks",
                _DIVISIONS,
                [_division(one) for one in scan.divisions],
                gap=theme().space(3),
            ),
        )
    return ResultContent(
        facts=" · ".join(facts),
        details=f"Blocks: {blocks}\n{'Not tested.' if check is None else check.summary()}",
        tables=(
            ResultTable(
                "table",
                "Candidates, in the order of the run",
                _CANDIDATE_COLUMNS,
                [
                    _row(one, *structures[one.blocks], index == scan.chosen)
                    for index, one in enumerate(scan.candidates)
                ],
                best=scan.candidates.index(best),
            ),
            ResultTable(
                "pairs",
                "Pairs across blocks and their test",
                _PAIRS,
                [] if check is None else [_pair(pair) for pair in check.pairs],
                gap=theme().space(3),
            ),
            *divided,
        ),
    )


def _row(candidate: Candidate, structure: int, times: int, is_chosen: bool) -> tuple[object, ...]:
    return (
        candidate.what,
        len(candidate.blocks),
        structure,
        times,
        candidate.length_bits,
        f"{candidate.verdict}, chosen" if is_chosen else candidate.verdict,
        candidate.bic_bits,
        candidate.bic_h_bits,
        candidate.held_bits,
        candidate.accuracy,
    )


def _division(division: DividedBlock) -> tuple[object, ...]:
    return (
        ", ".join(division.block),
        division.what,
        " | ".join(", ".join(block) for block in division.blocks),
        division.gained,
        f"{division.verdict}, divided" if division.is_kept else division.verdict,
    )


def _pair(pair: PairCheck) -> tuple[object, ...]:
    fraction = pair.outside / max(1, pair.samples)
    return (
        f"{pair.one} – {pair.other}",
        f"{pair.verdict} (cannot be rejected)" if pair.is_vacuous else pair.verdict,
        f"{fraction:.3f} [{pair.low:.3f}, {pair.high:.3f}] of {pair.samples}",
        ", ".join(f"{bits:.3f}" for bits in pair.information),
        ", ".join(f"{bits:.3f}" for bits in pair.thresholds),
    )


_PER = (
    ("trees", "Trees", "In how many trees of all restarts an edge is."),
    ("restarts", "Restarts", "In how many restarts an edge is in at least one tree."),
)
_EDGE_COLUMNS = (
    Column("Edge", str, stretches=True, tip="Two variables that are joined."),
    Column("Count", str, True, tip="In how many of them."),
    Column(
        "Fraction",
        lambda fraction: f"{100 * fraction:.0f} %",
        True,
        tip="Of all of them.",
        explains="Fraction (of all)",
    ),
)


@runtime_checkable
class HasEdgeCounts(Protocol):
    """A model of several graphs, with the number of graphs that have each edge."""

    @property
    def edge_counts(self) -> Mapping[Edge, int]: ...


def edge_counts_content(artifact: RunArtifact, state: ResultState) -> ResultContent | None:
    """How many of the graphs of a run join each pair."""
    tally, facts, fields = tally_of(artifact), list[str](), list[ResultField]()
    if isinstance(artifact, Adjacency):
        per, number = state.value("per", "trees"), state.value("numbers", None)
        tally = artifact.tally(number, of_restarts=per == "restarts")
        fields.append(SegmentsField("per", per, _PER))
        if len(artifact.by_number) > 1:
            titles: dict[int | None, str] = {None: "any number of trees"}
            titles |= {one: counted(one, "tree") for one in artifact.by_number}
            tip = "Restarts with how many trees are counted."
            fields.append(ComboField("numbers", number, titles, tip))
        if per == "trees":
            restarts = artifact.tally(number, of_restarts=True).total
            facts.append(counted(restarts, "restart"))
    if tally is None or not tally.total:
        return None
    facts.append(counted(tally.total, tally.what[:-1], tally.what))
    pairs = counted(len(tally.names) * (len(tally.names) - 1) // 2, "pair")
    facts.append(f"{len(tally.counts)} of {pairs} joined at least once")
    model = state.model
    outlined = list(model.edge_counts) if isinstance(model, HasEdgeCounts) else list[Edge]()

    def draw(matrix: AdjacencyMatrix) -> None:
        matrix.show_edges(outlined)
        matrix.show_tally(tally)

    return ResultContent(
        facts=" · ".join(facts),
        fields=tuple(fields),
        caption=f"Area = in how many of {tally.total} {tally.what} two variables are joined"
        + ("; outlined: in the model of this run." if outlined else "."),
        view=ResultView(
            "matrix",
            partial(AdjacencyMatrix, "adjacencyMatrix"),
            draw,
            signal=lambda matrix: matrix.chosen,
            show_edge=AdjacencyMatrix.select,
            drawing=PlotDrawing,
        ),
        tables=(
            ResultTable(
                "table",
                "Edges, the most frequent first",
                _EDGE_COLUMNS,
                [(" – ".join(pair), count, count / tally.total) for pair, count in tally.ordered],
                edges=[pair for pair, _ in tally.ordered],
            ),
        ),
    )
