"""The diagram that only the window has: it is drawn on a canvas for each state of a variable."""

from __future__ import annotations

from pgmstudio.core.languages.base import Diagram, Lazy

MULTINET_DIAGRAM = Diagram(
    "multinet",
    Lazy("pgmstudio.core.languages.ldag.diagrams:labelled_picture"),
    title="Multinet",
    description="A small graph for each state of a variable, with the same positions.",
)
