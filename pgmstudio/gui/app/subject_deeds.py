"""What the groups of actions about the model in view share: the model, why not, its rows."""

from __future__ import annotations

from collections.abc import Iterable

from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.panels.subject import Subject, subject_in_view

NO_MODEL = "no model is in view. Open or learn one first."


class SubjectDeeds:
    """The deeds of a group of actions stand in a child."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @property
    def _subject(self) -> Subject | None:
        return subject_in_view(self._shell)

    def why_no_beliefs(self) -> str | None:
        subject = self._subject
        if subject is None:
            return NO_MODEL
        return None if subject.live.error is None else str(subject.live.error)


def rows_for(
    shell: Shell, entry: ModelEntry, first: Iterable[DataEntry | None] = ()
) -> DataEntry | None:
    """Of `first`, the model's own data set and all others, the first with one of its columns."""
    data = shell.project.data
    known = set(entry.model.domain.names)
    for found in (*first, data.get(entry.data_id or ""), *data.values()):
        if found is not None and found.data.row_count and known & set(found.data.domain.names):
            return found
    return None
