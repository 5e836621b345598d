"""Fields of a result page: descriptions of controls, and their widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget

from pgmstudio.gui.widgets.basic import Segments, label, named, tool_button
from pgmstudio.gui.widgets.combo_box import chooser, offer
from pgmstudio.gui.widgets.debounce import one_shot

PLAY_MS = 700  # from one step to the next


@dataclass(frozen=True)
class SegmentsField:
    """One of a few options: key, text and tooltip of each."""

    key: str
    value: str
    options: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class ComboField:
    """One of the keys of `titles`."""

    key: str
    value: Any
    titles: Mapping[Any, str]
    tip: str
    label: str = ""


@dataclass(frozen=True)
class SliderField:
    """A whole number, with a label before it and a text that explains it.

    With `has_steps` buttons and keys go to the number before and after. `marks` are numbers with a
    name, from which a part of the steps begins; a button goes to each.
    """

    key: str
    value: int
    title: str
    tip: str
    text: str = ""
    label: str = ""
    limits: tuple[int, int] = (1, 100)
    has_steps: bool = False
    marks: tuple[tuple[int, str], ...] = ()


STEP = "slider"  # the key of the field that walks through a search


def step_field(value: int, count: int, marks: tuple[tuple[int, str], ...] = ()) -> SliderField:
    """The field that walks through the steps of a search; after the last is the result."""
    title, tip = "Step of the search", "Go to any step."
    return SliderField(STEP, value, title, tip, limits=(0, count), has_steps=True, marks=marks)


ResultField = SegmentsField | ComboField | SliderField


class FieldWidget(QWidget):
    """The control of a field; `changed` sends a value that a person has chosen."""

    changed = Signal(object)

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(8)
        if text:
            self.row.addWidget(label(text, "secondary", size="dense"))


class SegmentsWidget(FieldWidget):
    def __init__(self, name: str, field: SegmentsField) -> None:
        super().__init__()
        self._segments = Segments(field.options, name)
        self._segments.chosen.connect(self.changed.emit)
        self.row.addWidget(self._segments)

    def show_field(self, field: SegmentsField) -> None:
        self._segments.choose(field.value)


class ComboWidget(FieldWidget):
    def __init__(self, name: str, field: ComboField) -> None:
        super().__init__(field.label)
        self._combo = chooser(name, field.tip, 9)
        self._combo.currentIndexChanged.connect(self._on_changed)
        self.row.addWidget(self._combo)

    def show_field(self, field: ComboField) -> None:
        keys = [self._combo.itemData(i) for i in range(self._combo.count())]
        quiet = QSignalBlocker(self._combo)
        if keys != list(field.titles):
            offer(self._combo, field.titles)
        self._combo.setCurrentIndex(list(field.titles).index(field.value))
        quiet.unblock()

    def _on_changed(self) -> None:
        self.changed.emit(self._combo.currentData())


class SliderWidget(FieldWidget):
    def __init__(self, name: str, field: SliderField) -> None:
        super().__init__(field.label)
        self._slider = named(QSlider(Qt.Orientation.Horizontal), name, field.title, field.tip)
        self._slider.setPageStep(1 if field.has_steps else 10)
        self._slider.setMinimumWidth(max(90, min(field.limits[1], 160)))  # a pixel a step
        self._slider.valueChanged.connect(self.changed.emit)
        self._back = tool_button(
            "caret-left", "The step before (PgUp)", lambda: self._step(-1), name=f"{name}Back"
        )
        self._forth = tool_button(
            "caret-right", "The next step (PgDn)", lambda: self._step(1), name=f"{name}Forth"
        )
        self._play = tool_button(
            "play",
            "Play: one step after the other",
            self._on_play,
            checkable=True,
            name=f"{name}Play",
        )
        self._next = one_shot(self, self._on_next, PLAY_MS)
        self._text = label("", "secondary")
        self._marks: Segments | None = None
        self._shown_marks: tuple[tuple[int, str], ...] = ()
        for widget in (self._back, self._slider, self._forth, self._play, self._text):
            self.row.addWidget(widget)
        if field.has_steps:
            self._back.setShortcut("PgUp")
            self._forth.setShortcut("PgDown")
        else:
            self._slider.setMaximumWidth(200)
            for widget in (self._back, self._forth, self._play):
                widget.hide()

    def show_field(self, field: SliderField) -> None:
        self._show_marks(field)
        quiet = QSignalBlocker(self._slider)
        self._slider.setRange(*field.limits)
        self._slider.setValue(field.value)
        quiet.unblock()
        self._back.setEnabled(field.value > field.limits[0])
        self._forth.setEnabled(field.value < field.limits[1])
        self._text.setText(field.text)
        self._text.setVisible(bool(field.text))

    def _show_marks(self, field: SliderField) -> None:
        if field.marks != self._shown_marks:
            self._shown_marks = field.marks
            if self._marks is not None:
                self._marks.hide()
                self._marks.deleteLater()
            options = [(str(at), text, f"Go to: {text}") for at, text in field.marks]
            self._marks = Segments(options, f"{self._slider.objectName()}Marks")
            self._marks.chosen.connect(lambda at: self._slider.setValue(int(at)))
            self.row.insertWidget(0, self._marks)
        if self._marks is not None:
            passed = [at for at, _ in field.marks if at <= field.value]
            self._marks.choose(str(passed[-1] if passed else ""))

    def _step(self, by: int) -> None:
        self._slider.setValue(self._slider.value() + by)

    def _on_play(self) -> None:
        """From the start again where the end is shown."""
        if self._play.isChecked():
            if self._slider.value() == self._slider.maximum():
                self._slider.setValue(self._slider.minimum())
            self._next.start()
        else:
            self._next.stop()

    def _on_next(self) -> None:
        self._step(1)
        if self._slider.value() < self._slider.maximum() and self.isVisible():
            self._next.start()
        else:
            self._play.setChecked(False)


WIDGETS: Mapping[type, Callable[[str, Any], Any]] = {
    SegmentsField: SegmentsWidget,
    ComboField: ComboWidget,
    SliderField: SliderWidget,
}
