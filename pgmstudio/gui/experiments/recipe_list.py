"""List of the experiments with their data and duration."""

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
    """List of experiments: title, duration, and whether the data are available."""

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
        self._show_icons()
        theme().changed.connect(self._fit)
        self._fit()

    def show_folder(self, folder: Path | None) -> None:
        """Update which data are available."""
        for item in self._items():
            recipe = RECIPES[item.data(KEY)]
            item.setData(FACTS, _facts(recipe, folder))
            item.setToolTip(f"{recipe.help} {recipe.place}.")
            text = f"{recipe.title}. {recipe.help} {_facts(recipe, folder)}."
            item.setData(Qt.ItemDataRole.AccessibleTextRole, text)

    def show_states(self, states: dict[str, str]) -> None:
        """Set the icons of experiments that run or have a table."""
        if states != self._states:
            self._states = dict(states)
            self._show_icons()

    def _on_row(self, number: int) -> None:
        item = self.item(number)
        if item is not None:
            self.picked.emit(item.data(KEY))

    def _fit(self) -> None:
        self.setFixedWidth(theme().px("left"))

    def _show_icons(self) -> None:
        for item in self._items():
            name = self._states.get(item.data(KEY), "flask")
            color = "accent" if name == "play-circle" else "text_secondary"
            item.setIcon(icon(name, color))


class _TwoLines(QStyledItemDelegate):
    """Delegate that draws a title and a grey line of facts below it."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        self.initStyleOption(option, index)
        title, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        gap = theme().space(2)
        area = option.rect.adjusted(theme().px("icon") + 3 * gap, gap, -gap, -gap)
        lines = (
            (title, theme().font("body"), "text", Qt.AlignmentFlag.AlignTop),
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
                str(text or ""), Qt.TextElideMode.ElideRight, area.width()
            )
            painter.drawText(area, int(side | Qt.AlignmentFlag.AlignLeft), whole)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        heights = [QFontMetrics(theme().font(size)).height() for size in ("body", "dense")]
        return QSize(super().sizeHint(option, index).width(), sum(heights) + 2 * theme().space(2))


def _facts(recipe: Recipe, folder: Path | None) -> str:
    if not recipe.sources:
        return f"{recipe.takes} · generates its data"
    there = "data not found" if absent_files(recipe, folder) else "data available"
    return f"{recipe.takes} · {there}"
