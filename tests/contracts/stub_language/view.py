"""What the plug-in of the stub may add to the window: a line above the canvas, and a section."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.model_page.extension import PageExtension


class StubExtension(PageExtension):
    """A line above the canvas."""

    @property
    def above(self) -> tuple[QWidget, ...]:
        banner = QLabel(f"{', '.join(self._page.entry.model.domain.names)} are independent.")
        banner.setObjectName("stubBanner")
        return (banner,)


class StubSection(QLabel):
    """A section of the inspector with the first variable."""

    def __init__(self, _app: AppContext) -> None:
        super().__init__()
        self.setObjectName("stubSection")

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...]) -> None:
        self.setText(f"First: {subject.model.domain.names[0]}")
        self.show()


VIEW = LanguageView(
    kind="independent",
    extend_page=Lazy("tests.contracts.stub_language.view:StubExtension"),
    inspector_sections={
        SubjectKind.MODEL: (Lazy("tests.contracts.stub_language.view:StubSection"),)
    },
)
