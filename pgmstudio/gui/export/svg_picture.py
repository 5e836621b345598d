"""`python -m pgmstudio.gui.export.svg_picture`: an ending and an SVG drawing from the input, as
PNG or PDF to the output."""

from __future__ import annotations

import sys

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgRenderer

_DPI = 96  # pixels of a drawing in an inch
_POINTS = 72
_SCALE = 2.0  # pixels of a PNG for each of the drawing, so that it is sharp
_MAX_SIDE = 16000.0


def png_of(renderer: QSvgRenderer) -> bytes:
    """The drawing with its own background."""
    size = QSizeF(renderer.defaultSize())
    scale = min(_SCALE, _MAX_SIDE / max(size.width(), size.height(), 1.0))
    image = QImage((size * scale).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # its stub wants bytes
    return bytes(buffer.data().data())


def pdf_of(renderer: QSvgRenderer) -> bytes:
    """One page as large as the drawing."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setCreator("PGM Studio")
    points = QSizeF(renderer.defaultSize()) * (_POINTS / _DPI)
    page = QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    layout = QPageLayout(page, QPageLayout.Orientation.Portrait, QMarginsF())
    layout.setMode(QPageLayout.Mode.FullPageMode)
    writer.setPageLayout(layout)
    painter = QPainter(writer)
    renderer.render(painter)
    painter.end()
    return bytes(buffer.data().data())


def main() -> int:
    app = QGuiApplication(sys.argv[:1])
    ending, _, svg = sys.stdin.buffer.read().partition(b"\n")
    renderer = QSvgRenderer(QByteArray(svg))
    sys.stdout.buffer.write(png_of(renderer) if ending == b".png" else pdf_of(renderer))
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main())
