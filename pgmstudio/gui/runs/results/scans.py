"""Content of scans: runs that save a model for each value of a setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from pgmstudio.core.model import Model
from pgmstudio.core.number_format import counted, decimal
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.runs.results.content import (
    ModelOpening,
    ResultContent,
    ResultState,
    ResultTable,
    ResultView,
)
from pgmstudio.gui.runs.results.fields import ResultField
from pgmstudio.gui.widgets.table import Column

# Columns that several scans have.
TRAINING = Column("Training ↑", decimal, True, tip="Bits per row; higher is better.")
BIC = Column("BIC ↑", decimal, True, tip="Bits per row, ½ log2 N off for every parameter.")
AIC = Column("AIC ↑", decimal, True, tip="Bits per row, log2 e off for every parameter.")
HELD_OUT = Column("Held-out ↑", decimal, True, tip="Bits per row of held-out data.")


class ScanPoint(Protocol):
    """One of the models of a scan."""

    def value(self, criterion: str) -> float: ...


P = TypeVar("P", bound=ScanPoint)
P_co = TypeVar("P_co", bound=ScanPoint, covariant=True)


class Scan(Protocol[P_co]):
    """The models of a run and by what the best of them was chosen."""

    @property
    def criterion(self) -> str: ...

    @property
    def points(self) -> tuple[P_co, ...]: ...

    def best(self) -> P_co: ...


def scan_content(
    scan: Scan[P],
    *,
    view: ResultView,
    columns: Sequence[Column],
    row: Callable[[P], tuple[Any, ...]],
    point_text: Callable[[P], str],
    table_title: str,
    unit: str = "model",
    fields: tuple[ResultField, ...] = (),
    opening: ModelOpening | None = None,
    digits: int = 3,
    value_unit: str = "bits per row",
) -> ResultContent | None:
    """A plot and a table with a row for each point; the best point is selected first."""
    if not scan.points:
        return None
    best = scan.best()
    value = best.value(scan.criterion)
    value_text = decimal(value if math.isfinite(value) else None, digits)
    return ResultContent(
        facts=f"{counted(len(scan.points), unit)} · best by {scan.criterion}: "
        f"{point_text(best)}, {value_text} {value_unit}",
        fields=fields,
        view=view,
        tables=(
            ResultTable(
                "table",
                table_title,
                columns,
                [row(point) for point in scan.points],
                best=scan.points.index(best),
            ),
        ),
        opening=opening,
    )


def opening_of_point(
    scan: Scan[P],
    state: ResultState,
    about: Callable[[P], tuple[Model | None, str, Mapping[str, Any]]],
    *,
    icon: str,
    tip: str,
    missing: str,
) -> ModelOpening:
    """How the model of the selected point is opened.

    `about` gives the model of a point, what distinguishes it from the others, and its provenance;
    `missing` is the reason where the model was too large to be saved.
    """
    if state.row is None or state.row >= len(scan.points):
        return ModelOpening(icon=icon, tip=tip, refusal="select a model first.")
    model, text, provenance = about(scan.points[state.row])
    if model is None:
        return ModelOpening(icon=icon, tip=tip, refusal=missing)
    title = f"{state.run_title}, {text}"
    entry = ModelEntry(title, model, data_id=state.data_id, provenance=provenance)
    return ModelOpening(icon=icon, tip=tip, entry=lambda: entry)
