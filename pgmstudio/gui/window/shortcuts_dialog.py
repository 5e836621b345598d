"""The shortcuts of all actions: listed, searched and changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QKeySequenceEdit, QVBoxLayout

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import CANVAS_KEYS, unmarked
from pgmstudio.gui.widgets.basic import Note, button, label, named, resize_dialog, row
from pgmstudio.gui.widgets.search_field import SearchField
from pgmstudio.gui.widgets.table import Column, Table

NATIVE = QKeySequence.SequenceFormat.NativeText
WIDTH, HEIGHT = 720, 560


@dataclass(frozen=True, slots=True)
class ShortcutRow:
    """An action with its keys; those of the canvas are fixed."""

    id: str
    text: str
    menu: str
    keys: str
    is_changed: bool
    is_fixed: bool


class ShortcutsDialog(QDialog):
    """Changes apply at once and are kept in the preferences."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self.setObjectName("shortcutsDialog")
        self.setWindowTitle("Keyboard shortcuts")
        self.search = SearchField("findShortcut", "Find an action")
        self.table = Table(
            "shortcutTable",
            "Actions and their shortcuts",
            (
                Column("Action", value=lambda row: row.text, stretches=True),
                Column("Menu", value=lambda row: row.menu),
                Column(
                    "Shortcut",
                    value=lambda row: row.keys,
                    weight=lambda row: "semibold" if row.is_changed else "regular",
                    color=lambda row: "text_tertiary" if row.is_fixed else None,
                ),
            ),
            key=lambda row: row.id,
        )
        self.field = named(
            QKeySequenceEdit(),
            "shortcutKeys",
            "New shortcut",
            "Press the new keys for the selected action.",
        )
        self.field.setMaximumSequenceLength(1)
        self.field.setClearButtonEnabled(True)
        self.assign = button(
            "Assign", self._on_assign, name="assignShortcut", tip="Use these keys for the action."
        )
        self.default = button(
            "Default",
            self._on_default,
            name="defaultShortcut",
            tip="Use the original keys of the action.",
        )
        self.problem = Note()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        everything = button(
            "Restore defaults",
            self._on_restore,
            name="restoreShortcuts",
            tip="Use the original keys of all actions.",
        )
        buttons.addButton(everything, QDialogButtonBox.ButtonRole.ResetRole)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*([theme().space(6)] * 4))
        layout.setSpacing(theme().space(4))
        layout.addWidget(self.search)
        layout.addWidget(self.table, 1)
        layout.addWidget(row(label("New shortcut"), self.field, self.assign, self.default))
        layout.addWidget(self.problem)
        layout.addWidget(buttons)
        self.search.textChanged.connect(self.table.show_filtered)
        self.table.selected.connect(self._on_selected)
        self.table.chosen.connect(lambda _number: self.field.setFocus())
        resize_dialog(self, WIDTH * theme().scale, HEIGHT * theme().scale)
        self._show()
        self.table.select(0)

    def _show(self) -> None:
        registry, chosen = self._app.actions, self._app.preferences.shortcuts
        self.table.show_rows(
            [
                ShortcutRow(
                    key,
                    unmarked(registry[key].text()),
                    spec.menu.replace("/", " ▸ "),
                    ", ".join(one.toString(NATIVE) for one in registry[key].shortcuts()),
                    key in chosen,
                    key in CANVAS_KEYS,
                )
                for key, spec in registry.specs.items()
            ]
        )
        self._on_selected()

    @property
    def _row(self) -> ShortcutRow | None:
        current: ShortcutRow | None = self.table.current_row
        return current

    def _on_selected(self, *_: object) -> None:
        shown = self._row
        is_free = shown is not None and not shown.is_fixed
        self.problem.show_text(
            "Keys of the canvas are fixed." if shown is not None and shown.is_fixed else "", "info"
        )
        for widget in (self.field, self.assign):
            widget.setEnabled(is_free)
        self.default.setEnabled(shown is not None and shown.is_changed)
        actions = self._app.actions
        present = actions[shown.id].shortcut() if shown is not None and is_free else QKeySequence()
        self.field.setKeySequence(present)

    def _on_assign(self) -> None:
        shown, keys = self._row, self.field.keySequence()
        if shown is None:
            return
        owner = self._owner(keys, shown.id)
        if owner:
            self.problem.show_text(
                f"{keys.toString(NATIVE)} is the shortcut of {owner}. Change that one first.",
                "danger",
            )
            return
        text = keys.toString(QKeySequence.SequenceFormat.PortableText)
        chosen, usual = (text,) if text else (), self._app.actions.specs[shown.id].keys
        others = {k: v for k, v in self._app.preferences.shortcuts.items() if k != shown.id}
        is_usual = [QKeySequence(k) for k in chosen] == [QKeySequence(k) for k in usual]
        self._choose(others if is_usual else {**others, shown.id: chosen})

    def _owner(self, keys: QKeySequence, but: str) -> str:
        """The action that has these keys already."""
        for key, action in self._app.actions.by_id.items():
            if key != but and not keys.isEmpty() and keys in action.shortcuts():
                return unmarked(action.text())
        return ""

    def _on_default(self) -> None:
        shown = self._row
        if shown is None:
            return
        spec = self._app.actions.specs[shown.id]
        owner = next(filter(None, (self._owner(QKeySequence(k), shown.id) for k in spec.keys)), "")
        if owner:
            self.problem.show_text(f"Its original keys are used by {owner} now.", "danger")
            return
        chosen = self._app.preferences.shortcuts
        self._choose({key: keys for key, keys in chosen.items() if key != shown.id})

    def _on_restore(self) -> None:
        self._choose({})

    def _choose(self, shortcuts: dict[str, tuple[str, ...]]) -> None:
        self._app.set_preferences(replace(self._app.preferences, shortcuts=shortcuts))
        self._show()


def show_shortcuts(app: AppContext) -> ShortcutsDialog:
    """Open the dialog; it forgets itself when it is closed."""
    dialog = ShortcutsDialog(app)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog
