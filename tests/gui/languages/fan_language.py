"""A model language made only for tests: every variable depends on the first one.

It stands for the language of a plug-in: the program knows it through its registry rows alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QLabel, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.drawing.diagram import GraphPicture, PictureEdge, PictureNode
from pgmstudio.core.drawing.markers import Marker
from pgmstudio.core.inference.base import Belief, Finding, Scale, weights_of
from pgmstudio.core.languages.base import Diagram, Language, Lazy
from pgmstudio.core.languages.codec import (
    TABLE,
    Codec,
    Reading,
    by_variable,
    object_schema,
    read_rows,
)
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.active_model import ActiveModel
from pgmstudio.gui.languages.registry import LanguageView, SubjectKind
from pgmstudio.gui.model_page.extension import PageExtension

Floats = NDArray[np.float64]
KIND = "fan"
HERE = __name__


@dataclass(frozen=True, eq=False)
class Fan:
    """P(first) · Π P(other | first); the first table has one row."""

    domain: Domain
    tables: tuple[Floats, ...]

    @property
    def kind(self) -> str:
        return KIND

    def representation_size(self) -> int:
        return sum(table.shape[0] * (table.shape[1] - 1) for table in self.tables)

    def effective_size(self) -> int:
        return sum(table.size for table in self.tables)

    def log2_probabilities(self, data: DataSet) -> Floats:
        first = data.codes[0]
        total = np.log2(self.tables[0][0, first])
        for code, table in zip(data.codes[1:], self.tables[1:], strict=True):
            total = total + np.log2(table[first, code])
        return np.asarray(total)

    def sample(self, count: int, rng: np.random.Generator) -> DataSet:
        first = rng.choice(self.tables[0].shape[1], count, p=self.tables[0][0])
        columns = [first]
        for table in self.tables[1:]:
            columns.append(np.array([rng.choice(table.shape[1], p=table[k]) for k in first]))
        return DataSet(self.domain, np.array(columns, dtype=np.uint8), None)


class FanSession:
    """Beliefs by summing over the states of the first variable."""

    def __init__(self, model: Fan) -> None:
        self._model = model
        self._evidence: dict[str, Finding] = {}

    @property
    def evidence(self) -> Mapping[str, Finding]:
        return dict(self._evidence)

    def set_evidence(self, variable: str, finding: Finding) -> None:
        self._evidence[variable] = finding

    def retract(self, variable: str) -> None:
        self._evidence.pop(variable, None)

    def retract_all(self) -> None:
        self._evidence.clear()

    def _weights(self, index: int) -> Floats:
        variable = self._model.domain.variables[index]
        finding = self._evidence.get(variable.name)
        return np.ones(variable.cardinality) if finding is None else weights_of(variable, finding)

    def _joint(self, index: int) -> Floats:
        """P(variable, evidence), one number per state."""
        tables = self._model.tables
        first = tables[0][0] * self._weights(0)
        for other in range(1, len(tables)):
            if other != index:
                first = first * (tables[other] @ self._weights(other))
        return first if index == 0 else (first @ tables[index]) * self._weights(index)

    def belief(self, variable: str) -> Belief:
        joint = self._joint(self._model.domain.index(variable))
        return Belief(variable, Scale.PROBABILITY, joint / joint.sum())

    def log2_evidence(self) -> float:
        return math.log2(float(self._joint(0).sum()))


def fan_diagram(model: Fan) -> GraphPicture:
    names = model.domain.names
    nodes = tuple(PictureNode(name, name, variable=name) for name in names)
    return GraphPicture(nodes, tuple(PictureEdge(names[0], name) for name in names[1:]))


def _encode(model: Fan) -> tuple[dict[str, Any], dict[str, Any]]:
    names = model.domain.names
    return {}, {"tables": {n: t.tolist() for n, t in zip(names, model.tables, strict=True)}}


def _decode(reading: Reading) -> Fan:
    first, listed = reading.domain.variables[0], reading.parameters["tables"]
    tables = [
        read_rows(reading, listed[variable.name], variable, [] if variable is first else [first])
        for variable in reading.domain
    ]
    return Fan(reading.domain, tuple(tables))


CODEC = Codec(
    _encode,
    _decode,
    {"structure": object_schema(), "parameters": object_schema(tables=by_variable(TABLE))},
)
LANGUAGE = Language(
    kind=KIND,
    title="Fan",
    short_title="Fan",
    marker=Marker("+", "yellow", "ph.wind"),
    model_type=Lazy(f"{HERE}:Fan"),
    session=Lazy(f"{HERE}:FanSession"),
    codec=Lazy(f"{HERE}:CODEC"),
    diagrams=(
        Diagram(
            "fan",
            Lazy(f"{HERE}:fan_diagram"),
            title="Fan",
            description="The first variable and those that depend on it.",
        ),
    ),
)


# -- what such a plug-in may add to the window


class FanExtension(PageExtension):
    """A line above the canvas."""

    @property
    def above(self) -> tuple[QWidget, ...]:
        banner = QLabel(f"Everything depends on {self._page.entry.model.domain.names[0]}.")
        banner.setObjectName("fanBanner")
        return (banner,)


class FanSection(QLabel):
    """A section of the inspector with the first variable."""

    def __init__(self, _app: AppContext) -> None:
        super().__init__()
        self.setObjectName("fanSection")

    def show_subject(self, subject: ActiveModel, _names: tuple[str, ...]) -> None:
        self.setText(f"First: {subject.model.domain.names[0]}")
        self.show()


VIEW = LanguageView(
    kind=KIND,
    extend_page=Lazy(f"{HERE}:FanExtension"),
    inspector_sections={SubjectKind.MODEL: (Lazy(f"{HERE}:FanSection"),)},
)
