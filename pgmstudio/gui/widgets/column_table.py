"""List of columns: tick, kind, small histogram, range or states, missing cells, a chip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QFontMetrics, QIcon, QResizeEvent
from PySide6.QtWidgets import QHeaderView

from pgmstudio.core.inference.findings import Chip
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import Weight, theme
from pgmstudio.gui.widgets.grid_view import CellDelegate, CellMarks
from pgmstudio.gui.widgets.short_names import ShortNames
from pgmstudio.gui.widgets.table import Column, SelectionMode, Table

TICK, NAME, BARS, FACTS, MISSING, CHIP = range(6)
_MIN_NAME = 84  # px
_BARS_WIDTH = 58
_MAX_FACTS = 130  # px of a range that the list grows for
BRIEF_HEAD = "Values"  # short heading over both ranges and states


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """What the list shows of one column."""

    name: str
    is_number: bool
    bars: tuple[float, ...]
    facts: str
    missing: int
    chip: str = ""
    chip_is_warning: bool = False
    is_used: bool = True
    tip: str = ""

    @property
    def description(self) -> str:
        kind = "numbers" if self.is_number else "states"
        return f"{self.name}, {kind}, {self.facts}, {self.missing} missing, {self.chip}"


def _icon(row: ColumnRow) -> QIcon:
    return icon("hash" if row.is_number else "tag")


def _histogram(row: ColumnRow) -> CellMarks:
    return CellMarks(histogram=row.bars, is_dimmed=not row.is_used)


def _chip(row: ColumnRow) -> CellMarks | None:
    tint = "warning" if row.chip_is_warning else "neutral"
    return CellMarks(chip=Chip(row.chip, "", tint)) if row.chip else None


def _quiet(row: ColumnRow) -> str:
    return "text_secondary" if row.is_used else "text_disabled"


def _missing_color(row: ColumnRow) -> str:
    return "warning_ink" if row.missing and row.is_used else _quiet(row)


def _missing_weight(row: ColumnRow) -> Weight:
    return "semibold" if row.missing else "regular"


class ColumnList(Table):
    """Rows of `ColumnRow`; the first is selected when none is."""

    def __init__(
        self,
        name: str,
        *,
        with_ticks: bool,
        facts_head: str = "Range or states",
        chip_head: str = "",
        selection: SelectionMode = SelectionMode.SingleSelection,
    ) -> None:
        """`chip_head`: heading of the chips, which then alone show the missing cells."""
        columns = (
            Column("", tip="Import this column", is_ticked=lambda row: row.is_used),
            Column("Column", value=lambda row: row.name, icon=_icon),
            Column("", tip="Histogram", marks=_histogram),
            Column(facts_head, short_title=BRIEF_HEAD, value=lambda row: row.facts, color=_quiet),
            Column(
                "Missing",
                grouped,
                True,
                value=lambda row: row.missing,
                color=_missing_color,
                weight=_missing_weight,
            ),
            Column(chip_head, is_number=True, marks=_chip),
        )
        super().__init__(
            name,
            "Columns",
            columns,
            key=lambda row: row.name,
            row_tip=lambda row: row.tip or row.name,
            row_color=lambda row: None if row.is_used else "text_disabled",
            description=lambda row: row.description,
            is_sortable=False,
            selection=selection,
            row_height=1.1,
            tip="",
        )
        self._facts_head = facts_head
        self._short = ShortNames()
        self.setColumnHidden(TICK, not with_ticks)
        self.setColumnHidden(MISSING, bool(chip_head))
        head = self.horizontalHeader()
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(BARS, QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(FACTS, QHeaderView.ResizeMode.Stretch)
        head.sectionResized.connect(self._fit_head)
        self._restyle()

    def show_rows(self, rows: Sequence[ColumnRow]) -> None:
        super().show_rows(rows)
        self._size_names()
        if rows and self.current is None:
            self.select(0)

    def _fit_head(self, section: int, _before: int, width: int) -> None:
        """Shorten a heading that would be elided."""
        if section == FACTS:
            needed = QFontMetrics(theme().font("dense", "semibold")).horizontalAdvance
            self.show_short_titles(needed(self._facts_head) + 4 > width)

    def _longest(self, texts: Iterable[str]) -> int:
        width = QFontMetrics(theme().font("dense")).horizontalAdvance
        return max(map(width, texts), default=0)

    @property
    def _names_width(self) -> int:
        return self._longest(row.name for row in self.rows) + theme().px("icon") + 18

    @property
    def wanted_width(self) -> int:
        """The width of the list at which nothing is left out."""
        others = sum(self._width_of(column) for column in (TICK, MISSING, CHIP))
        bars = round(_BARS_WIDTH * theme().scale)
        return self._names_width + bars + self._facts_width + others + theme().px("icon")

    @property
    def _facts_width(self) -> int:
        """The width at which no range or number of states is cut, if it is not very long."""
        longest = self._longest(row.facts for row in self.rows) + 16
        return min(longest, round(_MAX_FACTS * theme().scale))

    def _size_names(self) -> None:
        """As wide as the longest name; names have their width before ranges and states."""
        metrics = QFontMetrics(theme().font("dense"))
        names = [row.name for row in self.rows]
        wanted = self._names_width
        head = QFontMetrics(theme().font("dense", "semibold"))
        facts = head.horizontalAdvance(BRIEF_HEAD) + 12
        least = min(wanted, round(_MIN_NAME * theme().scale))
        others = sum(self._width_of(column) for column in (TICK, MISSING, CHIP))
        bars = round(_BARS_WIDTH * theme().scale)
        # The histograms go before a name or what stands behind them is shortened.
        space = self.viewport().width() - others - max(facts, self._facts_width)
        self.setColumnHidden(BARS, space - bars < wanted)
        others += facts + self._width_of(BARS)
        width = max(least, min(wanted, self.viewport().width() - others))
        self.setColumnWidth(NAME, width)
        if self._short.names != tuple(names):
            self._short = ShortNames(names)
        delegate = self.itemDelegate()
        if isinstance(delegate, CellDelegate):
            room = width - theme().px("icon") - 14
            delegate.short_texts = {NAME: self._short.all(metrics, room)}

    def _width_of(self, column: int) -> int:
        return 0 if self.isColumnHidden(column) else self.columnWidth(column)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_names()

    def _restyle(self) -> None:
        super()._restyle()
        self.setColumnWidth(BARS, round(_BARS_WIDTH * theme().scale))
        self._size_names()
