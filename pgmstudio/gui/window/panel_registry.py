"""The table of panels around the centre: name, title, side, and where the class is."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """A panel's class is `module:Class` and takes the main window's `Shell` alone."""

    name: str
    title: str
    area: Qt.DockWidgetArea
    where: str
    icon: str
    tip: str
    shown: bool = True
    titled: bool = True  # False: the panel shows its own title

    def build(self, app: Any) -> QWidget:
        module, _, name = self.where.partition(":")
        factory = cast(Callable[[Any], QWidget], getattr(importlib.import_module(module), name))
        return factory(app)


# In the order in which they stand on their side. The bottom ones come when they are asked for:
# a table to edit, a run that starts; until then the centre has the space.
PANELS = (
    PanelSpec(
        "projectPanel",
        "Project",
        LEFT,
        "pgmstudio.gui.files.project_panel:ProjectPanel",
        "folder-simple",
        "Data, knowledge, models, evidence cases and runs of this project.",
        titled=False,
    ),
    PanelSpec(
        "variablesPanel",
        "Variables",
        LEFT,
        "pgmstudio.gui.evidence.variables_panel:VariablesPanel",
        "list-dashes",
        "Variables of the model in view with their beliefs; a click on a bar sets evidence.",
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
    "pgmstudio.gui.export.report_actions:report_actions",
    "pgmstudio.gui.files.actions:close_and_undo_actions",
    "pgmstudio.gui.data.actions:data_actions",
    "pgmstudio.gui.knowledge.actions:knowledge_actions",
    "pgmstudio.gui.learning.actions:learn_page_actions",
    "pgmstudio.gui.learning.actions:learner_actions",
    "pgmstudio.gui.learning.actions:learn_actions",
    "pgmstudio.gui.export.report_actions:reproduce_actions",
    "pgmstudio.gui.learning.wizard.page:stepwise_actions",
    "pgmstudio.gui.learning.run_actions:search_actions",
    "pgmstudio.gui.model_page.structure_actions:moves_actions",
    "pgmstudio.gui.model_page.actions:model_actions",
    "pgmstudio.gui.languages.actions:language_actions",
    "pgmstudio.gui.model_page.actions:parameter_actions",
    "pgmstudio.gui.evidence.actions:evidence_actions",
    "pgmstudio.gui.evidence.files:evidence_file_actions",
    "pgmstudio.gui.comparison.actions:compare_actions",
    "pgmstudio.gui.evidence.analysis_actions:analysis_actions",
    "pgmstudio.gui.model_page.structure_actions:understanding_actions",
    "pgmstudio.gui.languages.actions:diagram_actions",
    "pgmstudio.gui.evaluation.actions:evaluate_actions",
    "pgmstudio.gui.curves.actions:curve_actions",
    "pgmstudio.gui.experiments.page:recipe_actions",
    "pgmstudio.gui.tour.guided_tour:tour_actions",
    "pgmstudio.gui.window.window_actions:window_actions",
)
# Tables that load much of the program, and the menu that waits for them until the first paint.
LATE_TABLES = {"pgmstudio.gui.learning.actions:learner_actions": "Learn/With"}
