"""Labelled graphs opened in a window, for walks, scenes and tests."""

from __future__ import annotations

from functools import partial

import numpy as np

from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.ldag.scores import PartitionScore, label_cost
from pgmstudio.core.project.edits import add_data, add_model
from pgmstudio.core.project.project import DataEntry, ModelEntry
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.model_page.page import ModelPage
from pgmstudio.gui.navigation import open_model_page
from tests.labelled_dags import coronary

EDGE = ("Mental work", "Proteins")


def add_labelled(app: AppContext, model: LabelledDag | None = None, rows: int = 300) -> str:
    """The graph with rows drawn from it as a model of the project."""
    model = coronary() if model is None else model
    data_id = app.project.next_data_id()
    data = model.sample(rows, np.random.default_rng(1))
    label_cost(model, data, PartitionScore())  # compiled here, not in a thread that a test leaves
    entry = DataEntry("coronary", data)
    app.change("Add rows", partial(add_data, entry=entry))
    model_id = app.project.next_model_id()
    made = ModelEntry("Coronary LDAG", model, data_id=data_id)
    app.change("Add graph", partial(add_model, entry=made))
    return model_id


def open_labelled(app: AppContext, model: LabelledDag | None = None, rows: int = 300) -> ModelPage:
    """The same with its page in front."""
    open_model_page(app, add_labelled(app, model, rows))
    page = app.center.current
    assert isinstance(page, ModelPage)
    return page
