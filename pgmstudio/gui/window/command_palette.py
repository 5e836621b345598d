"""The command field (Ctrl+K): actions, pages, models, tables and variables by name.

An action is also found by its synonyms. Its line shows its key or, if disabled, the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QCompleter, QListView, QSizePolicy

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import hbox, label, named, text_width
from pgmstudio.gui.widgets.search_field import LensField

# The list of the field has the keyboard, or another window is in front.
_STAYS = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
_PLACEHOLDER = "Search or run a command"
_NOT_FOUND = 9
_NAMES = 2  # of the texts of an entry: its name and its synonyms

# Words of the field that are not in the names of the actions.
SYNONYMS = {
    "data.associations": "mutual information, correlation",
    "evidence.ask-next": "VOI, entropy reduction",
    "evidence.do": "intervention, causal effect",
    "evidence.explain": "MPE, maximum a posteriori",
    "evidence.map": "MAP hypothesis",
    "evidence.save": "case, what if",
    "evidence.sensitivity": "tornado diagram, one-way analysis",
    "evidence.surprise": "conflict, anomaly",
    "evaluate.classify": "AUC, accuracy, Brier score, prediction",
    "evaluate.curves": "size against likelihood, Pareto",
    "evaluate.scores": "log-likelihood, information criteria",
    "learn.blankets": "neighbourhood selection",
    "learn.bootstrap": "confidence of edges, stability",
    "learn.bn.hill-climb": "greedy search, tabu",
    "learn.bn.kes": "GES, greedy equivalence search",
    "learn.mn.mpl": "Markov random field, MRF, undirected graph, Ising",
    "learn.nb.latent": "LCA, clustering, mixture model",
    "learn.tree.chow-liu": "maximum spanning tree, mutual information",
    "model.difference": "SHD, Hamming distance",
    "model.find": "Markov blanket, neighbours",
    "model.learn-parameters": "EM, maximum likelihood, CPT",
    "model.members": "Markov equivalence, CPDAG",
    "model.separation": "d-separation, independence, active trail",
    "view.picture.clique-tree": "join tree, clique tree",
    "view.strength.mi": "mutual information, arc weight",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list: what it does, and the texts it is found by, the best first."""

    text: str
    run: Callable[[], object]
    texts: tuple[str, ...]
    reason: str = ""  # why it cannot be run now


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)


class CommandPalette(LensField):
    """Type a part of an action's name, choose with the arrows, run with Enter.

    Where the menus leave no space it is a lens, which grows over them while it is used.
    """

    use_changed = Signal()  # it is used now, or no longer: its width has to be fitted

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self._app = app
        self._is_used = False
        named(
            self,
            "commandField",
            "Search or run a command",
            "Actions, pages, models, tables and variables by name (Ctrl+K)",
        )
        self.fit(theme().px("left") + theme().space(8))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._keys = label("Ctrl K", "chip", size="caption")
        self._keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        ends = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        hbox(self, (self._keys, 0, ends), margins=(0, 0, theme().space(3), 0))
        self.textChanged.connect(self._show_keys)
        self.textEdited.connect(self._list_matches)
        self._model = QStringListModel(self)
        self._entries: dict[str, Entry] = {}
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
        self._list.installEventFilter(self)
        for keys in ("Ctrl+K", "Ctrl+Shift+P"):
            QShortcut(QKeySequence(keys), app.window, self.begin)
        self.returnPressed.connect(lambda: self._run(self.text()))
        self.installEventFilter(self)

    def fit(self, room: int) -> None:
        """Take the usual width where there is space, else what there is, at least the lens."""
        usual = theme().px("left") + theme().space(8)
        least = self.lens.right() + self.lens.left() + 1
        self.setFixedWidth(usual if self._is_used else max(least, min(usual, room)))
        is_narrow = self.width() < theme().px("rail") * 3 // 2
        self.setPlaceholderText("" if is_narrow else _PLACEHOLDER)

    def _set_used(self, is_used: bool) -> None:
        if is_used != self._is_used:
            self._is_used = is_used
            self.use_changed.emit()

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
        self._list_all()
        self._set_used(True)
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._widen_list()
        self.selectAll()
        completer = self.completer()
        completer.setCompletionPrefix("")
        completer.complete()

    def _list_all(self) -> None:
        self._app.actions.refresh()
        entries = (*self._actions(), *self._pages(), *self._variables())
        self._entries = {entry.text: entry for entry in entries}
        self._list_matches("")

    def _actions(self) -> Iterator[Entry]:
        registry = self._app.actions
        for action_id, action in registry.by_id.items():
            spec = registry.specs[action_id]
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            text = f"{spec.menu.replace('/', ' ▸ ')} ▸ {spec.text}" + (f"   {keys}" if keys else "")
            reason = "" if action.isEnabled() else action.toolTip()
            if reason:
                text += f"   ({reason})"
            synonyms = SYNONYMS.get(action_id, "")
            texts = (spec.text, synonyms, text, f"{text} {synonyms} {spec.tip}")
            yield Entry(text, action.trigger, texts, reason)

    def _pages(self) -> Iterator[Entry]:
        """Open pages, then models and tables of the project."""
        app = self._app
        for page in app.center.pages:
            show = partial(app.center.bring_to_front, page)
            yield Entry(f"Page ▸ {page.title}", show, (page.title, f"page {page.title}"))
        for model_id, model in app.project.models.items():
            show = partial(open_model_page, app, model_id)
            yield Entry(f"Model ▸ {model.title}", show, (model.title, f"model {model.title}"))
        for data_id, data in app.project.data.items():
            show = partial(open_data_page, app, data_id)
            yield Entry(f"Data ▸ {data.name}", show, (data.name, f"data {data.name}"))

    def _variables(self) -> Iterator[Entry]:
        """Variables of the active model; one is selected."""
        app = self._app
        model = app.project.models.get(app.workspace.model_id or "")
        for name in () if model is None else model.model.domain.names:
            select = partial(app.workspace.select, [name])
            yield Entry(f"Variable ▸ {name}", select, (name, f"variable {name}"))

    def _list_matches(self, typed: str) -> None:
        matches = self._matches(typed)
        self._nothing = "" if matches else self._no_action(typed)
        self._model.setStringList([entry.text for entry in matches] or [self._nothing])

    def _matches(self, typed: str) -> list[Entry]:
        """Entries with all the words, the best first: Enter runs it.

        A name that is exactly this comes first, then names that begin so, and names or synonyms in
        which all words begin like a word; then names, other words for it, menus and keys, and tips
        with the words anywhere.
        """
        wanted = typed.strip().lower()
        words = wanted.split()
        if not words:
            return list(self._entries.values())
        starts = [re.compile(rf"(?<![^\W_]){re.escape(word)}") for word in words]

        def rank(entry: Entry) -> tuple[bool, bool, bool, int, bool]:
            name = entry.texts[0].lower()
            texts = [text.lower() for text in entry.texts[:_NAMES]]
            begins = any(all(start.search(text) for start in starts) for text in texts)
            has = (n for n, text in enumerate(entry.texts) if _has(text, words))
            return (
                name.rstrip("…") != wanted,
                not name.startswith(wanted),
                not begins,
                next(has, _NOT_FOUND),
                bool(entry.reason),
            )

        matches = [e for e in self._entries.values() if any(_has(t, words) for t in e.texts)]
        return sorted(matches, key=rank)

    def _run(self, text: str) -> None:
        """Run the entry of that line, or the one that fits best what was typed."""
        if not text.strip() or self._has_run:
            return
        entry = self._entries.get(text) or next(iter(self._matches(text)), None)
        if entry is None:
            self._app.notify(text if text == self._nothing else self._no_action(text))
            return
        # The completer writes the line it chose after its signal.
        self._has_run = True
        QTimer.singleShot(0, self, self._begin_again)
        self._app.center.setFocus()
        if entry.reason:
            self._app.notify(entry.reason)
        else:
            entry.run()

    def _begin_again(self) -> None:
        self._has_run = False
        self.clear()

    def _no_action(self, typed: str) -> str:
        texts = {entry.texts[0].lower(): entry.texts[0] for entry in self._entries.values()}
        near = get_close_matches(typed.lower(), texts, 1)
        suggestion = f" Did you mean {texts[near[0]]}?" if near else ""
        return f"Nothing is called “{typed}”.{suggestion}"

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._list:
            if event.type() in (QEvent.Type.Show, QEvent.Type.Move):
                self._widen_list()
                self._line_up()
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusIn:
            self._list_all()
            self._set_used(True)
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in _STAYS:
            self.clear()  # nothing half typed is left behind
            self._set_used(False)
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            self.clear()
            self._app.center.setFocus()
            return True
        return super().eventFilter(watched, event)

    def _widen_list(self) -> None:
        """Keys and reasons are read, not guessed; but nothing stands outside the window."""
        usual = (theme().px("left") + theme().space(8)) * 5 // 2
        self._list.setFixedWidth(min(usual, self._app.window.width() - theme().space(3)))

    def _line_up(self) -> None:
        """The list ends where the field does: being wider, it would leave the window."""
        end = self.mapToGlobal(self.rect().topRight()).x()
        begin = max(0, end - self._list.width() + 1)
        if self._list.x() != begin:
            self._list.move(begin, self._list.y())
