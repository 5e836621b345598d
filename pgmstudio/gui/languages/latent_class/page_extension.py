"""The page of a latent class model: beliefs between prior and posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.model_page.extension import PageExtension

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


class LatentClassExtension(PageExtension):
    """The nodes follow the slider of the inspector between prior and posterior."""

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        self._views = component_views(page.app)
        self._views.changed.connect(self._on_views)

    @property
    def blend(self) -> float:
        return self._views.blend(self._model_id)

    def _on_views(self, model_id: str) -> None:
        if model_id == self._model_id:
            self._page.refresh_nodes()
