"""The registry row of mixtures of trees in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

TREE_SCAN = RunResult(
    key="tree-scan",
    artifacts=("mixture-scan",),
    describe=Lazy("pgmstudio.gui.languages.tree_mixture.tree_scan:tree_scan_content"),
    title="Trees",
    unit="start",
    file_name="trees.csv",
    action_id="learn.tree-scan",
    text="Component-count scan",
    tip="Bits per row by number of trees, with their spread over the starts of the run.",
    missing_reason="learn a mixture of trees first.",
    icon="chart-line",
)
HIDDEN_CANDIDATES = RunResult(
    key="hidden-scan",
    artifacts=("hidden-scan",),
    describe=Lazy("pgmstudio.gui.languages.tree_mixture.hidden_candidates:candidates_content"),
    title="Candidates",
    unit="model",
    file_name="candidates.csv",
    action_id="learn.hidden-scan",
    text="Candidates for a hidden variable",
    tip="Every model a search for hidden variables passed: length, blocks, and their test.",
    missing_reason="learn with Hidden variables first.",
    icon="circles-three",
)
EDGE_COUNTS = RunResult(
    key="adjacency",
    artifacts=("adjacency", "optima", "edge-frequencies"),
    describe=Lazy("pgmstudio.gui.languages.tree_mixture.edge_counts:edge_counts_content"),
    title="Edges",
    unit="edge with its counts",
    file_name="edges.csv",
    orientation=Qt.Orientation.Horizontal,
    sizes=(43, 30),
    action_id="evaluate.adjacency",
    text="Edges of restarts",
    tip="How many trees or restarts of a run have each edge, as a matrix and a table.",
    missing_reason="learn a mixture of trees, with KES, or a bootstrap first.",
    menu="Evaluate",
    icon="dots-nine",
)

VIEW = LanguageView(
    kind="tree-mixture",
    extend_page=Lazy("pgmstudio.gui.languages.tree_mixture.page_extension:MixtureExtension"),
    description=Lazy("pgmstudio.gui.languages.tree_mixture.description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (
            Lazy("pgmstudio.gui.languages.tree_mixture.inspector:PartitionSection"),
            Lazy("pgmstudio.gui.languages.tree_mixture.inspector:ComponentSections"),
        )
    },
    tables=Lazy("pgmstudio.gui.languages.tree_mixture.tables:TreeTables"),
    actions=Lazy("pgmstudio.gui.languages.tree_mixture.actions:mixture_actions"),
    run_results=(TREE_SCAN, HIDDEN_CANDIDATES, EDGE_COUNTS),
)
