"""Markers of models by their language and learner, from the registry."""

from __future__ import annotations

from pgmstudio.core.drawing.markers import NEUTRAL, Marker
from pgmstudio.core.languages.registry import LANGUAGES


def marker_family(kind: str, learner: object = "") -> str:
    """The key for `language_marker` of models of this kind: the learner if it has its own marker,
    else the kind."""
    row = LANGUAGES.get(kind)
    return str(learner) if row is not None and learner in row.learner_markers else kind


def language_marker(family: str) -> Marker:
    """The marker of a family; the neutral one if its language is not installed."""
    for row in LANGUAGES.values():
        if family == row.kind:
            return row.marker
        if family in row.learner_markers:
            return row.learner_markers[family]
    return NEUTRAL
