"""The change of the junction tree by an edge that is being drawn, computed in the background."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.graphs.junction_tree import SizeForecast, size_with_edge
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.widgets.debounce import one_shot

# The pointer passes over many nodes on its way; only where it rests is worth a triangulation.
REST_MS = 60

Question = tuple[BayesianNetwork, str, str]


class EdgeForecaster(QObject):
    """Triangulates once at a time; of the requests that arrive meanwhile the newest is answered."""

    forecast_ready = Signal(str, str, object)  # source, target, SizeForecast
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: Question | None = None
        self._asked: Question | None = None  # being answered
        self._latest_task = LatestTask(self)
        self._latest_task.answered.connect(self._on_size)
        self._latest_task.failed.connect(self._on_failed)
        self._rest = one_shot(self, self._go_on, REST_MS)

    def ask(self, model: BayesianNetwork, source: str, target: str) -> None:
        self._wanted = model, source, target
        self._rest.start()

    def forget(self) -> None:
        """No edge is being drawn any more."""
        self._wanted = None
        self._rest.stop()

    def _go_on(self) -> None:
        if self._asked is None and self._wanted is not None and not self._rest.isActive():
            self._asked, self._wanted = self._wanted, None
            self._latest_task.ask(partial(_size, *self._asked))

    def _on_size(self, size: SizeForecast) -> None:
        asked, self._asked = self._asked, None
        if asked is not None and self._wanted is None:
            self.forecast_ready.emit(asked[1], asked[2], size)
        self._go_on()

    def _on_failed(self, error: object) -> None:
        self._asked = None
        self.failed.emit(error)
        self._go_on()


def _size(model: BayesianNetwork, source: str, target: str, _cancel: CancelToken) -> SizeForecast:
    indices = model.domain.index(source), model.domain.index(target)
    return size_with_edge(model.clique_tree, model.dag.parent_indices, *indices)
