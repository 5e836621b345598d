"""The registry row of latent class models in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView

VIEW = LanguageView(
    kind="latent-class",
    extend_page=Lazy("pgmstudio.gui.languages.latent_class.page_extension:LatentClassExtension"),
)
