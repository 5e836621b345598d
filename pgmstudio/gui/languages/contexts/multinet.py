"""The multinet of a model: a small canvas for each state of one variable."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout

from pgmstudio.core.number_format import counted
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.canvas.small_multiples import PanelGraph, PanelsController
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.context_views import context_views
from pgmstudio.gui.languages.contexts.controller import ContextController
from pgmstudio.gui.widgets.basic import label, row
from pgmstudio.gui.widgets.combo_box import offer

# More small canvases than this are a wall.
MAX_PANELS = 12


class MultinetController(PanelsController):
    """The active context holds in every panel."""

    isolated = Signal()  # one state is wanted large

    def __init__(
        self, app: AppContext, model_id: str, canvas: Canvas, contexts: ContextController
    ) -> None:
        super().__init__(app, model_id, canvas, contexts)
        self._contexts = contexts
        self._drawn: tuple[object, ...] = ()
        self.view.setAccessibleName("A graph for each state")
        self.view.isolated.connect(self._on_isolated)
        self.choice = QComboBox()
        self.choice.setObjectName("multinetVariable")
        self.choice.setToolTip("The variable whose states have a graph each")
        self.choice.setAccessibleName(self.choice.toolTip())
        self.choice.activated.connect(self._on_chosen)
        self._note = label("", "secondary", size="dense")
        self._note.setObjectName("multinetNote")
        self.widget.setObjectName("multinet")
        layout = QVBoxLayout(self.widget)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(4)
        head = row(label("A graph for each state of", "secondary"), self.choice, None, self._note)
        head.setContentsMargins(12, 0, 12, 0)
        layout.addWidget(head)
        layout.addWidget(self.view, 1)
        context_views(app).changed.connect(self._on_context)

    @property
    def variable(self) -> str | None:
        """Whose states have a graph each."""
        name = self.choice.currentData()
        return name if isinstance(name, str) else None

    def choose(self, name: str) -> None:
        self.choice.setCurrentIndex(self.choice.findData(name))
        self.follow()

    def open(self) -> None:
        self._fill()
        super().open()

    def _fill(self) -> None:
        """Variables that edges depend on first; the choice stays where it can."""
        model = self._contexts.model
        if model is None:
            return
        decides = self._contexts.deciding
        names = sorted(model.domain.names, key=lambda name: name not in decides)
        titles = self._app.project.models[self._model_id].node_titles
        offer(self.choice, {name: titles.get(name, name) for name in names})

    def follow(self) -> None:
        """The model, the context or the variable is another."""
        model, name = self._contexts.model, self.variable
        if model is None or not self.is_open:
            return
        if name is None or name not in model.domain:
            self._fill()
            name = self.variable
        if name is None:
            return
        context = {k: v for k, v in self._contexts.context.items() if k != name}
        drawn = (model, name, tuple(context.items()))
        if drawn == self._drawn:
            return
        self._drawn = drawn
        fixed = {model.domain.index(k): model.domain[k].code(v) for k, v in context.items()}
        graphs = []
        texts = {}
        for code, state in enumerate(model.domain[name].states[:MAX_PANELS]):
            here = {**fixed, model.domain.index(name): code}
            picture = self._contexts.draw(here)
            assert picture is not None
            graphs.append(PanelGraph(code, f"{name} = {state}", picture))
            gone = self._contexts.vanished(here)
            texts[code] = f"{counted(gone, 'edge')} {'vanishes' if gone == 1 else 'vanish'}"
        self.view.show_graphs(graphs)
        self.view.show_captions(texts)
        given = ", ".join(f"{k} = {v}" for k, v in context.items())
        more = model.domain[name].cardinality - MAX_PANELS
        parts = [f"in the context {given}"] if given else []
        parts += [f"{more} more states"] if more > 0 else []
        self._note.setText(", ".join(parts))
        self._show_positions()
        self._on_selection(self._app.workspace.selection)

    def _on_chosen(self, _index: int) -> None:
        self.follow()

    def _on_context(self, model_id: str) -> None:
        if model_id == self._model_id:
            self.follow()

    def _on_isolated(self, number: int) -> None:
        model, name = self._contexts.model, self.variable
        if model is not None and name is not None:
            state = model.domain[name].states[number]
            context = {**self._contexts.context, name: state}
            context_views(self._app).choose(self._model_id, context)
            self.isolated.emit()
