"""Which page of the manual explains what has the focus (F1).

The names are the object names of pages up to a colon, of panels and of dialogs.
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

INDEX = "index.md"
_EVIDENCE = "how-to/work-with-evidence.md"
_EVALUATE = "how-to/evaluate-models.md"
_STRUCTURE = "how-to/examine-a-structure.md"

TOPICS = {
    # pages
    "assignments": "reference/languages/tree-mixture.md",
    "classify": f"{_EVALUATE}#classify-a-target",
    "compare-languages": "explanation/comparing.md",
    "curves": "how-to/run-an-experiment.md#read-the-plot",
    "curves-plan": "how-to/run-an-experiment.md#in-the-window",
    "data": "reference/data.md",
    "difference": f"{_STRUCTURE}#difference-of-two-structures",
    "equivalent": f"{_STRUCTURE}#equivalent-graphs",
    "generate": "reference/data.md#synthetic-data",
    "help": INDEX,
    "import": "tutorials/import-your-data.md",
    "knowledge": "how-to/use-background-knowledge.md",
    "learn": "how-to/learn-a-model.md",
    "model": "reference/window.md#the-canvas",
    "profiles": "reference/languages/latent-class.md",
    "recipes": f"{_EVALUATE}#published-experiments",
    "same-evidence": "explanation/comparing.md#the-same-evidence-in-all-models",
    "sample": "reference/data.md#synthetic-data",
    "scenarios": f"{_EVIDENCE}#compare-scenarios",
    "scores": f"{_EVALUATE}#score-table",
    "sensitivity": f"{_EVIDENCE}#find-out-what-a-belief-depends-on",
    "stepwise": "tutorials/step-by-step.md",
    "welcome": "tutorials/first-model.md",
    # parts of pages
    "associationTab": "reference/measures.md",
    "findBar": "reference/window.md#the-canvas",
    "missingTab": "explanation/missing-data.md",
    # panels
    "projectPanel": "reference/window.md#regions",
    "variablesPanel": f"{_EVIDENCE}#enter-evidence",
    "historyPanel": "reference/window.md#undo",
    "inspectorPanel": "reference/window.md#regions",
    "tablePanel": "how-to/draw-and-edit.md#conditional-probability-tables",
    "runsPanel": "how-to/learn-a-model.md#follow-a-run",
    "movesPanel": "how-to/steer-a-search.md",
    "logPanel": "reference/window.md#regions",
    "commandField": "reference/keyboard.md",
    # dialogs
    "exportDialog": "how-to/save-and-export.md#pictures",
    "preferencesDialog": "reference/window.md#regions",
    "reportDialog": "how-to/save-and-export.md#reports",
    "waitingDialog": "how-to/learn-a-model.md#follow-a-run",
}


def topic_of(widget: QWidget | None) -> tuple[str, str]:
    """The page and the heading for a widget or the nearest one around it; the index if none is."""
    around: QObject | None = widget
    while around is not None:
        topic = TOPICS.get(around.objectName().partition(":")[0])
        if topic is not None:
            path, _, anchor = topic.partition("#")
            return path, anchor
        around = around.parent()
    return INDEX, ""
