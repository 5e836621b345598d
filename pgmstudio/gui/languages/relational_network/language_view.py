"""The registry row of relational networks in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.relational_network")

SPANNING_TREE = RunResult(
    key="spanning-tree",
    artifacts=("spanning-tree",),
    describe=lazy("run_results:kruskal_content"),
    title="Spanning tree",
    unit="edge",
    file_name="spanning-tree.csv",
    has_long_facts=True,
    action_id="learn.spanning-tree",
    text="Steps of the spanning tree",
    tip="The edges in the order of Kruskal's algorithm, and why each is in the tree or not.",
    missing_reason="learn a relational or possibilistic spanning tree first.",
    icon="tree-structure",
)

RANKING = RunResult(
    key="graph-ranking",
    artifacts=("graph-ranking",),
    describe=lazy("run_results:ranking_content"),
    title="Ranking of graphs",
    unit="graph",
    file_name="ranking.csv",
    sizes=(1, 1),
    action_id="learn.graph-ranking",
    text="Ranking of all graphs",
    tip="Every graph of a search over all graphs with what it adds to the data.",
    missing_reason="run a learner of all graphs first: relational or possibilistic.",
    icon="list-numbers",
)

VIEW = LanguageView(
    kind="relational-network",
    inspector_sections={SubjectKind.EDGE: (lazy("pair_panel:EdgeSection"),)},
    actions=lazy("actions:relation_actions"),
    run_results=(SPANNING_TREE, RANKING),
)
