"""Tables of all actions: text, menu, keys, icon, help, and why it is disabled.

Menus, the command palette, tooltips and the contract test read the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import literal

MENUS = (
    "File",
    "Edit",
    "Data",
    "Knowledge",
    "Learn",
    "Model",
    "Evidence",
    "Evaluate",
    "View",
    "Window",
    "Help",
)


# The reason why an action is disabled now; None or an empty text when it is not.
Condition = Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action; the first condition that gives a reason disables it."""

    id: str  # "file.open"
    text: str
    menu: str  # a name of MENUS, or "Menu/Submenu"
    tip: str
    run: Callable[[], object]
    keys: Sequence[str] = ()
    icon: str | None = None
    needs: Sequence[Condition] = ()
    is_checked: Callable[[], bool] | None = None  # a tick next to the text
    text_provider: Callable[[], str] | None = None  # the text as it is now, where it changes
    separator_before: bool = False
    on_canvas: bool = False  # the canvas handles its keys, so that text fields and tables keep them

    def disabled_reason(self) -> str | None:
        """Why the action cannot be used now."""
        return next((reason for condition in self.needs if (reason := condition())), None)


class ActionRegistry(QObject):
    """The QActions made from the specs, by id."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.specs: dict[str, ActionSpec] = {}
        self.by_id: dict[str, QAction] = {}
        self._reasons: dict[str, str | None] = {}  # as set on the actions

    def add(self, specs: Sequence[ActionSpec]) -> None:
        for spec in specs:
            action = QAction(spec.text, self.parent())
            action.setObjectName(spec.id)
            action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
            if spec.on_canvas:  # shown in menus only
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.setCheckable(spec.is_checked is not None)
            if spec.icon is not None:
                action.setIcon(icon(spec.icon))
            action.triggered.connect(lambda _checked=False, run=spec.run: run())
            self.specs[spec.id], self.by_id[spec.id] = spec, action
            self.refresh(spec.id)

    def __getitem__(self, action_id: str) -> QAction:
        return self.by_id[action_id]

    def refresh(self, action_id: str | None = None) -> None:
        """Bring enabled state, ticks and tooltips up to date, of one action or of all."""
        for key in [action_id] if action_id else list(self.by_id):
            spec, action = self.specs[key], self.by_id[key]
            reason = spec.disabled_reason()
            is_current = key in self._reasons and self._reasons[key] == reason
            if not is_current or action.isEnabled() is not (reason is None):
                self._reasons[key] = reason
                action.setEnabled(reason is None)
                action.setToolTip(_tooltip(spec, action, reason))
                action.setStatusTip(spec.tip)
            if spec.is_checked is not None:
                action.setChecked(spec.is_checked())
            if spec.text_provider is not None:
                action.setText(literal(spec.text_provider()))


def _tooltip(spec: ActionSpec, action: QAction, reason: str | None) -> str:
    if reason is not None:
        return f"Not now: {reason}"
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{spec.tip} ({keys})" if keys else spec.tip
