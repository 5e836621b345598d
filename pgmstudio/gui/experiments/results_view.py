"""One experiment: what it is, its settings, its table, and why its figures differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QProgressBar,
    QSizePolicy,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.experiments.sl_curves.sweep import Sweep
from pgmstudio.gui.plots.scan_plots import SweepLinesPlot
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, Segments, label, row, scrolled
from pgmstudio.gui.widgets.elided_label import ElidedLabel
from pgmstudio.gui.widgets.param_form import ParamForm
from pgmstudio.gui.widgets.table import Column, FactTable, widening
from pgmstudio.studies.recipe import Measured, Recipe, TableRow

_COLUMNS = (
    Column("Measured", str, tip="What is measured."),
    Column("Published", str, True, tip="The value of the source, with its ± where it has one."),
    Column("Obtained", str, True, tip="Mean ± standard deviation over the trials so far."),
    Column("Difference", str, True, tip="Obtained minus published."),
    Column("Trials", str, True, tip="How many trials the mean is over."),
    Column("Remark", str, stretches=True, tip="What is known of the published value."),
)
_VIEWS = (
    ("table", "Table", "Published values beside obtained ones."),
    ("curves", "Curves", "What was measured along a setting, with its spread over the trials."),
)


def _told(value: float | None, digits: int, *, sign: bool = False) -> str:
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")


def cells_of(told: TableRow) -> tuple[str, ...]:
    """A row of the table in words."""
    quantity, digits = told.quantity, told.quantity.digits
    return (
        quantity.title,
        _with_spread(quantity.published, quantity.spread, digits),
        "\u2002" + _with_spread(told.obtained, told.spread, digits),  # room between two numbers
        _told(told.difference, digits, sign=True),
        str(told.trials or ""),
        quantity.note,
    )


def _with_spread(value: float | None, spread: float | None, digits: int) -> str:
    return _told(value, digits) + ("" if spread is None else f" ± {_told(spread, digits)}")


class RecipeView(QWidget):
    """Shows; what is to happen is told to the page by its buttons, which the page adds."""

    def __init__(self, commands: Sequence[QWidget], takings: Sequence[QWidget]) -> None:
        """`deeds`: run, stop, settings; `takings`: what to do with what came out."""
        super().__init__()
        self._title = label("", "heading", size="title")
        self._title.setObjectName("recipeTitle")
        self._place = label("", "tertiary", size="dense")
        self._help = label("", "secondary", wrap=True)
        self.note = Note(level="warning", name="recipeNote")
        self.bar = QProgressBar()
        self.bar.setObjectName("recipeBar")
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.bar.setMaximumWidth(160)
        self.words = ElidedLabel()
        self.words.setObjectName("recipeWords")
        self.words.setProperty("role", "secondary")
        self.trials = QComboBox()
        self.trials.setObjectName("recipeTrials")
        self.trials.setAccessibleName("Trial")
        self.trials.setToolTip("The trial whose model or rows are opened.")
        self.trials.setMinimumContentsLength(10)
        self.trials.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._forms: dict[str, ParamForm] = {}
        self._shown: ParamForm | None = None
        self._sentences: tuple[str, ...] = ()
        self.seed = QSpinBox()
        self.seed.setObjectName("recipeSeed")
        self.seed.setAccessibleName("Seed")
        self.seed.setToolTip("The same seed gives the same table.")
        self.seed.setRange(0, 999_999_999)
        self.settings = self._settings()
        self.table = FactTable("recipeTable", "Published values beside obtained ones", _COLUMNS)
        self.views = Segments(_VIEWS, "recipeViews")
        self.views.chosen.connect(self._on_view)
        self.plot = SweepLinesPlot("recipePlot")
        self._found = QStackedWidget()
        self._found.addWidget(self.table)
        self._found.addWidget(self.plot)
        self._why = label("", "secondary", size="dense", wrap=True)
        self._why.setObjectName("recipeWhy")
        self._why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._why.setAlignment(Qt.AlignmentFlag.AlignTop)
        going = widening(row(*commands, self.bar, self.words, self.views), len(commands) + 1)
        inner = QVBoxLayout(self)
        inner.setContentsMargins(16, 12, 16, 10)
        inner.setSpacing(8)
        inner.addWidget(row(self._title, self._place, None))
        for part in (self._help, self.note, going, self.settings):
            inner.addWidget(part)
        inner.addWidget(self._found, 1)
        inner.addWidget(self._why)
        inner.addWidget(row(self.trials, *takings[:-1], None, takings[-1]))
        self.tell_progress("", None)

    def _settings(self) -> QWidget:
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._holder = QVBoxLayout()
        layout.addWidget(row(label("Seed", "secondary"), self.seed, None))
        layout.addLayout(self._holder)
        layout.addStretch(1)
        area = scrolled(content, "recipeSettings")
        area.setMaximumHeight(theme().px("row") * 8)
        area.hide()
        return area

    def show_recipe(self, recipe: Recipe) -> None:
        """Another experiment; its settings are as they were left."""
        self._title.setText(recipe.title)
        self._place.setText(recipe.place)
        self._help.setText(f"{recipe.help} Takes {recipe.takes}.")
        self._sentences = recipe.why
        self.views.setVisible(recipe.curves is not None)
        self.show_view("curves" if recipe.curves is not None and not recipe.quantities else "table")
        self.tell_notes(())
        if self._shown is not None:
            self._shown.hide()
        if recipe.key not in self._forms:
            self._forms[recipe.key] = form = ParamForm(recipe.params_type)
            self._holder.addWidget(form)
        self._shown = self._forms[recipe.key]
        self._shown.show()

    def tell_notes(self, notes: Sequence[str]) -> None:
        """Why figures differ, and under it what the run has noted."""
        sentences = (*self._sentences, *notes)
        self._why.setText("\n".join(f"· {sentence}" for sentence in sentences))

    def toggle_settings(self) -> None:
        """Show the settings or hide them; they take the place of the sentences below."""
        shown = not self.settings.isVisibleTo(self)
        self.settings.setVisible(shown)
        self._why.setVisible(not shown)

    def params(self) -> Any | None:
        """The settings as they stand; None while something is wrong, which is then shown."""
        found = None if self._shown is None else self._shown.params()
        if found is None and not self.settings.isVisibleTo(self):
            self.toggle_settings()
        return found

    def set_locked(self, locked: bool) -> None:
        """Settings cannot be changed while the experiment runs."""
        if self._shown is not None:
            self._shown.set_locked(locked)
        self.seed.setEnabled(not locked)

    def show_view(self, key: str) -> None:
        """The table, or the curves of a recipe that has some."""
        self.views.choose(key)
        self._on_view(key)

    def _on_view(self, key: str) -> None:
        self._found.setCurrentIndex([view[0] for view in _VIEWS].index(key))

    def show_curves(self, sweep: Sweep | None) -> None:
        if sweep is not None:
            self.plot.show_sweep(sweep)

    def show_table(self, rows: tuple[TableRow, ...]) -> None:
        self.table.show_rows([cells_of(told) for told in rows])

    def show_trials(self, opened: list[Measured]) -> None:
        """Which trials can be opened; the newest is chosen unless a person chose another."""
        names = [
            f"Trial {event.trial + 1}" + (f", {event.name}" if event.name else "")
            for event in opened
        ]
        there = [self.trials.itemText(place) for place in range(self.trials.count())]
        if names[: len(there)] != there:
            self.trials.clear()
            there = []
        follows = self.trials.currentIndex() == self.trials.count() - 1
        self.trials.addItems(names[len(there) :])
        if follows and names:
            self.trials.setCurrentIndex(len(names) - 1)

    def tell_progress(self, words: str, fraction: float | None) -> None:
        """How far it is; None takes the bar away."""
        self.words.setText(words)
        self.words.setToolTip(words)
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(round(1000 * (fraction or 0.0)))
