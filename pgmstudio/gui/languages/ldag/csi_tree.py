"""The classes of a labelled table as a picture: a tree of questions, or the cube of rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from pgmstudio.core.data.variables import Variable
from pgmstudio.core.languages.ldag.partitions import Classes, Split, tree_of
from pgmstudio.core.number_format import class_letter
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.chip import category_tint

_MARGIN, _BOX = 14.0, 24.0
# Gaps between leaves and between levels: the minimum, and the maximum where there is space.
_LEAVES, _LEVELS = (68.0, 96.0), (45.0, 58.0)
MAX_LEAVES = 200
MAX_CUBE = 4  # binary parents
# Where each axis of the cube leads, in units of its side. The fourth goes down a little as well, or
# its lines would run through corners of the first.
_AXES = ((1.0, 0.0), (0.0, 1.0), (0.42, -0.36), (2.2, 0.5))
_SIDE, _DOT = 62.0, 10.0


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A branching or a leaf with its position."""

    at: QPointF
    text: str
    number: int | None  # its class, for a leaf
    children: tuple[tuple[str, _Drawn], ...] = ()


class LabelTree(QWidget):
    """Paints what it is shown, as large as it needs to be."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("labelTree")
        self._root: _Drawn | None = None
        self._classes: Classes = np.zeros((), dtype=np.int64)
        self._parents: tuple[Variable, ...] = ()
        self._rows: NDArray[np.float64] = np.zeros((0, 0))
        self._size = QSize(10, 10)
        self._available = QSize(10, 10)
        self._leaf, self._level = _LEAVES[1], _LEVELS[1]

    @property
    def is_tree(self) -> bool:
        return self._root is not None

    def show_classes(
        self, classes: Classes, parents: tuple[Variable, ...], rows: NDArray[np.float64]
    ) -> str:
        """Draw a tree or, where there is none, the cube; return the caption below it."""
        self._classes, self._parents, self._rows = classes, parents, rows
        tree = tree_of(classes)
        self._root, text = None, ""
        if tree is not None and _leaves(tree) <= MAX_LEAVES:
            wide = self._available.width() - 2 * _MARGIN
            high = self._available.height() - 2 * _MARGIN - _BOX
            self._leaf = _between(wide / _leaves(tree), *_LEAVES)
            self._level = _between(high / max(1, _depth(tree)), *_LEVELS)
            self._root, width, depth = self._placed(tree)
            self._size = QSize(int(width + 2 * _MARGIN), int(depth + 2 * _MARGIN + _BOX))
        elif self._is_cube:
            text = "Not a CSI-tree: no parent can be the root without splitting a class."
            self._size = self._cube_size()
        else:
            text = "Not a CSI-tree." if tree is None else "This tree has too many leaves to draw."
            self._size = QSize(10, 10)
        message = ", ".join(class_letter(n) for n in range(len(rows)))
        self.setAccessibleName(f"{'Tree' if self._root else 'Cube'} of the classes {message}")
        self.setMinimumSize(self._size)
        self.updateGeometry()
        self.update()
        return text

    def fit(self, available: QSize) -> None:
        """Draw closer or wider to use the available size."""
        if available != self._available:
            self._available = available
            if self._root is not None:
                self.show_classes(self._classes, self._parents, self._rows)

    @property
    def _is_cube(self) -> bool:
        return 0 < self._classes.ndim <= MAX_CUBE and set(self._classes.shape) == {2}

    def sizeHint(self) -> QSize:
        return self._size

    # -- the tree

    def _placed(self, tree: Split | int) -> tuple[_Drawn, float, float]:
        """Lay out the leaves side by side, each branching over the middle of its branches."""
        left = itertools.count()
        deepest = 0

        def put(node: Split | int, level: int) -> _Drawn:
            nonlocal deepest
            deepest = max(deepest, level)
            y = _MARGIN + level * self._level + _BOX / 2
            if isinstance(node, int):
                x = _MARGIN + self._leaf * (next(left) + 0.5)
                return _Drawn(QPointF(x, y), self._leaf_text(node), node)
            parent = self._parents[node.axis]
            below = [put(branch, level + 1) for branch in node.branches]
            x = (below[0].at.x() + below[-1].at.x()) / 2
            return _Drawn(
                QPointF(x, y), parent.name, None, tuple(zip(parent.states, below, strict=True))
            )

        root = put(tree, 0)
        return root, self._leaf * next(left), deepest * self._level

    def _leaf_text(self, number: int) -> str:
        row = self._rows[number]
        shown = row[1:] if row.size == 2 else row[:3]
        return f"{class_letter(number)}  " + " ".join(f"{value:.2f}" for value in shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._root is not None:
            self._paint_lines(painter, self._root)
            self._paint_boxes(painter, self._root)
        elif self._is_cube:
            self._paint_cube(painter)
        painter.end()

    def _paint_lines(self, painter: QPainter, node: _Drawn) -> None:
        painter.setFont(theme().font("caption"))
        metrics = QFontMetricsF(painter.font())
        for state, child in node.children:
            start, end = node.at + QPointF(0, _BOX / 2), child.at - QPointF(0, _BOX / 2)
            painter.setPen(QPen(theme().color("edge"), theme().line("edge")))
            painter.drawLine(start, end)
            middle = (start + end) / 2
            text = metrics.elidedText(state, Qt.TextElideMode.ElideRight, self._leaf - 16)
            wide = metrics.horizontalAdvance(text) + 6
            background = QRectF(middle.x() - wide / 2, middle.y() - 8, wide, 16)
            painter.fillRect(background, theme().color("window"))
            painter.setPen(theme().color("text_secondary"))
            painter.drawText(background, Qt.AlignmentFlag.AlignCenter, text)
            self._paint_lines(painter, child)

    def _paint_boxes(self, painter: QPainter, node: _Drawn) -> None:
        is_leaf = node.number is not None
        painter.setFont(theme().font("dense", "semibold" if is_leaf else "medium"))
        metrics = QFontMetricsF(painter.font())
        available = self._leaf * max(1, len(node.children)) - 4
        text = metrics.elidedText(node.text, Qt.TextElideMode.ElideRight, available - 8)
        wide = min(available, metrics.horizontalAdvance(text) + 16)
        box = QRectF(node.at.x() - wide / 2, node.at.y() - _BOX / 2, wide, _BOX)
        painter.setPen(QPen(theme().color("border_control"), 1))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(box, 5, 5)
        if node.number is not None:
            painter.setBrush(category_tint(node.number))
            painter.drawRoundedRect(box, 5, 5)
        painter.setPen(theme().color("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        for _, child in node.children:
            self._paint_boxes(painter, child)

    # -- the cube

    def _corner(self, codes: tuple[int, ...]) -> QPointF:
        x = sum(code * axis[0] for code, axis in zip(codes, _AXES, strict=False)) * _SIDE
        y = sum(code * axis[1] for code, axis in zip(codes, _AXES, strict=False)) * _SIDE
        lift = 0.36 * _SIDE if len(codes) >= 3 else 0.0
        return QPointF(_MARGIN + 20 + x, _MARGIN + lift + y)

    def _cube_size(self) -> QSize:
        corners = [self._corner(c) for c in itertools.product((0, 1), repeat=self._classes.ndim)]
        right, low = max(c.x() for c in corners), max(c.y() for c in corners)
        return QSize(int(right + _MARGIN + 200), int(low + _MARGIN + 16))

    def _paint_cube(self, painter: QPainter) -> None:
        """A corner per configuration; sides along which nothing changes are thick."""
        dimensions = self._classes.ndim
        every = list(itertools.product((0, 1), repeat=dimensions))
        for codes in every:
            for axis in (a for a in range(dimensions) if codes[a] == 0):
                other = (*codes[:axis], 1, *codes[axis + 1 :])
                same = self._classes[codes] == self._classes[other]
                color, width = ("label_ink", 3.0) if same else ("edge_dim", 1.0)
                painter.setPen(QPen(theme().color(color), width))
                painter.drawLine(self._corner(codes), self._corner(other))
        painter.setFont(theme().font("dense", "semibold"))
        for codes in every:
            at, number = self._corner(codes), int(self._classes[codes])
            painter.setPen(QPen(theme().color("border_control"), 1))
            painter.setBrush(theme().color("surface"))
            painter.drawEllipse(at, _DOT, _DOT)
            painter.setBrush(category_tint(number))
            painter.drawEllipse(at, _DOT, _DOT)
            painter.setPen(theme().color("text"))
            rect = QRectF(at.x() - _DOT, at.y() - _DOT, 2 * _DOT, 2 * _DOT)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, class_letter(number))
        self._paint_axes(painter)

    def _paint_axes(self, painter: QPainter) -> None:
        """The parent and its two states at the first corner of each axis."""
        painter.setFont(theme().font("caption"))
        painter.setPen(theme().color("text_secondary"))
        right = max(
            self._corner(c).x() for c in itertools.product((0, 1), repeat=len(self._parents))
        )
        directions = ("across", "down", "back", "to the right cube")
        for number, parent in enumerate(self._parents):
            text = f"{directions[number]}: {parent.name} = {' → '.join(parent.states)}"
            painter.drawText(QPointF(right + 26, _MARGIN + 20 + 18 * number), text)
        text = "thick: the parent has no effect"
        painter.setPen(theme().color("label_ink"))
        painter.drawText(QPointF(right + 26, _MARGIN + 26 + 18 * len(self._parents)), text)


def _leaves(tree: Split | int) -> int:
    return 1 if isinstance(tree, int) else sum(_leaves(branch) for branch in tree.branches)


def _depth(tree: Split | int) -> int:
    return 0 if isinstance(tree, int) else 1 + max(_depth(branch) for branch in tree.branches)


def _between(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))
