"""What every tab of the centre is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QWidget

from pgmstudio.gui.style.icons import icon


class Page(QWidget):
    """A tab's content. Pages with the same `key` are opened once and brought to front."""

    title_changed = Signal()
    subject_changed = Signal()  # it is about other data or another model now

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self.setObjectName(key)

    @property
    def title(self) -> str:
        return self.key

    def page_icon(self) -> QIcon:
        return icon("table")

    @property
    def model_id(self) -> str | None:
        """The model this page shows, for the panels around it; None for other pages."""
        return None

    def about_data(self) -> str | None:
        """The data set this page is about, for the panels around it; None for other pages."""
        return None

    @property
    def stands_alone(self) -> bool:
        """True sends the panels around the centre away while this page is in front."""
        return False

    def selected_place(self) -> QRect | None:
        """Where on the screen what is selected stands; None when nothing is or it is not drawn."""
        return None

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        """Panels lie over these parts of the screen now: keep what matters beside them."""

    def may_close(self) -> bool:
        """False keeps the tab open; the page says why by itself."""
        return True

    def closed(self) -> None:
        """The tab is gone: stop what is under way."""
