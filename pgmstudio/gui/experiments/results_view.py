"""View of one experiment: description, parameters, table, and notes on differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from pgmstudio.core.experiments.sl_curves.sweep import Sweep
from pgmstudio.core.number_format import decimal, signed
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Segments,
    label,
    named,
    progress_bar,
    row,
    scrolled,
    vbox,
    widening,
)
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.param_form import ParamForm
from pgmstudio.gui.widgets.table import Column, Table
from pgmstudio.studies.recipe import Measured, Recipe, TableRow

_COLUMNS = (
    Column("Measured", str, tip="What is measured."),
    Column("Published", str, True, tip="Published value, with its ± if it has one."),
    Column("Obtained", str, True, tip="Mean ± standard deviation over the trials so far."),
    Column("Difference", str, True, tip="Obtained minus published."),
    Column("Trials", str, True, tip="Number of trials."),
    Column("Remark", str, stretches=True, tip="Note on the published value."),
)
_VIEWS = (
    ("table", "Table", "Published and obtained values."),
    ("curves", "Curves", "Measured values against a parameter, with their spread over the trials."),
)


def _number_text(value: float | None, digits: int, *, is_difference: bool = False) -> str:
    if value is None or math.isnan(value):
        return ""
    return signed(value, digits) if is_difference else decimal(value, digits)


def cells_of(row: TableRow) -> tuple[str, ...]:
    """Texts of a row of the table."""
    quantity, digits = row.quantity, row.quantity.digits
    return (
        quantity.title,
        _with_spread(quantity.published, quantity.spread, digits),
        "\u2002" + _with_spread(row.obtained, row.spread, digits),  # space between two numbers
        _number_text(row.difference, digits, is_difference=True),
        str(row.trials or ""),
        quantity.note,
    )


def _with_spread(value: float | None, spread: float | None, digits: int) -> str:
    return _number_text(value, digits) + (
        "" if spread is None else f" ± {_number_text(spread, digits)}"
    )


class RecipeView(QWidget):
    """View of the selected experiment; the page adds the buttons."""

    def __init__(self, commands: Sequence[QWidget], exports: Sequence[QWidget]) -> None:
        """`commands`: run, stop and settings buttons; `exports`: those of the results."""
        super().__init__()
        self._title = label("", "heading", size="title", name="recipeTitle")
        self._source = label("", "tertiary", size="dense")
        self._help = label("", "secondary", wrap=True)
        self.note = Note(level="warning", name="recipeNote")
        self.bar = progress_bar("recipeBar", "Progress of the experiment", 160)
        self.progress_label = named(ElidedLabel("", "secondary"), "recipeProgress")
        self.trials = named(
            QComboBox(), "recipeTrials", "Trial", "Trial whose model or rows are opened."
        )
        self.trials.setMinimumContentsLength(10)
        self.trials.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._forms: dict[str, ParamForm] = {}
        self._shown: ParamForm | None = None
        self._reasons: tuple[str, ...] = ()
        tip = "The same seed gives the same table."
        self.seed = whole_box("recipeSeed", "Seed", tip, 0, 999_999_999)
        self.settings = self._settings()
        self.table = Table("recipeTable", "Published and obtained values", _COLUMNS)
        self.views = Segments(_VIEWS, "recipeViews")
        self.views.chosen.connect(self._on_view)
        self.plot = SweepLinesPlot("recipePlot")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.plot)
        self._why = label("", "secondary", size="dense", wrap=True, name="recipeWhy")
        self._why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._why.setAlignment(Qt.AlignmentFlag.AlignTop)
        going = widening(
            row(*commands, self.bar, self.progress_label, self.views), len(commands) + 1
        )
        inner = QVBoxLayout(self)
        inner.setContentsMargins(16, 12, 16, 10)
        inner.setSpacing(8)
        inner.addWidget(row(self._title, self._source, None))
        for part in (self._help, self.note, going, self.settings):
            inner.addWidget(part)
        inner.addWidget(self._stack, 1)
        inner.addWidget(self._why)
        inner.addWidget(row(self.trials, *exports[:-1], None, exports[-1]))
        self.show_progress("", None)

    def _settings(self) -> QWidget:
        content = QWidget()
        self._holder = QVBoxLayout()
        vbox(
            content, row(label("Seed", "secondary"), self.seed, None), self._holder, None, spacing=6
        )
        area = scrolled(content, "recipeSettings")
        area.setMaximumHeight(theme().px("row") * 8)
        area.hide()
        return area

    def show_recipe(self, recipe: Recipe) -> None:
        """Show another experiment with the parameters entered last."""
        self._title.setText(recipe.title)
        self._source.setText(recipe.place)
        self._help.setText(f"{recipe.help} Takes {recipe.takes}.")
        self._reasons = recipe.why
        self.views.setVisible(recipe.curves is not None)
        self.show_view("curves" if recipe.curves is not None and not recipe.quantities else "table")
        self.show_notes(())
        if self._shown is not None:
            self._shown.hide()
        if recipe.key not in self._forms:
            self._forms[recipe.key] = form = ParamForm(recipe.params_type)
            self._holder.addWidget(form)
        self._shown = self._forms[recipe.key]
        self._shown.show()

    def show_notes(self, notes: Sequence[str]) -> None:
        """Show why values differ, and the notes of the run."""
        notes_shown = (*self._reasons, *notes)
        self._why.setText("\n".join(f"· {note}" for note in notes_shown))

    def toggle_settings(self) -> None:
        """Show or hide the parameters, which replace the notes below."""
        shown = not self.settings.isVisibleTo(self)
        self.settings.setVisible(shown)
        self._why.setVisible(not shown)

    def params(self) -> Any | None:
        """The current parameters; None if a value is invalid, which is then shown."""
        params = None if self._shown is None else self._shown.params()
        if params is None and not self.settings.isVisibleTo(self):
            self.toggle_settings()
        return params

    def set_locked(self, locked: bool) -> None:
        """Disable the parameters while the experiment runs."""
        if self._shown is not None:
            self._shown.set_locked(locked)
        self.seed.setEnabled(not locked)

    def show_view(self, key: str) -> None:
        """Show the table, or the curves if the experiment has some."""
        self.views.choose(key)
        self._on_view(key)

    def _on_view(self, key: str) -> None:
        self._stack.setCurrentIndex([view[0] for view in _VIEWS].index(key))

    def show_curves(self, sweep: Sweep | None) -> None:
        if sweep is not None:
            self.plot.show_sweep(sweep)

    def show_table(self, rows: tuple[TableRow, ...]) -> None:
        self.table.show_rows([cells_of(row) for row in rows])

    def show_trials(self, opened: list[Measured]) -> None:
        """Set the trials that can be opened; select the newest unless the user chose one."""
        names = [
            f"Trial {event.trial + 1}" + (f", {event.name}" if event.name else "")
            for event in opened
        ]
        there = [self.trials.itemText(index) for index in range(self.trials.count())]
        if names[: len(there)] != there:
            self.trials.clear()
            there = []
        follows = self.trials.currentIndex() == self.trials.count() - 1
        self.trials.addItems(names[len(there) :])
        if follows and names:
            self.trials.setCurrentIndex(len(names) - 1)

    def show_progress(self, progress_label: str, fraction: float | None) -> None:
        """Show the progress; None hides the bar."""
        self.progress_label.setText(progress_label)
        self.progress_label.setToolTip(progress_label)
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(round(1000 * (fraction or 0.0)))
