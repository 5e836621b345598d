"""The diagram of a latent class model: the class in the middle of a star."""

from __future__ import annotations

from pgmstudio.core.drawing.diagram import (
    GraphPicture,
    NodeShape,
    PictureEdge,
    PictureNode,
    Strand,
)
from pgmstudio.core.drawing.strands import strand_width
from pgmstudio.core.languages.components import choice_information
from pgmstudio.core.languages.latent_class.model import LatentClasses


def star_picture(model: LatentClasses) -> GraphPicture:
    """The hidden class in the middle, the items around it by falling mutual information."""
    bits = choice_information(model)
    root = PictureNode(model.hidden, model.hidden, NodeShape.DOUBLE, variable=model.hidden)
    items = tuple(PictureNode(name, name, variable=name) for name in bits)
    edges = tuple(
        PictureEdge(
            model.hidden, name, strands=(Strand(strand_width(value), None, f"{value:.3f} bits"),)
        )
        for name, value in bits.items()
    )
    return GraphPicture(
        (root, *items),
        edges,
        method="star",
        width_label="width = mutual information with the class",
    )
