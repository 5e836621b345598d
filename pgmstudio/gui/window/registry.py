"""Tables of the panels, actions and pages of the window, whose code is loaded when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.context import AppContext

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """A panel around the centre; `where` is the `module:Class` that makes it."""

    name: str
    title: str
    area: Qt.DockWidgetArea
    where: str
    icon: str
    tip: str
    shown: bool = True
    titled: bool = True  # False: the panel shows its own title
    listens: bool = True  # False: it needs to know nothing of what happens before it is first seen

    def build(self, app: AppContext) -> QWidget:
        made: Lazy[Callable[[AppContext], QWidget]] = Lazy(self.where)
        return made.load()(app)


# In the order in which they stand on their side. The bottom ones come when they are asked for:
# a table to edit, a run that starts; until then the centre has the space.
PANELS = (
    PanelSpec(
        "projectPanel",
        "Project",
        LEFT,
        "pgmstudio.gui.files.project_panel:ProjectPanel",
        "folder-simple",
        "Data, knowledge, models, evidence scenarios and runs of this project.",
        titled=False,
    ),
    PanelSpec(
        "variablesPanel",
        "Variables",
        LEFT,
        "pgmstudio.gui.evidence.variables_panel:VariablesPanel",
        "list-dashes",
        "Variables of the active model with their beliefs; a click on a bar sets evidence.",
        titled=False,
    ),
    PanelSpec(
        "historyPanel",
        "History",
        LEFT,
        "pgmstudio.gui.files.history_panel:HistoryPanel",
        "clock-counter-clockwise",
        "Undo history.",
        shown=False,
    ),
    PanelSpec(
        "inspectorPanel",
        "Inspector",
        RIGHT,
        "pgmstudio.gui.inspector.panel:InspectorPanel",
        "sidebar-simple",
        "Facts about what is selected: beliefs, tables, edges, notes.",
        titled=False,
    ),
    PanelSpec(
        "tablePanel",
        "Table",
        BOTTOM,
        "pgmstudio.gui.cpt_editor.panel:TablePanel",
        "table",
        "The table of the selected variable.",
        shown=False,
    ),
    PanelSpec(
        "runsPanel",
        "Runs",
        BOTTOM,
        "pgmstudio.gui.runs.runs_panel:RunsPanel",
        "play-circle",
        "Learning runs: waiting, running, ended.",
        shown=False,
    ),
    PanelSpec(
        "movesPanel",
        "Next moves",
        BOTTOM,
        "pgmstudio.gui.structure.moves_panel:MovesPanel",
        "skip-forward",
        "The best next moves of a search from the active graph.",
        shown=False,
        listens=False,
    ),
    PanelSpec(
        "logPanel",
        "Log",
        BOTTOM,
        "pgmstudio.gui.window.log_panel:LogPanel",
        "list-bullets",
        "Messages, newest last.",
        shown=False,
    ),
)

# Where the actions of the menus come from: `module:function(app) -> list[ActionSpec]`.
ACTION_TABLES = (
    "pgmstudio.gui.files.actions:file_actions",
    "pgmstudio.gui.export.actions:export_actions",
    "pgmstudio.gui.export.page_actions:page_actions",
    "pgmstudio.gui.export.report_actions:report_actions",
    "pgmstudio.gui.files.session:export_session_actions",
    "pgmstudio.gui.files.actions:close_and_undo_actions",
    "pgmstudio.gui.data.actions:data_actions",
    "pgmstudio.gui.knowledge.actions:knowledge_actions",
    "pgmstudio.gui.learning.actions:learn_page_actions",
    "pgmstudio.gui.learning.actions:learner_actions",
    "pgmstudio.gui.learning.actions:learn_actions",
    "pgmstudio.gui.export.report_actions:reproduce_actions",
    "pgmstudio.gui.learning.actions:stepwise_actions",
    "pgmstudio.gui.learning.actions:search_actions",
    "pgmstudio.gui.model_page.actions:moves_actions",
    "pgmstudio.gui.model_page.actions:model_actions",
    "pgmstudio.gui.languages.actions:language_actions",
    "pgmstudio.gui.model_page.actions:parameter_actions",
    "pgmstudio.gui.evidence.actions:evidence_actions",
    "pgmstudio.gui.evidence.files:evidence_file_actions",
    "pgmstudio.gui.comparison.actions:compare_actions",
    "pgmstudio.gui.evidence.actions:analysis_actions",
    "pgmstudio.gui.model_page.actions:understanding_actions",
    "pgmstudio.gui.languages.actions:diagram_actions",
    "pgmstudio.gui.evaluation.actions:evaluate_actions",
    "pgmstudio.gui.curves.actions:curve_actions",
    "pgmstudio.gui.experiments.actions:recipe_actions",
    "pgmstudio.gui.tour.actions:tour_actions",
    "pgmstudio.gui.files.session:macro_actions",
    "pgmstudio.gui.window.window_actions:window_actions",
)
# What the welcome page offers; the others wait until the first paint. Their entries begin menus, or
# come before those of later tables.
EARLY_TABLES = (
    "pgmstudio.gui.files.actions:file_actions",
    "pgmstudio.gui.data.actions:data_actions",
    "pgmstudio.gui.tour.actions:tour_actions",
)
# What several tables load, in parts, so that none of them holds up the window for long.
LOADED_FIRST = (
    "pgmstudio.core.execution.child_process",
    "pgmstudio.core.project.model_edits",
    "pgmstudio.gui.canvas.node_item",
    "pgmstudio.gui.canvas.scene",
    "pgmstudio.gui.canvas.canvas",
    "pgmstudio.gui.structure.unresolved_edges",
    "pgmstudio.gui.model_page.page",
    "pgmstudio.gui.runs.run_recorder",
)
# The table that loads all learners comes last, and fills this menu.
LEARNER_TABLE, LEARNER_MENU = "pgmstudio.gui.learning.actions:learner_actions", "Learn/With"

_gui = Lazy.within("pgmstudio.gui")
# How the window opens each kind of page; `gui/navigation.py` has a function for each.
PAGE_OPENERS: Mapping[str, Lazy[Callable[..., object]]] = {
    "model": _gui("languages.pages:open_model"),
    "data": _gui("data.page:open_data"),
    "import": _gui("importing.page:open_import"),
    "files": _gui("files.opening:open_files"),
    "sample": _gui("welcome.samples:open_sample"),
    "welcome": _gui("welcome.page:open_welcome"),
    "learn": _gui("learning.page:open_learn"),
    "wizard": _gui("learning.wizard.page:open_stepwise"),
    "generate": _gui("data.generate_page:open_generate"),
    "associations": _gui("data.page:open_associations"),
    "given independences": _gui("languages.bayesian_network.independences_page:open_independences"),
    "recipes": _gui("experiments.page:open_recipes"),
    "language comparison": _gui("comparison.languages_page:open_comparison"),
    "saved comparison": _gui("evaluation.score_table_page:open_saved_comparison"),
    "curves": _gui("curves.page:open_curves"),
    "curve plan": _gui("curves.plan_page:open_plan"),
    "help": _gui("help.page:open_help"),
    "PDG steps": _gui("languages.pdg.steps_page:open_steps"),
    "run result": _gui("languages.pages:open_run_result"),
    "knowledge form": _gui("knowledge.page:KnowledgePage"),
    "export": _gui("export.actions:export_drawing"),
}
