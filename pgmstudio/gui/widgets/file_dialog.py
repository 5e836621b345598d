"""The dialog that asks where to write a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget


def ask_where(
    parent: QWidget, title: str, offered: str, kinds: str, write: Callable[[Path], object]
) -> None:
    """Call `write` with the chosen path; nothing happens when the dialog is cancelled."""
    path, _ = QFileDialog.getSaveFileName(parent, title, offered, kinds)
    if path:
        write(Path(path))
