"""The diagram of independent variables: nodes without edges."""

from __future__ import annotations

from pgmstudio.core.drawing.diagram import GraphPicture, variable_nodes
from tests.contracts.stub_language.model import IndependentVariables


def nodes_picture(model: IndependentVariables) -> GraphPicture:
    return GraphPicture(variable_nodes(model.domain.names), ())
