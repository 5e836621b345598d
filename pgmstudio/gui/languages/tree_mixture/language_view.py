"""The registry row of mixtures of trees in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

VIEW = LanguageView(
    kind="tree-mixture",
    extend_page=Lazy("pgmstudio.gui.languages.tree_mixture.page_extension:MixtureExtension"),
    description=Lazy("pgmstudio.gui.languages.tree_mixture.description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (
            Lazy("pgmstudio.gui.languages.tree_mixture.inspector:PartitionSection"),
            Lazy("pgmstudio.gui.languages.tree_mixture.inspector:ComponentSections"),
        )
    },
    tables=Lazy("pgmstudio.gui.languages.tree_mixture.tables:TreeTables"),
    actions=Lazy("pgmstudio.gui.languages.tree_mixture.actions:mixture_actions"),
)
