"""Step 5 of learning step by step: what the rows say for each edge, the weakest first."""

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
from pgmstudio.core.languages.structures import dag_of
from pgmstudio.core.model import DirectedModel, Model
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.model_edits import remove_edge
from pgmstudio.gui.canvas.edge_strengths import Strengths
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.runs.model_data import model_sources
from pgmstudio.gui.widgets.basic import Note, Segments, button, label, row
from pgmstudio.gui.widgets.step_bar import PlainLine
from pgmstudio.gui.widgets.table import RankedRow, RankedTable

Edge = tuple[str, str]
MAX_DIGITS = 300.0  # of a p-value below what numbers can hold


@dataclass(frozen=True, slots=True)
class Measure:
    """One reading of strength; the larger the stronger."""

    word: str
    tip: str
    title: str
    unit: str
    of: Callable[[LinkStrength], float]


MEASURES = {
    "bic": Measure(
        "Δ BIC",
        "What BIC would lose without the edge, in bits; below 0 it costs more than it tells.",
        "Δ BIC",
        "bits",
        lambda link: link.bic_gain,
    ),
    "mi": Measure(
        "MI",
        "What the two ends tell about each other in the rows, by any path.",
        "MI",
        "bits",
        lambda link: link.information_bits,
    ),
    "p": Measure(
        "p-value",
        "How surely the ends depend on each other given the other parents; bars show digits.",
        "−log₁₀ p",
        "",
        lambda link: min(MAX_DIGITS, -math.log10(link.p_value)) if link.p_value else MAX_DIGITS,
    ),
}


@dataclass(frozen=True, eq=False)
class _Found:
    model: Model
    data: DataSet
    links: tuple[LinkStrength, ...]


class LinksPanel(QWidget):
    """Measured in the background; widths on the canvas show the same numbers."""

    picked = Signal(object)  # an edge
    measured = Signal(object)  # Strengths or None
    hidden = Signal(object)  # the edges not to draw

    def __init__(self, app: AppContext) -> None:
        super().__init__()
        self.setObjectName("stepwiseLinks")
        self._app = app
        self._model_id: str | None = None
        self._found: _Found | None = None
        self._asked: tuple[Model, DataSet] | None = None
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_found)
        self._latest_task.failed.connect(app.errors.report)
        self.measure = Segments([(k, m.word, m.tip) for k, m in MEASURES.items()], "stepwiseBy")
        self.measure.chosen.connect(self._on_measure)
        self.table = RankedTable(
            "stepwiseLinkTable",
            "Edges, the weakest first; Delete removes the selected one.",
            [
                ("Edge", "Parent → child"),
                ("Strength", "By the measure chosen above"),
                ("Δ BIC", MEASURES["bic"].tip),
                ("MI", MEASURES["mi"].tip),
                ("p", "p-value of independence given the other parents"),
            ],
            with_ticks=False,
        )
        self.table.picked.connect(self._on_picked)
        self.table.unwanted.connect(self._on_unwanted)
        self._note = Note(name="stepwiseNoRows")
        self.weak = QSlider(Qt.Orientation.Horizontal)
        self.weak.setObjectName("stepwiseHide")
        self.weak.setToolTip("Do not draw the weakest edges; the model keeps them.")
        self.weak.setAccessibleName("How many of the weakest edges are not drawn")
        self.weak.valueChanged.connect(self._on_weak)
        self._weak_words = PlainLine("stepwiseHideWords")
        self._weak_words.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._remove = button(
            "Remove this edge",
            self._on_remove,
            icon_name="trash",
            tip="Remove the selected edge from the model; can be undone.",
            name="stepwiseRemove",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(row(label("Data dependences", "heading"), None, self.measure))
        layout.addWidget(self._note)
        layout.addWidget(self.table, 1)
        layout.addWidget(row(self.weak, self._weak_words))
        layout.addWidget(row(self._remove, None))

    # -- measuring

    def show_model(self, model_id: str | None) -> None:
        """Another model; nothing for none."""
        if model_id != self._model_id:
            self._model_id = model_id
            self._found = None
            self.weak.setValue(0)
        self.refresh()

    def refresh(self) -> None:
        """The model or its rows may be others."""
        entry = self._app.project.models.get(self._model_id or "")
        if entry is None or not isinstance(entry.model, DirectedModel):
            self._found = None
            self._show()
            return
        rows = model_sources(self._app).rows_or_why(self._model_id or "")
        if isinstance(rows, str):
            self._found = None
            self._latest_task.forget()
            self._note.show_text(rows, "warning")
            self._show()
            return
        model = entry.model
        self._note.show_text("")
        found = self._found
        if found is not None and found.model is model and found.data is rows:
            self._show()
            return
        if self._asked is not None and self._asked[0] is model and self._asked[1] is rows:
            return
        self._asked = (model, rows)
        if found is None:
            self._note.show_text("Measuring edges…", "info")

        def measured(cancel: CancelToken) -> _Found:
            return _Found(model, rows, link_strengths(dag_of(model), rows, cancel))

        self._latest_task.ask(measured)

    def _on_found(self, found: _Found) -> None:
        self._asked = None
        self._found = found
        self._note.show_text("" if found.links else "The model has no edges.", "info")
        self._show()

    # -- showing

    @property
    def links(self) -> tuple[LinkStrength, ...]:
        """All edges, the weakest by the chosen measure first."""
        if self._found is None:
            return ()
        value = MEASURES[self.measure.current].of
        return tuple(sorted(self._found.links, key=lambda link: (value(link), link.edge)))

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
                RankedRow(
                    key=f"{link.source}\n{link.target}",
                    name=f"{link.source} → {link.target}",
                    share=max(0.0, values[link.edge]) / most if most > 0 else 0.0,
                    cells=(
                        f"{link.bic_gain:.1f}".replace("-", "−"),
                        "–" if link.alone is None else f"{link.information_bits:.3f}",
                        "–" if link.given_parents is None else p_words(link.p_value),
                    ),
                    is_weak=link.bic_gain < 0 or link.edge in hidden,
                    tip=_tip(link),
                )
                for link in links
            ]
        )
        self._tell_hidden()
        strengths = Strengths(measure.title, measure.unit, values) if values else None
        self.measured.emit(strengths)
        self.hidden.emit(hidden)
        self._allow()

    def _tell_hidden(self) -> None:
        count = self.weak.value()
        words = f"{counted(count, 'edge')} hidden" if count else "All edges are drawn"
        self._weak_words.setText(words)

    def _allow(self) -> None:
        edge = self.edge
        self._remove.setEnabled(edge is not None)
        self._remove.setToolTip(
            "Not now: select an edge in the table."
            if edge is None
            else f"Remove {edge[0]} → {edge[1]} from the model; can be undone."
        )

    # -- acting

    @property
    def edge(self) -> Edge | None:
        """The selected edge."""
        key = self.table.current
        return None if key is None else _edge(key)

    def _on_measure(self, _key: str) -> None:
        self._show()

    def _on_weak(self, _count: int) -> None:
        self._show()

    def _on_picked(self, key: str) -> None:
        self._allow()
        self.picked.emit(_edge(key))

    def _on_unwanted(self, key: str) -> None:
        self._remove_edge(_edge(key))

    def _on_remove(self) -> None:
        if self.edge is not None:
            self._remove_edge(self.edge)

    def _remove_edge(self, edge: Edge) -> None:
        model_id = self._model_id or ""
        source, target = edge
        edit = partial(remove_edge, model_id=model_id, source=source, target=target)
        if self._app.change(f"Remove {source} → {target}", edit):
            self._app.notify(f"{source} → {target} removed.", undo=True)

    def stop(self) -> None:
        """The page is closed: nothing goes on behind it."""
        self._latest_task.forget()


def _edge(key: str) -> Edge:
    source, _, target = key.partition("\n")
    return source, target


def _tip(link: LinkStrength) -> str:
    words = [f"{link.source} → {link.target}"]
    words.append(f"BIC would lose {link.bic_gain:.1f} bits without it.".replace("-", "−"))
    if link.bic_gain < 0:
        words[-1] = f"BIC would gain {-link.bic_gain:.1f} bits without it."
    words.append(f"It adds {link.added_bits:.4f} bits to the other parents.")
    return "\n".join(words)
