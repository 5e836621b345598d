"""The candidates of a search for hidden variables: lengths, blocks, and the test of each pair."""

from __future__ import annotations

from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import (
    Candidate,
    HiddenScan,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import PairCheck
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.gui.runs.results.content import ResultContent, ResultState, ResultTable
from pgmstudio.gui.widgets.table import Column

_COLUMNS = (
    Column("Separator", tip="The hidden variable with its states, or a column."),
    Column("Blocks", str, True, tip="Parts of the forest, p."),
    Column("Structure", str, True, tip="The same blocks have the same number."),
    Column("Found", str, True, tip="How many starts ended with these blocks."),
    Column("Length ↓", decimal, True, tip="Description length in bits per row."),
    Column("Test", tip="Are the blocks independent given the hidden variable?"),
    Column("BIC ↓", decimal, True, tip="Bits per row with ½ log2 N for every parameter."),
    Column("BIC-h ↓", decimal, True, tip="The same with the rows of each hidden state."),
    Column("Held-out ↓", decimal, True, tip="Bits per row of rows it has not learned from."),
    Column(
        "Accuracy",
        decimal,
        stretches=True,
        tip="Agreement with the label column, if one was given.",
    ),
)
_PAIRS = (
    Column("Pair"),
    Column("Verdict"),
    Column("Outside", tip="Samples whose information exceeded a threshold, with the interval."),
    Column("Information, bits", tip="In each hidden state, mean over the samples."),
    Column("Threshold, bits", stretches=True, tip="What it must not reach in each hidden state."),
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
    facts = (
        counted(len(scan.candidates), "model"),
        counted(len(structures), "structure"),
        f"{'chosen' if scan.chosen is not None else 'best so far'}: "
        f"{best.what}, {counted(len(best.blocks), 'block')}, "
        f"{decimal(best.length_bits)} bits per row",
    )
    return ResultContent(
        facts=" · ".join(facts),
        details=f"Blocks: {blocks}\n{'Not tested.' if check is None else check.summary()}",
        tables=(
            ResultTable(
                "table",
                "Candidates, in the order of the run",
                _COLUMNS,
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
            ),
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


def _pair(pair: PairCheck) -> tuple[object, ...]:
    fraction = pair.outside / max(1, pair.samples)
    return (
        f"{pair.one} – {pair.other}",
        f"{pair.verdict} (cannot be rejected)" if pair.is_vacuous else pair.verdict,
        f"{fraction:.3f} [{pair.low:.3f}, {pair.high:.3f}] of {pair.samples}",
        ", ".join(f"{bits:.3f}" for bits in pair.information),
        ", ".join(f"{bits:.3f}" for bits in pair.thresholds),
    )
