"""Split form: step 4 of an import, also used on the Split tab of a data page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.resampling import SplitPlan
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.gui.widgets.basic import Note, label, named, row, vbox
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.number_box import whole_box

_KINDS = (
    ("none", "No split", "Learners use all rows."),
    ("files", "Use the three files", "Training, validation and test rows of three files."),
    ("random", "Split at random", "The same seed gives the same split."),
    ("column", "Split by a column", "One part for each state; the column is removed."),
)
_NONE = "no column"


class SplitForm(QWidget):
    """Form of a split plan."""

    plan_requested = Signal(object)  # SplitPlan

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("splitForm")
        self._plan = SplitPlan()
        self._rows = 0
        self._is_showing = False
        self._group = QButtonGroup(self)
        self.kinds: dict[str, QRadioButton] = {}
        for key, title, tip in _KINDS:
            made = named(QRadioButton(title), f"split.{key}", tip=tip)
            self._group.addButton(made)
            self.kinds[key] = made
            made.clicked.connect(self._on_changed)
        self.train = self._percent("shareTrain", "Percentage of training rows")
        self.valid = self._percent("shareValid", "Percentage of validation rows")
        self.test = self._percent("shareTest", "Percentage of test rows")
        self.test.setEnabled(False)
        self.test.setToolTip("The remaining rows")
        tip = "The same seed gives the same split."
        self.seed = whole_box("splitSeed", "Seed of the split", tip, 0, 2_000_000_000)
        self.seed.valueChanged.connect(self._on_changed)
        self.stratify = self._columns(
            "stratify", "Each part has the same distribution of this column (stratified split)."
        )
        self.column = self._columns("splitColumn", "One part for each state of the column.")
        self.description = Note("", "info", "splitDescription")
        self._lay_out()

    def _lay_out(self) -> None:
        random = QGridLayout()
        random.setContentsMargins(28, 0, 0, 8)
        random.setHorizontalSpacing(12)
        fields = (("Training", self.train), ("Validation", self.valid), ("Test", self.test))
        for column, (title, widget) in enumerate(fields):
            random.addWidget(label(title, "secondary"), 0, column)
            random.addWidget(widget, 1, column)
        random.addWidget(label("Seed", "secondary"), 0, 3)
        random.addWidget(self.seed, 1, 3)
        random.addWidget(label("Stratify by", "secondary"), 2, 0, 1, 2)
        random.addWidget(self.stratify, 3, 0, 1, 2)
        self._random = QWidget()
        self._random.setLayout(random)
        self._by_column = row(self.column, None)
        self._by_column.setContentsMargins(28, 0, 0, 8)
        box = QWidget()
        box.setMaximumWidth(640)
        inner = QVBoxLayout(box)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        inner.addWidget(self.kinds["none"])
        inner.addWidget(self.kinds["files"])
        inner.addWidget(self.kinds["random"])
        inner.addWidget(self._random)
        inner.addWidget(self.kinds["column"])
        inner.addWidget(self._by_column)
        inner.addSpacing(8)
        inner.addWidget(self.description)
        vbox(self, box, None, margins=(16, 16, 16, 8))

    def _percent(self, name: str, tip: str) -> QSpinBox:
        made = whole_box(name, tip, tip, 0, 100, suffix=" %")
        made.valueChanged.connect(self._on_changed)
        return made

    def _columns(self, name: str, tip: str) -> QComboBox:
        made = named(Combo(), name, tip, tip)
        made.activated.connect(self._on_changed)
        return made

    def show_plan(
        self, plan: SplitPlan, rows: int, columns: Sequence[str], *, has_files: bool
    ) -> None:
        self._is_showing = True
        self._plan, self._rows = plan, rows
        self.kinds["files"].setVisible(has_files)
        self.kinds[plan.kind].setChecked(True)
        for widget, value in ((self.train, plan.train), (self.valid, plan.valid)):
            widget.setValue(value)
        self.test.setValue(100 - plan.train - plan.valid)
        self.seed.setValue(plan.seed)
        for combo, chosen, first in (
            (self.stratify, plan.stratify, [_NONE]),
            (self.column, plan.column, []),
        ):
            entries = [*first, *columns]
            if [combo.itemText(column) for column in range(combo.count())] != entries:
                combo.clear()
                combo.addItems(entries)
            combo.setCurrentText(chosen or (entries[0] if entries else ""))
        self._random.setVisible(plan.kind == "random")
        self._by_column.setVisible(plan.kind == "column")
        self.description.show_text(self._description(plan), "info")
        self._is_showing = False

    def _description(self, plan: SplitPlan) -> str:
        if plan.kind == "random":
            train = round(self._rows * plan.train / 100)
            valid = round(self._rows * plan.valid / 100)
            parts = [f"{grouped(train)} training rows"]
            if plan.valid:
                parts.append(f"{grouped(valid)} validation rows")
            parts.append(f"{grouped(self._rows - train - valid)} test rows")
            return f"{', '.join(parts)}. All models of the project use this split."
        if plan.kind == "files":
            return "Training, validation and test rows are those of the three files."
        if plan.kind == "column":
            return "Each state of the column becomes a part; the column is then removed."
        return f"All {counted(self._rows, 'row')} are used for training. You can split them later."

    def _on_changed(self, *_: object) -> None:
        if self._is_showing:
            return
        kind = next(key for key, made in self.kinds.items() if made.isChecked())
        train = self.train.value()
        valid = min(self.valid.value(), 100 - train)
        stratify = self.stratify.currentText()
        self.plan_requested.emit(
            replace(
                self._plan,
                kind=kind,
                train=train,
                valid=valid,
                test=100 - train - valid,
                seed=self.seed.value(),
                stratify=None if stratify in ("", _NONE) else stratify,
                column=(self.column.currentText() or None) if kind == "column" else None,
            )
        )
