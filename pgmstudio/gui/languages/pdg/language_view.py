"""The registry row of probabilistic decision graphs in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

VIEW = LanguageView(
    kind="pdg",
    extend_page=Lazy("pgmstudio.gui.languages.pdg.page_extension:PdgExtension"),
    description=Lazy("pgmstudio.gui.languages.pdg.description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (Lazy("pgmstudio.gui.languages.pdg.size_history:TrailSection"),)
    },
    element_inspector=Lazy("pgmstudio.gui.languages.pdg.inspector:GraphNodeInspector"),
    actions=Lazy("pgmstudio.gui.languages.pdg.actions:graph_actions"),
)
