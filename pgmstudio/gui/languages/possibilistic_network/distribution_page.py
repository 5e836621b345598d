"""The page of the possibility distribution of a network: its tuples and its α-cuts."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame

from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.belief_text import short_degree
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.possibilistic_network.alpha import alpha_cuts
from pgmstudio.gui.languages.possibilistic_network.distribution_view import (
    DistributionView,
    ShownDistribution,
)
from pgmstudio.gui.widgets.basic import vbox
from pgmstudio.gui.widgets.page import Page


def network_distribution(model: PossibilisticNetwork, _cancel: CancelToken) -> ShownDistribution:
    """The tuples of a network; the note shows if its largest degree is not 1."""
    tuples = model.tuple_degrees()
    note = ""
    if tuples.top < 1:
        note = (
            f"The degrees are not normalised: the largest is {short_degree(tuples.top)}, not 1. "
            "Necessity is relative to it."
        )
    return ShownDistribution(tuples, warning=note)


class DistributionPage(Page):
    """Follows the model of the project, and α of its page."""

    icon_name = "cube"

    def __init__(self, app: AppContext, model_id: str) -> None:
        super().__init__(page_key(model_id))
        self._app, self._id = app, model_id
        self._cuts = alpha_cuts(app)
        self._task = LatestTask(self, self._on_tuples, self._on_failed)
        self.view = DistributionView(app.errors.report)
        self.view.alpha_changed.connect(partial(self._cuts.choose, model_id))
        self._cuts.changed.connect(self._on_cut)
        frame = QFrame()
        frame.setProperty("role", "surface")
        vbox(frame, self.view, margins=(16, 12, 16, 8))
        vbox(self, frame)
        app.document.changed.connect(self._on_document)
        self._ask()

    @property
    def title(self) -> str:
        entry = self._app.project.models.get(self._id)
        return "Possibility" if entry is None else f"Possibility of {entry.title}"

    @property
    def model_id(self) -> str | None:
        return self._id if self._id in self._app.project.models else None

    @property
    def _model(self) -> PossibilisticNetwork | None:
        entry = self._app.project.models.get(self._id)
        model = None if entry is None else entry.model
        return model if isinstance(model, PossibilisticNetwork) else None

    def closed(self) -> None:
        self._task.forget()
        self.view.forget()

    def _ask(self) -> None:
        if self._model is not None:
            self._task.ask(partial(network_distribution, self._model))

    def _on_tuples(self, shown: ShownDistribution) -> None:
        self.view.show_distribution(shown, self._cuts.alpha(self._id))

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.view.show_problem(str(error))
        else:
            self._app.errors.report(error)

    def _on_cut(self, model_id: str) -> None:
        alpha = self._cuts.alpha(model_id)
        if model_id == self._id and alpha != self.view.alpha:
            self.view.show_alpha(alpha)

    def _on_document(self, before: Project, after: Project) -> None:
        if self._model is None:
            QTimer.singleShot(0, self, self._leave)
        elif before.models.get(self._id) is not after.models.get(self._id):
            self.title_changed.emit()
            self._ask()

    def _leave(self) -> None:
        self._app.center.close_page(self)


def page_key(model_id: str) -> str:
    return f"possibility:{model_id}"


def open_distribution(app: AppContext, model_id: str) -> DistributionPage:
    """Open the page of a network's possibility distribution and bring it to the front."""
    page = app.open_page(page_key(model_id), partial(DistributionPage, app, model_id))
    assert isinstance(page, DistributionPage)
    return page
