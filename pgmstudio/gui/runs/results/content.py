"""Content of a result page, made from an artifact and the values of its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import SignalInstance

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.runs.results.fields import ResultField
from pgmstudio.gui.widgets.image_file import Drawing
from pgmstudio.gui.widgets.table import Column

Edge = tuple[str, str]


@dataclass(frozen=True)
class ResultState:
    """What the content depends on besides the artifact."""

    run_title: str
    data_id: str | None  # None: the data set of the run is gone
    model: Model | None  # of the run, if it is in the project
    values: Mapping[str, Any] = field(default_factory=dict)  # of the fields
    row: int | None = None  # selected in the first table

    def value(self, key: str, default: Any) -> Any:
        """The value of a field; the default as long as nobody has changed it."""
        return self.values.get(key, default)


@dataclass(frozen=True)
class ResultTable:
    """A table; `edges` are those of its rows, which are selected together with the view's.

    `steps` are those of its rows in a search: the row of the current step is selected, and a click
    on a row goes to its step.
    """

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]
    edges: Sequence[Edge] = ()
    steps: Sequence[int] = ()
    best: int | None = None  # the row that is selected first
    gap: int = 0  # px more between the columns, where cells are lists


@dataclass(frozen=True)
class ResultView:
    """A plot or canvas, made once for its key and drawn with every content.

    `signal` sends the number of a row to be opened, or an edge that was selected.
    """

    key: str
    make: Callable[[], Any]
    draw: Callable[[Any], None]
    signal: Callable[[Any], SignalInstance] | None = None
    show_edge: Callable[[Any, Edge], None] | None = None
    drawing: Callable[[Any, str], Drawing] | None = None  # for a picture file, with a title
    follows_row: bool = False  # drawn again for another row of the first table


@dataclass(frozen=True, kw_only=True)
class ModelOpening:
    """How a result becomes a model of the project: at once, or fitted in the background."""

    tip: str
    text: str = "Open model"
    icon: str = "share-network"
    is_of_row: bool = True  # of the selected row, or of the whole result
    refusal: str = ""  # why it cannot be opened now
    entry: Callable[[], ModelEntry] | None = None
    fit: Callable[[LearnTask, CancelToken], ModelEntry] | None = None


@dataclass(frozen=True)
class ResultFoot:
    """A message below the tables with a field, and a link that does something with the run."""

    text: str
    field: ResultField
    link_text: str
    tip: str
    run: Callable[[AppContext, LearnTask], None]


@dataclass(frozen=True, kw_only=True)
class ResultContent:
    """Everything that a page shows now; fields and tables that are missing are hidden."""

    facts: str
    tables: tuple[ResultTable, ...]
    view: ResultView | None = None
    fields: tuple[ResultField, ...] = ()
    caption: str = ""  # above the view
    details: str = ""  # below the view
    note: str = ""
    note_level: str = "info"
    foot: ResultFoot | None = None
    opening: ModelOpening | None = None
    # Values of fields for what is selected in the active model when the page is opened.
    select: Callable[[Selection], Mapping[str, Any]] | None = None
