"""The section *Similar columns* of the inspector: a slider for ε and the resulting classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QSlider

from pgmstudio.core.languages.ldag.labels import ColumnClasses, column_classes
from pgmstudio.core.project.model_edits import EditableTables
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Section, button, label, row

# In hundredths: beyond a half every column is like every other in most tables.
MAX_HUNDREDTHS = 50
# Telling that many columns apart takes longer than a slider may.
MAX_COLUMNS = 1000
MAKE_LABELS = "model.labels-from-rows"


class SimilarRowsSection(Section):
    """The section with a slider for ε, which also marks similar columns in the table."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("Similar columns")
        self._app, self._work = app, cpt_edit_session(app)
        self._columns: NDArray[np.float64] | None = None
        self._names: list[str] = []
        self.field = QDoubleSpinBox()
        self.field.setObjectName("similarEpsilon")
        self.field.setRange(0.0, 1.0)
        self.field.setSingleStep(0.01)
        self.field.setValue(self._work.epsilon)
        self.field.setToolTip("ε: columns whose probabilities differ by at most ε are similar.")
        self.field.setAccessibleName("ε, the largest difference between similar columns")
        self.field.valueChanged.connect(self._on_typed)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setObjectName("similarSlider")
        self.slider.setRange(0, MAX_HUNDREDTHS)
        self.slider.setToolTip("ε: columns whose probabilities differ by at most ε are similar.")
        self.slider.setAccessibleName("ε, the largest difference between similar columns")
        self.slider.setValue(round(self._work.epsilon * 100))
        self.slider.valueChanged.connect(self._on_moved)
        self._note = label("", "secondary", size="dense", wrap=True)
        self._note.setObjectName("similarNote")
        self.field.setMaximumWidth(theme().px("left_min") // 2)
        both = QHBoxLayout()
        both.addWidget(label("ε", "secondary", size="dense"))
        both.addWidget(self.slider, 1)
        both.addWidget(self.field)
        self.add(both)
        self.add(self._note)
        self.make = button(
            "Make labels from equal rows",
            self._on_make,
            icon_name="tag",
            name="similarLabels",
            tip="A labelled graph of the whole network: rows within ε become one.",
        )
        self.add(row(self.make, None))
        self._work.similarity_changed.connect(self._refresh)

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        """The columns of the table of a variable; nothing for a table of one column."""
        name = names[0]
        parents = [subject.variable(parent) for parent in subject.parents(name)]
        model = subject.model
        if not parents or not isinstance(model, EditableTables):
            self.hide()
            return
        table = model.table(name)
        self._columns = table.reshape(-1, table.shape[-1])
        ordered = sorted(parents, key=lambda parent: model.domain.index(parent.name))
        self._names = [
            ", ".join(parent.states[code] for parent, code in zip(ordered, codes, strict=True))
            for codes in np.ndindex(*(parent.cardinality for parent in ordered))
        ]
        self.show()
        self._refresh()

    def _on_make(self) -> None:
        self._app.actions[MAKE_LABELS].trigger()

    def _on_moved(self, hundredths: int) -> None:
        self._work.set_similarity(marks=True, epsilon=hundredths / 100)

    def _on_typed(self, epsilon: float) -> None:
        self._work.set_similarity(marks=True, epsilon=epsilon)

    def _refresh(self) -> None:
        epsilon = self._work.epsilon
        self.field.blockSignals(True)
        self.field.setValue(epsilon)
        self.field.blockSignals(False)
        self.slider.blockSignals(True)
        self.slider.setValue(round(epsilon * 100))
        self.slider.blockSignals(False)
        columns = self._columns
        if columns is not None:
            too_many = f"{len(columns)} columns are too many to compare."
            can_compare = len(columns) <= MAX_COLUMNS
            self._note.setText(
                similarity_text(column_classes(columns, epsilon), self._names)
                if can_compare
                else too_many
            )


def similarity_text(result: ColumnClasses, names: list[str]) -> str:
    """How many kinds of columns there are, and from which ε on there is one less."""
    count = len(result.classes)
    if result.count == count:
        first = f"All {count} columns differ by more than ε."
    elif result.count == 1:
        first = f"All {count} columns are similar: the parents make no difference beyond ε."
    else:
        first = f"{count} columns are {result.count} kinds."
    if result.next_epsilon is None or result.next_pair is None:
        return first
    left, right = (_group(part, names) for part in result.next_pair)
    return f"{first} At {result.next_epsilon:.2g}, {left} and {right} become one kind."


def _group(columns: tuple[int, ...], names: list[str]) -> str:
    more = f" with {len(columns) - 1} more" if len(columns) > 1 else ""
    return f"({names[columns[0]]}){more}"
