"""The tab Possibility of a data page: the degrees of tuples that its rows give, and α-cuts."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.possibility import DRAWN, MAX_CLOSURE, PossibilityDistribution
from pgmstudio.core.data.tuple_degrees import TupleDegrees
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.number_format import counted, whole
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.possibilistic_network.distribution_view import (
    DistributionView,
    ShownDistribution,
)
from pgmstudio.gui.widgets.basic import named, vbox


def data_distribution(
    data: DataSet, cancel: CancelToken, *, rescaled: bool = False, max_closure: int = MAX_CLOSURE
) -> ShownDistribution:
    """The degrees of the tuples of the rows; the note states how exact they are."""
    distribution = PossibilityDistribution.of(
        data, rescaled=rescaled, max_closure=max_closure, cancel=cancel
    )
    tuples = TupleDegrees.of(distribution)
    if not distribution.is_exact:
        note = (
            f"Approximate: the imprecise rows have more than {whole(max_closure)} intersections, "
            f"of which {whole(DRAWN)} were drawn at random. No degree is too large, but some may "
            "be too small."
        )
        return ShownDistribution(tuples, warning=note)
    if distribution.is_precise:
        return ShownDistribution(tuples)
    sets = counted(distribution.set_degrees.size, "intersection")
    return ShownDistribution(tuples, f"exact, {sets}")


class PossibilityTab(QWidget):
    """Computed in the background when the tab is shown with new data."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("possibilityTab")
        self._app, self._data_id = app, data_id
        self._asked: tuple[DataSet, bool] | None = None
        self.rescale = named(
            QCheckBox("Rescale"), "possibilityRescale", "Rescale", "Divide by the largest degree."
        )
        self.rescale.clicked.connect(self._on_rescale)
        self.view = DistributionView(app.errors.report, self.rescale)
        self._task = LatestTask(self, self._on_found, self._on_failed)
        vbox(self, self.view, margins=(16, 10, 16, 8))

    def show_data(self, data: DataSet) -> None:
        """Compute the degrees of `data` unless they are shown already."""
        wanted = (data, self.rescale.isChecked())
        if self._asked is not None and self._asked[0] is data and self._asked[1] == wanted[1]:
            return
        self._asked = wanted
        rescaled = wanted[1]

        def find(cancel: CancelToken) -> ShownDistribution:
            return data_distribution(data, cancel, rescaled=rescaled)

        self._task.ask(find)

    def _on_rescale(self) -> None:
        self.show_data(self._app.project.data[self._data_id].data)

    def _on_found(self, shown: ShownDistribution) -> None:
        before, alpha = self.view.shown, self.view.alpha
        if before is not None and before.tuples.top > 0:  # the same cut on another scale
            alpha *= shown.tuples.top / before.tuples.top
        self.view.show_distribution(shown, alpha)

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, PgmStudioError):
            self.view.show_problem(str(error))
        else:
            self._app.errors.report(error)
