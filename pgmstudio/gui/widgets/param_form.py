"""Form made from parameter specs: one field each, help on hover, errors under the field."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSlider,
    QWidget,
)

from pgmstudio.core.csv_text import csv_text
from pgmstudio.core.errors import ParameterError
from pgmstudio.core.params import AUTO, ParamKind, ParamSpec, parse_params, specs_of
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named, set_role, text_width
from pgmstudio.gui.widgets.combo_box import Combo
from pgmstudio.gui.widgets.wheel_focus import need_focus_for_wheel

_CHOICE_TITLES = {
    "aic": "AIC",
    "aic-thesis": "AIC (thesis)",
    "aic_half": "AIC / 2",
    "and": "AND",
    "bdeu": "BDeu",
    "bic": "BIC",
    "chi2": "χ²",
    "chi2_norm": "χ², normalised",
    "cramers_v": "Cramér’s V",
    "dl": "description length",
    "em": "EM",
    "g2": "G²",
    "gini": "Gini index",
    "gini_sym": "Gini index, symmetric",
    "hc": "hill climbing",
    "hill-climb": "hill climbing",
    "info_gain": "information gain",
    "k2": "K2",
    "kes": "KES",
    "lambda": "λ-score",
    "loglik": "log-likelihood",
    "mdl": "MDL",
    "mdl_abs": "MDL, absolute",
    "mdl_rel": "MDL, relative",
    "mpl": "MPL",
    "or": "OR",
    "pic": "PIC",
    "stoch_complexity": "stochastic complexity",
    "sym_gain_ratio1": "symmetric gain ratio 1",
    "sym_gain_ratio2": "symmetric gain ratio 2",
}


def choice_label(choice: str) -> str:
    """`bic` as BIC, `gain_ratio` as gain ratio."""
    return _CHOICE_TITLES.get(choice) or choice.replace("_", " ")


WIDEST_TITLE = "Equivalent sample size"  # longer titles wrap
STEPS = 200
# A number that may not be 0 matters by its order of magnitude: this many powers of ten.
DECADES = 4
LONGEST_NUMBER = "0.0000001"  # a field beside a slider has room for it


def has_slider(spec: ParamSpec) -> bool:
    """Numbers between two bounds have one."""
    return spec.kind is ParamKind.NUMBER and spec.low is not None and spec.high is not None


MAX_ROWS = 6  # that are visible at once


class OrderList(QListWidget):
    """The names of the columns in an order; its text is empty until somebody changes it."""

    order_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setProperty("role", "field")
        self.ensurePolished()  # rows have their height from the start
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._columns: tuple[str, ...] = ()
        self._listed: tuple[str, ...] = ()  # as it was set or dragged; empty: the order of the data
        self._fit()

    def show_columns(self, columns: Sequence[str]) -> None:
        """Other columns; the order of those that stay is kept."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self._show(self._listed)

    def text(self) -> str:
        """The names separated by commas; empty if the order is that of the data."""
        names = self.names() if self._columns else self._listed
        return csv_text([names]).strip() if self._listed else ""

    def set_text(self, text: str) -> None:
        (listed,) = csv.reader([text], skipinitialspace=True) if text.strip() else ([],)
        self._listed = tuple(name.strip() for name in listed)
        self._show(self._listed)
        self.order_changed.emit()

    def names(self) -> tuple[str, ...]:
        return tuple(self.item(row).text() for row in range(self.count()))

    def _show(self, listed: Sequence[str]) -> None:
        known = [name for name in listed if name in self._columns]
        self.clear()
        for name in (*known, *(name for name in self._columns if name not in known)):
            self.addItem(QListWidgetItem(icon("dots-six-vertical", "text_tertiary"), name))
        self._fit()

    def _fit(self) -> None:
        rows = max(1, min(self.count(), MAX_ROWS))
        row_height = self.sizeHintForRow(0) if self.count() else self.fontMetrics().height() + 6
        self.setFixedHeight(rows * row_height + 2 * self.frameWidth() + 8)

    def _changed(self) -> None:
        names = self.names()
        self._listed = () if names == self._columns else names
        self.order_changed.emit()

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self._changed()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}
        by = steps.get(event.key(), 0)
        if by and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_current(by)
        else:
            super().keyPressEvent(event)

    def move_current(self, by: int) -> None:
        """Move the selected name up (-1) or down (1)."""
        row = self.currentRow()
        if row >= 0 and 0 <= row + by < self.count():
            item = self.takeItem(row)
            self.insertItem(row + by, item)
            self.setCurrentRow(row + by)
            self._changed()


class ParamSlider(QSlider):
    """Slider of a number with two bounds; emits the value it is moved to."""

    moved_to = Signal(float)

    def __init__(self, spec: ParamSpec) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        assert spec.low is not None
        assert spec.high is not None
        self._spec, self._low, self._high = spec, float(spec.low), float(spec.high)
        named(self, f"slider.{spec.name}", f"{spec.title}, slider", spec.help)
        self.setRange(1 if spec.low_open else 0, STEPS - 1 if spec.high_open else STEPS)
        self.valueChanged.connect(self._on_moved)
        need_focus_for_wheel(self)

    def value_at(self, step: int) -> float:
        """The value at a slider position, with two significant digits."""
        fraction = step / STEPS
        if self._spec.low_open and self._low == 0:
            value = self._high * 10 ** (DECADES * (fraction - 1))
        else:
            value = self._low + (self._high - self._low) * fraction
        return float(f"{value:.2g}")

    def show_value(self, value: float | str | None) -> None:
        """Show this number without a signal; a text or None changes nothing."""
        if value is None or isinstance(value, str):
            return
        if self._spec.low_open and self._low == 0:
            fraction = 1 + math.log10(max(value, 1e-300) / self._high) / DECADES
        else:
            fraction = (value - self._low) / (self._high - self._low)
        with QSignalBlocker(self):
            self.setValue(round(STEPS * min(1.0, max(0.0, fraction))))

    def _on_moved(self, step: int) -> None:
        self.moved_to.emit(self.value_at(step))


# How objects (a start model, knowledge) are chosen: type -> choices by name, asked when shown.
ObjectChoices = Mapping[Any, Callable[[], Mapping[str, Any]]]
VARIABLES = "variables"  # the key of the names of columns


class ParamForm(QWidget):
    """`params()` is the parameter object, or None while something is wrong and marked."""

    changed = Signal()

    def __init__(self, params_type: type, objects: ObjectChoices | None = None) -> None:
        super().__init__()
        self.setObjectName("paramForm")
        self._type = params_type
        self._objects = objects or {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        self._fields: dict[str, _Field] = {}
        self._errors: dict[str, QLabel] = {}
        self._titles: dict[str, QLabel] = {}
        self._sliders: dict[str, ParamSlider] = {}
        self._is_advanced = self._is_locked = False
        for spec in specs_of(params_type):
            if spec.kind is ParamKind.OBJECT and spec.object_type not in self._objects:
                continue
            self._add(spec)
        self.show_advanced(False)

    def _add(self, spec: ParamSpec) -> None:
        field = _Field(spec, self._objects.get(VARIABLES if spec.is_variable else spec.object_type))
        named(field.widget, f"param.{spec.name}", f"{spec.title}. {spec.help}", spec.help)
        field.on_change(self._on_changed)
        title = label(spec.title, "secondary")
        title.setToolTip(spec.help)
        title.setBuddy(field.widget)
        if (widest := text_width(title, WIDEST_TITLE)) < text_width(title, spec.title):
            title.setWordWrap(True)
            title.setMinimumWidth(widest)
        error = label("", "danger", size="dense", wrap=True, name=f"error.{spec.name}")
        error.hide()
        rect = 2 * len(self._fields)
        at_top = Qt.AlignmentFlag.AlignTop if spec.is_order else Qt.AlignmentFlag(0)
        self._grid.addWidget(title, rect, 0, at_top)
        if has_slider(spec):
            self._grid.addWidget(field.widget, rect, 1)
            self._add_slider(spec, field, rect)
        else:
            self._grid.addWidget(field.widget, rect, 1, 1, 2)
        self._grid.addWidget(error, rect + 1, 1, 1, 2)
        self._fields[spec.name], self._errors[spec.name] = field, error
        self._titles[spec.name] = title

    def _add_slider(self, spec: ParamSpec, field: _Field, rect: int) -> None:
        slider = self._sliders[spec.name] = ParamSlider(spec)
        field.widget.setFixedWidth(
            text_width(field.widget, LONGEST_NUMBER) + 2 * theme().px("icon")
        )
        self._grid.addWidget(slider, rect, 2)
        slider.moved_to.connect(field.set_value)
        slider.show_value(spec.default if isinstance(spec.default, float) else None)

    @property
    def has_advanced(self) -> bool:
        return any(field.spec.advanced for field in self._fields.values())

    def show_advanced(self, shown: bool) -> None:
        self._is_advanced = shown
        for name, field in self._fields.items():
            visible = shown or not field.spec.advanced
            field.widget.setVisible(visible)
            self._titles[name].setVisible(visible)
        self._show_sliders()

    def _show_sliders(self) -> None:
        """Beside the fields that can be changed."""
        for name, slider in self._sliders.items():
            is_shown = self._is_advanced or not self._fields[name].spec.advanced
            slider.setVisible(is_shown and not self._is_locked)

    def params(self) -> Any | None:
        """The parameters as they stand; fields that are wrong are marked."""
        texts = {name: field.value() for name, field in self._fields.items()}
        try:
            made: Any = parse_params(self._type, texts)
        except ParameterError as wrong:
            self._mark(wrong.problems)
            return None
        self._mark({})
        for name, slider in self._sliders.items():
            slider.show_value(getattr(made, name))
        return made

    def chosen_objects(self) -> dict[str, Any]:
        """The chosen models, rules and columns, which a combo box always has."""
        return {
            name: field.value()
            for name, field in self._fields.items()
            if field.spec.kind is ParamKind.OBJECT or field.spec.is_variable
        }

    def set_params(self, params: Any) -> None:
        """Fill the form from a parameter object."""
        for name, field in self._fields.items():
            field.set_value(getattr(params, name))

    def show_columns(self, names: Sequence[str]) -> None:
        """The columns of the data, which fields for an order list."""
        for field in self._fields.values():
            if isinstance(field.widget, OrderList):
                field.widget.show_columns(names)

    def refresh_objects(self) -> None:
        """Offer the start models and knowledge there are now; what was chosen stays chosen."""
        for field in self._fields.values():
            field.refresh_objects()

    def set_locked(self, locked: bool) -> None:
        self._is_locked = locked
        for field in self._fields.values():
            field.widget.setEnabled(not locked)
        self._show_sliders()

    def _on_changed(self) -> None:
        self.params()
        self.changed.emit()

    def _mark(self, problems: Mapping[str, str]) -> None:
        for name, field in self._fields.items():
            problem = problems.get(field.spec.option) or problems.get(name, "")
            self._errors[name].setText(problem)
            self._errors[name].setVisible(bool(problem))
            field.widget.setProperty("state", "error" if problem else "")
            set_role(field.widget, str(field.widget.property("role") or ""))


class _Field:
    """A spec and the widget that holds its value."""

    def __init__(self, spec: ParamSpec, objects: Callable[[], Mapping[str, Any]] | None) -> None:
        self.spec = spec
        self._ask_objects = objects
        self._objects: Mapping[str, Any] = {}
        self.widget: QWidget
        if spec.kind is ParamKind.YES_NO:
            self.widget = QCheckBox()
        elif spec.is_order:
            self.widget = OrderList()
        elif spec.kind in (ParamKind.CHOICE, ParamKind.OBJECT) or objects is not None:
            self.widget = combo = Combo()
            if spec.none_label is not None and objects is None:
                combo.addItem(spec.none_label)
            for choice in spec.choices:
                combo.addItem(choice_label(choice), choice)
            if objects is not None:  # however long the names of columns and models are
                combo.setSizeAdjustPolicy(_BY_LENGTH)
                combo.setMinimumContentsLength(12)
            self.refresh_objects()
        else:
            line = QLineEdit()
            line.setPlaceholderText(_placeholder(spec))
            self.widget = line
        self.set_value(spec.default)

    def refresh_objects(self) -> None:
        if self._ask_objects is None or not isinstance(self.widget, QComboBox):
            return
        # A variable may be called as “none” is written: it is known by its data.
        chosen, text = self.widget.currentData(), self.widget.currentText()
        self._objects = self._ask_objects()
        none = [self.spec.none_label] if self.spec.none_label is not None else []
        with QSignalBlocker(self.widget):  # no signal between the choices
            self.widget.clear()
            self.widget.addItems(none)
            for name in self._objects:
                self.widget.addItem(name, name)
            if self.spec.is_variable:
                self.widget.setCurrentIndex(max(0, self.widget.findData(chosen)))
            else:
                self.widget.setCurrentText(text)

    def value(self) -> Any:
        match self.widget:
            case QCheckBox():
                return self.widget.isChecked()
            case QComboBox():
                text = self.widget.currentText()
                if self.spec.is_variable:
                    return self.widget.currentData()
                if text == self.spec.none_label:
                    return None
                if self.spec.kind is ParamKind.OBJECT:
                    return self._objects[text]
                return self.widget.currentData()
            case QLineEdit() | OrderList():
                text = self.widget.text().strip()
                if not text and self.spec.none_label is not None:
                    return None
                return text
        raise TypeError(self.widget)

    def set_value(self, value: Any) -> None:
        match self.widget:
            case QCheckBox():
                self.widget.setChecked(bool(value))
            case QComboBox() if self.spec.is_variable:
                self.widget.setCurrentIndex(max(0, self.widget.findData(value)))
            case QComboBox():
                text = self._text_of(value)
                is_choice = value is not None and self.spec.kind is ParamKind.CHOICE
                self.widget.setCurrentText(choice_label(text) if is_choice else text)
            case OrderList():
                self.widget.set_text("" if value is None else str(value))
            case QLineEdit():
                self.widget.setText("" if value is None else self._text_of(value))
                self.widget.setCursorPosition(0)  # a long list shows its beginning

    def _text_of(self, value: Any) -> str:
        if value is None:
            return self.spec.none_label or ""
        if self.spec.kind is ParamKind.OBJECT:
            return next((name for name, item in self._objects.items() if item is value), "")
        if isinstance(value, tuple):
            return ", ".join(f"{part:g}" for part in value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    def on_change(self, slot: Callable[[], None]) -> None:
        match self.widget:
            case QCheckBox():
                self.widget.toggled.connect(lambda _: slot())
            case QComboBox():
                self.widget.currentIndexChanged.connect(lambda _: slot())
            case OrderList():
                self.widget.order_changed.connect(slot)
            case QLineEdit():
                self.widget.textChanged.connect(lambda _: slot())


_BY_LENGTH = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon


def _placeholder(spec: ParamSpec) -> str:
    parts = [spec.none_label] if spec.none_label is not None else []
    parts += [AUTO] if spec.allows_auto else []
    if spec.low is not None and spec.high is not None:
        parts.append(f"{spec.low:g}…{spec.high:g}")
    elif spec.low is not None:
        parts.append(f"{'>' if spec.low_open else '≥'} {spec.low:g}")
    return " or ".join(parts)
