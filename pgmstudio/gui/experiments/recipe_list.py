"""The experiments to choose from, with their data and about how long they take."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.keyed_list import KEY, KeyedList
from pgmstudio.studies.recipe import Recipe
from pgmstudio.studies.recipe_data import absent_files
from pgmstudio.studies.registry import RECIPES

FACTS = KEY + 1


class RecipeList(KeyedList):
    """Two lines for each: its name; how long it takes and whether its data are there."""

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__("recipeList", "Experiments", "Choose an experiment.")
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setItemDelegate(_TwoLines(self))
        self._states: dict[str, str] = {}
        for recipe in RECIPES.values():
            item = QListWidgetItem(recipe.title)
            item.setData(KEY, recipe.key)
            self.addItem(item)
        self.currentRowChanged.connect(self._on_row)
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_folder(self, folder: Path | None) -> None:
        """Tell again which data are there."""
        for item in self._items():
            recipe = RECIPES[item.data(KEY)]
            item.setData(FACTS, _facts(recipe, folder))
            item.setToolTip(f"{recipe.help} {recipe.place}.")
            told = f"{recipe.title}. {recipe.help} {_facts(recipe, folder)}."
            item.setData(Qt.ItemDataRole.AccessibleTextRole, told)

    def show_states(self, states: dict[str, str]) -> None:
        """Mark those that run and those that have a table, by the name of an icon."""
        if states != self._states:
            self._states = dict(states)
            self._restyle()

    def _on_row(self, number: int) -> None:
        item = self.item(number)
        if item is not None:
            self.picked.emit(item.data(KEY))

    def _restyle(self) -> None:
        size = theme().px("icon")
        self.setIconSize(QSize(size, size))
        self.setFixedWidth(theme().px("left"))
        for item in self._items():
            name = self._states.get(item.data(KEY), "flask")
            color = "accent" if name == "play-circle" else "text_secondary"
            item.setIcon(icon(name, color))


class _TwoLines(QStyledItemDelegate):
    """A name, and in a quieter line under it what is to be known of it."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        words, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        gap = theme().space(2)
        room = option.rect.adjusted(theme().px("icon") + 3 * gap, gap, -gap, -gap)
        lines = (
            (words, theme().font("body"), "text", Qt.AlignmentFlag.AlignTop),
            (
                index.data(FACTS),
                theme().font("dense"),
                "text_secondary",
                Qt.AlignmentFlag.AlignBottom,
            ),
        )
        for text, font, color, side in lines:
            painter.setFont(font)
            painter.setPen(theme().color(color))
            whole = QFontMetrics(font).elidedText(
                str(text or ""), Qt.TextElideMode.ElideRight, room.width()
            )
            painter.drawText(room, int(side | Qt.AlignmentFlag.AlignLeft), whole)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        heights = [QFontMetrics(theme().font(size)).height() for size in ("body", "dense")]
        return QSize(super().sizeHint(option, index).width(), sum(heights) + 2 * theme().space(2))


def _facts(recipe: Recipe, folder: Path | None) -> str:
    if not recipe.sources:
        return f"{recipe.takes} · makes its rows"
    there = "data not found" if absent_files(recipe, folder) else "data found"
    return f"{recipe.takes} · {there}"
