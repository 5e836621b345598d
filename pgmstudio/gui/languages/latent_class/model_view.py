"""Texts, tables and the page of a latent class model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted
from pgmstudio.gui.languages.description import ModelDescription, TableSize
from pgmstudio.gui.languages.tables import TableSource
from pgmstudio.gui.languages.tree_mixture.component_selection import component_views
from pgmstudio.gui.languages.tree_mixture.model_view import IN_ALL_COMPONENTS
from pgmstudio.gui.model_page.extension import PageExtension

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


class LatentClassDescription(ModelDescription):
    """The number of classes, and one column of every table for each of them."""

    def facts(self, model: LatentClasses) -> list[str]:
        return [counted(model.class_count, "class", "classes")]

    def variable_facts(self, model: LatentClasses, name: str) -> list[str]:
        return [f"an item of {counted(model.class_count, 'class', 'classes')}"]

    def edges(self, model: LatentClasses) -> str:
        return f"{model.class_count} hidden classes"

    def table_size(self, model: LatentClasses, name: str) -> TableSize:
        free = model.class_count * (model.domain[name].cardinality - 1)
        return TableSize(model.class_count, free, IN_ALL_COMPONENTS)


DESCRIPTION = LatentClassDescription()


class ClassTables(TableSource):
    """A column for each class."""

    is_of_components = True

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        return model.as_bayesian_network if isinstance(model, LatentClasses) else None

    def title_suffix(self, model_id: str, model: Model) -> str:
        return f" given the {model.hidden}" if isinstance(model, LatentClasses) else ""


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
