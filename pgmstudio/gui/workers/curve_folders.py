"""Where the points of SL-curves lie: beside the project file, else with the preferences; how they
are followed there and kept in the project."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pgmstudio.core.experiments.curve_points import CurvePoint
from pgmstudio.core.io.point_folder import POINTS
from pgmstudio.core.project.project import CurveEntry
from pgmstudio.gui.app import preferences
from pgmstudio.gui.app.shell import Shell

ENDING = ".points"


def new_folder(shell: Shell) -> Path:
    """One that does not exist yet; it is made with the first point."""
    return usual_folder(shell) / secrets.token_hex(4)


def usual_folder(shell: Shell) -> Path:
    """Where the folders of points are made: beside the project file, else with the preferences."""
    if shell.document.path is not None:
        return shell.document.path.with_suffix(ENDING)
    return preferences.preferences_folder() / "points"


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


def points_size(folder: Path | None) -> int:
    """Bytes of the points in a folder; 0 when there are none."""
    try:
        return 0 if folder is None else (folder / POINTS).stat().st_size
    except OSError:
        return 0


def with_points(entry: CurveEntry, points: Sequence[CurvePoint], _cancel: object) -> CurveEntry:
    """The entry of the project with these points."""
    return replace(entry, points=tuple(point.as_dict() for point in points))


def with_distance(point: CurvePoint, before: CurvePoint | None) -> CurvePoint:
    """What was worked out meanwhile is not lost by reading the folder again."""
    if before is None or before.query_distance is None or point.query_distance is not None:
        return point
    return replace(point, query_distance=before.query_distance)
