"""The parts of a model's sizes: parameters per variable, table cells per clique."""

from __future__ import annotations

from dataclasses import dataclass

from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.model import Model


@dataclass(frozen=True, slots=True)
class FamilySize:
    """One table: (|R(X)| − 1) free parameters in each of its Π|R(pa)| rows (eq. 3.21)."""

    variable: str
    parents: tuple[str, ...]
    rows: int
    free: int


@dataclass(frozen=True, slots=True)
class CliqueSize:
    """One clique with the cells of its table, Π|R(X)| (eq. 3.20)."""

    variables: tuple[str, ...]
    cells: int


@dataclass(frozen=True)
class SizeBreakdown:
    """Both lists in the order of the model; empty where a language has no such thing.

    Their sums are `representation_size()` and `effective_size()`, the latter for the triangulation
    used, whose method is named: another one may give another number.
    """

    families: tuple[FamilySize, ...] = ()
    cliques: tuple[CliqueSize, ...] = ()
    triangulator: str = ""


def size_breakdown(model: Model) -> SizeBreakdown:
    """Takes as long as triangulating the graph, once per model."""
    row = LANGUAGES.get(model.kind)
    if row is None or row.size_breakdown is None:
        return SizeBreakdown()
    breakdown: SizeBreakdown = row.size_breakdown.load()(model)
    return breakdown
