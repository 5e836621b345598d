"""The rows of a plan: which data set, and which of its rows are kept for the test."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QSpinBox, QWidget

from pgmstudio.core.data.split import Split
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.style.combo import chooser, offer
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.widgets import Segments, form_of, label
from pgmstudio.gui.workers.curve_setup import SETS, SHARE, SPLIT, RowChoice

HOW = (
    (SHARE, "Share", "A share of the rows is put aside at random."),
    (SPLIT, "Split", "The parts of the data set's own split."),
    (SETS, "Data sets", "Whole data sets for the test and for validation."),
)


class RowFields(QWidget):
    """`choice()` is what was chosen; None without data."""

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.data = chooser("planData", "The rows to learn from.")
        self.how = Segments(HOW, "planHow")
        self.share = QDoubleSpinBox()
        self.share.setObjectName("planShare")
        self.share.setRange(1, 90)
        self.share.setDecimals(1)
        self.share.setValue(10)
        self.share.setSuffix(" %")
        self.share.setAccessibleName("Rows for the test, percent")
        self.share.setToolTip("So many rows are kept for the test; the others are learned from.")
        self.seed = QSpinBox()
        self.seed.setObjectName("planSplitSeed")
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setAccessibleName("Seed of the split")
        self.seed.setToolTip("The same seed puts the same rows aside.")
        self.parts = label("", "secondary", size="dense", wrap=True)
        self.parts.setObjectName("planParts")
        self.test = chooser("planTest", "The data set to test on.")
        self.valid = chooser("planValid", "A data set for validation, if there is one.")
        self.complete = QCheckBox("Only complete rows")
        self.complete.setObjectName("planComplete")
        self.complete.setToolTip("Leave out rows with missing cells.")
        self.complete.setAccessibleName("Only complete rows")
        self.reference = chooser(
            "planReference", "The model that the rows were drawn from, where it is known."
        )
        self._form = form_of(
            ("Data", self.data),
            ("Test rows", self.how),
            ("Test share", self.share),
            ("Seed", self.seed),
            ("Parts", self.parts),
            ("Test on", self.test),
            ("Validation", self.valid),
            ("", self.complete),
            ("True model", self.reference),
            parent=self,
        )
        self._form.setContentsMargins(0, 0, 0, 0)
        self.data.currentIndexChanged.connect(self._on_data)
        self.how.chosen.connect(self._on_how)
        for combo in (self.test, self.valid, self.reference):
            combo.currentIndexChanged.connect(self._on_changed)
        self.share.valueChanged.connect(self._on_changed)
        self.seed.valueChanged.connect(self._on_changed)
        self.complete.clicked.connect(self._on_changed)
        self.refresh_data()

    # -- what is chosen

    @property
    def data_id(self) -> str | None:
        found = self.data.currentData()
        return None if found is None else str(found)

    @property
    def entry(self) -> DataEntry | None:
        return self._shell.project.data.get(self.data_id or "")

    def choice(self) -> RowChoice | None:
        """The rows as chosen."""
        entry, how = self.entry, self.how.current
        if self.data_id is None or entry is None:
            return None
        told = RowChoice(
            self.data_id,
            how,
            test_share=self.share.value() / 100,
            split_seed=self.seed.value(),
            complete=self.complete.isChecked(),
            reference=self.reference.currentData(),
        )
        if how == SPLIT and entry.split is not None:
            train, test, valid = _roles(entry.split)
            return RowChoice(**{**vars(told), "train": train, "test": test, "valid": valid})
        if how == SETS:
            sets = {"test": self.test.currentData(), "valid": self.valid.currentData()}
            return RowChoice(**{**vars(told), **sets})
        return told

    def why_not(self) -> str | None:
        """What is missing; None when there are rows."""
        if self.entry is None:
            return "There is no data set. Import one first, or generate some in the Data menu."
        if self.how.current == SETS and self.test.currentData() is None:
            return "No other data set has the same columns and states. Put a share aside instead."
        return None

    def fill(self, choice: RowChoice) -> None:
        """As a plan has it."""
        self.choose_data(choice.data_id)
        self.how.choose(choice.how)
        self.share.setValue(100 * choice.test_share)
        self.seed.setValue(choice.split_seed)
        self.complete.setChecked(choice.complete)
        self._on_how()
        if choice.how == SETS:
            self.test.setCurrentIndex(max(0, self.test.findData(choice.test)))
            self.valid.setCurrentIndex(max(0, self.valid.findData(choice.valid)))
        self.reference.setCurrentIndex(max(0, self.reference.findData(choice.reference)))

    def choose_data(self, data_id: str | None) -> None:
        place = self.data.findData(data_id)
        if place >= 0:
            self.data.setCurrentIndex(place)

    # -- what there is

    def refresh_data(self) -> None:
        """The data sets and models there are now; what was chosen stays chosen."""
        offer(self.data, {key: entry.name for key, entry in self._shell.project.data.items()})
        self._on_data()

    def _on_data(self) -> None:
        entry = self.entry
        has_split = entry is not None and entry.split is not None and entry.split.is_for(entry.data)
        known = [(SHARE, True), (SPLIT, has_split), (SETS, self._others() != [])]
        self.how.show_only([key for key, there in known if there])
        self._form.setRowVisible(self.how, sum(there for _, there in known) > 1)
        if has_split:
            self.how.choose(SPLIT)
        elif self.how.current not in [key for key, there in known if there]:
            self.how.choose(SHARE)
        if entry is not None and entry.split is not None and has_split:
            self.parts.setText(_parts_words(entry.split))
        others = {key: self._shell.project.data[key].name for key in self._others()}
        offer(self.test, others)
        offer(self.valid, {None: "none", **others})
        names = set() if entry is None else set(entry.data.domain.names)
        models = self._shell.project.models.items()
        fitting = {k: e.title for k, e in models if names and set(e.model.domain.names) == names}
        offer(self.reference, {None: "not known", **fitting})
        self._on_how()

    def _others(self) -> list[str]:
        entry = self.entry
        if entry is None:
            return []
        return [
            key
            for key, other in self._shell.project.data.items()
            if key != self.data_id and other.data.domain == entry.data.domain
        ]

    def _on_how(self, *_: object) -> None:
        how = self.how.current
        for widget, shown in (
            (self.share, how == SHARE),
            (self.seed, how == SHARE),
            (self.parts, how == SPLIT),
            (self.test, how == SETS),
            (self.valid, how == SETS),
            (self.reference, self.reference.count() > 1),
        ):
            self._form.setRowVisible(widget, shown)
        entry = self.entry
        missing = entry is not None and entry.data.has_missing
        self._form.setRowVisible(self.complete, missing)
        self._on_changed()

    def _on_changed(self, *_: object) -> None:
        self.changed.emit()


def _roles(split: Split) -> tuple[str, str, str | None]:
    """Which part is for learning, for the test and for validation, by name and else by place."""
    names = list(split.names)

    def like(*starts: str) -> str | None:
        return next((n for n in names if n.lower().startswith(starts)), None)

    train = like("train", "learn") or names[0]
    test = like("test", "held") or next(n for n in reversed(names) if n != train)
    rest = [name for name in names if name not in (train, test)]
    return train, test, rest[0] if rest else None


def _parts_words(split: Split) -> str:
    sizes = zip(split.names, split.sizes, strict=True)
    return " · ".join(f"{name} {grouped(size)}" for name, size in sizes)
