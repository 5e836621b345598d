"""The notes of a variable, a tab of the inspector."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from pgmstudio.core.project.model_edits import set_node_note
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.widgets.basic import Section, vbox
from pgmstudio.gui.widgets.notes_editor import NotesEditor


class NotesTab(QWidget):
    """Shows and edits the note of one variable."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self.editor = NotesEditor("inspectorNotesTab", "Notes on this variable")
        self.editor.edited.connect(self._on_edited)
        section = Section("Notes", line=False)
        section.add(self.editor)
        vbox(self, section, None, margins=(0, 8, 0, 8))

    def show_node(self, subject: ActiveModel, name: str) -> None:
        note = subject.entry.node_notes.get(name, "")
        self.editor.show_notes(f"{subject.model_id}\n{name}", note)

    def _on_edited(self, key: str, text: str) -> None:
        model_id, _, name = key.partition("\n")
        entry = self._app.project.models.get(model_id)
        if entry is not None and name in entry.model.domain:
            edit = partial(set_node_note, model_id=model_id, node=name, note=text)
            self._app.change(f"Note on {name}", edit, merge=f"note:{key}")
