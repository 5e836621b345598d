"""Kinds of results of runs: which artifacts a page shows, and the menu action that opens it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_run_result
from pgmstudio.gui.runs.artifact_source import has_source
from pgmstudio.gui.widgets.actions import ActionSpec

if TYPE_CHECKING:
    from pgmstudio.gui.runs.results.content import ResultContent, ResultState


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """A registry row: one kind of result page and its menu action.

    `describe` makes the content of the page from an artifact, None while there is nothing to show.
    It is named as "module:name" and loaded on first use.
    """

    key: str  # begins the keys of its pages
    artifacts: tuple[str, ...]  # the kinds it can show, the preferred one first
    describe: Lazy[Callable[[Any, ResultState], ResultContent | None]]
    title: str  # “Restarts”, to which the title of the run is added; empty: that alone
    icon: str
    unit: str  # what has a line in an exported .csv file
    file_name: str
    action_id: str
    text: str  # of the action
    tip: str
    missing_reason: str  # what to do first, while no run has such an artifact
    menu: str = "Learn/Results"
    separator_before: bool = False
    orientation: Qt.Orientation = Qt.Orientation.Vertical  # of the view and the tables
    sizes: tuple[int, int] = (3, 2)
    has_long_facts: bool = False  # the buttons stand beside the fields
    name: str = ""  # begins the object names of the widgets; empty: the key

    def __post_init__(self) -> None:
        first, *rest = self.key.split("-")
        name = self.name or first + "".join(map(str.capitalize, rest))
        object.__setattr__(self, "name", name)


# Of any learner of graphs.
BOOTSTRAP = RunResult(
    key="bootstrap",
    artifacts=("edge-frequencies",),
    describe=Lazy("pgmstudio.gui.runs.results.bootstrap:bootstrap_content"),
    title="",
    icon="chart-bar",
    unit="edge in its own orientation",
    file_name="edges.csv",
    action_id="learn.frequencies",
    text="Bootstrap frequencies…",
    tip="Show the frequency of each edge, and the network of those above a threshold.",
    missing_reason="there is no bootstrap; Learn ▸ Bootstrap… makes one.",
    orientation=Qt.Orientation.Horizontal,
    sizes=(33, 38),  # names of edges are read whole at 1280
    has_long_facts=True,
)


def result_action(app: AppContext, result: RunResult) -> ActionSpec:
    """The menu action that opens the pages of a result."""

    def artifact() -> str | None:
        return None if has_source(app, *result.artifacts) else result.missing_reason

    return ActionSpec(
        result.action_id,
        result.text,
        result.menu,
        result.tip,
        partial(open_run_result, app, result.key),
        icon=result.icon,
        needs=[artifact],
        separator_before=result.separator_before,
    )
