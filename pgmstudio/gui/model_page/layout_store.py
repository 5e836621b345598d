"""Where the nodes of a page's pictures are: kept in the project, found before, or not known yet."""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.core.drawing.diagram import GraphPicture, Point
from pgmstudio.core.languages.diagrams import picture_names
from pgmstudio.core.languages.tree_mixture.diagrams import PARTITION
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.layout_worker import Placed, follow_renames, placed_beside
from pgmstudio.gui.canvas.node_geometry import face_size
from pgmstudio.gui.canvas.node_view import NodeView
from pgmstudio.gui.languages.tree_mixture.small_multiples import SIDE_BY_SIDE

LATENT = "latent"
# Pictures of a mixture that have places of their own; the others share those of the overlay.
OWN_PLACES = frozenset({LATENT, PARTITION})


def pictures_that_stay(model: Model) -> set[str]:
    """Pictures that stay when the mixture is another one and still has them."""
    return {SIDE_BY_SIDE, *OWN_PLACES} & {*picture_names(model)}


def sizes_of(picture: GraphPicture, faces: Mapping[str, NodeView]) -> dict[str, Point]:
    """How wide and high every node is with its face."""
    return {node.id: face_size(node, faces[node.id]) for node in picture.nodes}


class KnownLocations:
    """Of one model, by picture; those kept in the project go before those found here."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Point]] = {}

    def places(
        self, name: str, entry: ModelEntry, picture: GraphPicture, sizes: Mapping[str, Point]
    ) -> dict[str, Point] | None:
        """Of every node, new ones beside the others; None when most have none."""
        known = {**self._found.get(name, {}), **entry.layouts.get(name, {})}
        here = {i: known[i] for i in picture.ids if i in known}
        if len(here) * 2 < len(picture.ids):
            return None
        if len(here) < len(picture.ids):
            here = placed_beside(picture, here, sizes)
            self._found[name] = {**known, **here}
        return here

    def keep(self, placed: Placed) -> None:
        self._found[placed.picture_name] = dict(placed.positions)

    def follow(self, before: Model, after: Model) -> None:
        """Variables have other names now; their places stay."""
        follow_renames(self._found, before.domain.names, after.domain.names)
