"""The main window: menus, panels around the tabs, status bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

from PySide6.QtCore import (
    QByteArray,
    QElapsedTimer,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QSettings,
    QSize,
    Qt,
)
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QPushButton,
    QTabWidget,
    QWidget,
)

from pgmstudio.core.languages.base import Lazy
from pgmstudio.core.languages.registry import load_languages
from pgmstudio.gui.context import AppContext, ToastAction
from pgmstudio.gui.files.actions import RecentMenu
from pgmstudio.gui.files.closing import end_runs, when_saved_or_given_up
from pgmstudio.gui.files.model_menu import add_model_entries
from pgmstudio.gui.files.opening import open_dropped
from pgmstudio.gui.files.recovery import Autosave
from pgmstudio.gui.navigation import open_welcome
from pgmstudio.gui.theme.icons import Logo, logo_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import MENUS, ActionSpec, popup, unmarked
from pgmstudio.gui.widgets.basic import Note, button, hbox, named, tool_button
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.time_slices import TimeSlices
from pgmstudio.gui.window.app_context import WindowContext
from pgmstudio.gui.window.collapsible_docks import DockCollapser
from pgmstudio.gui.window.command_palette import CommandPalette
from pgmstudio.gui.window.docks import PanelDocks
from pgmstudio.gui.window.file_drop import FileDrop
from pgmstudio.gui.window.registry import (
    ACTION_TABLES,
    BOTTOM,
    EARLY_TABLES,
    LEARNER_MENU,
    LEARNER_TABLE,
    LEFT,
    LOADED_FIRST,
    RIGHT,
)
from pgmstudio.gui.window.status_bar import StatusBar

# Version of the dock arrangement; a saved one of another version is not restored.
LAYOUT_VERSION = 1
# Around the word of a menu, as in the style sheet.
MENU_MARGIN = 19
REFRESH_AFTER_MS = 100


# A change so soon after an error may be part of what failed: one of two files was opened.
SETTLED_MS = 1500
# More would push what the note is about out of sight; the log has them all.
MAX_SHOWN = 4


TOAST_MARGIN = 16


class Toast(QFrame):
    """Child of the window, so that it never takes the focus; covers no button of a page."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self.setObjectName("toast")
        self.setProperty("role", "card")
        self._label = named(QLabel(), "toastText")
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._action: ToastAction | None = None
        self._button = QPushButton()
        self._button.setObjectName("toastAction")
        self._button.setProperty("role", "link")
        self._button.clicked.connect(self._on_clicked)
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(self._label, 1)
        layout.addWidget(self._button)
        self._timer = one_shot(self, self.hide)
        self.update_soon = one_shot(self, self.update_position)  # once another page is laid out
        self.hide()

    def show_message(self, message: str, action: ToastAction | None = None) -> None:
        self._label.setText(message)
        self._action = action
        self._button.setVisible(action is not None)
        if action is not None:
            self._button.setText(action.text)
            self._button.setToolTip(action.tip)
        self.show()
        self.update_position()
        self.raise_()
        self._timer.start(max(6000, theme().motion_ms("toast_stay")))

    def update_position(self) -> None:
        window = self.parentWidget()
        if window is None or not self.isVisible():
            return
        self.setMinimumWidth(min(320, window.width() // 3))
        self.setMaximumWidth(max(320, window.width() // 2))
        self.adjustSize()
        self.resize(self.width(), self._row.totalHeightForWidth(self.width()))
        bottom = window.height() - theme().px("status_bar") - TOAST_MARGIN
        self.move(TOAST_MARGIN, bottom - self.height())
        covered = [top for top in map(self._top_of, window.findChildren(QPushButton)) if top]
        if covered:
            self.move(TOAST_MARGIN, min(covered) - self.height() - TOAST_MARGIN // 2)

    def _top_of(self, other: QPushButton) -> int:
        """The top of a button below this message; 0 where it covers none."""
        window = self.parentWidget()
        if not other.isVisible() or self.isAncestorOf(other) or other.window() is not window:
            return 0
        area = QRect(other.mapTo(window, QPoint(0, 0)), other.size())
        return area.top() if area.intersects(self.geometry()) else 0

    def _on_clicked(self) -> None:
        self.hide()
        if self._action is not None:
            self._action.run()


class ErrorNote(Note):
    """Stays until it is closed or something else is changed; several errors make one list."""

    def __init__(self, name: str = "errorNote") -> None:
        super().__init__(level="danger", name=name)
        self._messages: list[tuple[str, str]] = []
        self._age = QElapsedTimer()
        self.add_button(
            button(
                "Copy details",
                self._on_copy,
                role="link",
                tip="Copy message and traceback",
                name="errorNoteCopy",
            )
        )
        self._close = tool_button("x", "Close this note", self.dismiss, name="errorNoteClose")
        self._layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)

    def add(self, message: str, details: str) -> None:
        """Add a message; a repeated one moves to the end."""
        kept_messages = [message_of for message_of in self._messages if message_of[0] != message]
        self._messages = [*kept_messages, (message, details)][-MAX_SHOWN:]
        self._age.start()
        sentences = [message_of for message_of, _ in self._messages]
        mark = "• " if len(sentences) > 1 else ""
        self.show_text("\n".join(mark + message_of for message_of in sentences))

    @property
    def is_settled(self) -> bool:
        return self._age.isValid() and self._age.hasExpired(SETTLED_MS)

    def dismiss(self) -> None:
        self._messages = []
        self.show_text("")

    def _on_copy(self) -> None:
        QApplication.clipboard().setText("\n\n".join(details for _, details in self._messages))


LOSS = "loss"  # the note of what is not on the disk


class ErrorNotes(QObject):
    """Puts each error into the panel it was reported for, or above the pages.

    What is not on the disk has a note of its own, which stays until it is closed or saved.
    """

    def __init__(self, app: WindowContext, panels: PanelDocks) -> None:
        super().__init__(app.window)
        self._center, self._panels = app.center, panels
        self._notes: dict[str, ErrorNote] = {}
        self._document = app.document
        app.document.changed.connect(self._on_changed)
        app.document.file_changed.connect(self._on_file_changed)
        app.center.page_changed.connect(self._on_page_changed)

    def show(self, panel: str, message: str, details: str) -> None:
        """In that panel when it is in sight; else, and without a name, above the pages."""
        is_seen = panel in self._panels.docks and self._panels.panel(panel).isVisible()
        self._note(panel if is_seen else "").add(message, details)

    def show_loss(self, message: str, details: str) -> None:
        self._note(LOSS).add(message, details)

    def dismiss_one(self) -> bool:
        """Close the note that came last; False when none is in sight."""
        for note in reversed(self._notes.values()):
            if note.isVisible():
                note.dismiss()
                return True
        return False

    def dismiss_all(self) -> None:
        for note in self._notes.values():
            note.dismiss()

    def _on_changed(self, _before: object, _after: object) -> None:
        """The person went on: what was refused earlier is in the log."""
        for name, note in self._notes.items():
            if name != LOSS and note.is_settled:
                note.dismiss()

    def _on_file_changed(self) -> None:
        if LOSS in self._notes and self._document.is_saved:
            self._notes[LOSS].dismiss()

    def _on_page_changed(self, page: Page | None) -> None:
        if page is None:  # another project comes
            self.dismiss_all()

    def _note(self, panel: str) -> ErrorNote:
        if panel not in self._notes:
            is_above = panel in ("", LOSS)
            region: QWidget = self._center if is_above else self._panels.panel(panel)
            note = self._notes[panel] = ErrorNote("lossNote" if panel == LOSS else "errorNote")
            layout = region.layout()
            assert isinstance(layout, QBoxLayout), f"{panel} is in no column layout"
            layout.insertWidget(0, note)
        return self._notes[panel]


class MainWindow(QMainWindow):
    """Puts the parts together; `app` is the context that all of them use."""

    def __init__(self, *, completed_later: bool = False) -> None:
        """With `completed_later` the caller starts `completing` after the first paint."""
        super().__init__()
        self.setObjectName("mainWindow")
        self.setMinimumSize(960, 640)
        self.resize(1280, 800)
        self.setDockNestingEnabled(True)
        # The Window menu shows and hides panels; Qt's own menu does not know collapsed ones.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        for corner, area in _CORNERS:
            self.setCorner(corner, area)
        self.setTabPosition(BOTTOM, QTabWidget.TabPosition.North)
        self._is_given_up = False  # the changes that are not saved
        self.app = WindowContext(self)
        self.panels = PanelDocks(self, self.app)
        if not completed_later:
            self.panels.build_all()
        self.folding = DockCollapser(self, self.app, self.panels)
        self.setCentralWidget(self.folding.surround)
        self._menus: dict[str, QMenu] = {}
        # What the first paint does without; a menu that is opened before has its entries at once.
        self.completing = TimeSlices(self._completion(), self)
        self.adding_learners = TimeSlices(self._learner_actions(), self)
        self.completing.finished.connect(self.adding_learners.start)
        self._add_menus()
        if not completed_later:
            self.completing.finish()
            self.adding_learners.finish()
        self.setStatusBar(StatusBar(self.app))
        self.toast = Toast(self)
        self.file_drop = FileDrop(self, partial(open_dropped, self.app))
        self.error_notes = ErrorNotes(self.app, self.panels)
        self._refresh_soon = one_shot(self, self.app.actions.refresh)
        self._refit_soon = one_shot(self, self._refit)
        # New beliefs are painted first; menus and the command field refresh when they open.
        self._refresh_later = one_shot(self, self.app.actions.refresh, REFRESH_AFTER_MS)
        self.app.toast.connect(self.toast.show_message)
        self.app.errors.message.connect(self._on_error)
        self.app.errors.noted.connect(self.error_notes.show)
        self.app.errors.loss_noted.connect(self.error_notes.show_loss)
        self.app.reveal_requested.connect(self.reveal)
        self.app.center.page_changed.connect(self._on_page_changed)
        self.app.center.start_requested.connect(self._on_start_requested)
        self.app.center.menu_requested.connect(self._on_tab_menu)
        self.app.document.replaced.connect(self.toast.hide)
        self.app.document.file_changed.connect(self._retitle)
        self.app.document.changed.connect(lambda *_: self._refresh_soon.start())
        self.app.workspace.selection_changed.connect(lambda _: self._refresh_soon.start())
        self.app.workspace.beliefs_changed.connect(lambda _: self._refresh_later.start())
        theme().changed.connect(self._restyle)
        self.autosave = Autosave(self.app)
        self._retitle()
        self.setWindowIcon(logo_icon())
        self._default_state = self.saveState(LAYOUT_VERSION)

    @property
    def docks(self) -> dict[str, QDockWidget]:
        return self.panels.docks

    # -- building

    def _add_menus(self) -> None:
        registry = self.app.actions
        for title in MENUS:
            self._menus[title] = named(self.menuBar().addMenu(title), f"menu{title}")
            self._menus[title].setToolTipsVisible(True)
            self._menus[title].aboutToShow.connect(self.completing.finish)
            self._menus[title].aboutToShow.connect(registry.refresh)
        for position in EARLY_TABLES:
            self._add_table(position)
        files = self._menus["File"]
        files.insertMenu(registry["file.welcome"], RecentMenu(self.app, files))
        self._mark_mnemonics()
        self._logo = Logo()
        self.menuBar().setCornerWidget(self._logo, Qt.Corner.TopLeftCorner)
        self.command_field = CommandPalette(self.app)
        self._corner = _Corner(self.command_field)
        self.command_field.use_changed.connect(self._fit_command_field)
        self.menuBar().setCornerWidget(self._corner, Qt.Corner.TopRightCorner)

    def _completion(self) -> Iterator[object]:
        """Add entries of menus and build panels, a step at a time."""
        yield from map(import_module, LOADED_FIRST)
        for position in ACTION_TABLES:
            if position == LEARNER_TABLE:
                menu = self._menu(LEARNER_MENU)  # keeps its position
                menu.aboutToShow.connect(self.adding_learners.finish)
            elif position not in EARLY_TABLES:
                yield _table(position).load()
                self._add_table(position)
                yield position
        for title, menu in self._menus.items():
            if "/" not in title and menu.isEmpty():
                menu.menuAction().setVisible(False)
        self._mark_mnemonics()
        yield from self.panels.build_missing()

    def _learner_actions(self) -> Iterator[object]:
        """Load the languages and add an action for each learner, a step at a time."""
        yield from load_languages()
        self._add_table(LEARNER_TABLE)
        yield LEARNER_TABLE
        self._mark_mnemonics()

    def _mark_mnemonics(self) -> None:
        for menu in (self.menuBar(), *self._menus.values()):
            self.app.actions.mark_mnemonics(menu)

    def _add_table(self, position: str) -> None:
        specs = _table(position).load()(self.app)
        registry = self.app.actions
        registry.add(specs)
        for spec in specs:
            menu = self._menu(spec.menu)
            if spec.separator_before:
                menu.addSeparator()
            menu.addAction(registry[spec.id])

    def _menu(self, path: str) -> QMenu:
        if path not in self._menus:
            parent, _, title = path.rpartition("/")
            self._menus[path] = named(self._menu(parent).addMenu(title), f"menu{path}")
            self._menus[path].setToolTipsVisible(True)
        return self._menus[path]

    # -- what it does

    def reveal(self, name: str) -> None:
        """Show a panel and bring it to front."""
        self.folding.reveal(name)

    def _on_page_changed(self, page: Page | None) -> None:
        self.folding.stand_alone(page is not None and page.stands_alone)
        self.toast.update_soon.start()

    def _on_start_requested(self) -> None:
        open_welcome(self.app)

    def reset_layout(self) -> None:
        """Restore the default position and size of every panel."""
        self.folding.release()
        self.restoreState(self._default_state, LAYOUT_VERSION)
        self.folding.usual_sizes()
        self.folding.adopt()
        self._on_page_changed(self.app.center.current)

    def restore_geometry(self) -> None:
        settings = _settings()
        geometry = settings.value("geometry", QByteArray(), type=QByteArray)
        state = settings.value("state", QByteArray(), type=QByteArray)
        if isinstance(geometry, QByteArray) and not geometry.isEmpty():
            self.restoreGeometry(geometry)
        if isinstance(state, QByteArray) and not state.isEmpty():
            self.folding.release()
            self.restoreState(state, LAYOUT_VERSION)
            self.folding.adopt()

    def save_geometry(self) -> None:
        settings = _settings()
        settings.setValue("geometry", self.saveGeometry())
        self.folding.release()
        settings.setValue("state", self.saveState(LAYOUT_VERSION))

    def _retitle(self) -> None:
        document = self.app.document
        name = document.path.name if document.path is not None else "untitled"
        mark = "" if document.is_saved else " •"
        self.setWindowTitle(f"{name}{mark} — PGM Studio")

    def _restyle(self) -> None:
        self.folding.usual_sizes()
        self._refit_soon.start()  # once the menu bar has the new font
        self.setWindowIcon(logo_icon())

    def _refit(self) -> None:
        self._fit_command_field()
        self.toast.update_position()

    def _on_error(self, message: str) -> None:
        self.app.log("error", message)

    def _on_tab_menu(self, page: Page, point: QPoint) -> None:
        """What can be done with a page and its model."""
        center, menu = self.app.center, named(QMenu(self), "tabMenu")
        menu.setToolTipsVisible(True)
        if page.model_id in self.app.project.models:
            add_model_entries(menu, self.app, page.model_id or "")
            menu.addSeparator()
        menu.addAction("Close", lambda: center.close_page(page))
        others = [other for other in center.pages if other is not page]
        close = menu.addAction("Close others", lambda: [center.close_page(o) for o in others])
        close.setEnabled(bool(others))
        popup(menu, point)

    # -- Qt

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:  # the end of dragging a separator
            self.folding.note_sizes()
        return is_done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.toast.update_position()
        self._fit_command_field()
        self.folding.refold()

    def _fit_command_field(self) -> None:
        """Shrink the command field to leave space for the menus."""
        bar = self.menuBar()
        titles = [unmarked(action.text()) for action in bar.actions() if action.isVisible()]
        # A menu that does not fit the bar has no geometry, so measure the titles.
        text_width = sum(bar.fontMetrics().horizontalAdvance(title) for title in titles)
        others = text_width + self._logo.sizeHint().width() + MENU_MARGIN * (len(titles) + 1)
        self.command_field.fit(self.width() - others)
        self._corner.hold()
        # The bar lays out its corner widgets only on a resize event.
        QApplication.sendEvent(bar, QResizeEvent(bar.size(), bar.size()))
        bar.update()  # it repaints only a part of the titles that it moved

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes an error banner, or a panel over the centre."""
        if event.key() == Qt.Key.Key_Escape and (
            self.error_notes.dismiss_one() or self.folding.close_one()
        ):
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.file_drop.watch()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.app.document.is_saved and not self._is_given_up:
            event.ignore()
            when_saved_or_given_up(self.app, self._leave)
            return
        end_runs(self.app)
        self.save_geometry()
        self.autosave.stop()
        self.app.center.close_all()
        event.accept()

    def _leave(self) -> None:
        """Close without asking again."""
        self._is_given_up = True
        self.close()


def _table(position: str) -> Lazy[Callable[[AppContext], list[ActionSpec]]]:
    return Lazy(position)


def panel_widget(window: MainWindow, name: str) -> QWidget:
    """The widget inside a panel, for tests."""
    return window.panels.panel(name)


_MORE_MENUS = 6  # px: the extension arrow of the menu bar reaches into the corner


class _Corner(QWidget):
    """Holds the command field: the menu bar asks for the size once and ignores a fixed width."""

    def __init__(self, field: QWidget) -> None:
        super().__init__()
        self._field = field
        hbox(self, field, margins=(_MORE_MENUS, 3, 8, 1))
        self.hold()

    def hold(self) -> None:
        """Be as wide as the field is now."""
        self.setFixedWidth(_MORE_MENUS + self._field.width() + 8)

    def sizeHint(self) -> QSize:
        """The real width: the extension arrow of the menu bar is drawn before it."""
        return QSize(self.minimumWidth(), super().sizeHint().height())


def _settings() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "pgmstudio", "window")


_CORNERS = (
    (Qt.Corner.TopLeftCorner, LEFT),
    (Qt.Corner.BottomLeftCorner, LEFT),
    (Qt.Corner.TopRightCorner, RIGHT),
    (Qt.Corner.BottomRightCorner, RIGHT),
)
