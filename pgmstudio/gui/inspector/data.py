"""The inspector of a data set: its contents, and the models learned from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.number_format import counted, grouped
from pgmstudio.core.project.project import DataEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.theme.icons import icon, language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Section, button, empty, label
from pgmstudio.gui.widgets.fact_rows import Fact, FactRows
from pgmstudio.gui.widgets.inspector_header import InspectorHead, lay_under

# The project panel lists them all.
MAX_MODELS = 8


@dataclass(frozen=True, eq=False)
class _Counted:
    """Statistics that take a moment at a million rows."""

    data: DataSet
    missing: int
    incomplete: int
    distinct: int | None  # not counted where the rows stay in a file
    fingerprint: str


class DataInspector(QWidget):
    """Shows the data set of the current page."""

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("dataInspector")
        self._app = app
        self._data_id = ""
        self._entry: DataEntry | None = None
        self._counted: _Counted | None = None
        self._asked: DataSet | None = None
        self._listed: list[tuple[str, str]] | None = None
        self._latest_task = LatestTask(
            self, self._on_counted, app.errors.at("inspectorPanel").report
        )
        self._head = InspectorHead("inspectorData")
        self.facts = FactRows("inspectorDataFacts")
        rows = Section("Rows and columns", line=False)
        rows.add(self.facts)
        self._origin = Section("Origin")
        self.origin = FactRows("inspectorDataOrigin")
        self._origin.add(self.origin)
        self._models = Section("Models of these rows")
        self._list = QVBoxLayout()
        self._list.setSpacing(2)
        self._models.add(self._list)
        lay_under(
            self._head,
            (rows, self._origin, self._models),
            self,
            "inspectorDataScroll",
            margins=(0, 10, 0, 0),
            spacing=0,
        )

    def show_data(self, data_id: str, entry: DataEntry) -> None:
        self._data_id, self._entry = data_id, entry
        data = entry.data
        if data is not self._asked:
            self._asked = data
            self._latest_task.ask(lambda _cancel: _count(data))
        size = f"{grouped(data.row_count)} × {grouped(len(data.domain))}"
        self._head.show_text(entry.name, f"Data, rows × columns {size}", symbol=icon("database"))
        self._show_facts(entry)
        self._show_models()

    def _on_counted(self, result: _Counted) -> None:
        self._counted = result
        if self._entry is not None:
            self._show_facts(self._entry)

    def _show_facts(self, entry: DataEntry) -> None:
        data = entry.data
        widest = max(data.domain, key=lambda v: v.cardinality, default=None)
        facts: list[Fact] = [("Rows", grouped(data.row_count))]
        if data.is_weighted:
            total = data.total_weight
            text = grouped(int(total)) if total.is_integer() else f"{total:g}"
            facts.append(("Sum of their weights", text))
        facts.append(("Columns", grouped(len(data.domain))))
        if widest is not None:
            message = f"{grouped(widest.cardinality)}, {widest.name}"
            facts.append(("Most states", message, "The column with the most states."))
        result = self._counted
        if result is not None and result.data is data:
            cells = data.row_count * len(data.domain)
            sets = len(data.sets) if isinstance(data, ImpreciseData) else 0
            missing = result.missing - sets
            fraction = f" ({100 * missing / cells:.1f} %)" if missing else ""
            if sets:
                facts.append(("Sets of states", grouped(sets), "Cells with one of several states."))
            facts += [
                (
                    "Unknown cells" if sets else "Missing cells",
                    grouped(missing) + fraction if missing else "none",
                ),
                ("Complete rows", grouped(data.row_count - result.incomplete)),
            ]
            if result.distinct is not None:
                distinct = grouped(result.distinct)
                facts.append(("Different rows", distinct, "The number of distinct rows."))
        self.facts.show_facts(facts)
        origin: list[Fact] = []
        if entry.source:
            origin.append(("File", entry.source))
        if entry.cuts:
            origin.append(("Cut into bins", counted(len(entry.cuts), "column")))
        if entry.split is not None:
            sizes = zip(entry.split.names, entry.split.sizes, strict=True)
            origin.append(("Split", ", ".join(f"{n} {grouped(size)}" for n, size in sizes)))
        if result is not None and result.data is data:
            message = f"Equal rows have equal fingerprints: {result.fingerprint}"
            origin.append(("Fingerprint", result.fingerprint[:12], message))
        self.origin.show_facts(origin)
        self._origin.setVisible(bool(origin))

    def _show_models(self) -> None:
        models = self._app.project.models.items()
        made = [(key, entry) for key, entry in models if entry.data_id == self._data_id]
        listed = [(key, entry.title) for key, entry in made]
        if listed == self._listed:
            return  # the button under the keyboard stays
        self._listed = listed
        empty(self._list)
        for model_id, entry in made[:MAX_MODELS]:
            opened = button(
                entry.title,
                partial(self._open, model_id),
                role="link",
                tip=f"Open {entry.title}",
                name=f"inspectorData.{model_id}",
            )
            opened.setIcon(language_icon(entry.model.kind))
            opened.setMinimumWidth(theme().px("hit_min"))  # long titles are elided
            self._list.addWidget(opened, 0, Qt.AlignmentFlag.AlignLeft)
        if not made:
            self._list.addWidget(label("None yet.", "tertiary", size="dense"))
            learn = self._app.actions["learn.learn"]
            begin = button("Learn…", learn.trigger, tip=learn.toolTip(), name="inspectorDataLearn")
            self._list.addWidget(begin, 0, Qt.AlignmentFlag.AlignLeft)
        elif len(made) > MAX_MODELS:
            more = f"{len(made) - MAX_MODELS} more in the project."
            self._list.addWidget(label(more, "tertiary", size="dense"))

    def _open(self, model_id: str) -> None:
        open_model_page(self._app, model_id)


def _count(data: DataSet) -> _Counted:
    return _Counted(
        data,
        sum(data.missing_counts),
        data.incomplete_row_count,
        None if isinstance(data, ChunkedData) else len(data.distinct()[0]),
        data.fingerprint,
    )
