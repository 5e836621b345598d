"""Bootstrap settings of the learning page: replicates and edge directions."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QWidget

from pgmstudio.core.experiments.bootstrap import BootstrapParams, no_bootstrap_reason
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.number_format import counted
from pgmstudio.core.params import specs_of
from pgmstudio.gui.widgets.basic import Note
from pgmstudio.gui.widgets.combo_box import Combo

MAX_REPLICATES = 100_000
_HELP = {spec.name: spec.help for spec in specs_of(BootstrapParams)}
_ORIENTATIONS = {"class": "class directions", "graph": "graph directions"}


class BootstrapChoice(QWidget):
    """Number of bootstrap replicates (0: no bootstrap) and how directions are counted."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.replicates = QSpinBox()
        self.replicates.setObjectName("learnReplicates")
        self.replicates.setRange(0, MAX_REPLICATES)
        self.replicates.setSingleStep(50)
        self.replicates.setSpecialValueText("off")
        self.replicates.setSuffix(" replicates")
        self.replicates.setAccessibleName("Bootstrap replicates")
        self.replicates.setToolTip(
            f"{_HELP['replicates']} The run then reports the frequency of each edge."
        )
        self.orientation = Combo()
        self.orientation.setObjectName("learnOrientation")
        self.orientation.setAccessibleName("How directions are counted")
        self.orientation.setToolTip(_HELP["orientation"])
        self.orientation.setMinimumContentsLength(8)
        for key, text in _ORIENTATIONS.items():
            self.orientation.addItem(text, key)
        self.note = Note(name="bootstrapChoiceNote")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.replicates, 2)
        layout.addWidget(self.orientation, 3)
        self.replicates.valueChanged.connect(self._on_changed)
        self._on_changed()

    def _on_changed(self, *_: object) -> None:
        count = self.replicates.value()
        self.orientation.setVisible(count > 0)
        self.note.show_text(
            f"Bootstrap: {counted(count, 'replicate')}. The model has the edges "
            "that occur in at least half of the replicates."
            if count
            else ""
        )
        self.changed.emit()

    @property
    def settings(self) -> BootstrapParams | None:
        """The bootstrap settings, or None without a bootstrap."""
        count = self.replicates.value()
        if count == 0:
            return None
        return BootstrapParams(replicates=count, orientation=self.orientation.currentData())

    def disabled_reason(self, learner: Learner[Any]) -> str | None:
        """Why this learner cannot be bootstrapped, if a bootstrap is requested."""
        return None if self.settings is None else no_bootstrap_reason(learner)

    def switch_on(self) -> None:
        """Set a default number of replicates unless one is set."""
        if self.replicates.value() == 0:
            self.replicates.setValue(BootstrapParams().replicates)
