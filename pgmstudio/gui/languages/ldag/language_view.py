"""The registry row of labelled DAGs in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Diagram, Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

# Only the window has it: it is drawn on a canvas for each state of a variable.
MULTINET_DIAGRAM = Diagram(
    "multinet",
    Lazy("pgmstudio.core.languages.ldag.diagrams:labelled_picture"),
    title="Multinet",
    description="A small graph for each state of a variable, with the same positions.",
)

VIEW = LanguageView(
    kind="ldag",
    extend_page=Lazy("pgmstudio.gui.languages.ldag.page_extension:LdagExtension"),
    more_diagrams=(MULTINET_DIAGRAM,),
    description=Lazy("pgmstudio.gui.languages.ldag.description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (Lazy("pgmstudio.gui.languages.ldag.inspector:LabelScoresSection"),),
        SubjectKind.TABLE: (Lazy("pgmstudio.gui.languages.ldag.similar_rows:SimilarRowsSection"),),
        SubjectKind.EDGE: (Lazy("pgmstudio.gui.languages.ldag.inspector:LabelSections"),),
    },
    tables=Lazy("pgmstudio.gui.languages.ldag.tables:LdagTables"),
    table_editor=Lazy("pgmstudio.gui.languages.ldag.label_table:LabelTable"),
    actions=Lazy("pgmstudio.gui.languages.ldag.actions:label_actions"),
)
