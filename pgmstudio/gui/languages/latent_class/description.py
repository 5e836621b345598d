"""Texts about a latent class model."""

from __future__ import annotations

from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.number_format import counted
from pgmstudio.gui.languages.description import ModelDescription, TableSize
from pgmstudio.gui.languages.tree_mixture.description import IN_ALL_COMPONENTS


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
