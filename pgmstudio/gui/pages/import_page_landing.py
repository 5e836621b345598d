"""How an import ends: the data set gets a name and goes into the project."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from pgmstudio.core.project.edits import add_data, replace_data, set_cuts, set_split
from pgmstudio.core.project.project import DataEntry, Project
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.pages.import_page_draft import Draft


def name_of(path: Path, draft: Draft) -> str:
    """What the data set is called: as its file, or as the folder of three files with set names."""
    stem = path.name.split(".")[0]
    is_part = draft.split.kind == "files" and stem in ("train", "valid", "test")
    return path.parent.name or stem if is_part else stem


def put_into_project(
    shell: Shell, entry: DataEntry, source: str, replaces: str | None
) -> str | None:
    """The one undoable change of an import; the id of the data set, None when it was refused.

    `replaces` is the data set that was imported again; once it is gone, a new one is made.
    """
    project = shell.project
    if replaces is not None and replaces in project.data:
        data_id, text = replaces, f"Discretise {project.data[replaces].name} again"
        changed = shell.change(text, partial(_imported_again, data_id=replaces, entry=entry))
    else:
        data_id, text = project.next_data_id(), f"Import {source}"
        changed = shell.change(text, partial(add_data, entry=entry))
    return data_id if changed else None


def _imported_again(project: Project, *, data_id: str, entry: DataEntry) -> Project:
    """Other states for a data set that stays where it is."""
    project = replace_data(project, data_id=data_id, data=entry.data)
    project = set_cuts(project, data_id=data_id, cuts=entry.cuts)
    return set_split(project, data_id=data_id, split=entry.split)
