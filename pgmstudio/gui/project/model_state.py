"""What the window remembers about a model without saving it: it ends with the model."""

from __future__ import annotations

from typing import TypeVar

from pgmstudio.core.project.project import Project
from pgmstudio.gui.project.document import Document

T = TypeVar("T")


class ByModel(dict[str, T]):
    """Values by model id. Ids are given again, so a value goes when its model leaves the project,
    and all go when another project is opened."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        document.replaced.connect(self.clear)
        document.changed.connect(self._on_document_changed)

    def _on_document_changed(self, _before: Project, after: Project) -> None:
        for model_id in self.keys() - after.models.keys():
            del self[model_id]
