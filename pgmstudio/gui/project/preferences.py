"""Preferences in a small versioned JSON file; window geometry is stored elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths

from pgmstudio.core.io.atomic import make_folder, replace_file
from pgmstudio.core.io.reading_limits import DEFAULT_GIGABYTES

VERSION = 1
MAX_RECENT = 10


@dataclass(frozen=True, slots=True)
class Preferences:
    """Preferences of the person; the defaults are for a new user."""

    mode: str = "light"  # light, dark, system
    scale: float = 1.0
    reduced_motion: bool = False
    autosave_seconds: int = 60
    quote_formulas: bool = False  # in CSV files, for spreadsheets
    recent: tuple[str, ...] = ()
    read_limit_gigabytes: int = DEFAULT_GIGABYTES  # unpacked size of a file, memory to read it
    # Chosen shortcuts by the id of their action; none for an action without.
    shortcuts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    size_measure: str = "effective_size"  # of plots, a SizeName
    recipe_folder: str = ""  # where the data sets of the experiments are; "" if unknown

    def with_recent(self, path: Path) -> Preferences:
        """`path` on top of the recent files."""
        text = str(path.resolve())
        others = [entry for entry in self.recent if entry != text]
        return replace(self, recent=tuple([text, *others][:MAX_RECENT]))


def preferences_folder() -> Path:
    location = QStandardPaths.StandardLocation.AppConfigLocation
    return Path(QStandardPaths.writableLocation(location))


def load_preferences(folder: Path | None = None) -> Preferences:
    """The saved preferences; a file that cannot be read counts as none."""
    path = (folder or preferences_folder()) / "preferences.json"
    try:
        saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Preferences()
    if not isinstance(saved, dict) or saved.get("version") != VERSION:
        return Preferences()
    known = {declared.name for declared in fields(Preferences)}
    values = {key: value for key, value in saved.items() if key in known}
    try:
        values["recent"] = tuple(str(entry) for entry in values.get("recent", ()))
        shortcuts = dict(values.get("shortcuts", {}))
        values["shortcuts"] = {str(key): tuple(map(str, keys)) for key, keys in shortcuts.items()}
        values["scale"] = float(values.get("scale", 1.0))
        limit = int(values.get("read_limit_gigabytes", DEFAULT_GIGABYTES))
        values["read_limit_gigabytes"] = max(limit, 1)
        return Preferences(**values)
    except (TypeError, ValueError):
        return Preferences()


def save_preferences(preferences: Preferences, folder: Path | None = None) -> None:
    """Write them; FileError when the folder or the disk does not allow it."""
    folder = folder or preferences_folder()
    make_folder(folder)
    text = json.dumps({"version": VERSION, **asdict(preferences)}, indent=1)
    replace_file(folder / "preferences.json", text.encode())
