"""A drawing as a file: PNG, SVG and PDF of one picture, with the same bounds in all three."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRect, QSize, QSizeF, Qt
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter

from pgmstudio.core.errors import FileError, TooLargeError
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.theme.theme import theme

PX_PER_INCH = 96
POINTS_PER_INCH = 72
MIN_DPI, MAX_DPI = 48, 600
# An image of 100 million pixels takes 400 MB while it is painted.
MAX_PIXELS = 100_000_000
# Widths and heights in px are multiples of this, because a PDF page is a whole number of points.
STEP = PX_PER_INCH // 24


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """What a person chooses; the first three are only asked where the drawing has such a choice."""

    whole: bool = True  # else the part in sight
    in_full: bool = False  # every detail, else as much as the zoom on screen shows
    legend: bool = True
    transparent: bool = False
    dpi: int = 2 * PX_PER_INCH
    shade: Literal["light", "dark"] = "light"


class Drawing(Protocol):
    """Something that can be painted on a page of its own size."""

    @property
    def title(self) -> str: ...

    @property
    def has_parts(self) -> bool:
        """Whether it can be cut to the part in sight and has a legend."""
        ...

    def size(self, options: PictureOptions) -> QSizeF:
        """In px at 96 per inch."""
        ...

    def paint(self, painter: QPainter, options: PictureOptions) -> None:
        """From the origin, in the present colours of the theme."""
        ...


def page_size(drawing: Drawing, options: PictureOptions) -> QSize:
    """The bounds of the picture in px at 96 per inch, the same for every format."""
    with theme().painting_as(options.shade):
        size = drawing.size(options)
    return QSize(_stepped(size.width()), _stepped(size.height()))


def _stepped(length: float) -> int:
    return max(STEP, -(int(-length // STEP)) * STEP)


def picture_bytes(drawing: Drawing, ending: str, options: PictureOptions) -> bytes:
    """The whole file; `ending` is one of FORMATS."""
    size = page_size(drawing, options)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    FORMATS[ending](buffer, drawing, size, options)
    return bytes(buffer.data().data())


def write_picture(path: Path, drawing: Drawing, options: PictureOptions) -> None:
    """Write the image in the format of the suffix of `path`; the file is replaced atomically."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        known = ", ".join(FORMATS)
        raise FileError(path, f"“{ending}” is no format of pictures. Use one of {known}.")
    replace_file(path, picture_bytes(drawing, ending, options))


def image_of(drawing: Drawing, options: PictureOptions, *, most: QSize | None = None) -> QImage:
    """The image in pixels; `most` limits its size, for a preview."""
    size = page_size(drawing, options)
    pixels = pixel_size(size, options)
    if most is not None:
        pixels.scale(
            pixels.boundedTo(most) if _fits(pixels, most) else most,
            Qt.AspectRatioMode.KeepAspectRatio,
        )
    if pixels.width() * pixels.height() > MAX_PIXELS:
        text = f"{grouped(pixels.width())} × {grouped(pixels.height())} pixels"
        raise TooLargeError(
            f"The picture would have {text}. Choose fewer dots per inch, or SVG or PDF."
        )
    image = QImage(pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    per_metre = round(options.dpi / 0.0254)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    painter = QPainter(image)
    painter.scale(pixels.width() / size.width(), pixels.height() / size.height())
    _paint(painter, drawing, size, options)
    painter.end()
    return image


def _fits(size: QSize, space: QSize) -> bool:
    return size.width() <= space.width() and size.height() <= space.height()


def pixel_size(size: QSize, options: PictureOptions) -> QSize:
    """How many pixels a page of that size has in a PNG."""
    fraction = options.dpi / PX_PER_INCH
    return QSize(max(1, round(size.width() * fraction)), max(1, round(size.height() * fraction)))


def _paint(painter: QPainter, drawing: Drawing, size: QSize, options: PictureOptions) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    with theme().painting_as(options.shade):
        if not options.transparent:
            painter.fillRect(0, 0, size.width(), size.height(), theme().color("canvas"))
        drawing.paint(painter, options)


def _png(buffer: QBuffer, drawing: Drawing, size: QSize, options: PictureOptions) -> None:
    image_of(drawing, options).save(buffer, "PNG")  # type: ignore[call-overload]


def _svg(buffer: QBuffer, drawing: Drawing, size: QSize, options: PictureOptions) -> None:
    from PySide6.QtSvg import QSvgGenerator

    page = QSvgGenerator()
    page.setOutputDevice(buffer)
    page.setResolution(PX_PER_INCH)
    page.setSize(size)
    page.setViewBox(QRect(0, 0, size.width(), size.height()))
    page.setTitle(drawing.title)
    page.setDescription("Drawn by PGM Studio")
    painter = QPainter(page)
    _paint(painter, drawing, size, options)
    painter.end()


def _pdf(buffer: QBuffer, drawing: Drawing, size: QSize, options: PictureOptions) -> None:
    page = QPdfWriter(buffer)
    page.setTitle(drawing.title)
    page.setCreator("PGM Studio")
    points = QSizeF(size) * (POINTS_PER_INCH / PX_PER_INCH)
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    page.setPageSize(QPageSize(points, QPageSize.Unit.Point, drawing.title, exact))
    page.setPageMargins(QMarginsF(0, 0, 0, 0))
    painter = QPainter(page)
    fraction = page.resolution() / PX_PER_INCH
    painter.scale(fraction, fraction)
    _paint(painter, drawing, size, options)
    painter.end()


FORMATS: dict[str, Callable[[QBuffer, Drawing, QSize, PictureOptions], None]] = {
    ".png": _png,
    ".svg": _svg,
    ".pdf": _pdf,
}
FORMAT_TITLES = {".png": "PNG image", ".svg": "SVG drawing", ".pdf": "PDF page"}
