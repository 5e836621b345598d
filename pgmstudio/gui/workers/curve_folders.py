"""Where the points of SL-curves lie: beside the project file, else with the preferences."""

from __future__ import annotations

import secrets
from pathlib import Path

from pgmstudio.core.project.project import CurveEntry
from pgmstudio.gui.app import preferences
from pgmstudio.gui.app.shell import Shell

ENDING = ".points"


def new_folder(shell: Shell) -> Path:
    """One that does not exist yet; it is made with the first point."""
    path, name = shell.document.path, secrets.token_hex(4)
    if path is not None:
        return path.with_suffix(ENDING) / name
    return preferences.preferences_folder() / "points" / name


def found_folder(shell: Shell, entry: CurveEntry) -> Path | None:
    """The folder of some curves; one that was moved with its project file is found beside it."""
    if not entry.folder:
        return None
    folder, path = Path(entry.folder), shell.document.path
    if not folder.is_dir() and path is not None:
        moved = path.parent / folder.parent.name / folder.name
        if moved.is_dir():
            return moved
    return folder
