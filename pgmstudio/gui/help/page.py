"""The manual in the window: the pages of docs/ with a table of contents, search and Back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QImageReader,
    QKeySequence,
    QResizeEvent,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QSplitter,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QWidget,
)

from pgmstudio.core.resources import folder_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.help.contents import INDEX, ManualPage, anchor_of, read_contents
from pgmstudio.gui.help.show_me import SCHEME, ShowMe
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named, row, tool_button, vbox
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.search_field import SearchField

LINE_PERCENT = 125.0
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_CODE = QTextFormat.Property.BlockCodeLanguage
_PATH = Qt.ItemDataRole.UserRole
_IMAGE = QTextDocument.ResourceType.ImageResource.value
_KEEP = Qt.AspectRatioMode.KeepAspectRatio


class HelpPage(Page):
    """The contents at the left, the text at the right; links open inside.

    The search field keeps the pages that contain its text; Enter goes to the next match.
    """

    fixed_title = "Manual"
    icon_name = "question"

    def __init__(self, app: AppContext) -> None:
        super().__init__("help")
        self._show_me = ShowMe(app, self)
        self._folder = folder_of("docs").resolve()
        self._history: list[tuple[str, int]] = []  # pages left behind with their scroll position
        self._shown = ""
        self._items: dict[str, QTreeWidgetItem] = {}
        self.search = SearchField("helpFind", "Find in the manual")
        self.search.setToolTip("Show pages that contain this text; Enter goes to the next match.")
        self.search.textChanged.connect(self._on_find)
        self.search.returnPressed.connect(self._find_next)
        self.back = tool_button("caret-left", "Back (Alt+Left)", self._on_back, name="helpBack")
        QShortcut(QKeySequence("Alt+Left"), self, self._on_back)
        self._none = label("", "secondary", size="dense", wrap=True, name="helpNone")
        self._none.setContentsMargins(12, 0, 12, 4)
        self._contents = named(
            QTreeWidget(), "helpContents", "Pages of the manual", "Choose a page of the manual."
        )
        self._contents.setHeaderHidden(True)
        self._contents.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._browser = named(
            QTextBrowser(), "helpText", "Manual", "A page of the manual; links open inside."
        )
        self._browser.setOpenLinks(False)
        self._browser.anchorClicked.connect(self._on_link)
        self._fill_contents()
        self._contents.currentItemChanged.connect(self._on_item)
        head = row(self.back, self.search)
        head.setContentsMargins(8, 8, 8, 8)
        left = QWidget()
        vbox(left, head, self._none, (self._contents, 1), spacing=0)
        self._none.hide()
        self.back.setEnabled(False)
        splitter = QSplitter()
        splitter.splitterMoved.connect(self._fit_images)
        splitter.addWidget(left)
        splitter.addWidget(self._browser)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 2)
        self._contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._contents.setMinimumWidth(theme().px("left_min"))
        splitter.setSizes([theme().px("left"), 2 * theme().px("left")])
        vbox(self, splitter)
        theme().follow(self._restyle)

    @property
    def paths(self) -> tuple[str, ...]:
        """The pages of the contents in order, as paths below the manual's folder."""
        return tuple(self._items)

    @property
    def shown_path(self) -> str:
        return self._shown

    def show_file(self, path: str, anchor: str = "") -> None:
        """Open a page by its path below the manual's folder, at a heading if one is given."""
        item = self._items.get(path)
        if item is not None:
            self._contents.setCurrentItem(item)
        elif (self._folder / path).is_file():  # an example, which is not in the contents
            self._contents.setCurrentIndex(QModelIndex())
            self._go_to(path)
        if anchor:
            self._scroll_to(anchor)

    def _fill_contents(self) -> None:
        for section in read_contents(self._folder):
            if section.title:
                head = QTreeWidgetItem(self._contents, [section.title])
                head.setFlags(Qt.ItemFlag.ItemIsEnabled)
                for page in section.pages:
                    self._add_page(page, head)
                head.setExpanded(True)
            else:
                for page in section.pages:
                    self._add_page(page, self._contents)

    def _add_page(self, page: ManualPage, parent: QTreeWidget | QTreeWidgetItem) -> None:
        item = QTreeWidgetItem(parent, [page.title])
        item.setToolTip(0, page.title)
        item.setData(0, _PATH, page.path)
        self._items[page.path] = item
        for child in page.children:
            self._add_page(child, item)

    def _on_item(self, item: QTreeWidgetItem | None) -> None:
        path = item.data(0, _PATH) if item is not None else None
        if path:
            self._go_to(path)

    def _go_to(self, path: str) -> None:
        if path == self._shown:
            return
        if self._shown:
            self._history.append((self._shown, self._browser.verticalScrollBar().value()))
            self.back.setEnabled(True)
        self._show(path)

    def _show(self, path: str, scroll: int = 0) -> None:
        self._shown = path
        file = self._folder / path
        self._browser.setSearchPaths([str(file.parent)])
        self._browser.setMarkdown(self._show_me.with_links(file.read_text(encoding="utf-8")))
        _set_spacing(self._browser.document())
        self._fit_images()
        self._browser.moveCursor(QTextCursor.MoveOperation.Start)
        self._browser.verticalScrollBar().setValue(scroll)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_images()

    def _fit_images(self) -> None:
        """Scale images that are wider than the text down to its width, smoothly."""
        if not self._shown:
            return
        document = self._browser.document()
        available = self._browser.viewport().width() - 4 * document.documentMargin()
        folder = (self._folder / self._shown).parent
        block = document.begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                image = fragment.charFormat().toImageFormat()
                if image.isValid() and image.name():
                    width = self._scale_picture(folder / image.name(), image.name(), available)
                    image.setWidth(width)
                    cursor = QTextCursor(document)
                    cursor.setPosition(fragment.position())
                    cursor.setPosition(
                        fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor
                    )
                    cursor.setCharFormat(image)
                    break  # an image stands alone in its paragraph; the iterator is now outdated
                fragments += 1
            block = block.next()

    def _scale_picture(self, file: Path, name: str, available: float) -> float:
        """The width at which the picture of this name is now stored in the document."""
        reader = QImageReader(str(file))
        size = reader.size()
        width = max(1.0, min(size.width(), available))
        ratio = self.devicePixelRatioF()
        if width < size.width():  # a painter would skip rows and columns of pixels
            reader.setScaledSize(size.scaled(round(ratio * width), size.height(), _KEEP))
        picture = reader.read()
        picture.setDevicePixelRatio(picture.width() / width if picture.width() else 1.0)
        self._browser.document().addResource(_IMAGE, QUrl(name), picture)
        return width

    def _scroll_to(self, anchor: str) -> None:
        document = self._browser.document()
        block = document.begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == anchor:
                top = document.documentLayout().blockBoundingRect(block).top()
                self._browser.verticalScrollBar().setValue(round(top))
                return
            block = block.next()

    def _on_back(self) -> None:
        if not self._history:
            return
        path, scroll = self._history.pop()
        self.back.setEnabled(bool(self._history))
        self._show(path, scroll)  # before the selection changes, which would be a new step
        if path in self._items:
            self._contents.setCurrentItem(self._items[path])

    def _on_link(self, url: QUrl) -> None:
        if url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
            return
        if url.scheme() == SCHEME:
            self._show_me.open(url)
            return
        anchor = url.fragment()
        if not url.path():
            self._scroll_to(anchor)
            return
        target = os.path.normpath((self._folder / self._shown).parent / url.path())
        if target.startswith(str(self._folder)):
            self.show_file(Path(target).relative_to(self._folder).as_posix(), anchor)

    def _matches(self, text: str) -> list[str]:
        wanted = text.strip().casefold()
        return [
            path
            for path in self._items
            if wanted in (self._folder / path).read_text(encoding="utf-8").casefold()
        ]

    def _on_find(self, text: str) -> None:
        matches = self._matches(text)
        shown = {id(item) for path in matches for item in _with_parents(self._items[path])}
        entries = QTreeWidgetItemIterator(self._contents)
        while entries.value() is not None:
            item = entries.value()
            item.setHidden(id(item) not in shown)
            entries += 1
        wanted = text.strip()
        self._none.setText(f"No page contains “{wanted}”.")
        self._none.setVisible(not matches)
        if not wanted or not matches:
            return
        for path in matches:
            for item in _with_parents(self._items[path]):
                item.setExpanded(True)
        if self._shown not in matches:
            self.show_file(matches[0])
        self._browser.moveCursor(QTextCursor.MoveOperation.Start)
        self._browser.find(wanted)

    def _find_next(self) -> None:
        """The next match on this page, after the last one the first of the next page."""
        wanted = self.search.text().strip()
        if not wanted or self._browser.find(wanted):
            return
        matches = self._matches(wanted)
        if matches:
            order = self.paths
            here = order.index(self._shown) if self._shown in order else -1
            following = (path for path in matches if order.index(path) > here)
            self.show_file(next(following, matches[0]))
            self._browser.moveCursor(QTextCursor.MoveOperation.Start)
            self._browser.find(wanted)

    def _restyle(self) -> None:
        if self._shown:
            self._show(self._shown, self._browser.verticalScrollBar().value())


def _with_parents(item: QTreeWidgetItem | None) -> Iterator[QTreeWidgetItem]:
    while item is not None:
        yield item
        item = item.parent()


def _set_spacing(document: QTextDocument) -> None:
    """Line height and margins, which Markdown leaves at zero."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()  # otherwise a page with many cells is laid out once per cell
    block = document.begin()
    while block.isValid():
        form = block.blockFormat()
        has_image = "\ufffc" in block.text()  # the character that stands for it
        form.setLineHeight(100.0 if has_image else LINE_PERCENT, _PROPORTIONAL)
        in_list = block.textList() is not None
        heading, code = form.headingLevel(), form.hasProperty(_CODE)
        form.setTopMargin(theme().space(5) if heading > 1 else 0)
        goes_on = code and block.next().blockFormat().hasProperty(_CODE)
        form.setBottomMargin(0 if goes_on else theme().space(2 if in_list else 4 if heading else 3))
        cursor.setPosition(block.position())
        cursor.setBlockFormat(form)
        block = block.next()
    cursor.endEditBlock()


def open_help(app: AppContext, path: str = INDEX, anchor: str = "") -> None:
    """Show a page of the manual, at a heading if one is given."""
    page = app.open_page("help", partial(HelpPage, app))
    assert isinstance(page, HelpPage)
    page.show_file(path, anchor)
