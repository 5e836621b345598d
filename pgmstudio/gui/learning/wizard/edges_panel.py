"""Step 5 of the wizard: the strength of each edge in the data, weakest first."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QVBoxLayout, QWidget

from pgmstudio.core.analysis.edge_strength import LinkStrength, link_strengths
from pgmstudio.core.analysis.feature_selection import p_words
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.languages.conversions import dag_of
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_painting import Bar
from pgmstudio.gui.widgets.basic import Note, Segments, button, label, row
from pgmstudio.gui.widgets.grid_view import CellMarks
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import Column, Table

Edge = tuple[str, str]
MAX_DIGITS = 300.0  # −log₁₀ of a p-value that underflows


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of edge strength; larger is stronger."""

    short_title: str
    tip: str
    title: str
    unit: str
    of: Callable[[LinkStrength], float]


MEASURES = {
    "bic": Measure(
        "Δ BIC",
        "Decrease of BIC (bits) when the edge is removed; negative if removing it improves BIC.",
        "Δ BIC",
        "bits",
        lambda link: link.bic_gain,
    ),
    "mi": Measure(
        "MI",
        "Mutual information of the two variables in the data.",
        "MI",
        "bits",
        lambda link: link.information_bits,
    ),
    "p": Measure(
        "p-value",
        "p-value of independence given the other parents; bars show −log₁₀ p.",
        "−log₁₀ p",
        "",
        lambda link: min(MAX_DIGITS, -math.log10(link.p_value)) if link.p_value else MAX_DIGITS,
    ),
}


@dataclass(frozen=True, eq=False)
class _Result:
    model: Model
    data: DataSet
    links: tuple[LinkStrength, ...]


@dataclass(frozen=True, slots=True)
class _LinkRow:
    """An edge; `strength`: by the selected measure, as a fraction of the largest."""

    link: LinkStrength
    strength: float
    is_weak: bool


_COLUMNS = (
    Column(
        "Edge",
        stretches=True,
        tip="Parent → child",
        value=lambda row: f"{row.link.source} → {row.link.target}",
    ),
    Column(
        "Strength",
        stretches=True,
        tip="By the selected measure",
        marks=lambda row: CellMarks(bar=Bar(row.strength)),
    ),
    Column(
        "Δ BIC",
        lambda bits: decimal(bits, 1),
        True,
        tip=MEASURES["bic"].tip,
        value=lambda row: row.link.bic_gain,
    ),
    Column(
        "MI",
        decimal,
        True,
        tip=MEASURES["mi"].tip,
        value=lambda row: None if row.link.alone is None else row.link.information_bits,
    ),
    Column(
        "p",
        lambda p: "–" if p is None else p_words(p),
        True,
        tip="p-value of independence given the other parents",
        value=lambda row: None if row.link.given_parents is None else row.link.p_value,
    ),
)


class LinksPanel(QWidget):
    """Edge strengths, measured in the background and shown as edge widths on the canvas."""

    picked = Signal(object)  # an edge
    measured = Signal(object)  # Strengths or None
    hidden = Signal(object)  # hidden edges

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("stepwiseLinks")
        self._app = app
        self._model_id: str | None = None
        self._result: _Result | None = None
        self._requested: tuple[Model, DataSet] | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_result)
        self._latest_task.failed.connect(app.errors.report)
        self.measure = Segments(
            [(k, m.short_title, m.tip) for k, m in MEASURES.items()], "stepwiseBy"
        )
        self.measure.chosen.connect(self._on_measure)
        self.table = Table(
            "stepwiseLinkTable",
            "Edges by strength; Delete removes the selected one.",
            _COLUMNS,
            key=lambda row: row.link.edge,
            row_tip=lambda row: _tip(row.link),
            row_color=lambda row: "text_tertiary" if row.is_weak else None,
            row_height=1.1,
            gap=theme().space(3),
        )
        self.table.selected.connect(self._on_selected)
        self.table.removal_requested.connect(self._on_remove)
        self._note = Note(name="stepwiseNoRows")
        self.weak = QSlider(Qt.Orientation.Horizontal)
        self.weak.setObjectName("stepwiseHide")
        self.weak.setToolTip("Hide the weakest edges; the model does not change.")
        self.weak.setAccessibleName("Number of hidden edges")
        self.weak.valueChanged.connect(self._on_weak)
        self._hidden_text = PlainLine("stepwiseHideText")
        self._hidden_text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._remove = button(
            "Remove edge",
            self._on_remove,
            icon_name="trash",
            tip="Remove the selected edge from the model; can be undone.",
            name="stepwiseRemove",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(row(label("Edge strengths", "heading"), None, self.measure))
        layout.addWidget(self._note)
        layout.addWidget(self.table, 1)
        layout.addWidget(row(self.weak, self._hidden_text))
        layout.addWidget(row(self._remove, None))

    # -- measuring

    def show_model(self, model_id: str | None) -> None:
        """Show the edges of a model, or none."""
        if model_id != self._model_id:
            self._model_id = model_id
            self._result = None
            self.weak.setValue(0)
        self.refresh()

    def refresh(self) -> None:
        """Measure again if the model or the data changed."""
        entry = self._app.project.models.get(self._model_id or "")
        if entry is None or not isinstance(entry.model, DirectedModel):
            self._result = None
            self._show()
            return
        rows = model_sources(self._app).rows_or_why(self._model_id or "")
        if isinstance(rows, str):
            self._result = None
            self._latest_task.forget()
            self._note.show_text(rows, "warning")
            self._show()
            return
        model = entry.model
        self._note.show_text("")
        result = self._result
        if result is not None and result.model is model and result.data is rows:
            self._show()
            return
        if (
            self._requested is not None
            and self._requested[0] is model
            and self._requested[1] is rows
        ):
            return
        self._requested = (model, rows)
        if result is None:
            self._note.show_text("Measuring edges…", "info")

        def measured(cancel: CancelToken) -> _Result:
            return _Result(model, rows, link_strengths(dag_of(model), rows, cancel))

        self._latest_task.ask(measured)

    def _on_result(self, result: _Result) -> None:
        self._requested = None
        self._result = result
        self._note.show_text("" if result.links else "The model has no edges.", "info")
        self._show()

    # -- showing

    @property
    def links(self) -> tuple[LinkStrength, ...]:
        """All edges, weakest by the selected measure first."""
        if self._result is None:
            return ()
        value = MEASURES[self.measure.current].of
        return tuple(sorted(self._result.links, key=lambda link: (value(link), link.edge)))

    @property
    def hidden_edges(self) -> frozenset[Edge]:
        return frozenset(link.edge for link in self.links[: self.weak.value()])

    def _show(self) -> None:
        links, measure = self.links, MEASURES[self.measure.current]
        values = {link.edge: measure.of(link) for link in links}
        most = max(values.values(), default=0.0)
        self.weak.setRange(0, len(links))
        hidden = self.hidden_edges
        self.table.show_rows(
            [
                _LinkRow(
                    link,
                    max(0.0, values[link.edge]) / most if most > 0 else 0.0,
                    is_weak=link.bic_gain < 0 or link.edge in hidden,
                )
                for link in links
            ]
        )
        self._refresh_hidden()
        strengths = Strengths(measure.title, measure.unit, values) if values else None
        self.measured.emit(strengths)
        self.hidden.emit(hidden)
        self._allow()

    def _refresh_hidden(self) -> None:
        count = self.weak.value()
        text = f"{counted(count, 'edge')} hidden" if count else "All edges are drawn"
        self._hidden_text.setText(text)

    def _allow(self) -> None:
        edge = self.edge
        self._remove.setEnabled(edge is not None)
        self._remove.setToolTip(
            "Not now: select an edge in the table."
            if edge is None
            else f"Remove {edge[0]} → {edge[1]} from the model; can be undone."
        )

    # -- user actions

    @property
    def edge(self) -> Edge | None:
        """The selected edge."""
        row = self.table.current_row
        return None if row is None else row.link.edge

    def _on_measure(self, _key: str) -> None:
        self._show()

    def _on_weak(self, _count: int) -> None:
        self._show()

    def _on_selected(self, _number: int) -> None:
        self._allow()
        self.picked.emit(self.edge)

    def _on_remove(self, *_: object) -> None:
        if self.edge is None:
            return
        model_id = self._model_id or ""
        source, target = self.edge
        edit = partial(remove_edge, model_id=model_id, source=source, target=target)
        if self._app.change(f"Remove {source} → {target}", edit):
            self._app.notify(f"{source} → {target} removed.", undo=True)

    def stop(self) -> None:
        """Cancel background work when the page is closed."""
        self._latest_task.forget()


def _tip(link: LinkStrength) -> str:
    lines = [f"{link.source} → {link.target}"]
    lines.append(f"Removing it decreases BIC by {decimal(link.bic_gain, 1)} bits.")
    if link.bic_gain < 0:
        lines[-1] = f"Removing it increases BIC by {-link.bic_gain:.1f} bits."
    lines.append(f"Given the other parents it carries {link.added_bits:.4f} bits.")
    return "\n".join(lines)
