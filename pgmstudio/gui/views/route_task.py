"""Finding the ways of all edges as a task; nothing of the window, so a child process can run it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pgmstudio.core.pictures.picture import GraphPicture, PictureEdge, Point, Size
from pgmstudio.core.pictures.routes import EdgeRoute, edge_route
from pgmstudio.core.processes import in_process
from pgmstudio.core.running import CancelToken

Edge = tuple[str, str]
# From here on it takes so long that a thread would be felt in the window.
PROCESS_FROM = 500


@dataclass(frozen=True, slots=True)
class Routing:
    """The ways of all edges of a picture, as a task that a child process can run too."""

    picture: GraphPicture
    positions: dict[str, Point]
    sizes: dict[str, Size]

    def routes(self, edges: Sequence[PictureEdge] | None = None) -> dict[Edge, EdgeRoute]:
        """By their ends; of all edges or of the given."""
        chosen = self.picture.edges if edges is None else edges
        found = edge_route(self.picture, self.positions, self.sizes, chosen)
        return {(e.source, e.target): route for e, route in zip(chosen, found, strict=True)}

    def __call__(self, cancel: CancelToken, /) -> Iterator[dict[Edge, EdgeRoute]]:
        cancel.raise_if_cancelled()
        yield self.routes()

    def answer(self, cancel: CancelToken) -> dict[Edge, EdgeRoute]:
        """For a worker; where it takes seconds, a process keeps the window quick meanwhile."""
        if len(self.picture.edges) < PROCESS_FROM:
            return self.routes()
        return next(in_process(self, cancel))
