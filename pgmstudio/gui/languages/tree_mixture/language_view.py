"""The registry row of mixtures of trees in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView

VIEW = LanguageView(
    kind="tree-mixture",
    extend_page=Lazy("pgmstudio.gui.languages.tree_mixture.page_extension:MixtureExtension"),
)
