"""Conversions of a labelled DAG."""

from __future__ import annotations

from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.ldag.labels import labelled_from_rows
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.model import Model


def labelled_through_network(model: Model) -> LabelledDag:
    """The model's network, with labels where a parent changes no row."""
    return labelled_from_rows(through_network(model))


def plain_labelled(model: Model) -> LabelledDag | None:
    """The model if it is itself a labelled DAG; None otherwise."""
    return model if isinstance(model, LabelledDag) else None
