"""The tabs of pages, in one or two groups side by side or one above the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QTabBar, QTabWidget, QWidget

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import button, empty_state, literal, named, vbox
from pgmstudio.gui.widgets.page import Page


class _TabBar(QTabBar):
    """Shortens long titles down to a minimum width; then the bar scrolls."""

    def tabSizeHint(self, index: int) -> QSize:
        """Space for the bold title of the current tab, in every tab."""
        wanted, text = super().tabSizeHint(index), self.tabText(index)
        if index != self.currentIndex():
            plain = QFont(self.font())
            plain.setWeight(QFont.Weight.Normal)
            more = self.fontMetrics().horizontalAdvance(text)
            more -= QFontMetrics(plain).horizontalAdvance(text)
            wanted.setWidth(wanted.width() + max(0, more))
        return wanted

    def minimumTabSizeHint(self, index: int) -> QSize:
        wanted = self.tabSizeHint(index)
        return QSize(min(wanted.width(), theme().px("left_min")), wanted.height())


class _Tabs(QTabWidget):
    """Tabs whose minimum size is that of the current page, not of the largest page."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabBar(_TabBar())  # before anything else is set

    def tabInserted(self, index: int) -> None:
        super().tabInserted(index)
        self.size_crosses()
        self.fit_titles()

    def tabRemoved(self, index: int) -> None:
        super().tabRemoved(index)
        self.fit_titles()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_titles()

    def fit_titles(self) -> None:
        """Use short titles where the long ones do not fit."""
        bar, pages = self.tabBar(), _pages_of(self)
        wanted = sum(bar.tabSizeHint(self.indexOf(page)).width() for page in pages)
        text = bar.fontMetrics()
        for page in pages:
            shown = self.tabText(self.indexOf(page))
            wanted += text.horizontalAdvance(literal(page.title))
            wanted -= text.horizontalAdvance(shown)
        for page in pages:
            title = literal(page.title if wanted <= self.width() else page.short_title)
            if self.tabText(self.indexOf(page)) != title:
                self.setTabText(self.indexOf(page), title)

    def size_crosses(self) -> None:
        """Scale the close buttons with the font; the style gives them a fixed size."""
        side, bar = theme().px("row") * 5 // 6, self.tabBar()
        for index in range(self.count()):
            if (cross := bar.tabButton(index, QTabBar.ButtonPosition.RightSide)) is not None:
                cross.resize(side, side)
        bar.setIconSize(bar.iconSize())  # lays out the tabs again, with space for the buttons

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        if page is None:
            return super().minimumSizeHint()
        needed, head = page.minimumSizeHint(), self.tabBar().sizeHint().height()
        return QSize(needed.width(), needed.height() + head)


class TabArea(QWidget):
    """Opens and closes pages and tiles two groups of tabs."""

    page_changed = Signal(object)  # the current Page or None
    facts_changed = Signal()  # of any page
    tiling_changed = Signal()
    start_requested = Signal()
    menu_requested = Signal(object, QPoint)  # the Page of a tab, where on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("center")
        self.expected_size: Callable[[], QSize | None] = lambda: None  # of a page beside panels
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._groups: list[_Tabs] = []
        self._nothing = empty_state(
            "No page is open. Choose from the project at the left, or open the start page.",
            button(
                "Start page",
                self.start_requested.emit,
                icon_name="house",
                tip="Samples, recent projects and other ways to start.",
                name="centerStart",
            ),
        )
        vbox(self, self._splitter, self._nothing)
        self._is_switching = False
        self._add_group()
        self._splitter.hide()
        self.page_changed.connect(self._on_page_changed)
        self._active = 0
        theme().changed.connect(self._on_theme_changed)

    def _add_group(self) -> _Tabs:
        tabs = named(_Tabs(), f"tabs{len(self._groups)}", "Open pages")
        tabs.setDocumentMode(True)
        tabs.setTabsClosable(True)
        tabs.setMovable(True)
        tabs.setElideMode(Qt.TextElideMode.ElideMiddle)
        tabs.tabBar().setExpanding(False)
        tabs.tabBar().setUsesScrollButtons(True)
        tabs.tabCloseRequested.connect(lambda index: self._close_at(tabs, index))
        tabs.currentChanged.connect(lambda _index: self._on_current_changed(tabs))
        tabs.tabBarClicked.connect(lambda _index: self._activate(tabs))
        tabs.tabBar().setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tabs.tabBar().customContextMenuRequested.connect(partial(self._on_menu, tabs))
        tabs.installEventFilter(self)
        self._groups.append(tabs)
        self._splitter.addWidget(tabs)
        return tabs

    @property
    def pages(self) -> tuple[Page, ...]:
        return tuple(page for tabs in self._groups for page in _pages_of(tabs))

    @property
    def current(self) -> Page | None:
        widget = self._groups[self._active].currentWidget()
        return widget if isinstance(widget, Page) else None

    @property
    def page_size(self) -> QSize | None:
        """The size of the page that is shown beside the panels, or would be; None in no window."""
        page = self.current
        if page is not None and page.isVisible() and not page.stands_alone:
            return page.size()
        return self.expected_size() if self.isVisible() else None

    def page(self, key: str) -> Page | None:
        return next((page for page in self.pages if page.key == key), None)

    def open(self, page: Page, *, split: bool = False) -> Page:
        """Show `page`, or the one already open with its key; `split`: in the other group."""
        existing = self.page(page.key)
        if existing is not None and existing is not page:
            page.deleteLater()
            page = existing
        if existing is None:
            if split and len(self._groups) == 1:
                self._add_group()
                self.tiling_changed.emit()
            tabs = self._groups[-1] if split else self._groups[self._active]
            index = tabs.addTab(page, page.page_icon(), literal(page.title))
            tabs.setTabToolTip(index, page.title)
            page.title_changed.connect(lambda: self._retitle(page))
            page.subject_changed.connect(lambda: self._on_subject_changed(page))
            page.facts_changed.connect(self.facts_changed)
            page.installEventFilter(self)
        self.bring_to_front(page)
        return page

    def bring_to_front(self, page: Page) -> None:
        for number, tabs in enumerate(self._groups):
            index = tabs.indexOf(page)
            if index >= 0:
                self._active = number
                self._is_switching = True  # reported below, once, when the page has the focus
                tabs.setCurrentIndex(index)
                self._is_switching = False
                page.setFocus()
        self.page_changed.emit(self.current)

    def close_page(self, page: Page) -> bool:
        for tabs in list(self._groups):
            index = tabs.indexOf(page)
            if index >= 0:
                return self._close_at(tabs, index)
        return False

    def _close_at(self, tabs: _Tabs, index: int) -> bool:
        page = tabs.widget(index)
        if not isinstance(page, Page) or not page.may_close():
            return False
        tabs.removeTab(index)
        page.closed()
        page.deleteLater()
        if tabs.count() == 0 and len(self._groups) > 1:
            self._remove_group(tabs)
            self.tiling_changed.emit()
        self.page_changed.emit(self.current)
        return True

    def close_all(self) -> None:
        for page in self.pages:
            self.close_page(page)

    @property
    def is_tiled(self) -> bool:
        return len(self._groups) > 1

    @property
    def columns(self) -> int:
        """How many pages stand side by side."""
        across = self._splitter.orientation() == Qt.Orientation.Horizontal
        return len(self._groups) if across else 1

    def tile(self, orientation: Qt.Orientation | None) -> None:
        """Two groups in that direction, the current page moved to the second; None: one group."""
        if orientation is None:
            for tabs in self._groups[1:]:
                for page in _pages_of(tabs):
                    self._move(page, self._groups[0])
                self._remove_group(tabs)
        else:
            self._splitter.setOrientation(orientation)
            if len(self._groups) == 1 and len(self.pages) > 1 and self.current is not None:
                page = self.current
                self._move(page, self._add_group())
                self.bring_to_front(page)
            QTimer.singleShot(0, self, self._halve)  # when the panels have given way
        self.tiling_changed.emit()

    def _halve(self) -> None:
        self._splitter.setSizes([max(1, self._splitter.width() // 2)] * len(self._groups))

    def step(self, by: int) -> None:
        """Go to the next or previous tab."""
        tabs = self._groups[self._active]
        if tabs.count():
            tabs.setCurrentIndex((tabs.currentIndex() + by) % tabs.count())

    def _move(self, page: Page, to: QTabWidget) -> None:
        index = to.addTab(page, page.page_icon(), literal(page.title))
        to.setTabToolTip(index, page.title)
        to.setCurrentIndex(index)

    def _remove_group(self, tabs: _Tabs) -> None:
        self._groups.remove(tabs)
        self._active = 0
        tabs.hide()
        tabs.setParent(None)
        tabs.deleteLater()

    def _on_menu(self, tabs: _Tabs, point: QPoint) -> None:
        page = tabs.widget(tabs.tabBar().tabAt(point))
        if isinstance(page, Page):
            self.menu_requested.emit(page, tabs.tabBar().mapToGlobal(point))

    def _activate(self, tabs: _Tabs) -> None:
        number = self._groups.index(tabs)
        if number != self._active:
            self._active = number
            self.page_changed.emit(self.current)

    def _on_current_changed(self, tabs: QTabWidget) -> None:
        if tabs in self._groups:
            tabs.updateGeometry()
            self._active = self._groups.index(tabs)
            if not self._is_switching:
                self.page_changed.emit(self.current)

    def _retitle(self, page: Page) -> None:
        for tabs in self._groups:
            index = tabs.indexOf(page)
            if index >= 0:
                tabs.setTabIcon(index, page.page_icon())
                tabs.setTabToolTip(index, page.title)
                tabs.fit_titles()

    def _on_subject_changed(self, page: Page) -> None:
        if page is self.current:
            self.page_changed.emit(page)

    def _on_page_changed(self, page: Page | None) -> None:
        if page is not None:
            self.setFocusProxy(page)
        only = self.pages[0] if len(self.pages) == 1 else None
        self._groups[0].tabBar().setVisible(only is None or only.needs_tab)
        self._splitter.setVisible(page is not None)
        self._nothing.setVisible(page is None)

    def _on_theme_changed(self) -> None:
        for tabs in self._groups:
            tabs.size_crosses()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # With two groups, the one that was clicked into is the one the panels follow.
        if event.type() == QEvent.Type.FocusIn and self.is_tiled:
            focus = QApplication.focusWidget()
            for tabs in self._groups:
                if focus is not None and tabs.isAncestorOf(focus):
                    self._activate(tabs)
        return super().eventFilter(watched, event)


def _pages_of(tabs: QTabWidget) -> list[Page]:
    widgets = [tabs.widget(index) for index in range(tabs.count())]
    return [widget for widget in widgets if isinstance(widget, Page)]
