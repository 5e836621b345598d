"""The registry row of mixtures of trees in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.tree_mixture")

TREE_SCAN = RunResult(
    key="tree-scan",
    artifacts=("mixture-scan",),
    describe=lazy("run_results:tree_scan_content"),
    title="Trees",
    unit="start",
    file_name="trees.csv",
    action_id="learn.tree-scan",
    text="Component-count scan",
    tip="Bits per row by number of trees, with their spread over the starts of the run.",
    missing_reason="learn a mixture of trees first.",
    icon="chart-line",
    sizes=(2, 1),
)
HIDDEN_CANDIDATES = RunResult(
    key="hidden-scan",
    artifacts=("hidden-scan",),
    describe=lazy("run_results:candidates_content"),
    title="Candidates",
    unit="model",
    file_name="candidates.csv",
    sizes=(2, 3),  # two tables are below
    action_id="learn.hidden-scan",
    text="Candidates for a hidden variable",
    tip="Every model a search for hidden variables passed: length, blocks, and their test.",
    missing_reason="learn with Hidden variables first.",
    icon="circles-three",
)
EDGE_COUNTS = RunResult(
    key="adjacency",
    artifacts=("adjacency", "optima", "edge-frequencies"),
    describe=lazy("run_results:edge_counts_content"),
    title="Edges",
    unit="edge with its counts",
    file_name="edges.csv",
    orientation=Qt.Orientation.Horizontal,
    sizes=(40, 33),  # names of edges are read whole at 1280
    action_id="evaluate.adjacency",
    text="Edges of restarts",
    tip="How many trees or restarts of a run have each edge, as a matrix and a table.",
    missing_reason="learn a mixture of trees, with KES, or a bootstrap first.",
    menu="Evaluate",
    icon="dots-nine",
)

VIEW = LanguageView(
    kind="tree-mixture",
    extend_page=lazy("page_extension:MixtureExtension"),
    description=lazy("model_view:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (lazy("inspector:PartitionSection"), lazy("inspector:ComponentSections"))
    },
    tables=lazy("model_view:TreeTables"),
    actions=lazy("actions:mixture_actions"),
    run_results=(TREE_SCAN, HIDDEN_CANDIDATES, EDGE_COUNTS),
)
