"""How large the boxes of nodes are, in px at 100 %, without asking a font.

Text widths are estimates on the safe side: a box that is a little wide looks better than a title
that runs over its edge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pgmstudio.core.pictures.picture import GraphPicture, PictureNode, Size

NARROWEST, WIDEST = 136.0, 168.0
HEAD = 23.0  # title line of a box with state rows
ROW = 17.0
FOOT = 6.0  # air around the state rows
LINE = 16.0  # one line of a box that holds only its label
MOST_ROWS = 6
LEAST_BAR = 60.0

_NARROW = frozenset("ijlftrI|.,:;'!()[] ")
_BROAD = frozenset("mwMW@%—…")


def _ems(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _BROAD:
        return 0.96
    return 0.72 if character.isupper() else 0.62


def text_width(text: str, size_px: float) -> float:
    """About how wide `text` is in a sans serif of this size."""
    return sum(map(_ems, text)) * size_px


def elided(text: str, size_px: float, width: float) -> str:
    """`text`, its middle replaced by … when it would be wider than `width`."""
    if text_width(text, size_px) <= width:
        return text
    for kept in range(len(text) - 1, 1, -1):
        shorter = f"{text[: (kept + 1) // 2]}…{text[len(text) - kept // 2 :]}"
        if text_width(shorter, size_px) <= width:
            return shorter
    return text[:1] + "…"


def row_count(states: int) -> int:
    """State rows of a node: all states, or from seven on the five largest and a row “n more”."""
    return min(states, MOST_ROWS)


def box_size(node: PictureNode, states: Collection[str] = ()) -> Size:
    """The box of a node; without states it holds only its label."""
    lines = node.label.split("\n")
    wanted = max(text_width(line, 12) for line in lines) + 20
    if states:
        wanted = max(wanted, max(text_width(state, 11) for state in states) + LEAST_BAR + 56)
    width = float(round(min(max(wanted, NARROWEST), WIDEST)))
    if states:
        return width, HEAD + ROW * row_count(len(states)) + FOOT
    return width, LINE * len(lines) + 12


def box_sizes(
    picture: GraphPicture, states: Mapping[str, Collection[str]] | None = None
) -> dict[str, Size]:
    """Boxes by node id; nodes of the variables in `states` have room for a row per state."""
    states = states or {}
    return {node.id: box_size(node, states.get(node.variable or "", ())) for node in picture.nodes}
