"""Base classes of pages: tabs of the central area, and pages with an undo list of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from pgmstudio.gui.theme.icons import icon

if TYPE_CHECKING:
    from pgmstudio.core.data.dataset import DataSet
    from pgmstudio.core.learning.base import Learner
    from pgmstudio.gui.widgets.image_file import Drawing


# How the titles of models end that follow a run.
BEST_SO_FAR = "best so far"


@dataclass(frozen=True, eq=False)
class RunPlan:
    """The run that a page would start now; `params` is None while a setting is wrong."""

    learner: Learner[object]
    params: object | None
    data_id: str
    data_name: str
    part: str | None  # of the split
    rows: DataSet
    replicates: int = 0  # of a bootstrap


class Page(QWidget):
    """A tab's content. Pages with the same `key` are opened once and brought to front."""

    fixed_title: ClassVar[str] = ""  # of pages whose title does not change
    icon_name: ClassVar[str] = "table"
    stands_alone: ClassVar[bool] = False  # sends the panels away while this page is in front
    starts_runs: ClassVar[bool] = False  # a run that ends while nothing is done opens its model
    needs_tab: ClassVar[bool] = True  # else no row of tabs while this is the only page

    title_changed = Signal()
    subject_changed = Signal()  # it is about other data or another model now
    facts_changed = Signal()  # the status bar has to ask for them again

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self.setObjectName(key)

    @property
    def title(self) -> str:
        return self.fixed_title or self.key

    @property
    def short_title(self) -> str:
        """Short title, for a narrow tab."""
        return BEST_SO_FAR.capitalize() if self.title.endswith(BEST_SO_FAR) else self.title

    def page_icon(self) -> QIcon:
        return icon(self.icon_name)

    @property
    def model_id(self) -> str | None:
        """The model this page shows, for the panels around it; None for other pages."""
        return None

    def about_data(self) -> str | None:
        """The data set this page is about, for the panels around it; None for other pages."""
        return None

    def inspector(self) -> QWidget | None:
        """Widget shown in the inspector while this page is current, instead of model facts."""
        return None

    def drawing(self) -> Drawing | None:
        """What File ▸ Export picture writes, where it is no canvas; None: nothing now."""
        return None

    def about_run(self) -> RunPlan | None:
        """The run that could be started here, for the inspector; None for other pages."""
        return None

    def data_facts(self) -> str | None:
        """Status-bar text on the data of this page; None: those of the project."""
        return None

    def selected_rect(self) -> QRect | None:
        """Where on the screen what is selected stands; None when nothing is or it is not drawn."""
        return None

    def keep_clear(self, covered: Sequence[QRect]) -> None:
        """Keep the content clear of these areas of the screen, which panels cover now."""

    def may_close(self) -> bool:
        """Whether the tab may close; if False, the page has shown the reason itself."""
        return True

    def closed(self) -> None:
        """The tab is gone: stop what is under way."""


class EmbeddedPage(Page):
    """A page that another page may embed and bring up to date."""

    def refresh(self) -> None:
        """Show the project as it is now."""


Command = Callable[[], None]


class UndoablePage(Page):
    """Page with undo and redo of its own choices, defined by subclasses."""

    def _undoing(self) -> tuple[Command | None, Command | None]:
        """What undo and redo do here; None leaves the key to the window."""
        return None, None

    def _command(self, event: QEvent) -> Command | None:
        if isinstance(event, QKeyEvent):
            keys = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
            for key, command in zip(keys, self._undoing(), strict=True):
                if command is not None and event.matches(key):
                    return command
        return None

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self._command(event) is not None:
            event.accept()
            return True
        return super().event(event)
