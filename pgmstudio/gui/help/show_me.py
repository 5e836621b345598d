"""Links of the manual that open the window at a place: `pgmstudio:KIND/NAME`.

| Link | Opens |
|---|---|
| `pgmstudio:sample/asia.json` | a sample of the start page |
| `pgmstudio:action/learn.learn` | what a menu entry opens, else the menu at that entry |
| `pgmstudio:menu/Learn/With` | a menu |
| `pgmstudio:page/learn` | a page that needs nothing to be chosen first; hyphens stand for blanks |
| `pgmstudio:panel/runsPanel` | a panel |
| `pgmstudio:study/bars` | a published experiment |
| `pgmstudio:associations/hartley_gain?sample=…&given=shape` | the associations by a measure |
| `pgmstudio:learn/bn.k2?sample=…&max-parents=2` | the learning page with these parameters |

`pgmstudio:action/…?sample=asia.json` opens the sample first where the action cannot be used yet.
With `learn`, `&show=learn.trace` also starts the run and then shows what that action opens; a model
that was learned before with the same parameters is shown at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from PySide6.QtCore import QObject, QPoint, QUrl, QUrlQuery
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from pgmstudio.core.errors import PgmStudioError, UnknownNameError, named
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.params import parse_params
from pgmstudio.core.project.project import plain_params
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.navigation import (
    open_associations,
    open_learn_page,
    open_model_page,
    open_sample,
)
from pgmstudio.gui.project.run_request import RunRequest
from pgmstudio.gui.runs.run_recorder import run_recorder

SCHEME = "pgmstudio"
# Pages of `PAGE_OPENERS` that open without arguments.
PAGES = (
    "welcome",
    "learn",
    "wizard",
    "generate",
    "language comparison",
    "given independences",
)
_MENU_PATH = re.compile(r"(?<!\*)\*([A-Z]\w+\s+▸\s[^*]+)\*(?!\*)")


class ShowMe(QObject):
    """Opens the places that links of the manual name."""

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._waiting: dict[LearningRun, str] = {}  # runs and the action that shows their result
        run_recorder(app)  # hears of the end of a run first, and adds its model
        app.workspace.runs.run_ended.connect(self._on_run_ended)

    def open(self, url: QUrl) -> None:
        """Open the place of a link; what does not exist or cannot be used now is reported."""
        kind, _, name = url.path().partition("/")
        items = QUrlQuery(url).queryItems(QUrl.ComponentFormattingOption.FullyDecoded)
        settings = dict(items)
        sample = settings.pop("sample", "")
        kinds: Mapping[str, Callable[[str], object]] = {
            "sample": lambda name: open_sample(self._app, name),
            "action": lambda name: self._show_action(name, sample),
            "menu": self._show_menu,
            "page": self._show_page,
            "panel": self._app.reveal,
            "study": lambda name: self._app.open("recipes", name),
            "associations": lambda name: self._with_rows(
                sample, lambda data_id: open_associations(self._app, data_id, name, **settings)
            ),
            "learn": lambda name: self._with_rows(
                sample, lambda data_id: self._learn(name, data_id, settings)
            ),
        }
        self._report_errors(lambda: named("kind of place", kind, kinds)(name))

    def _report_errors(self, do: Callable[[], object]) -> None:
        try:
            do()
        except PgmStudioError as error:
            self._app.errors.report(error)

    # -- samples with their rows

    def _with_rows(self, sample: str, then: Callable[[str], object]) -> None:
        """Open a sample unless its rows are in the project; `then` takes the id of the rows."""
        stem = sample.rpartition(".")[0]
        known = (
            data_id
            for data_id, entry in self._app.project.data.items()
            if entry.source.rpartition(".")[0] == stem
        )
        data_id = next(known, None)
        if data_id is not None:
            then(data_id)
        else:
            open_sample(self._app, sample, lambda: self._then_with_rows(then))

    def _then_with_rows(self, then: Callable[[str], object]) -> None:
        app = self._app
        entry = app.project.models.get(app.workspace.model_id or "")
        page = app.center.current
        data_id = None if page is None else page.about_data()
        if data_id is None and entry is not None:
            data_id = entry.data_id
        if data_id is not None:
            self._report_errors(lambda: then(data_id))

    def _learn(self, learner_key: str, data_id: str, settings: dict[str, str]) -> None:
        show = settings.pop("show", "")
        params: Any = parse_params(learner_of(learner_key).params_type, settings)
        request = RunRequest("", learner_key, params, 0, data_id)
        known = self._learned(request) if show else None
        if known is not None:
            self._show_of_model(known, show)
            return
        page = open_learn_page(self._app, learner_key)
        page.fill(request)
        run = page.start() if show else None
        if isinstance(run, LearningRun):
            self._waiting[run] = show

    def _learned(self, request: RunRequest) -> str | None:
        """The model that such a run has made before."""
        project = self._app.project
        params = plain_params(request.params, {})
        for model_id, entry in project.models.items():
            run = project.runs.get(entry.run_id or "")
            if run is None or entry.is_edited:
                continue
            wanted = (request.learner_key, request.data_id, request.seed, params)
            if (run.learner, run.data_id, run.seed, run.params) == wanted:
                return model_id
        return None

    def _on_run_ended(self, run: LearningRun) -> None:
        show = self._waiting.pop(run, "")
        if show and run.model_id is not None:
            model_id = run.model_id
            self._report_errors(lambda: self._show_of_model(model_id, show))

    def _show_of_model(self, model_id: str, show: str) -> None:
        open_model_page(self._app, model_id)
        self._app.actions.refresh(show)
        self._app.actions[show].trigger()

    # -- actions, menus and pages

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
        targets = {_plain(path): f"menu/{path}" for path, _ in self._menus()}
        for spec in self._app.actions.specs.values():
            targets[_plain(f"{spec.menu}/{spec.text}")] = f"action/{spec.id}"

        def link(match: re.Match[str]) -> str:
            target = targets.get(_plain(match[1]))
            if target is None:
                return match[0]
            return f'[*{match[1]}*]({SCHEME}:{target.replace(" ", "%20")} "Show me")'

        return _MENU_PATH.sub(link, text)


def _plain(path: str) -> str:
    """A menu path without marks, to compare."""
    parts = re.split(r"\s*▸\s*|/", path.replace("&", ""))
    return " ▸ ".join(" ".join(part.split()).rstrip("…") for part in parts)
