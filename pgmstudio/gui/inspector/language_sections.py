"""The sections that the language of a model adds to the inspector."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.languages.registry import SubjectKind, SubjectSection, language_view


class LanguageSections(QWidget):
    """A column of sections, each made when a model of its language is first inspected."""

    def __init__(self, app: AppContext, kind: SubjectKind) -> None:
        super().__init__()
        self._app = app
        self._kind = kind
        self._made: dict[Lazy[Callable[[AppContext], SubjectSection]], SubjectSection] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.hide()

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...] = ()) -> None:
        """Show the sections of the model's language, and hide those of the others."""
        factories = language_view(subject.model.kind).inspector_sections.get(self._kind, ())
        self.setVisible(bool(factories))
        for factory, section in self._made.items():
            if factory not in factories:
                section.hide()
        for factory in factories:
            self._section(factory).show_subject(subject, names)

    def _section(self, factory: Lazy[Callable[[AppContext], SubjectSection]]) -> SubjectSection:
        section = self._made.get(factory)
        if section is None:
            section = self._made[factory] = factory.load()(self._app)
            assert isinstance(section, QWidget)
            self._column.addWidget(section)
        return section
