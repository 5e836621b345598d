"""The registry row of labelled DAGs in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView

VIEW = LanguageView(
    kind="ldag",
    extend_page=Lazy("pgmstudio.gui.languages.ldag.page_extension:LdagExtension"),
)
