"""The manual inside the window: the same pages as docs/."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QIcon,
    QKeySequence,
    QShortcut,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.resources import folder_of
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, row, tool_button
from pgmstudio.gui.widgets.search_field import SearchField
from pgmstudio.gui.window.app_context import Shell
from pgmstudio.gui.window.page import Page

# Its links are the order of the contents; pages it does not name follow by name.
INDEX = "index.md"
LINE_PERCENT = 125.0
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_CODE = QTextFormat.Property.BlockCodeLanguage


class _NoWiderThanTheList(QStyledItemDelegate):
    """Long titles are cut with an ellipsis, so that the text keeps its room."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(1, super().sizeHint(option, index).height())


class HelpPage(Page):
    """A list of the pages at the left, the text at the right; links lead on inside.

    The field over the list leaves those pages that have its words; Enter goes to the next place.
    """

    def __init__(self) -> None:
        super().__init__("help")
        self._folder = folder_of("docs")
        self._seen: list[tuple[int, int]] = []  # pages left behind and how far they were read
        self._shown = -1
        self.search = SearchField("helpFind", "Find in the manual")
        self.search.setToolTip("Pages with these words; Enter goes to the next place.")
        self.search.textChanged.connect(self._on_find)
        self.search.returnPressed.connect(self._find_next)
        self.back = tool_button("caret-left", "Back (Alt+Left)", self._on_back, name="helpBack")
        QShortcut(QKeySequence("Alt+Left"), self, self._on_back)
        self._none = label("", "secondary", size="dense", wrap=True)
        self._none.setObjectName("helpNone")
        self._none.setContentsMargins(12, 0, 12, 4)
        self._contents = QListWidget()
        self._contents.setObjectName("helpContents")
        self._contents.setAccessibleName("Pages of the manual")
        self._contents.setToolTip("Choose a page of the manual.")
        self._browser = QTextBrowser()
        self._browser.setObjectName("helpText")
        self._browser.setAccessibleName("Manual")
        self._browser.setToolTip("A page of the manual; links lead on inside.")
        self._browser.setOpenLinks(False)
        self._browser.anchorClicked.connect(self._on_link)
        self._files = self._pages()
        self._contents.ensurePolished()  # rows laid out before that keep their unstyled height
        for file in self._files:
            item = QListWidgetItem(_title_of(file), self._contents)
            item.setToolTip(item.text())
        self._contents.currentRowChanged.connect(self._on_row)
        head = row(self.back, self.search)
        head.setContentsMargins(8, 8, 8, 8)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self._none)
        column.addWidget(self._contents, 1)
        self._none.hide()
        self.back.setEnabled(False)
        splitter = QSplitter()
        splitter.addWidget(left)
        splitter.addWidget(self._browser)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 2)
        self._contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._contents.setItemDelegate(_NoWiderThanTheList(self._contents))
        self._contents.setMinimumWidth(theme().px("left_min"))
        splitter.setSizes([theme().px("left"), 2 * theme().px("left")])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        theme().changed.connect(self._restyle)

    @property
    def title(self) -> str:
        return "Manual"

    def page_icon(self) -> QIcon:
        return icon("question")

    def show_file(self, name: str) -> None:
        names = [file.name for file in self._files]
        if name in names:
            self._contents.setCurrentRow(names.index(name))

    def _pages(self) -> list[Path]:
        files = {file.name: file for file in sorted(self._folder.glob("*.md"))}
        index = files[INDEX].read_text(encoding="utf-8") if INDEX in files else ""
        named = dict.fromkeys((INDEX, *re.findall(r"\]\(([\w-]+\.md)", index), *files))
        return [files[name] for name in named if name in files]

    def _on_row(self, number: int) -> None:
        if not 0 <= number < len(self._files) or number == self._shown:
            return
        if self._shown >= 0:
            self._seen.append((self._shown, self._browser.verticalScrollBar().value()))
            self.back.setEnabled(True)
        self._show(number)

    def _show(self, number: int, read_to: int = 0) -> None:
        self._shown = number
        self._browser.setSearchPaths([str(self._folder)])
        self._browser.setMarkdown(self._files[number].read_text(encoding="utf-8"))
        _give_air(self._browser.document())
        self._browser.moveCursor(QTextCursor.MoveOperation.Start)
        self._browser.verticalScrollBar().setValue(read_to)

    def _on_back(self) -> None:
        if not self._seen:
            return
        number, read_to = self._seen.pop()
        self.back.setEnabled(bool(self._seen))
        self._show(number, read_to)  # before the row, which then is no step of its own
        self._contents.setCurrentRow(number)

    def _on_link(self, url: QUrl) -> None:
        if url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)
        else:
            self.show_file(Path(url.path()).name)

    def _on_find(self, words: str) -> None:
        wanted = words.strip().casefold()
        texts = [file.read_text(encoding="utf-8").casefold() for file in self._files]
        found = [number for number, text in enumerate(texts) if wanted in text]
        for number in range(len(self._files)):
            self._contents.item(number).setHidden(number not in found)
        self._none.setText(f"No page has “{words.strip()}”.")
        self._none.setVisible(not found)
        if not wanted or not found:
            return
        if self._shown not in found:
            self._contents.setCurrentRow(found[0])
        self._browser.moveCursor(QTextCursor.MoveOperation.Start)
        self._browser.find(words.strip())

    def _find_next(self) -> None:
        """The next place on this page, after the last one the first place of the next page."""
        words = self.search.text().strip()
        if not words or self._browser.find(words):
            return
        rows = [n for n in range(len(self._files)) if not self._contents.item(n).isHidden()]
        if rows:
            self._contents.setCurrentRow(next((n for n in rows if n > self._shown), rows[0]))
            self._browser.moveCursor(QTextCursor.MoveOperation.Start)
            self._browser.find(words)

    def _restyle(self) -> None:
        if self._shown >= 0:
            self._show(self._shown, self._browser.verticalScrollBar().value())


def _give_air(document: QTextDocument) -> None:
    """Markdown comes without space between its paragraphs."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()  # else a page with many cells is laid out for each of them
    block = document.begin()
    while block.isValid():
        form = block.blockFormat()
        form.setLineHeight(LINE_PERCENT, _PROPORTIONAL)
        in_list = block.textList() is not None
        heading, code = form.headingLevel(), form.hasProperty(_CODE)
        form.setTopMargin(theme().space(5) if heading > 1 else 0)
        form.setBottomMargin(0 if code else theme().space(2 if in_list else 4 if heading else 3))
        cursor.setPosition(block.position())
        cursor.setBlockFormat(form)
        block = block.next()
    cursor.endEditBlock()


def _title_of(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        first = lines.readline().lstrip("# ").strip()
    return first or file.stem


def open_help(shell: Shell, name: str = "index.md") -> None:
    page = shell.open_page("help", HelpPage)
    assert isinstance(page, HelpPage)
    page.show_file(name)
