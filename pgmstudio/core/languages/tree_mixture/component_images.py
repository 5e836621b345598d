"""Components as images, where the variables are the pixels of a grid (Meilă 1999, fig. 7-3).

A pixel is as dark as its expected state, from the first to the last; over the pixels run the edges
of the component's tree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.arrays import Floats
from pgmstudio.core.drawing.diagram import Point
from pgmstudio.core.drawing.layout.boxes import text_width
from pgmstudio.core.drawing.strands import strand_width
from pgmstudio.core.drawing.svg.elements import element, font_families, path, rect, text
from pgmstudio.core.drawing.theme import colors, tokens
from pgmstudio.core.errors import GraphError
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.tree.model import Edge, edge_information
from pgmstudio.core.languages.tree_mixture.diagrams import MI_LABEL
from pgmstudio.core.languages.tree_mixture.model import Mixture, TreeMixture
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import percent

CELL, GAP, HEAD, MARGIN = 22.0, 24.0, 26.0, 16.0
# Images side by side, so that a picture of many is about as wide as high.
_WIDER = 1.6
# How far from its straight line a long edge bends, in pixels of the image.
_BOW = 0.7
_BY_TWO = re.compile(r"(\D*)(\d+)(?:c|col|column|x|,)(\d+)", re.IGNORECASE)
_BY_ONE = re.compile(r"(?:pixel|pix|px)[ _.-]?(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ImageGrid:
    """The grid of pixels: the (row, column) of each variable, from 0."""

    rows: int
    columns: int
    cells: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Images:
    """One image for each component, and the edges of its tree with their bits."""

    grid: ImageGrid
    names: tuple[str, ...]
    weights: tuple[float, ...]
    values: Mapping[str, Floats]  # per variable, components: 0 to 1
    edges: tuple[Mapping[Edge, float], ...]

    @property
    def across(self) -> int:
        """How many images stand side by side."""
        wide = self.grid.columns * CELL + GAP
        high = self.grid.rows * CELL + GAP + HEAD
        best = round(math.sqrt(_WIDER * len(self.names) * high / wide))
        return max(1, min(len(self.names), best))

    def size(self, across: int | None = None) -> tuple[float, float]:
        """Width and height of all images."""
        across = self.across if across is None else across
        down = -(-len(self.names) // across)
        width = across * (self.grid.columns * CELL + GAP) - GAP
        height = down * (self.grid.rows * CELL + HEAD + GAP) - GAP
        return width + 2 * MARGIN, height + 2 * MARGIN

    def corner(self, number: int, across: int | None = None) -> tuple[float, float]:
        """The upper left corner of an image, below its head."""
        down, right = divmod(number, self.across if across is None else across)
        x = MARGIN + right * (self.grid.columns * CELL + GAP)
        return x, MARGIN + HEAD + down * (self.grid.rows * CELL + HEAD + GAP)

    def legend(self, strong: str) -> list[str]:
        """The lines of the legend; `strong` describes the color of the last state."""
        lines = [f"{strong}: nearer to the last state."]
        return [*lines, f"Lines: edges of the tree; {MI_LABEL}."] if any(self.edges) else lines

    def route(self, number: int, edge: Edge, across: int | None = None) -> tuple[Point, ...]:
        """Start, bend and end of an edge; one that passes over pixels is bent, so that it stays
        visible."""
        x, y = self.corner(number, across)
        ends = [self.grid.cells[name] for name in edge]
        (ax, ay), (bx, by) = ((x + (c + 0.5) * CELL, y + (r + 0.5) * CELL) for r, c in ends)
        length = math.hypot(bx - ax, by - ay)
        bow = _BOW * CELL * (length > 1.5 * CELL) / max(length, 1.0)
        bend = (ax + bx) / 2 - bow * (by - ay), (ay + by) / 2 + bow * (bx - ax)
        return (ax, ay), bend, (bx, by)


def image_grid(names: Iterable[str]) -> ImageGrid | None:
    """The grid that names like r1c1, left_r1c1 or pixel1 form; None where there is none.

    Grids with several prefixes, of the same size, stand side by side.
    """
    names = tuple(names)
    matches = [_BY_TWO.fullmatch(name) for name in names]
    if names and all(matches):
        parts = [(m[1], int(m[2]), int(m[3])) for m in matches if m is not None]
        heads = list(dict.fromkeys(head for head, _, _ in parts))
        rows = sorted({row for _, row, _ in parts})
        columns = sorted({column for _, _, column in parts})
        count = len(heads) * len(rows) * len(columns)
        if min(len(rows), len(columns)) < 2 or not len(set(parts)) == len(parts) == count:
            return None
        shift = {head: at * len(columns) for at, head in enumerate(heads)}
        cells = {
            name: (rows.index(row), shift[head] + columns.index(column))
            for name, (head, row, column) in zip(names, parts, strict=True)
        }
        return ImageGrid(len(rows), len(heads) * len(columns), cells)
    single = [_BY_ONE.fullmatch(name) for name in names]
    side = math.isqrt(len(names))
    if side < 2 or side * side != len(names) or not all(single):
        return None
    numbers = [int(m[1]) for m in single if m is not None]
    first = min(numbers)
    if sorted(numbers) != list(range(first, first + len(numbers))):
        return None
    where = {n: divmod(i - first, side) for n, i in zip(names, numbers, strict=True)}
    return ImageGrid(side, side, where)


def component_images(model: Model) -> Images | None:
    """The images of a mixture or of latent classes; None where the variables form no grid."""
    if not isinstance(model, Mixture):
        return None
    tables = model.component_marginals()
    grid = image_grid(tables)
    if grid is None:
        return None
    values = {
        name: table @ np.linspace(0, 1, table.shape[1])
        if table.shape[1] > 1
        else np.zeros(len(table))
        for name, table in tables.items()
    }
    trees = model.trees if isinstance(model, TreeMixture) else ()
    edges: tuple[Mapping[Edge, float], ...] = tuple(edge_information(tree) for tree in trees)
    return Images(
        grid,
        model.component_names,
        tuple(model.weights.tolist()),
        values,
        edges or ({},) * len(model.weights),
    )


def images_of(model: Model) -> Images:
    """The images of the components; raises GraphError if the variables form no grid."""
    result = component_images(model)
    if result is None:
        raise GraphError(
            "The picture “images” is for mixtures and latent classes whose variables are pixels: "
            "named like r1c1, left_r1c1 or pixel1, without gaps."
        )
    return result


def shade_step(value: float, steps: int) -> int:
    """The step of the ramp for a value from 0 to 1."""
    return min(steps - 1, int(steps * max(0.0, value)))


def edge_stroke(bits: float) -> float:
    """The width of an edge over pixels: narrower than elsewhere."""
    return 0.6 * strand_width(bits)


def images_svg(images: Images, *, theme: str = "light", title: str = "") -> str:
    """All images as text of an SVG document."""
    ink, ramp = colors(theme), tokens()["sequential"][theme]
    width, height = images.size()
    lines = images.legend("Darker" if theme == "light" else "Lighter")
    width = max(width, *(text_width(line, 11.0) + 2 * MARGIN for line in lines))
    top, foot = 30.0 if title else 0.0, 16.0 * len(lines)
    high = height + top + foot
    parts = [rect(0, 0, width, high, fill=ink["surface"])]
    if title:
        parts.append(text(title, MARGIN, 22, size=15, fill=ink["text"], weight="semibold"))
    inner = []
    for number, (name, weight) in enumerate(zip(images.names, images.weights, strict=True)):
        x, y = images.corner(number)
        head = f"{name}, {percent(weight)} %"
        inner.append(text(head, x, y - 13, size=12, fill=ink["text"], weight="medium"))
        for pixel, (row, column) in images.grid.cells.items():
            shade = ramp[shade_step(float(images.values[pixel][number]), len(ramp))]
            box = (x + column * CELL, y + row * CELL, CELL, CELL)
            inner.append(rect(*box, fill=shade, stroke=ink["surface"], stroke_width=1.0))
        for edge, bits in images.edges[number].items():
            start, bend, end = images.route(number, edge)
            drawn = {"fill": "none", "stroke": ink["evidence"]}
            width_ = edge_stroke(bits)
            inner.append(path("M", start, "Q", bend, end, stroke_width=width_, **drawn))
    parts.append(element("g", "".join(inner), transform=f"translate(0 {top:g})"))
    for index, line in enumerate(lines):
        y = height + top + 16.0 * index
        parts.append(text(line, MARGIN, y, size=11, fill=ink["text_secondary"]))
    whole = element("g", "".join(parts), font_family=font_families())
    return element(
        "svg",
        whole,
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=high,
        viewBox=f"0 0 {width:g} {high:g}",
    )


def images_drawing(
    model: Model, _findings: Mapping[str, Finding], theme: str, title: str | None
) -> str:
    """The images of the components as an SVG document."""
    return images_svg(images_of(model), theme=theme, title=title or "")
