"""The registry row of Bayesian networks in the window."""

from __future__ import annotations

from pgmstudio.core.languages.base import Lazy
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind

VIEW = LanguageView(
    kind="bayesian-network",
    inspector_sections={
        SubjectKind.TABLE: (Lazy("pgmstudio.gui.languages.ldag.similar_rows:SimilarRowsSection"),)
    },
)
