"""The page of a possibilistic network: the bar of its α-cut, and a warning of its scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QWidget

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.tuple_degrees import TupleDegrees, kept_at
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.inference.base import as_seen, weights_of
from pgmstudio.core.inference.join_tree import combine
from pgmstudio.core.languages.possibilistic_network.model import PossibilisticNetwork
from pgmstudio.core.number_format import grouped
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.possibilistic_network.alpha import AlphaBar, alpha_cuts
from pgmstudio.gui.model_page.extension import PageExtension

if TYPE_CHECKING:
    from pgmstudio.gui.model_page.page import ModelPage


class PossibilisticExtension(PageExtension):
    """States below α are struck out in the nodes, and the bar counts what is left."""

    no_edges_reason = "edges are drawn in the diagram Possibilistic network."

    def __init__(self, page: ModelPage) -> None:
        super().__init__(page)
        self._cuts = alpha_cuts(page.app)
        self._cuts.changed.connect(self._on_cut)
        self.bar = AlphaBar()
        self.bar.slider.changed.connect(self._on_slider)
        self.bar.relation_requested.connect(self._on_relation)
        self._tuples: tuple[PossibilisticNetwork, TupleDegrees | None] | None = None
        self._task = LatestTask(self, self._on_tuples, page.app.errors.report)

    @property
    def above(self) -> Sequence[QWidget]:
        return (self.bar,)

    @property
    def cut(self) -> float:
        """As nodes show it: divided by Π(e) where degrees are."""
        live, alpha = self._page.asking.live, self._cuts.alpha(self._model_id)
        return alpha / 2**live.log2_evidence if live.is_relative else alpha

    def open_diagram(self, diagram: str) -> str:
        self.bar.setVisible(diagram == self.first_diagram)
        return diagram

    def update_beliefs(self) -> None:
        model = self._page.entry.model
        assert isinstance(model, PossibilisticNetwork)
        if self._tuples is None or self._tuples[0] is not model:
            self._tuples = (model, None)

            def find(_cancel: CancelToken) -> tuple[PossibilisticNetwork, TupleDegrees | None]:
                try:
                    return model, model.tuple_degrees()
                except PgmStudioError:  # too many to count those above α
                    return model, None

            self._task.ask(find)
        self._show()

    def _on_tuples(self, result: tuple[PossibilisticNetwork, TupleDegrees | None]) -> None:
        self._tuples = result
        self._show()

    def _show(self) -> None:
        live = self._page.asking.live
        beliefs = list(live.beliefs.values())
        alpha = self._cuts.alpha(self._model_id)
        kept = sum(int(kept_at(np.asarray(b), self.cut).sum()) for b in beliefs)
        states = sum(len(b) for b in beliefs)
        degrees = self._degrees()
        tuples = ""
        if alpha and degrees is not None:
            possible = int((degrees > 0).sum())
            tuples = f"{grouped(int(kept_at(degrees, alpha).sum()))} of {grouped(possible)} tuples"
        # The slider keeps its range while evidence changes.
        self.bar.show_cut(alpha, live.largest_degree, (kept, states), tuples)

    def _degrees(self) -> Floats | None:
        """Those of all tuples with the evidence; None where they are not listed."""
        listed = None if self._tuples is None else self._tuples[1]
        if listed is None or self._tuples is None:
            return None
        model, degrees = self._tuples[0], listed.degrees
        for name, finding in self._page.asking.live.evidence.items():
            if name in model.domain:
                weights = weights_of(model.domain[name], as_seen(finding))
                codes = listed.tuples[model.domain.index(name)]
                degrees = combine(model.norm, degrees, weights[codes])
        return degrees

    def _on_slider(self, alpha: float) -> None:
        self._cuts.choose(self._model_id, alpha)

    def _on_cut(self, model_id: str) -> None:
        if model_id == self._model_id:
            self._page.refresh_nodes()
            self._page.canvas.refresh_soon()

    def _on_relation(self) -> None:
        from pgmstudio.gui.languages.possibilistic_network.distribution_page import (
            open_distribution,
        )

        open_distribution(self._app, self._model_id)

    def stop(self) -> None:
        self._task.forget()
