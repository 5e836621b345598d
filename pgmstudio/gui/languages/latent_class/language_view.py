"""The registry row of latent class models in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

VIEW = LanguageView(
    kind="latent-class",
    extend_page=Lazy("pgmstudio.gui.languages.latent_class.page_extension:LatentClassExtension"),
    description=Lazy("pgmstudio.gui.languages.latent_class.description:DESCRIPTION"),
    inspector_sections={
        SubjectKind.MODEL: (
            Lazy("pgmstudio.gui.languages.tree_mixture.inspector:ComponentSections"),
        )
    },
    tables=Lazy("pgmstudio.gui.languages.latent_class.tables:ClassTables"),
)
