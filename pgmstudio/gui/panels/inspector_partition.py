"""The inspector's section on the blocks around a hidden variable: identifiable, and tested?"""

from __future__ import annotations

from pgmstudio.core.learning.hidden_checks import ACCEPTED, REJECTED
from pgmstudio.core.learning.hidden_scan import HiddenScan
from pgmstudio.core.models.partition import (
    GUARANTEED,
    NOT_GUARANTEED,
    NOT_IDENTIFIABLE,
    identifiability,
    partition_of,
)
from pgmstudio.core.models.tree_mixture import TreeMixture
from pgmstudio.gui.app.hidden_actions import OPEN_CANDIDATES
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.panels.fact_rows import FactRows
from pgmstudio.gui.panels.subject import Subject
from pgmstudio.gui.style.numbers import counted
from pgmstudio.gui.style.widgets import Note, Section, button, row
from pgmstudio.gui.workers.kept_source import kept_in, run_of_model

_LEVELS = {
    GUARANTEED: "success",
    NOT_GUARANTEED: "warning",
    NOT_IDENTIFIABLE: "warning",
    ACCEPTED: "success",
    REJECTED: "danger",
}
# More blocks are looked at in the picture.
MOST_BLOCKS = 12


class PartitionSection(Section):
    """Only for mixtures whose trees share their edges and leave several blocks."""

    def __init__(self, shell: Shell) -> None:
        super().__init__("Blocks")
        self.setObjectName("inspectorPartition")
        self._shell = shell
        self._found: tuple[tuple[object, ...], HiddenScan | None] = ((), None)
        self.blocks = FactRows("inspectorBlocks")
        self.identifiable = Note(name="inspectorIdentifiable")
        self.tested = Note(name="inspectorBlocksTested")
        self._open = button(
            "Candidates…",
            self._on_open,
            icon_name="circles-three",
            name="inspectorCandidates",
            tip="Every model the search passed: length, blocks, and their test.",
        )
        for widget in (self.blocks, self.identifiable, self.tested, row(self._open, None)):
            self.add(widget)
        self.hide()

    def show_subject(self, subject: Subject) -> None:
        model = subject.model
        blocks = partition_of(model) if isinstance(model, TreeMixture) else None
        self.setVisible(blocks is not None and len(blocks) > 1)
        if not isinstance(model, TreeMixture) or blocks is None or len(blocks) < 2:
            return
        self.fact.setText(f"{len(blocks)} given {model.choice or 'the hidden variable'}")
        named = [", ".join(map(subject.title, block)) for block in blocks]
        facts = [(f"Block {n}", words, words) for n, words in enumerate(named[:MOST_BLOCKS], 1)]
        if len(blocks) > MOST_BLOCKS:
            facts.append((f"{counted(len(blocks) - MOST_BLOCKS, 'block')} more", "", ""))
        self.blocks.show_facts(facts)
        verdict, sentence = identifiability(model)
        self.identifiable.tell(sentence, _LEVELS.get(verdict, "info"))
        scan = self._scan_of(subject)
        self._open.setVisible(scan is not None)
        best = None if scan is None else scan.best
        if best is None:
            self.tested.tell("")
        elif best.blocks != blocks:
            self.tested.tell("These blocks were not tested: the model has been edited.", "info")
        elif best.check is None:
            self.tested.tell("The blocks were not tested on held-out rows.", "info")
        else:
            level = _LEVELS.get(best.check.verdict, "warning")
            self.tested.tell(best.check.sentence(), level)

    def _scan_of(self, subject: Subject) -> HiddenScan | None:
        """What the run that made the model kept; read once for a run."""
        project = self._shell.project
        run_id = run_of_model(project, subject.model_id)
        run = None if run_id is None else project.runs[run_id]
        if self._found[0] != (run_id, run):
            kept = None if run is None else kept_in(run, HiddenScan.kind)
            self._found = (run_id, run), kept if isinstance(kept, HiddenScan) else None
        return self._found[1]

    def _on_open(self) -> None:
        action = self._shell.book.actions.get(OPEN_CANDIDATES)
        if action is not None:
            action.trigger()
