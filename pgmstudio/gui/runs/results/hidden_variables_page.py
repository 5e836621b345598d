"""The candidates of a search for hidden variables: lengths, blocks, and the test of each pair."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtGui import QIcon

from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.trace import (
    Candidate,
    HiddenScan,
)
from pgmstudio.core.languages.tree_mixture.learning.hidden_variable.validation import PairCheck
from pgmstudio.core.number_format import counted
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.artifact_source import ArtifactSource
from pgmstudio.gui.runs.results.result_page import (
    ArtifactPage,
    facts_label,
    one_above_the_other,
    under_the_picture,
)
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import row, wide_first
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.table import Column, Table

REDRAW_MS = 200


def _bits(value: float) -> str:
    return "–" if math.isinf(value) else f"{value:.3f}"


def _percent_text(value: float) -> str:
    return "–" if value < 0 else f"{value:.3f}"


_COLUMNS = (
    Column("Separator", tip="The hidden variable with its states, or a column."),
    Column("Blocks", str, True, tip="Parts of the forest, p."),
    Column("Structure", str, True, tip="The same blocks have the same number."),
    Column("Found", str, True, tip="How many starts ended with these blocks."),
    Column("Length ↓", _bits, True, tip="Description length in bits per row."),
    Column("Test", tip="Are the blocks independent given the hidden variable?"),
    Column("BIC ↓", _bits, True, tip="Bits per row with ½ log2 N for every parameter."),
    Column("BIC-h ↓", _bits, True, tip="The same with the rows of each hidden state."),
    Column("Held-out ↓", _bits, True, tip="Bits per row of rows it has not learned from."),
    Column(
        "Accuracy",
        _percent_text,
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


class HiddenScanPage(ArtifactPage):
    """Page of candidate hidden variables; updated during the run."""

    export_dialog = (
        "Export the candidates",
        "candidates.csv",
        "One line for each model (*.csv);;All (*.json)",
    )
    _artifact: HiddenScan | None = None

    def __init__(self, app: AppContext, source: ArtifactSource) -> None:
        super().__init__("hidden-scan", app, source)
        self.facts = facts_label("hiddenFacts")
        self.verdict = facts_label("hiddenVerdict")
        self.blocks = facts_label("hiddenBlocks")
        self.table = Table("hiddenTable", "Candidates, in the order of the run", _COLUMNS)
        self.pairs = Table("hiddenPairs", "Pairs across blocks and their test", _PAIRS)
        self.table.selected.connect(self._on_selected)
        export = self._export_button(
            "Export…", "hiddenExport", "One line for each model (.csv), or all of it (.json)."
        )
        self._soon = one_shot(self, self._refresh, REDRAW_MS)
        self._lay_out(
            wide_first(row(self.facts, export)),
            one_above_the_other(
                self.table, under_the_picture(self.blocks, self.verdict, self.pairs)
            ),
        )
        source.changed.connect(self._soon.start)
        self._refresh()

    @property
    def title(self) -> str:
        return f"Candidates of {self._source.title}"

    def page_icon(self) -> QIcon:
        return icon("circles-three")

    def _refresh(self) -> None:
        artifact = self._source.artifact
        if not isinstance(artifact, HiddenScan) or not artifact.candidates:
            self.facts.setText("No model yet.")
            return
        self._artifact = artifact
        best, structures = artifact.best, artifact.structures()
        assert best is not None
        text = [
            counted(len(artifact.candidates), "model"),
            counted(len(structures), "structure"),
            f"{'chosen' if artifact.chosen is not None else 'best so far'}: "
            f"{best.what}, {counted(len(best.blocks), 'block')}, "
            f"{_bits(best.length_bits)} bits per row",
        ]
        _set_labels(self.facts, " · ".join(text))
        chosen = self.table.current
        self.table.show_rows([_row(artifact, candidate) for candidate in artifact.candidates])
        self.table.select(artifact.candidates.index(best) if chosen is None else chosen)
        self._on_selected()

    def _on_selected(self, *_: object) -> None:
        number, artifact = self.table.current, self._artifact
        if artifact is None or number is None or not 0 <= number < len(artifact.candidates):
            return
        candidate = artifact.candidates[number]
        blocks = " | ".join(", ".join(block) for block in candidate.blocks)
        details = "Not tested." if candidate.check is None else candidate.check.summary()
        _set_labels(self.blocks, f"Blocks: {blocks}")
        _set_labels(self.verdict, details)
        pairs = () if candidate.check is None else candidate.check.pairs
        self.pairs.show_rows([_pair(pair) for pair in pairs])


def _set_labels(line: ElidedLabel, text: str) -> None:
    line.setText(text)
    line.setToolTip(text)


def _row(scan: HiddenScan, candidate: Candidate) -> tuple[object, ...]:
    number, times = scan.structures()[candidate.blocks]
    is_chosen = scan.chosen is not None and scan.candidates[scan.chosen] is candidate
    return (
        candidate.what,
        len(candidate.blocks),
        number,
        times,
        candidate.length_bits,
        f"{candidate.verdict}, chosen" if is_chosen else candidate.verdict,
        candidate.bic_bits,
        candidate.bic_h_bits,
        math.inf if candidate.held_bits is None else candidate.held_bits,
        -1.0 if candidate.accuracy is None else candidate.accuracy,
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


def open_candidates(app: AppContext, source: ArtifactSource) -> HiddenScanPage:
    page = app.open_page(f"hidden-scan:{source.key}", partial(HiddenScanPage, app, source))
    assert isinstance(page, HiddenScanPage)
    return page
