"""Links of the manual that open the window at a place: `pgmstudio:KIND/NAME`.

| Link | Opens |
|---|---|
| `pgmstudio:sample/asia.json` | a sample of the start page |
| `pgmstudio:action/learn.learn` | what a menu entry opens, else the menu at that entry |
| `pgmstudio:menu/Learn/With` | a menu |
| `pgmstudio:page/learn` | a page that needs nothing to be chosen first; hyphens stand for blanks |
| `pgmstudio:panel/runsPanel` | a panel |

`pgmstudio:action/…?sample=asia.json` opens the sample first where the action cannot be used yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QObject, QPoint, QUrl, QUrlQuery
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from pgmstudio.core.errors import PgmStudioError, UnknownNameError, named
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_sample

SCHEME = "pgmstudio"
# Pages of `PAGE_OPENERS` that open without arguments.
PAGES = ("welcome", "learn", "wizard", "generate", "language comparison")
_MENU_PATH = re.compile(r"(?<!\*)\*([A-Z]\w+\s+▸\s[^*]+)\*(?!\*)")


class ShowMe(QObject):
    """Opens the places that links of the manual name."""

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app

    def open(self, url: QUrl) -> None:
        """Open the place of a link; what does not exist or cannot be used now is reported."""
        kind, _, name = url.path().partition("/")
        kinds: Mapping[str, Callable[[str], object]] = {
            "sample": lambda name: open_sample(self._app, name),
            "action": lambda name: self._show_action(name, QUrlQuery(url).queryItemValue("sample")),
            "menu": self._show_menu,
            "page": self._show_page,
            "panel": self._app.reveal,
        }
        try:
            named("kind of place", kind, kinds)(name)
        except PgmStudioError as error:
            self._app.errors.report(error)

    def _show_action(self, name: str, sample: str = "") -> None:
        """Run an action that opens something; other actions are shown in their menu."""
        actions = self._app.actions
        spec = named("action", name, actions.specs)
        actions.refresh(name)
        action = actions[name]
        reason = spec.disabled_reason()
        if reason is not None and sample:
            open_sample(self._app, sample, lambda: self._show_action(name))
        elif reason is None and spec.text.endswith("…"):
            action.trigger()
        else:
            self._show_menu(spec.menu, action)
            if reason is not None:
                self._app.notify(f"{spec.text} cannot be used now: {reason}")

    def _show_menu(self, path: str, entry: QAction | None = None) -> None:
        menu = self._app.window.findChild(QMenu, f"menu{path}")
        if not isinstance(menu, QMenu):
            raise UnknownNameError("menu", path, [name for name, _ in self._menus()])
        top = menu
        while isinstance(above := top.parent(), QMenu):
            top = above
        bar = self._app.window.menuBar()
        corner = bar.actionGeometry(top.menuAction()).bottomLeft()
        menu.popup(bar.mapToGlobal(corner + QPoint(0, 1)))
        if entry is not None:
            menu.setActiveAction(entry)

    def _show_page(self, name: str) -> None:
        name = name.replace("-", " ")
        if name not in PAGES:
            raise UnknownNameError("page", name, PAGES)
        self._app.open(name)

    def _menus(self) -> Iterator[tuple[str, QMenu]]:
        for menu in self._app.window.findChildren(QMenu):
            path = menu.objectName()
            if path.startswith("menu"):
                yield path.removeprefix("menu"), menu

    def with_links(self, text: str) -> str:
        """The Markdown with a link at every menu entry that it names, as in *File ▸ Open…*."""
        places = {_plain(path): f"menu/{path}" for path, _ in self._menus()}
        for spec in self._app.actions.specs.values():
            places[_plain(f"{spec.menu}/{spec.text}")] = f"action/{spec.id}"

        def link(match: re.Match[str]) -> str:
            place = places.get(_plain(match[1]))
            if place is None:
                return match[0]
            return f'[*{match[1]}*]({SCHEME}:{place.replace(" ", "%20")} "Show me")'

        return _MENU_PATH.sub(link, text)


def _plain(path: str) -> str:
    """A menu path without marks, to compare."""
    parts = re.split(r"\s*▸\s*|/", path.replace("&", ""))
    return " ▸ ".join(" ".join(part.split()).rstrip("…") for part in parts)
