"""The learners of a plan of SL-curves, to be ticked."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from pgmstudio.core.learning.registry import all_learners
from pgmstudio.core.pictures.curve_signs import sign_family
from pgmstudio.gui.pages.curves_grid import FIRST_TICKED, NOT_OFFERED
from pgmstudio.gui.plots.language_marks import mark_icon
from pgmstudio.gui.style.theme import theme

_LEARNER = Qt.ItemDataRole.UserRole


def _sign(key: str) -> QIcon:
    return mark_icon(sign_family(all_learners()[key].kind, key))


class LearnerTicks(QListWidget):
    """The learners of a plan are ticked; the current one shows its values."""

    picked = Signal(str)
    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("planLearners")
        self.setAccessibleName("Learners of the plan")
        self.setToolTip("Tick what takes part; the values of the chosen one stand beside.")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        size = theme().px("icon_small")
        self.setIconSize(QSize(size, size))
        self.ensurePolished()  # rows laid out before that keep their unstyled height
        first = [key for key in FIRST_TICKED if key in all_learners()]
        others = [key for key in all_learners() if key not in first and key not in NOT_OFFERED]
        for key in (*first, *others):
            learner = all_learners()[key]
            item = QListWidgetItem(_sign(key), learner.title)
            item.setData(_LEARNER, key)
            item.setToolTip(" ".join((type(learner).__doc__ or learner.title).split()))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = Qt.CheckState.Checked if key in first else Qt.CheckState.Unchecked
            item.setCheckState(on)
            self.addItem(item)
        self.setFixedWidth(theme().px("left"))
        self.currentItemChanged.connect(self._on_current)
        self.itemChanged.connect(self._on_item)
        theme().changed.connect(self._restyle)

    def _items(self) -> list[QListWidgetItem]:
        found = (self.item(number) for number in range(self.count()))
        return [item for item in found if item is not None]

    @property
    def keys(self) -> list[str]:
        """Those that are ticked."""
        on = Qt.CheckState.Checked
        return [str(i.data(_LEARNER)) for i in self._items() if i.checkState() == on]

    def tick(self, keys: list[str]) -> None:
        """Tick these and no others."""
        self.blockSignals(True)
        for item in self._items():
            is_on = item.data(_LEARNER) in keys
            item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
        self.blockSignals(False)
        self.ticked.emit()

    def choose(self, key: str) -> None:
        for item in self._items():
            if item.data(_LEARNER) == key:
                self.setCurrentItem(item)

    def _on_current(self, item: QListWidgetItem | None, _before: object) -> None:
        if item is not None:
            self.picked.emit(str(item.data(_LEARNER)))

    def _on_item(self, item: QListWidgetItem) -> None:
        self.setCurrentItem(item)
        self.ticked.emit()

    def _restyle(self) -> None:
        self.blockSignals(True)
        for item in self._items():
            item.setIcon(_sign(item.data(_LEARNER)))
        self.blockSignals(False)
        self.setFixedWidth(theme().px("left"))
