"""Page that generates synthetic data: generator, parameters, number of rows, seed."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.generators.generator import Generator
from pgmstudio.core.experiments.generators.registry import GENERATORS
from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted
from pgmstudio.core.params import params_to_dict, specs_of
from pgmstudio.core.project.drawn_data import (
    add_generated,
    draw,
    generate,
    generated_entry,
)
from pgmstudio.core.project.edits import Computed
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import close_welcome, open_data_page
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Note,
    Section,
    allow,
    button,
    form_of,
    hairline,
    hbox,
    label,
    named,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.number_box import whole_box
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.widgets.param_form import ParamForm

KEY = "generate"
_NAME = Qt.ItemDataRole.UserRole


class GeneratePage(Page):
    """Form of the generators; the rows become a data set that records how it was generated."""

    fixed_title = "Generate data"
    icon_name = "dice-five"
    stands_alone = True

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self._app = app
        self._forms: dict[str, ParamForm] = {}
        self._pending: tuple[Generator, Any, int, int] | None = None
        self._latest_task = LatestTask(self, self._on_rows, self._on_failed)
        self.list = QListWidget()
        self.list.setObjectName("generators")
        self.list.setAccessibleName("Synthetic data sets")
        self.list.setToolTip("The distribution to draw rows from.")
        self.list.ensurePolished()  # rows laid out before polishing keep their unstyled height
        for generator in GENERATORS.values():
            item = QListWidgetItem(generator.title)
            item.setData(_NAME, generator.name)
            item.setToolTip(generator.help)
            self.list.addItem(item)
        self._title = label("", "heading", size="heading")
        self._about = label("", "secondary", wrap=True)
        self._holder = QVBoxLayout()
        self._nothing = label("This distribution has no parameters.", "tertiary", size="dense")
        self.rows = self._spin("generateRows", "Rows to draw", "Number of independent rows.", 1)
        self.rows.setRange(1, 10_000_000)
        self.rows.setValue(15_000)
        self.seed = self._spin("generateSeed", "Seed", "The same seed gives the same rows.", 0)
        self.name = named(
            QLineEdit(), "generateName", "Name of the data set", "Name of the data set."
        )
        self.split_rows = QCheckBox("Split: 2/3 training, 1/3 test")
        self.split_rows.setObjectName("generateSplit")
        self.split_rows.setAccessibleName("Split into training and test rows")
        self.split_rows.setToolTip(
            "The split is stored with the data set and used by plans and runs."
        )
        self.split_rows.setChecked(True)
        self.adds_truth = QCheckBox("Add the true model to the project")
        self.adds_truth.setObjectName("generateTruth")
        self.adds_truth.setAccessibleName("Add the true model to the project")
        self.adds_truth.setToolTip(
            "The model that generates the rows; SL-curves can be compared with it."
        )
        self.problem = Note("", "danger", "generateProblem")
        self.draw = button(
            "Generate rows",
            self.start,
            role="primary",
            icon_name="dice-five",
            name="generateStart",
            tip="Draw the rows and add them to the project as a data set.",
        )
        self._lay_out()
        self._later = one_shot(self, self._align_fields, 0)  # once the labels have their size
        theme().changed.connect(self._later.start)
        self.list.currentRowChanged.connect(self._on_selected)
        self.rows.valueChanged.connect(self._refresh)
        self.list.setCurrentRow(0)

    def _spin(self, name: str, title: str, tip: str, low: int) -> QSpinBox:
        return whole_box(name, title, tip, low, 2_000_000_000)

    def _lay_out(self) -> None:
        self.list.setFixedWidth(theme().px("left_min"))
        form = form_of(("Rows", self.rows), ("Seed", self.seed), ("Name", self.name))
        self._rows_form = form
        form.setVerticalSpacing(8)
        form.addRow("", self.split_rows)
        form.addRow("", self.adds_truth)
        settings, rows_section = Section("Distribution", line=False), Section("Rows")
        settings.add(self._holder)
        settings.add(self._nothing)
        rows_section.add(form)
        content = QWidget()
        content.setMaximumWidth(round(620 * theme().scale))
        head = vbox(None, self._title, self._about, margins=(16, 0, 16, 0))
        vbox(content, head, settings, rows_section, None, margins=(8, 20, 8, 16), spacing=10)
        foot = row(self.problem, None, self.draw)
        foot.setContentsMargins(24, 8, 24, 8)
        right = vbox(None, (scrolled(content, "generateScroll"), 1), hairline(), foot, spacing=0)
        hbox(self, self.list, (right, 1), spacing=0)

    def _align_fields(self) -> None:
        """Align the fields of both sections."""
        above, below = self.form().layout(), self._rows_form
        assert isinstance(above, QGridLayout)
        items = [above.itemAtPosition(row_index, 0) for row_index in range(above.rowCount())]
        own = [below.labelForField(field) for field in (self.rows, self.seed, self.name)]
        titles = own + [item.widget() for item in items if item is not None]
        seen = [title for title in titles if title is not None and not title.isHidden()]
        widest = max(title.sizeHint().width() for title in seen)
        above.setColumnMinimumWidth(0, widest)
        own[0].setMinimumWidth(widest)
        below.setHorizontalSpacing(above.horizontalSpacing())

    def closed(self) -> None:
        self._latest_task.forget()

    # -- the generator

    @property
    def generator(self) -> Generator:
        item = self.list.currentItem()
        return GENERATORS[str(item.data(_NAME))] if item else next(iter(GENERATORS.values()))

    def choose(self, name: str) -> None:
        """Show a generator."""
        self.list.setCurrentRow(list(GENERATORS).index(name))

    def form(self) -> ParamForm:
        """The parameter form of the selected generator, with the values entered last."""
        generator = self.generator
        if generator.name not in self._forms:
            form = self._forms[generator.name] = ParamForm(generator.params_type)
            form.changed.connect(self._refresh)
            self._holder.addWidget(form)
        return self._forms[generator.name]

    def _on_selected(self, _number: int) -> None:
        generator = self.generator
        self._title.setText(generator.title)
        self._about.setText(generator.help)
        self.name.setText("")
        self.name.setPlaceholderText(generator.title)
        for form in self._forms.values():
            form.hide()
        self.form().show()
        self._nothing.setVisible(not specs_of(generator.params_type))
        self.adds_truth.setVisible(generator.truth is not None)
        self.problem.show_text("")
        self._later.start()
        self._refresh()

    def _refresh(self, *_: object) -> None:
        is_valid = self.form().params() is not None
        is_busy = self._latest_task.is_waiting
        self.draw.setText(
            "Drawing…" if is_busy else f"Generate {counted(self.rows.value(), 'row')}"
        )
        reason = "" if is_valid else "a parameter is invalid."
        allow(self.draw, "rows are being drawn." if is_busy else reason)

    # -- drawing

    def start(self) -> None:
        """Draw the rows in the background."""
        params = self.form().params()
        if params is None:
            return
        self.problem.show_text("")
        seed, rows = self.seed.value(), self.rows.value()
        self._pending = (self.generator, params, seed, rows)
        wants_truth = self.adds_truth.isChecked()
        self._latest_task.ask(partial(_draw, self.generator, params, seed, rows, wants_truth))
        self._refresh()

    def _on_rows(self, drawn: tuple[DataSet, Model | None]) -> None:
        assert self._pending is not None
        data, truth = drawn
        generator, params, seed, rows = self._pending
        name, is_split = self.name.text().strip(), self.split_rows.isChecked()
        entry = generated_entry(generator, params, seed, data, name=name, is_split=is_split)
        how = partial(
            generate,
            generator=generator.name,
            rows=rows,
            seed=seed,
            parameters=params_to_dict(params),
            name=name,
            is_split=is_split,
            adds_truth=truth is not None,
        )
        data_id = self._app.project.next_data_id()
        edit = Computed(how, partial(add_generated, entry=entry, truth=truth))
        if self._app.change(f"Generate {entry.name}", edit):
            open_data_page(self._app, data_id)
            self._app.center.close_page(self)
            self._app.notify(f"{counted(data.row_count, 'row')} of {entry.name}.", undo=True)

    def _on_failed(self, error: BaseException) -> None:
        self._refresh()
        if isinstance(error, PgmStudioError):
            self.problem.show_text(str(error))
        else:
            self._app.errors.report(error)


def _draw(
    generator: Generator, params: Any, seed: int, rows: int, adds_truth: bool, _cancel: CancelToken
) -> tuple[DataSet, Model | None]:
    return draw(generator, params, seed, rows, adds_truth)


def open_generate(app: AppContext) -> GeneratePage:
    """Open the page of synthetic data."""
    close_welcome(app)
    page = app.open_page(KEY, partial(GeneratePage, app))
    assert isinstance(page, GeneratePage)
    return page
