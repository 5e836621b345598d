"""File dialogs; each kind of file remembers its folder, also in the next session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog, QWidget

FileKind = Literal[
    "project",
    "data",
    "model",
    "evidence",
    "knowledge",
    "picture",
    "report",
    "table",
    "experiment",
    "session",
]
_LAST = "last"


def _settings() -> QSettings:
    scope = QSettings.Scope.UserScope
    return QSettings(QSettings.Format.IniFormat, scope, "pgmstudio", "folders")


def folder_of(kind: FileKind, first: Path | None = None) -> Path:
    """The folder where the last file of a kind was chosen.

    Without one it is `first`, such as the folder of the project, or else the last folder of any
    kind.
    """
    settings = _settings()
    remembered = [settings.value(kind, "", str), str(first or ""), settings.value(_LAST, "", str)]
    folders = [Path(str(folder)) for folder in remembered if folder]
    return next((folder for folder in folders if folder.is_dir()), Path())


def remember_folder(kind: FileKind, folder: Path) -> None:
    """Open the next dialog for files of this kind in `folder`."""
    settings = _settings()
    settings.setValue(kind, str(folder.resolve()))
    settings.setValue(_LAST, str(folder.resolve()))


def choose_files(
    parent: QWidget, kind: FileKind, title: str, filters: str, *, first: Path | None = None
) -> list[Path]:
    """Existing files to read; none when the dialog is cancelled."""
    start = str(folder_of(kind, first))
    chosen, _ = QFileDialog.getOpenFileNames(parent, title, start, filters)
    if chosen:
        remember_folder(kind, Path(chosen[0]).parent)
    return [Path(name) for name in chosen]


def choose_file(parent: QWidget, kind: FileKind, title: str, filters: str) -> Path | None:
    """An existing file to read; None when the dialog is cancelled."""
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(folder_of(kind)), filters)
    if not chosen:
        return None
    remember_folder(kind, Path(chosen).parent)
    return Path(chosen)


def choose_target(
    parent: QWidget,
    kind: FileKind,
    title: str,
    name: str,
    filters: str,
    *,
    first: Path | None = None,
) -> tuple[Path, str] | None:
    """Where to write a file, with the chosen filter; None when the dialog is cancelled."""
    offered = str(folder_of(kind, first) / file_name(name))
    chosen, picked = QFileDialog.getSaveFileName(parent, title, offered, filters)
    if not chosen:
        return None
    remember_folder(kind, Path(chosen).parent)
    return Path(chosen), picked


def choose_folder(
    parent: QWidget, kind: FileKind, title: str, *, first: Path | None = None
) -> Path | None:
    """A folder; None when the dialog is cancelled."""
    chosen = QFileDialog.getExistingDirectory(parent, title, str(folder_of(kind, first)))
    if not chosen:
        return None
    remember_folder(kind, Path(chosen))
    return Path(chosen)


def ask_where(
    parent: QWidget,
    title: str,
    name: str,
    filters: str,
    write: Callable[[Path], object],
    *,
    kind: FileKind = "table",
) -> None:
    """Call `write` with the chosen path; nothing happens when the dialog is cancelled."""
    chosen = choose_target(parent, kind, title, name, filters)
    if chosen is not None:
        write(chosen[0])


def file_name(title: str) -> str:
    """A title as the name of a file: without separators of folders and reserved characters."""
    name = "".join("-" if c in '/\\:*?"<>|' or not c.isprintable() else c for c in title)
    return name.strip() or "untitled"
