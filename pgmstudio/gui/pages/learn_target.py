"""The target of the window as the class that classifiers are asked to learn."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit, QWidget

from pgmstudio.gui.document.workbench import Workbench


class TargetFields(QObject):
    """Keeps the class of every form at the target, until a person types another."""

    def __init__(self, bench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._target = bench.target
        self._fields: list[QLineEdit] = []
        bench.target_changed.connect(self._on_target_changed)

    def follow(self, form: QWidget) -> None:
        """Begin to keep the class of one form, if it asks for one."""
        field = form.findChild(QLineEdit, "param.class_")
        if isinstance(field, QLineEdit):
            self._fields.append(field)
            field.setText(self._target or "")

    def _on_target_changed(self, target: str | None) -> None:
        before, self._target = self._target, target
        for field in self._fields:
            if field.text().strip() in ("", before or ""):
                field.setText(target or "")
