"""Plots of component profiles: lines by variable, a heat map of states, and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainterPath, QPen, QResizeEvent, QTransform

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.strands import dash_of
from pgmstudio.core.languages.tree_mixture.component_images import (
    CELL,
    GAP,
    HEAD,
    MARGIN,
    Images,
    edge_stroke,
    shade_step,
)
from pgmstudio.core.number_format import percent
from pgmstudio.gui.plots.chart import StillChart
from pgmstudio.gui.plots.items import Frame, Text
from pgmstudio.gui.plots.matrix_plot import (
    CELLS_Z,
    GRID_Z,
    MARK_Z,
    STEPS,
    TEXT_Z,
    CellChart,
    ink_on,
    longest_name,
)
from pgmstudio.gui.theme.language_symbols import mark_path
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.soft_breaks import halves

_TOP, _LEGEND, _COLUMN, _AXIS = 16.0, 22.0, 40.0, 44.0
_MAX_COLUMN = 120.0
_FOOT, _RIGHT_MARGIN = 62.0, 16.0
_SYMBOLS = ("o", "s", "t1", "d", "t", "p")  # so that colour is not the only cue
_SYMBOL_SIZE = 11.0
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
_MIDDLE = Qt.TextElideMode.ElideMiddle


@dataclass(frozen=True, eq=False)
class Profiles:
    """P(X = state | component) of every variable, components × states, and the weights."""

    domain: Domain  # of the variables that are shown
    tables: Mapping[str, Floats]
    names: tuple[str, ...]
    weights: tuple[float, ...]

    def columns(self) -> list[tuple[str, int]]:
        """Every variable and state; where all have two states only the last, the rest is the other.

        Then one line joins all variables, the usual profile of binary items.
        """
        first = 1 if all(variable.cardinality == 2 for variable in self.domain) else 0
        return [
            (variable.name, code)
            for variable in self.domain
            for code in range(first, variable.cardinality)
        ]

    def rows(self) -> list[tuple[object, ...]]:
        """Variable, state, and its probability in each component."""
        return [
            (variable.name, state, *self.tables[variable.name][:, code].tolist())
            for variable in self.domain
            for code, state in enumerate(variable.states)
        ]


class ComponentChart(StillChart):
    """Base of charts of components, with their weights before and after the evidence."""

    background = "surface"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Profiles of the components")
        self._posterior: tuple[float, ...] = ()

    def show_posterior(self, probabilities: tuple[float, ...]) -> None:
        """Show the weights given the evidence; empty without evidence."""
        self._posterior = probabilities
        self.refresh()

    def _describe(self, what: str, names: Sequence[str], weights: Sequence[float]) -> None:
        sizes = [f"{n} {percent(w)} %" for n, w in zip(names, weights, strict=True)]
        self.setAccessibleName(f"{what}: " + ", ".join(sizes))

    def _fraction(self, number: int, prior: float) -> float:
        return self._posterior[number] if self._posterior else prior

    def _weight_text(self, number: int, prior: float) -> str:
        before = f"{percent(prior)} → " if self._posterior else ""
        return f"{before}{percent(self._fraction(number, prior))} %"


class ProfileChart(ComponentChart):
    """Base of charts of profiles."""

    _profiles: Profiles | None = None

    @property
    def profiles(self) -> Profiles | None:
        return self._profiles

    @property
    def is_empty(self) -> bool:
        return self._profiles is None or not len(self._profiles.domain)

    def show_profiles(self, profiles: Profiles) -> None:
        self._profiles = profiles
        self._describe("Profiles", profiles.names, profiles.weights)
        self.refresh()


class ProfilePlot(ProfileChart):
    """A column for each state, joined within a variable of several states; it scrolls.

    Where all variables have two states, each has one column and a line joins them all.
    """

    scales = ("left",)

    # -- geometry, in px at 100 %

    def _weights_width(self) -> float:
        if self._profiles is None:
            return 0.0
        metrics = QFontMetricsF(theme().font("dense", "medium"))
        longest = max((metrics.horizontalAdvance(n) for n in self._profiles.names), default=0.0)
        return min(longest, 140.0) + metrics.horizontalAdvance(self._weight_text(0, 0.1)) + 52

    def _margins(self) -> tuple[float, float, float, float]:
        scale = theme().scale
        foot = _FOOT * scale
        if self._profiles is not None and self._is_turned(self._profiles):
            names = longest_name(variable.name for variable in self._profiles.domain)
            foot = min(names, _MAX_COLUMN * scale) + 2 * _LEGEND * scale
        return self._weights_width() + _AXIS * scale, _TOP, _RIGHT_MARGIN, foot

    def _seen(self, area: QRectF) -> QRectF:
        return QRectF(0, 0, 1 if self._profiles is None else len(self._profiles.columns()), 1)

    def position_of(self, name: str, number: int) -> QPointF:
        """Where a component's marker of a variable's last state stands."""
        assert self._profiles is not None
        index = max(i for i, (own, _) in enumerate(self._profiles.columns()) if own == name)
        return self.frame.point(index + 0.5, self._heights(self._profiles, number)[index])

    def _heights(self, profiles: Profiles, number: int) -> Floats:
        """Probability of the state of each column in a component."""
        return np.array([profiles.tables[n][number, code] for n, code in profiles.columns()])

    def _is_turned(self, profiles: Profiles) -> bool:
        """Whether names are turned, because not all have room side by side in what is seen."""
        seen = self.parentWidget()
        around = self._weights_width() + _AXIS * theme().scale + _RIGHT_MARGIN
        needed = self._column_width(profiles) * len(profiles.columns()) + around
        return seen is not None and needed > seen.width()

    def _column_width(self, profiles: Profiles, *, with_names: bool = True) -> float:
        """Px for the longest state, and for the longest name, in one line or two, below its
        columns, within limits."""
        columns, scale = profiles.columns(), theme().scale
        counts = Counter(name for name, _ in columns)
        states = longest_name(profiles.domain[name].states[code] for name, code in columns)
        metrics = QFontMetricsF(theme().font("caption", "medium"))
        names = max(
            (metrics.horizontalAdvance(line) / k for n, k in counts.items() for line in halves(n)),
            default=0.0,
        )
        names = names + 8 if with_names else 0.0
        return min(max(states + 12, names, _COLUMN * scale), _MAX_COLUMN * scale)

    def minimumSizeHint(self) -> QSize:
        profiles, scale = self._profiles, theme().scale
        wide, lines = _COLUMN * scale, 1
        if profiles is not None:
            wide = self._column_width(profiles, with_names=not self._is_turned(profiles))
            wide *= len(profiles.columns())
            lines = len(profiles.names)
        width = self._weights_width() + _AXIS * scale + wide + _RIGHT_MARGIN
        return QSize(round(width), round(max(220 * scale, lines * _LEGEND * scale + _TOP + 40)))

    def sizeHint(self) -> QSize:
        return QSize(self.minimumSizeHint().width(), round(320 * theme().scale))

    def picture_size(self) -> QSizeF:
        return QSizeF(self.size().expandedTo(QSize(self.minimumSizeHint().width(), 320)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()  # names are turned or not

    # -- drawing

    def _build(self) -> None:
        super()._build()
        ticks = [(percentage / 100, f"{percentage} %") for percentage in (0, 25, 50, 75, 100)]
        self._canvas.getAxis("left").setTicks([ticks])

    def _draw_items(self, frame: Frame) -> None:
        profiles, look = self._profiles, theme()
        assert profiles is not None
        columns = profiles.columns()
        middles = np.arange(0.5, len(columns))
        ends, dotted = np.tile((0.0, 1.0), len(middles)), Qt.PenStyle.DotLine
        pen = QPen(look.color("border"), 1, dotted)
        self.items.line("columns", np.repeat(middles, 2), ends, pen, GRID_Z, connect="pairs")
        for number in range(len(profiles.names)):
            color, width = look.category(number, "line"), look.line("plot")
            heights, pen = self._heights(profiles, number), QPen(color, width)
            if dash := dash_of(number, width):
                pen.setDashPattern([part / width for part in dash])
            self.items.line(f"line {number}", *joined_by_variable(profiles, heights), pen, MARK_Z)
            self.items.marks(
                f"marks {number}",
                middles,
                heights,
                MARK_Z + 1,
                symbol=_SYMBOLS[number % len(_SYMBOLS)],
                size=_SYMBOL_SIZE,
                ink=look.color("surface"),
                width=1,
                fill=color,
            )
        self._draw_columns(profiles, frame)
        self._draw_weights(profiles, frame)

    def _draw_columns(self, profiles: Profiles, frame: Frame) -> None:
        """The state under each column and its variable under all of them, parted by lines."""
        look, texts, parts = theme(), [], QPainterPath()
        line = QFontMetricsF(look.font("caption")).height() + 2
        columns = profiles.columns()
        wide = frame.area.width() / max(1, len(columns))
        top, left = frame.area.bottom() + 8, frame.area.left()
        for index, (name, code) in enumerate(columns):
            box = QRectF(left + wide * index + 3, top, wide - 6, line)
            state = profiles.domain[name].states[code]
            texts.append(Text(box, state, ink="text_secondary", cut=_MIDDLE))
        bold = look.font("caption", "medium")
        metrics, is_turned = QFontMetricsF(bold), self._is_turned(profiles)
        deep = self._margins()[3] - line - 12
        start = 0
        for variable in profiles.domain:
            count = sum(name == variable.name for name, _ in columns)
            box = QRectF(left + wide * start + 3, top + line, wide * count - 6, line)
            if is_turned:
                box.setHeight(deep)
                turned = Text(
                    box, variable.name, font=bold, side=_RIGHT, cut=_MIDDLE, is_turned=True
                )
                texts.append(turned)
            is_whole = metrics.horizontalAdvance(variable.name) <= box.width()
            upright = (variable.name,) if is_whole else halves(variable.name)
            for part in () if is_turned else upright:
                texts.append(Text(QRectF(box), part, font=bold, cut=_MIDDLE))
                box.translate(0, line)
            if start:
                parts.moveTo(left + wide * start, frame.area.top())
                parts.lineTo(left + wide * start, top + 2 * line)
            start += count
        self.items.texts("columns' names", texts, TEXT_Z)
        self.items.shape("parts", parts, GRID_Z, ink=QPen(look.color("border"), 1))

    def _draw_weights(self, profiles: Profiles, frame: Frame) -> None:
        """The names and weights of the components at the left."""
        look, width, texts = theme(), self._weights_width(), []
        font, height = look.font("dense", "medium"), _LEGEND * look.scale
        metrics = QFontMetricsF(font)
        for number, name in enumerate(profiles.names):
            row = QRectF(8, frame.area.top() + height * number, width - 16, height)
            color, prior = look.category(number, "line"), profiles.weights[number]
            size = QTransform.fromScale(_SYMBOL_SIZE, _SYMBOL_SIZE)
            symbol = size.map(mark_path(_SYMBOLS[number % len(_SYMBOLS)]))
            symbol.translate(row.left() + 7, row.center().y())
            self.items.shape(f"symbol {number}", symbol, TEXT_Z, fill=color)
            text = self._weight_text(number, prior)
            room = row.adjusted(20, 0, -metrics.horizontalAdvance(text) - 6, 0)
            texts.append(Text(room, name, font=font, side=_LEFT, cut=_MIDDLE))
            texts.append(Text(row, text, font=font, side=_RIGHT))
            bar = QRectF(row.left() + 20, row.bottom() - 4, row.width() - 20, 3)
            self.items.frame(f"track {number}", bar, TEXT_Z, fill=look.color("belief_track"))
            bar.setWidth(bar.width() * self._fraction(number, prior))
            self.items.frame(f"weight {number}", bar, MARK_Z, fill=color)
        self.items.texts("weights", texts, TEXT_Z)

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the column under the pointer; empty outside the columns."""
        result, column = self._profiles, int(np.floor(self.frame.value(position)[0]))
        columns = [] if result is None else result.columns()
        if result is None or not 0 <= column < len(columns):
            return ""
        name, code = columns[column]
        variable = result.domain[name]
        values = result.tables[variable.name][:, code].tolist()
        lines = [f"P({variable.name} = {variable.states[code]} | …)"]
        lines += [f"{n}: {percent(v)} %" for n, v in zip(result.names, values, strict=True)]
        return "\n".join(lines)


def joined_by_variable(profiles: Profiles, heights: Floats) -> tuple[Floats, Floats]:
    """The line of a component: joined between the states of a variable, and between variables
    that have one column each."""
    columns = profiles.columns()
    has_single_columns = len(columns) == len(profiles.domain)
    xs, ys = list[float](), list[float]()
    for index, (name, _) in enumerate(columns):
        if index and columns[index - 1][0] != name and not has_single_columns:
            xs.append(np.nan)
            ys.append(np.nan)
        xs.append(index + 0.5)
        ys.append(float(heights[index]))
    return np.array(xs), np.array(ys)


# Few images grow with the page, up to so many times their size.
_MAX_ZOOM = 2.5
_ALONG = np.linspace(0, 1, 17)[:, None]


class ProfileImages(ComponentChart):
    """As many images side by side as fit; below each other it scrolls."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setAccessibleName("Components as images")
        self._images: Images | None = None

    @property
    def images(self) -> Images | None:
        return self._images

    @property
    def is_empty(self) -> bool:
        return self._images is None

    def show_images(self, images: Images) -> None:
        self._images = images
        self._describe("Images", images.names, images.weights)
        self.refresh()

    # -- geometry: a unit is a px of an image at 100 %

    def _available_size(self) -> QSizeF:
        """What can be seen without scrolling, or the page of a file."""
        seen = self.parentWidget()
        height = seen.height() if seen is not None else self.height()
        return self._page or QSizeF(self.width(), height)

    def _layout_in(self, size: QSizeF) -> tuple[int, float]:
        """How many images stand side by side, and how large: all in sight, if that can be."""
        images, scale = self._images, theme().scale
        if images is None:
            return 1, scale
        best = (1, 0.0)
        for across in range(1, len(images.names) + 1):
            width, height = images.size(across)
            zoom = min(size.width() / width, (size.height() - self._foot()) / height)
            if zoom > best[1]:
                best = across, zoom
        if best[1] >= scale:
            return best[0], min(best[1], _MAX_ZOOM * scale)
        each = (images.grid.columns * CELL + GAP) * scale
        fitting = int((size.width() - (2 * MARGIN - GAP) * scale) // each)
        return max(1, min(len(images.names), fitting)), scale

    def _seen(self, area: QRectF) -> QRectF:
        _, zoom = self._layout_in(self._available_size())
        return QRectF(0, -area.height() / zoom, area.width() / zoom, area.height() / zoom)

    def _foot(self) -> float:
        lines = 0 if self._images is None else len(self._images.legend(""))
        return lines * (QFontMetricsF(theme().font("caption")).height() + 2) + 8

    def _page_of(self, across: int, zoom: float) -> QSizeF:
        if self._images is None:
            return QSizeF(200, 100)
        width, height = self._images.size(across)
        return QSizeF(width * zoom, height * zoom + self._foot())

    def minimumSizeHint(self) -> QSize:
        """Higher than what can be seen, when not all images fit."""
        size = self._available_size()
        height = self._page_of(*self._layout_in(size)).height()
        width = self._page_of(1, theme().scale).width()
        return QSize(round(width), round(height) if height > size.height() else 160)

    def picture_size(self) -> QSizeF:
        return self._page_of(1 if self._images is None else self._images.across, theme().scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setMinimumSize(self.minimumSizeHint())

    # -- drawing

    def _draw_items(self, frame: Frame) -> None:
        images, look = self._images, theme()
        assert images is not None
        across, zoom = self._layout_in(self._available_size())
        colors = [*(look.sequential(step) for step in range(STEPS)), look.color("surface")]
        grid, heads = images.grid, []
        for number, name in enumerate(images.names):
            x, y = images.corner(number, across)
            steps = np.full((grid.rows, grid.columns), STEPS, dtype=np.uint8)
            for pixel, at in grid.cells.items():
                steps[at] = shade_step(float(images.values[pixel][number]), STEPS)
            width, height = grid.columns * CELL, grid.rows * CELL
            rect = QRectF(x, -y - height, width, height)
            self.items.cells(f"image {number}", steps, colors, CELLS_Z, at=rect, gap=zoom)
            for edge, bits in images.edges[number].items():
                start, bend, end = (np.array(at) for at in images.route(number, edge, across))
                points = (1 - _ALONG) ** 2 * start + 2 * _ALONG * (1 - _ALONG) * bend
                right, down = (points + _ALONG**2 * end).T
                pen = QPen(look.color("evidence"), edge_stroke(bits) * look.scale)
                self.items.line(f"edge {number} {edge}", right, -down, pen, MARK_Z)
            box = QRectF(
                frame.point(x, -y + HEAD), QSizeF((width + GAP) * zoom - 6, (HEAD - 4) * zoom)
            )
            heads.append(self._head(number, name, images.weights[number], box))
        self.items.texts("heads", heads, TEXT_Z)
        line = QFontMetricsF(look.font("caption")).height() + 2
        top = self._page_of(across, zoom).height() - self._foot()
        box = QRectF(MARGIN * zoom, top, self._size.width(), line)
        strong = "Lighter" if look.shade == "dark" else "Darker"
        legend = [
            Text(box.translated(0, index * line), text, ink="text_secondary", side=_LEFT)
            for index, text in enumerate(images.legend(strong))
        ]
        self.items.texts("legend", legend, TEXT_Z)

    def _head(self, number: int, name: str, prior: float, box: QRectF) -> Text:
        """The name and the weight at the bottom of a box, in the usual size of text."""
        font, weight = theme().font("dense", "medium"), self._weight_text(number, prior)
        metrics = QFontMetricsF(font)
        room = max(24.0, box.width() - metrics.horizontalAdvance(f"  {weight}"))
        shown = metrics.elidedText(name, _MIDDLE, room)
        box.setTop(box.bottom() - metrics.height())
        return Text(box, f"{shown}  {weight}", font=font, side=_LEFT)

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the pixel under the pointer."""
        result = self._images
        if result is None:
            return ""
        across, _ = self._layout_in(self._available_size())
        right, up = self.frame.value(position)
        for number, name in enumerate(result.names):
            x, y = result.corner(number, across)
            column, row = (right - x) // CELL, (-up - y) // CELL
            for pixel, at in result.grid.cells.items():
                if at == (row, column):
                    value = percent(float(result.values[pixel][number]))
                    near = [
                        f"{a if b == pixel else b} ({bits:.2f} bits)"
                        for (a, b), bits in result.edges[number].items()
                        if pixel in (a, b)
                    ]
                    joined = f"\nJoined with {', '.join(near)}" if near else ""
                    return f"{name}: {pixel}, {value} % of the way to its last state{joined}"
        return ""


_ROW, _CELL, _HEAD = 20.0, 64.0, 44.0
_MAX_NAME, _MAX_STATE = 220.0, 160.0


class ProfileMap(ProfileChart, CellChart):
    """As high as all states; it scrolls."""

    # -- geometry

    def _cell(self) -> QSizeF:
        """As wide as the names of the components, within limits."""
        scale = theme().scale
        names = () if self._profiles is None else self._profiles.names
        metrics = QFontMetricsF(theme().font("caption", "semibold"))
        longest = max(map(metrics.horizontalAdvance, names), default=0.0) + 10
        return QSizeF(min(max(longest, _CELL * scale), _MAX_STATE * scale), _ROW * scale)

    def _names_width(self) -> float:
        if self._profiles is None:
            return 100.0
        domain = self._profiles.domain
        names = longest_name((variable.name for variable in domain), "dense")
        states = longest_name((state for variable in domain for state in variable.states), "dense")
        return min(names, _MAX_NAME) + min(states, _MAX_STATE) + 36

    def _margins(self) -> tuple[float, float, float, float]:
        return self._names_width(), _HEAD * theme().scale, 0.0, 0.0

    def minimumSizeHint(self) -> QSize:
        profiles = self._profiles
        if profiles is None:
            return QSize(200, 100)
        cell, rows = self._cell(), sum(v.cardinality for v in profiles.domain)
        width = self._names_width() + cell.width() * len(profiles.names) + 24
        return QSize(round(width), round(_HEAD * theme().scale + rows * cell.height() + 12))

    def picture_size(self) -> QSizeF:
        return QSizeF(self.minimumSizeHint())

    # -- drawing

    def _draw_items(self, frame: Frame) -> None:
        profiles, look = self._profiles, theme()
        assert profiles is not None
        values = np.vstack([profiles.tables[v.name].T for v in profiles.domain])
        steps = np.clip(values * STEPS, 0, STEPS - 1).astype(np.uint8)
        colors = [look.sequential(step) for step in range(STEPS)]
        self.items.cells("cells", steps, colors, CELLS_Z)
        texts = [
            Text(self.cell_box(*at), percent(values.item(at)), ink=ink_on(steps.item(at)))
            for at in np.ndindex(steps.shape)
        ]
        self.items.texts("values", texts, TEXT_Z)
        self._draw_heads(profiles)
        self._draw_names(profiles)

    def _draw_heads(self, profiles: Profiles) -> None:
        """Names and weights of the components over the columns."""
        half, texts = _HEAD * theme().scale / 2 - 2, []
        bold = theme().font("caption", "semibold")
        for number, (name, weight) in enumerate(zip(profiles.names, profiles.weights, strict=True)):
            cell = self.cell_box(0, number)
            box = QRectF(cell.left() + 2, 4, cell.width() - 4, half)
            texts.append(Text(box, name, font=bold, cut=_MIDDLE))
            text = f"{percent(self._fraction(number, weight))} %"
            texts.append(Text(box.translated(0, half), text, ink="text_secondary"))
        self.items.texts("heads", texts, TEXT_Z)

    def _draw_names(self, profiles: Profiles) -> None:
        """Variables and states at the left, and a line under each variable."""
        left, look, texts = self._names_width(), theme(), []
        lines, row = QPainterPath(), 0
        for variable in profiles.domain:
            states = min(longest_name(variable.states, "dense"), _MAX_STATE)
            for code, state in enumerate(variable.states):
                cell = self.cell_box(row + code, 0)
                box = QRectF(8, cell.top(), left - 18, cell.height())
                font = look.font("dense")
                own = box.adjusted(box.width() - states - 2, 0, 0, 0)
                texts.append(
                    Text(own, state, font=font, ink="text_secondary", side=_RIGHT, cut=_MIDDLE)
                )
                if not code:
                    box.setWidth(max(20.0, left - states - 28))
                    font = look.font("dense", "medium")
                    texts.append(Text(box, variable.name, font=font, side=_LEFT, cut=_MIDDLE))
            row += variable.cardinality
            end = self.cell_box(row, len(profiles.names)).topLeft()
            lines.moveTo(8, end.y())
            lines.lineTo(end)
        self.items.texts("names", texts, TEXT_Z)
        self.items.shape("lines", lines, TEXT_Z, ink=QPen(look.color("border"), 1))

    def text_at(self, position: QPointF) -> str:
        """Tooltip of the cell under the pointer."""
        result, (row, column) = self._profiles, self.cell_under(position)
        lines = (
            [] if result is None else [(v, c) for v in result.domain for c in range(v.cardinality)]
        )
        if result is None or not (0 <= row < len(lines) and 0 <= column < len(result.names)):
            return ""
        variable, code = lines[row]
        value = percent(float(result.tables[variable.name][column, code]))
        return f"P({variable.name} = {variable.states[code]} | {result.names[column]}) = {value} %"
