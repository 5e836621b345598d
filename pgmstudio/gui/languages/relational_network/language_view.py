"""The registry row of relational networks in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

lazy = Lazy.within("pgmstudio.gui.languages.relational_network")

VIEW = LanguageView(
    kind="relational-network",
    inspector_sections={SubjectKind.EDGE: (lazy("pair_panel:EdgeSection"),)},
    actions=lazy("actions:relation_actions"),
)
