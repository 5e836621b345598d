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
    titled: bool = True  # False: the panel says its name itself

    def build(self, shell: Any) -> QWidget:
        module, _, name = self.where.partition(":")
        factory = cast(Callable[[Any], QWidget], getattr(importlib.import_module(module), name))
        return factory(shell)


_ROOM = "pgmstudio.gui.panels."

# In the order in which they stand on their side. The bottom ones come when they are asked for:
# a table to edit, a run that starts; until then the centre has the room.
PANELS = (
    PanelSpec(
        "projectPanel",
        "Project",
        LEFT,
        _ROOM + "project_panel:ProjectPanel",
        "folder-simple",
        "Data, knowledge, models, evidence cases and runs of this project.",
        titled=False,
    ),
    PanelSpec(
        "variablesPanel",
        "Variables",
        LEFT,
        _ROOM + "variables_panel:VariablesPanel",
        "list-dashes",
        "Variables of the model in view with their beliefs; a click on a bar sets evidence.",
        titled=False,
    ),
    PanelSpec(
        "historyPanel",
        "History",
        LEFT,
        _ROOM + "history_panel:HistoryPanel",
        "clock-counter-clockwise",
        "Every change, to go back and forth.",
        shown=False,
    ),
    PanelSpec(
        "inspectorPanel",
        "Inspector",
        RIGHT,
        _ROOM + "inspector_panel:InspectorPanel",
        "sidebar-simple",
        "Facts about what is selected: beliefs, tables, edges, notes.",
        titled=False,
    ),
    PanelSpec(
        "tablePanel",
        "Table",
        BOTTOM,
        _ROOM + "table_panel:TablePanel",
        "table",
        "The table of the selected variable.",
        shown=False,
    ),
    PanelSpec(
        "runsPanel",
        "Runs",
        BOTTOM,
        _ROOM + "runs_panel:RunsPanel",
        "play-circle",
        "Learning runs: waiting, running, ended.",
        shown=False,
    ),
    PanelSpec(
        "movesPanel",
        "Next moves",
        BOTTOM,
        _ROOM + "moves_panel:MovesPanel",
        "skip-forward",
        "The best next moves of a search from the graph in view.",
        shown=False,
    ),
    PanelSpec(
        "logPanel",
        "Log",
        BOTTOM,
        _ROOM + "log_panel:LogPanel",
        "list-bullets",
        "What happened, newest last.",
        shown=False,
    ),
)

# Where the actions of the menus come from: `module:function(shell) -> list[ActionSpec]`.
ACTION_TABLES = (
    "pgmstudio.gui.app.file_actions:file_actions",
    "pgmstudio.gui.app.data_actions:data_actions",
    "pgmstudio.gui.app.knowledge_actions:knowledge_actions",
    "pgmstudio.gui.app.learn_actions:learn_page_actions",
    "pgmstudio.gui.app.learn_actions:learner_actions",
    "pgmstudio.gui.app.learn_actions:learn_actions",
    "pgmstudio.gui.app.report_actions:reproduce_actions",
    "pgmstudio.gui.app.stepwise_actions:stepwise_actions",
    "pgmstudio.gui.app.search_actions:search_actions",
    "pgmstudio.gui.app.moves_actions:moves_actions",
    "pgmstudio.gui.app.model_actions:model_actions",
    "pgmstudio.gui.app.mixture_actions:mixture_actions",
    "pgmstudio.gui.app.hidden_actions:hidden_actions",
    "pgmstudio.gui.app.label_actions:label_actions",
    "pgmstudio.gui.app.graph_actions:graph_actions",
    "pgmstudio.gui.app.parameter_actions:parameter_actions",
    "pgmstudio.gui.app.evidence_actions:evidence_actions",
    "pgmstudio.gui.app.evidence_files:evidence_file_actions",
    "pgmstudio.gui.app.compare_actions:compare_actions",
    "pgmstudio.gui.app.analysis_actions:analysis_actions",
    "pgmstudio.gui.app.understanding_actions:understanding_actions",
    "pgmstudio.gui.app.evaluate_actions:evaluate_actions",
    "pgmstudio.gui.app.curve_actions:curve_actions",
    "pgmstudio.gui.app.recipe_actions:recipe_actions",
    "pgmstudio.gui.app.tour_actions:tour_actions",
    "pgmstudio.gui.app.window_actions:window_actions",
)
# Tables that load much of the program, and the menu that waits for them until the first paint.
LATE_TABLES = {"pgmstudio.gui.app.learn_actions:learner_actions": "Learn/With"}
