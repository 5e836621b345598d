"""Names of nodes at a middle distance: how large their letters are, and how wide their boxes.

Boxes around names alone are as wide as the name at 100 %: their letters are nearly of one size, and
they get a little wider for them. Boxes of bars have about one width, so longer names are smaller.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF

from pgmstudio.gui.views.canvas_fonts import canvas_metrics, metrics_of_height
from pgmstudio.gui.views.node_face import NodeFace

# Names keep about this height on screen while the boxes around them shrink.
IN_BOX_OF_BARS, LEAST_IN_BOX_OF_BARS = 10.5, 7.0
IN_BOX_OF_ITS_OWN, LEAST_PART = 9.5, 0.85
INSET, MOST_WIDER = 3.0, 7.0
_PART_OF_HEIGHT = 0.7


def name_room(box: QRectF) -> QRectF:
    """Where in a box its name stands."""
    return box.adjusted(INSET, 1, -INSET, -1)


def name_pixels(face: NodeFace, box: QRectF, zoom: float) -> int:
    """The height of the letters in scene px."""
    room = name_room(box)
    high = room.height() * _PART_OF_HEIGHT
    if face.shows_rows:
        most, wide = min(IN_BOX_OF_BARS / zoom, high), room.width()
        least = min(most, LEAST_IN_BOX_OF_BARS / zoom)
    else:
        most, wide = min(IN_BOX_OF_ITS_OWN / zoom, high), room.width() + 2 * MOST_WIDER
        least = most * LEAST_PART
    title = canvas_metrics("dense", "medium").horizontalAdvance(shown_name(face))
    return int(max(min(most, 12 * wide / max(title, 1.0)), least))


def named_box(face: NodeFace, box: QRectF, pixels: int) -> QRectF:
    """The box, wider where the name alone in it needs that; at most as far as nodes have room."""
    if face.shows_rows:
        return box
    needed = metrics_of_height(pixels).horizontalAdvance(shown_name(face)) + 2 * INSET + 1
    more = min(MOST_WIDER, max(0.0, (needed - box.width()) / 2))
    return box.adjusted(-more, 0, more, 0)


def shown_name(face: NodeFace) -> str:
    """The title in one line."""
    return face.title.replace("\n", " ")
