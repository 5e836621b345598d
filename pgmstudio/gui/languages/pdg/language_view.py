"""The registry row of probabilistic decision graphs in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView

VIEW = LanguageView(
    kind="pdg",
    extend_page=Lazy("pgmstudio.gui.languages.pdg.page_extension:PdgExtension"),
)
