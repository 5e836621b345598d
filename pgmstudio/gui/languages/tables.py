"""The tables of a model, as the table panel shows and edits them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.model import Model
from pgmstudio.core.project.model_edits import EditableTables, set_table
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext

Edit = Callable[[Project], Project]


class TableSource(QObject):
    """The conditional probability tables of a model that is a Bayesian network.

    A language whose models hold tables of another kind overrides this.
    """

    changed = Signal()  # other tables are shown of the same model

    no_table_text = "Select one variable, or an edge, to see and edit its table."
    # Whether the rows behind a table are unknown because they belong to components.
    is_of_components = False

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app

    def network(self, model_id: str, model: Model) -> BayesianNetwork | None:
        """The network whose tables are shown; None for none."""
        return as_network(model)

    def title_suffix(self, model_id: str, model: Model) -> str:
        """What follows “Table of X”, such as “ in tree 2”."""
        return ""

    def is_editable(self, model: Model) -> bool:
        return isinstance(model, EditableTables)

    def edit(self, model_id: str, variable: str, table: NDArray[np.float64]) -> Edit:
        """The undoable edit that gives a variable this table."""
        return partial(set_table, model_id=model_id, variable=variable, table=table)
