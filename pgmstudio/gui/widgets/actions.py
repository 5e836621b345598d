"""Tables of all actions: text, menu, keys, icon, help, and why it is disabled.

Menus, the command palette, tooltips and the contract test read the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from string import ascii_lowercase, digits

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

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


# Keys that the canvas handles itself while it has the focus, so that text fields and tables keep
# them; by the id of the action that shows them in menus.
CANVAS_KEYS: Mapping[str, Sequence[str]] = {
    "model.add-node": ("N",),
    "model.draw-edges": ("L",),
    "model.reverse": ("R",),
    "model.rename": ("F2",),
    "model.delete": ("Del", "Backspace"),
    "evidence.retract": ("C",),
    "evidence.target": ("T",),
    "evidence.do": ("D",),
    "edit.cut": ("Ctrl+X", "Shift+Del"),
    "edit.copy": ("Ctrl+C", "Ctrl+Ins"),
    "edit.paste": ("Ctrl+V", "Shift+Ins"),
    "edit.duplicate": ("Ctrl+D",),
    "edit.select-all": ("Ctrl+A",),
    "view.zoom-in": ("+", "Ctrl++", "Ctrl+="),
    "view.zoom-out": ("-", "Ctrl+-"),
    "view.fit": ("0",),
    "view.actual-size": ("1",),
}

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
    keys: Sequence[str] = ()  # filled in from CANVAS_KEYS where the canvas handles them
    icon: str | None = None
    needs: Sequence[Condition] = ()
    is_checked: Callable[[], bool] | None = None  # a tick next to the text
    text_provider: Callable[[], str] | None = None  # the text as it is now, where it changes
    separator_before: bool = False

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
        self._mnemonics: dict[str, str] = {}
        self._chosen: Mapping[str, Sequence[str]] = {}

    def use_shortcuts(self, chosen: Mapping[str, Sequence[str]]) -> None:
        """Shortcuts that the user chose for some actions; the others keep theirs."""
        changed = {key for key in {*chosen, *self._chosen} if key in self.by_id}
        self._chosen = dict(chosen)
        for key in changed:
            self._set_shortcuts(self.by_id[key], self.specs[key])
            self._reasons.pop(key, None)  # the tooltip names the keys
            self.refresh(key)

    def _set_shortcuts(self, action: QAction, spec: ActionSpec) -> None:
        keys = self._chosen.get(spec.id, spec.keys)
        action.setShortcuts([QKeySequence(one) for one in keys])

    def add(self, specs: Sequence[ActionSpec]) -> None:
        for declared in specs:
            is_on_canvas = declared.id in CANVAS_KEYS
            spec = replace(declared, keys=CANVAS_KEYS[declared.id]) if is_on_canvas else declared
            action = QAction(spec.text, self.parent())
            action.setObjectName(spec.id)
            self._set_shortcuts(action, spec)
            if is_on_canvas:  # shown in menus only
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
                action.setText(marked(spec.text_provider(), self._mnemonics.get(key, "")))

    def mark_mnemonics(self, menu: QWidget) -> None:
        """Give each entry of a menu, or of the menu bar, a letter of its own."""
        for action, letter in _lettered(menu):
            self._mnemonics[action.objectName()] = letter


def popup(menu: QMenu, position: QPoint) -> None:
    """Open a menu with mnemonics at a point of the screen; it is deleted when it closes."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    _mark_with_submenus(menu)
    menu.popup(position)


def _mark_with_submenus(menu: QMenu) -> None:
    """Give each entry of a context menu and of its submenus a letter of its own."""
    _lettered(menu)
    for action in menu.actions():
        submenu = action.menu()
        if isinstance(submenu, QMenu):
            _mark_with_submenus(submenu)


def _lettered(menu: QWidget) -> list[tuple[QAction, str]]:
    entries = [action for action in menu.actions() if not action.isSeparator()]
    texts = [unmarked(action.text()) for action in entries]
    letters = mnemonics(tuple(texts))
    for action, text, letter in zip(entries, texts, letters, strict=True):
        action.setText(marked(text, letter))
    return list(zip(entries, letters, strict=True))


_LETTERS = frozenset(ascii_lowercase + digits)


@lru_cache(maxsize=256)
def mnemonics(texts: tuple[str, ...]) -> list[str]:
    """A letter of each text, no letter twice: initials of words first."""
    owner: dict[str, int] = {}

    def choices(text: str) -> list[str]:
        initials = [word[0] for word in text.split()]
        return [c for c in dict.fromkeys("".join([*initials, *text]).lower()) if c in _LETTERS]

    def give(entry: int, tried: set[str]) -> bool:
        free = [letter for letter in choices(texts[entry]) if letter not in tried]
        for letter in sorted(free, key=lambda letter: letter in owner):
            tried.add(letter)
            if letter not in owner or give(owner[letter], tried):
                owner[letter] = entry
                return True
        return False

    for entry in range(len(texts)):
        give(entry, set())
    letters = {entry: letter for letter, entry in owner.items()}
    return [letters.get(entry, "") for entry in range(len(texts))]


def marked(text: str, letter: str) -> str:
    """The text of a menu entry with its mnemonic, at the beginning of a word if possible."""
    positions = [i for i, c in enumerate(text.lower()) if letter and c == letter]
    if not positions:
        return literal(text)
    at = next((i for i in positions if i == 0 or not text[i - 1].isalnum()), positions[0])
    return f"{literal(text[:at])}&{literal(text[at:])}"


def unmarked(text: str) -> str:
    """The text of a menu entry without its mnemonic."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def _tooltip(spec: ActionSpec, action: QAction, reason: str | None) -> str:
    if reason is not None:
        return f"Not now: {reason}"
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{spec.tip} ({keys})" if keys else spec.tip
