"""The command field (Ctrl+K): every action by name, with its key and, if greyed, why."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QCompleter, QListView, QSizePolicy

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import hbox, label, named, text_width
from pgmstudio.gui.widgets.search_field import LensField

# The list of the field has the keyboard, or another window is in front.
_STAYS = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
_PLACEHOLDER = "Search or run a command"


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)


class CommandPalette(LensField):
    """Type a part of an action's name, choose with the arrows, run with Enter."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        named(self, "commandField", "Search or run a command", "Every action by name (Ctrl+K)")
        self.fit(theme().px("left") + theme().space(8))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._keys = label("Ctrl K", "chip", size="caption")
        self._keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        ends = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        hbox(self, (self._keys, 0, ends), margins=(0, 0, theme().space(3), 0))
        self.textChanged.connect(self._show_keys)
        self.textEdited.connect(self._list_matches)
        self._model = QStringListModel(self)
        self._by_text: dict[str, str] = {}
        self._nothing = ""  # the line that is shown when nothing matches
        self._has_run = False  # by this key already: the field and its list both report Enter
        completer = QCompleter(self._model, self)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setMaxVisibleItems(12)
        completer.activated.connect(self._run)
        self.setCompleter(completer)
        self._list = QListView()
        completer.setPopup(self._list)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setMinimumWidth(self.width() * 5 // 2)  # keys and reasons are read, not guessed
        self._list.installEventFilter(self)
        for keys in ("Ctrl+K", "Ctrl+Shift+P"):
            QShortcut(QKeySequence(keys), app.window, self.begin)
        self.returnPressed.connect(lambda: self._run(self.text()))
        self.installEventFilter(self)

    def fit(self, room: int) -> None:
        """Take the usual width where there is space, else what there is, at least the lens."""
        usual = theme().px("left") + theme().space(8)
        least = self.lens.right() + self.lens.left() + 1
        self.setFixedWidth(max(least, min(usual, room)))
        is_narrow = self.width() < theme().px("rail") * 3 // 2
        self.setPlaceholderText("" if is_narrow else _PLACEHOLDER)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_keys()

    def _show_keys(self) -> None:
        """Show the shortcut at the end while nothing is typed and the placeholder fits."""
        words = self.fontMetrics().horizontalAdvance(_PLACEHOLDER)
        cap = text_width(self._keys, self._keys.text()) + theme().space(6)
        room = self.width() - words - 2 * theme().px("icon") - theme().space(4)
        self._keys.setVisible(not self.text() and room > cap)

    def begin(self) -> None:
        """Take the focus and list everything."""
        self._list_actions()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()
        completer = self.completer()
        completer.setCompletionPrefix("")
        completer.complete()

    def _list_actions(self) -> None:
        registry = self._app.actions
        registry.refresh()
        self._by_text = {}
        for action_id, action in registry.by_id.items():
            spec = registry.specs[action_id]
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            text = f"{spec.menu.replace('/', ' ▸ ')} ▸ {spec.text}" + (f"   {keys}" if keys else "")
            if not action.isEnabled():
                text += f"   ({action.toolTip()})"
            self._by_text[text] = action_id
        self._list_matches("")

    def _list_matches(self, typed: str) -> None:
        matches = self._matches(typed)
        self._nothing = "" if matches else self._no_action(typed)
        self._model.setStringList(matches or [self._nothing])

    def _matches(self, typed: str) -> list[str]:
        """Lines with all the words: first in the name, then in menu or keys, then in the tip."""
        words = typed.lower().split()
        specs = self._app.actions.specs

        def position(line: str) -> int:
            spec = specs[self._by_text[line]]
            texts = (spec.text, line, f"{line} {spec.tip}")
            return next((n for n, text in enumerate(texts) if _has(text, words)), len(texts))

        positions = {line: position(line) for line in self._by_text}
        return sorted(
            (line for line in positions if positions[line] < 3), key=lambda line: positions[line]
        )

    def _run(self, text: str) -> None:
        """Run the action of that line, or the one that fits best what was typed."""
        if not text.strip() or self._has_run:
            return
        action_id = self._by_text.get(text) or self._best(text)
        if action_id is None:
            self._app.notify(text if text == self._nothing else self._no_action(text))
            return
        # The completer writes the line it chose after telling us.
        self._has_run = True
        QTimer.singleShot(0, self, self._begin_again)
        self._app.center.setFocus()
        action = self._app.actions[action_id]
        if action.isEnabled():
            action.trigger()
        else:
            self._app.notify(action.toolTip())

    def _begin_again(self) -> None:
        self._has_run = False
        self.clear()

    def _best(self, typed: str) -> str | None:
        specs = self._app.actions.specs
        matches = self._matches(typed)

        def rank(line: str) -> tuple[bool, bool, bool, int]:
            spec = specs[self._by_text[line]]
            usable = self._app.actions[spec.id].isEnabled()
            begins = spec.text.lower().startswith(typed.lower())
            named = _has(line, typed.lower().split())
            return (not begins, not named, not usable, len(spec.text))

        return self._by_text[min(matches, key=rank)] if matches else None

    def _no_action(self, typed: str) -> str:
        texts = {spec.text.lower(): spec.text for spec in self._app.actions.specs.values()}
        near = get_close_matches(typed.lower(), texts, 1)
        suggestion = f" Did you mean {texts[near[0]]}?" if near else ""
        return f"No action is called “{typed}”.{suggestion}"

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._list:
            if event.type() in (QEvent.Type.Show, QEvent.Type.Move):
                self._line_up()
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusIn:
            self._list_actions()
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in _STAYS:
            self.clear()  # nothing half typed is left behind
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            self.clear()
            self._app.center.setFocus()
            return True
        return super().eventFilter(watched, event)

    def _line_up(self) -> None:
        """The list ends where the field does: being wider, it would leave the window."""
        end = self.mapToGlobal(self.rect().topRight()).x()
        begin = max(0, end - self._list.width() + 1)
        if self._list.x() != begin:
            self._list.move(begin, self._list.y())
