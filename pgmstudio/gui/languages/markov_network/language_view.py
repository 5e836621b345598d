"""The registry row of Markov networks in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.contexts.multinet_diagram import MULTINET_DIAGRAM
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

lazy = Lazy.within("pgmstudio.gui.languages.markov_network")

VIEW = LanguageView(
    kind="markov-network",
    extend_page=lazy("page_extension:MarkovExtension"),
    more_diagrams=(MULTINET_DIAGRAM,),
    description=lazy("description:DESCRIPTION"),
    inspector_sections={SubjectKind.EDGE: (lazy("inspector:EdgeContextsSection"),)},
    tables=lazy("tables:MarkovTables"),
)
