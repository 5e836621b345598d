"""The registry row of Markov networks in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.contexts.multinet_diagram import MULTINET_DIAGRAM
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.runs.results.run_result import RunResult

lazy = Lazy.within("pgmstudio.gui.languages.markov_network")

BLANKETS = RunResult(
    key="blankets",
    artifacts=("markov-blankets",),
    describe=lazy("blankets:blankets_content"),
    title="Blankets",
    unit="variable",
    file_name="blankets.csv",
    action_id="learn.blankets",
    text="Markov blankets and steps",
    tip="The blanket of every variable, the AND and OR graphs, and the steps of hill climbing.",
    missing_reason="learn a Markov network by pseudo-likelihood first.",
    icon="polygon",
)
KAPPA_PATH = RunResult(
    key="markov-kappa",
    artifacts=("markov-kappa-path",),
    describe=lazy("kappa_path:kappa_path_content"),
    title="κ path",
    unit="κ",
    file_name="kappa-path.csv",
    action_id="learn.markov-kappa-path",
    text="κ path of contexts",
    tip="BIC, likelihoods, parameters and edges for each κ of a run, and its model.",
    missing_reason="learn a contextual Markov network with κ auto first.",
    icon="polygon",
)
POSTERIOR = RunResult(
    key="markov-posterior",
    artifacts=("markov-posterior",),
    describe=Lazy("pgmstudio.gui.languages.contexts.posterior:posterior_content"),
    title="Probabilities",
    unit="edge and context",
    file_name="probabilities.csv",
    orientation=Qt.Orientation.Horizontal,
    sizes=(34, 36),
    action_id="learn.markov-probabilities",
    text="Probabilities of undirected edges",
    tip="How probable edges, contexts and graphs are by a search over chordal graphs.",
    missing_reason="learn a chordal graph first.",
    icon="polygon",
)

VIEW = LanguageView(
    kind="markov-network",
    extend_page=lazy("page_extension:MarkovExtension"),
    more_diagrams=(MULTINET_DIAGRAM,),
    description=lazy("description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (lazy("inspector:ModelSections"),),
        SubjectKind.TABLE: (lazy("inspector:BlanketSection"),),
        SubjectKind.EDGE: (lazy("inspector:EdgeSections"),),
    },
    tables=lazy("tables:MarkovTables"),
    table_editor=lazy("potential_editor:PotentialEditor"),
    actions=lazy("actions:markov_actions"),
    run_results=(BLANKETS, KAPPA_PATH, POSTERIOR),
)
