"""Remedies for missing cells, offered on the missing map and on the learning page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import missing_as_state
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.project.edits import Computed, Edit, edit_data, replace_data
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.basic import button, hbox
from pgmstudio.gui.widgets.basic import label as text_label


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way to remove missing cells."""

    name: str
    label: str
    tip: str
    undo_text: str
    edit: str  # of `edit_data`
    takes_seed: bool = False


REMEDIES = {
    remedy.name: remedy
    for remedy in (
        Remedy(
            "fillMode",
            "Fill with the most frequent state",
            "Every missing cell gets the most frequent state of its column.",
            "Fill missing cells with the most frequent state",
            "impute_mode",
        ),
        Remedy(
            "fillRandom",
            "Fill at random",
            "Missing cells are drawn from the distribution of their column, with the seed.",
            "Fill missing cells at random",
            "impute_seeded",
            takes_seed=True,
        ),
        Remedy(
            "missingState",
            "Make “missing” a state",
            "Columns with missing cells get one more state.",
            "Make “missing” a state",
            "missing_as_state",
        ),
        Remedy(
            "dropIncomplete",
            "Keep complete rows only",
            "Rows with a missing cell are deleted.",
            "Delete rows with missing cells",
            "complete_rows",
        ),
    )
}


def apply_remedy(app: AppContext, data_id: str, remedy: Remedy, seed: int = 0) -> None:
    """Apply a remedy to the data set as an undoable change."""
    arguments: dict[str, Any] = {"seed": seed} if remedy.takes_seed else {}
    how: Edit = partial(edit_data, data_id=data_id, edit=remedy.edit, **arguments)
    try:
        changed = how(app.project).data[data_id].data
    except PgmStudioError as error:
        app.errors.report(error)
        return
    replace_filled(app, data_id, changed, remedy.undo_text, how)


def replace_filled(app: AppContext, data_id: str, changed: DataSet, text: str, how: Edit) -> None:
    """Replace the data set by its filled version, which `how` makes, as an undoable change."""
    edit = Computed(how, partial(replace_data, data_id=data_id, data=changed))
    if changed is not app.project.data[data_id].data and app.change(text, edit):
        app.notify(f"{text}.", undo=True)


class RemedyRow(QWidget):
    """Buttons below a learner's refusal that remove the missing cells it cannot handle."""

    OFFERED = ("fillMode", "missingState", "dropIncomplete")

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("remedyRow")
        self._app = app
        self._data_id: str | None = None
        layout = hbox(self, text_label("Remedy", "secondary"), spacing=8)
        for name in self.OFFERED:
            remedy = REMEDIES[name]
            apply = partial(self._on_chosen, name)
            layout.addWidget(
                button(remedy.label, apply, tip=remedy.tip, name=f"remedy.{remedy.name}")
            )
        layout.addStretch(1)
        self.hide()

    def offer(self, learner: Learner[object], data: DataSet | None, data_id: str | None) -> None:
        """Show the row if the learner refuses the data only because cells are missing."""
        self._data_id = data_id
        helps = (
            data is not None
            and data.has_missing
            and learner.refuses(data) is not None
            and learner.refuses(missing_as_state(data)) is None
        )
        self.setVisible(helps)

    def _on_chosen(self, name: str) -> None:
        if self._data_id is not None:
            apply_remedy(self._app, self._data_id, REMEDIES[name])
