"""The registry row of possibilistic networks in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

lazy = Lazy.within("pgmstudio.gui.languages.possibilistic_network")

VIEW = LanguageView(
    kind="possibilistic-network",
    extend_page=lazy("page_extension:PossibilisticExtension"),
    description=lazy("description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (lazy("inspector:ModelSection"),),
        SubjectKind.EDGE: (lazy("inspector:EdgeSections"),),
    },
    tables=lazy("degree_editor:DegreeTables"),
    table_editor=lazy("degree_editor:DegreeEditor"),
    actions=lazy("actions:possibilistic_actions"),
)
