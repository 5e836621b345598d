"""`python -m pgmstudio.gui.export.report_pdf`: a report page from the input as PDF to the output.

Qt's rich text knows a part of HTML only, so the page is rewritten: lists of facts and bars become
tables, what is collapsed is open, and drawings become objects of the text, painted as vectors.
"""

from __future__ import annotations

import re
import sys
from html import escape
from html.parser import HTMLParser

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextLength,
    QTextTable,
)
from PySide6.QtSvg import QSvgRenderer

from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.reports.html import Look

_DPI = 96  # px of the text, as in a browser
_MARGIN_MM = 15.0
_FOOT = 24  # px for the number of the page
_MAX_BREAKS = 20  # each lays out the document once more
_DRAWING = QTextFormat.ObjectTypes.UserObject + 1
_NUMBER = QTextFormat.Property.UserProperty + 1
_DROPPED = ("head", "nav")
_RENAMED = {"header": "div", "main": "div", "section": "div", "summary": "h4", "figure": "div"}


class RichText(HTMLParser):
    """The page as rich text of Qt, and its drawings; `look` chooses one of each pair of them."""

    def __init__(self, look: Look) -> None:
        super().__init__(convert_charrefs=True)
        self.drawings: list[str] = []
        self._parts: list[str] = []
        self._palette = colors("dark" if look == "dark" else "light")
        self._unused = "for-light" if look == "dark" else "for-dark"
        self._skips = ""  # the element that is left out until it ends
        self._depth = 0  # of elements of that name in it
        self._svg: list[str] | None = None

    @property
    def text(self) -> str:
        return "".join(self._parts)

    # -- parsing

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if self._skips:
            self._depth += name == self._skips
        elif name in _DROPPED or self._unused in classes:
            self._skips, self._depth = name, 1
        elif self._svg is not None or name == "svg":
            self._svg = self._svg or []
            self._svg.append(self.get_starttag_text() or "")
        else:
            self._parts.append(self._opened(name, classes, dict(attrs)))

    def handle_startendtag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._svg is not None and not self._skips:
            self._svg.append(self.get_starttag_text() or "")
        elif not self._skips:
            super().handle_startendtag(name, attrs)

    def handle_endtag(self, name: str) -> None:
        if self._skips:
            self._depth -= name == self._skips
            self._skips = self._skips if self._depth else ""
        elif self._svg is not None:
            self._svg.append(f"</{name}>")
            if name == "svg":
                self._parts.append(f'<p><img src="drawing:{len(self.drawings)}"></p>')
                self.drawings.append("".join(self._svg))
                self._svg = None
        else:
            self._parts.append(self._closed(name))

    def handle_data(self, text: str) -> None:
        if self._skips:
            return
        if self._svg is not None:
            self._svg.append(escape(text, quote=False))
        else:
            self._parts.append(escape(text, quote=False))

    # -- elements

    def _opened(self, name: str, classes: list[str], attrs: dict[str, str | None]) -> str:
        palette, quiet = self._palette, self._palette["text_secondary"]
        match name:
            case "html" | "body" | "details" | "table" | "tbody":
                return ""
            case "caption":  # stands before its table: a cell over all columns is slow
                return f'<p style="color:{quiet}">'
            case "thead":
                return '<table cellpadding="3" cellspacing="0" width="100%">'
            case "th" | "td":
                side = "right" if "num" in classes else "left"
                line = f"border-bottom:1px solid {palette['border']}"
                return f'<{name} align="{side}" style="{line}">'
            case "dl":
                return '<table cellpadding="2" cellspacing="0">'
            case "dt":
                return f'<tr><td><span style="color:{quiet}">'
            case "dd":
                return "<td>"
            case "h2":
                return f'<hr style="background-color:{palette["border"]}"><h2>'
            case "pre":
                return f'<pre style="background-color:{palette["sunken"]}">'
            case "figcaption":
                return f'<p style="color:{quiet}">'
            case "i":  # the filled part of a bar
                return self._bar(attrs.get("style") or "")
            case "span" if "bar" in classes:
                return "<div>"
            case "span" if "track" in classes:
                return "<span>"
            case "span" if classes:
                inks = {"good": "success_ink", "bad": "danger_ink", "badge": "warning_ink"}
                return f'<span style="color:{palette[inks.get(classes[0], "text_secondary")]}">'
            case "p" if "quiet" in classes:
                return f'<p style="color:{quiet}">'
        return f"<{_RENAMED.get(name, name)}>"

    def _closed(self, name: str) -> str:
        match name:
            case "html" | "body" | "details" | "thead" | "tbody" | "i" | "meta":
                return ""
            case "caption":
                return "</p>"
            case "dl":
                return "</table>"
            case "dt":
                return "</span></td>"
            case "dd":
                return "</td></tr>"
            case "figcaption":
                return "</p>"
        return f"</{_RENAMED.get(name, name)}>"

    def _bar(self, style: str) -> str:
        """A bar as blanks on two colours."""
        match = re.search(r"width:([\d.]+)%", style)
        filled = round(float(match[1]) / 100 * 20) if match else 0
        parts = ((self._palette["belief"], filled), (self._palette["belief_track"], 20 - filled))
        return (
            "".join(
                f'<span style="background-color:{color};font-size:6px">{"&nbsp;" * count}</span>'
                for color, count in parts
                if count
            )
            + "&nbsp;&nbsp;"
        )


class Drawings(QPyTextObject):
    """Paints the drawings of a document, at most this large."""

    def __init__(self, drawings: list[str], most: QSizeF) -> None:
        super().__init__()
        self._most = most
        self._renderers = [QSvgRenderer(QByteArray(svg.encode())) for svg in drawings]

    def intrinsicSize(self, doc: QTextDocument, position: int, format: QTextFormat) -> QSizeF:
        size = QSizeF(self._renderers[int(format.property(_NUMBER))].defaultSize())
        if size.width() > self._most.width() or size.height() > self._most.height():
            size.scale(self._most, Qt.AspectRatioMode.KeepAspectRatio)
        return size

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        position: int,
        format: QTextFormat,
    ) -> None:
        self._renderers[int(format.property(_NUMBER))].render(painter, QRectF(rect))


def document_of(page: str, look: Look, size: QSizeF) -> tuple[QTextDocument, Drawings]:
    """The document of a page, and what paints its drawings, which has to live as long."""
    rich = RichText(look)
    rich.feed(page)
    document = QTextDocument()
    font = QFont(tokens()["type"]["family"])
    font.setPixelSize(12)
    document.setDefaultFont(font)
    text = colors("dark" if look == "dark" else "light")["text"]
    document.setDefaultStyleSheet(
        f"body, p, td, th, h1, h2, h3, h4, pre {{ color: {text}; }} td, th {{ font-size: 10px; }}"
        "h1 { font-size: 24px; } h2 { font-size: 17px; } h3 { font-size: 14px; } "
        "h4 { font-size: 12px; } pre { font-size: 10px; }"
    )
    document.setHtml(f"<body>{rich.text}</body>")
    most = QSizeF(size.width() - 2 * document.documentMargin(), 0.8 * size.height())
    drawings = Drawings(rich.drawings, most)
    document.documentLayout().registerHandler(_DRAWING, drawings)
    _insert_drawings(document)
    _repeat_heads(document)
    document.setPageSize(size)  # at the end: it lays out everything
    for _ in range(_MAX_BREAKS):
        if not _keep_together(document):
            break
        document.setPageSize(QSizeF())  # what follows a changed block is not laid out well
        document.setPageSize(size)
    return document, drawings


def _repeat_heads(document: QTextDocument) -> None:
    """Tables that are parted have their heads on every page; those of facts have none."""
    for table in document.rootFrame().childFrames():
        if isinstance(table, QTextTable):
            shape = table.format()
            if shape.width().type() is QTextLength.Type.PercentageLength:
                shape.setHeaderRowCount(1)
                table.setFormat(shape)


def _keep_together(document: QTextDocument) -> bool:
    """Begin a page at the first heading or caption that would stand on another one than what
    follows it: a line, a drawing, or a table with its first row; False if there is none."""
    layout, height = document.documentLayout(), document.pageSize().height()

    def page_of(block: QTextBlock) -> int:
        lines, rect = block.layout(), layout.blockBoundingRect(block)
        # A drawing that has no room begins below the top of its block.
        down = lines.lineAt(0).y() if lines.lineCount() else 0.0
        return int((rect.top() + down) // height)

    chain: list[QTextBlock] = []
    parts = document.rootFrame().begin()
    while not parts.atEnd():
        table, block = parts.currentFrame(), parts.currentBlock()
        parts += 1
        if isinstance(table, QTextTable):
            row = min(1, table.rows() - 1)
            needed = page_of(table.cellAt(row, 0).firstCursorPosition().block())
        elif block.blockFormat().headingLevel() or _is_table(parts):
            chain.append(block)
            continue
        else:
            needed = page_of(block)
        if chain and page_of(chain[0]) != needed:
            style = chain[0].blockFormat()
            is_new = style.pageBreakPolicy() != QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore
            if is_new:
                style.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
                QTextCursor(chain[0]).setBlockFormat(style)
                return True
        chain = []
    return False


def _is_table(parts: QTextFrame.iterator) -> bool:
    """Whether a table comes next."""
    return not parts.atEnd() and isinstance(parts.currentFrame(), QTextTable)


def _insert_drawings(document: QTextDocument) -> None:
    """Replace the images `drawing:n` by objects that are painted as vectors."""
    result: list[tuple[int, int]] = []
    block = document.begin()
    while block.isValid():
        parts = block.begin()
        while not parts.atEnd():
            fragment = parts.fragment()
            style = fragment.charFormat()
            if style.isImageFormat():
                number = int(style.toImageFormat().name().partition(":")[2])
                result.append((fragment.position(), number))
            parts += 1
        block = block.next()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for position, number in reversed(result):
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat()
        style.setObjectType(_DRAWING)
        style.setProperty(_NUMBER, number)
        cursor.insertText("\ufffc", style)
    cursor.endEditBlock()


def pdf_of(page: str) -> bytes:
    """The PDF of a page, on A4."""
    match = re.search(r'name="color-scheme" content="([\w ]+)"', page)
    look: Look = "dark" if match is not None and match[1] == "dark" else "light"
    title = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setTitle(title[1] if title is not None else "")
    writer.setCreator("PGM Studio")
    layout = QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF()
    )
    layout.setMode(QPageLayout.Mode.FullPageMode)
    writer.setPageLayout(layout)
    paper = QRectF(0, 0, writer.width(), writer.height())
    margin = _MARGIN_MM / 25.4 * _DPI
    area = paper.adjusted(margin, margin, -margin, -margin - _FOOT)
    document, _drawings = document_of(page, look, area.size())
    painter = QPainter(writer)
    for number in range(document.pageCount()):
        if number:
            writer.newPage()
        _paint_page(painter, document, number, paper, area, look)
    painter.end()
    return bytes(buffer.data().data())


def _paint_page(
    painter: QPainter,
    document: QTextDocument,
    number: int,
    paper: QRectF,
    area: QRectF,
    look: Look,
) -> None:
    palette = colors("dark" if look == "dark" else "light")
    if look == "dark":
        painter.fillRect(paper, QColor(palette["surface"]))
    top = number * area.height()
    painter.save()
    painter.translate(area.left(), area.top() - top)
    part = QRectF(0, top, area.width(), area.height())
    painter.setClipRect(part)
    document.drawContents(painter, part)
    painter.restore()
    painter.setPen(QColor(palette["text_secondary"]))
    painter.setFont(document.defaultFont())
    foot = QRectF(area.left(), area.bottom(), area.width(), _FOOT)
    text = f"{number + 1} / {document.pageCount()}"
    painter.drawText(foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, text)


def main() -> int:
    app = QGuiApplication(sys.argv[:1])
    sys.stdout.buffer.write(pdf_of(sys.stdin.buffer.read().decode()))
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main())
