"""The registry row of labelled DAGs in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.contexts.multinet_diagram import MULTINET_DIAGRAM
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.ldag")

KAPPA_PATH = RunResult(
    key="kappa",
    artifacts=("kappa-path",),
    describe=lazy("kappa_path:kappa_path_content"),
    title="κ path",
    unit="κ",
    file_name="kappa-path.csv",
    action_id="learn.kappa-path",
    text="κ path of labels",
    tip="Held-out likelihood, score, parameters and edges for each κ of a run, and its model.",
    missing_reason="learn a labelled graph with κ auto first.",
    icon="tag",
)
POSTERIOR = RunResult(
    key="posterior",
    artifacts=("ldag-posterior",),
    describe=Lazy("pgmstudio.gui.languages.contexts.posterior:posterior_content"),
    title="Probabilities",
    unit="edge and context",
    file_name="probabilities.csv",
    orientation=Qt.Orientation.Horizontal,
    sizes=(34, 36),
    action_id="learn.label-probabilities",
    text="Probabilities of edges and labels",
    tip="How probable edges, labels and graphs are by chains over labelled graphs.",
    missing_reason="learn a labelled graph by chains first.",
    icon="tag",
)

VIEW = LanguageView(
    kind="ldag",
    extend_page=lazy("model_view:LdagExtension"),
    more_diagrams=(MULTINET_DIAGRAM,),
    description=lazy("model_view:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (lazy("inspector:LabelScoresSection"),),
        SubjectKind.TABLE: (lazy("inspector:SimilarRowsSection"),),
        SubjectKind.EDGE: (lazy("inspector:LabelSections"),),
    },
    tables=lazy("model_view:LdagTables"),
    table_editor=lazy("label_table:LabelTable"),
    actions=lazy("actions:label_actions"),
    run_results=(KAPPA_PATH, POSTERIOR),
)
