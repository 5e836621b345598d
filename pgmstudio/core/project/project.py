"""A project: data, models, knowledge, evidence scenarios and runs, as one frozen value.

Entries have short ids (`d1`, `m1`, `r1`) that others refer to; titles are for people and may be
equal. An edit (`edits.py`, `model_edits.py`) returns a new project that shares the unchanged parts,
so whether something changed is a comparison of identities. Parameters of runs are plain values that
can be written into a file.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import Cuts
from pgmstudio.core.data.resampling import Split
from pgmstudio.core.errors import UnknownNameError, named
from pgmstudio.core.graphs.background_knowledge import Edge, Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.model import Model
from pgmstudio.core.project.file_properties import Properties


def plain(value: Any) -> Any:
    """Texts, numbers, lists and dicts with the same content; TypeError for anything else.

    Numbers that are not finite become texts ("inf"), since JSON has none.
    """
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(entry) for entry in value), key=repr)
    raise TypeError(f"{type(value).__name__} is no plain value; a file could not hold it")


def file_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for a file; a model or rules among them are replaced by the name of their type."""
    payload = {}
    for name, value in parameters.items():
        try:
            payload[name] = plain(value)
        except TypeError:
            payload[name] = type(value).__name__
    return payload


def plain_params(params: Any, models: Mapping[str, Model]) -> dict[str, Any]:
    """The parameters of a run as plain values; a model of the project becomes its id."""
    return {
        declared.name: _plain_param(getattr(params, declared.name), models)
        for declared in dataclasses.fields(params)
    }


def _plain_param(value: Any, models: Mapping[str, Model]) -> Any:
    if isinstance(value, Knowledge):
        return {
            "required": plain(value.required),
            "forbidden": plain(value.forbidden),
            "tiers": plain(value.tiers),
            "closed_tiers": plain(value.closed_tiers),
        }
    if isinstance(value, EdgePrices):
        return {"prices": plain(value.prices)}
    if isinstance(value, Model):
        return {"model": next((key for key, model in models.items() if model is value), None)}
    return plain(value)


def restored_params(recorded: Mapping[str, Any], models: Mapping[str, Model]) -> dict[str, Any]:
    """What `plain_params` made, ready for `parse_params`, with knowledge, prices and models."""
    return {name: _restored(value, models) for name, value in recorded.items()}


def _restored(value: Any, models: Mapping[str, Model]) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "model" in value:
        if value["model"] not in models:
            raise UnknownNameError("model", str(value["model"]), models)
        return models[value["model"]]
    if "prices" in value:
        return EdgePrices(tuple((one, other, price) for one, other, price in value["prices"]))
    return Knowledge(
        frozenset((source, target) for source, target in value["required"]),
        frozenset((source, target) for source, target in value["forbidden"]),
        tuple(tuple(tier) for tier in value["tiers"]),
        frozenset(value["closed_tiers"]),
    )


Point = tuple[float, float]
Layout = Mapping[str, Point]


@dataclass(frozen=True, eq=False)
class DataEntry:
    """A data set with where it came from and how it was cut and split."""

    name: str
    data: DataSet
    source: str = ""  # the name of the file
    cuts: Mapping[str, Cuts] = field(default_factory=dict)
    missing_markers: tuple[str, ...] = ()
    split: Split | None = None
    notes: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "provenance", plain(self.provenance))


def rows_in_memory(project: Project) -> dict[str, DataEntry]:
    """The data sets without those whose rows stay in a file."""
    return {
        key: entry for key, entry in project.data.items() if not isinstance(entry.data, ChunkedData)
    }


@dataclass(frozen=True, eq=False)
class ModelEntry:
    """A model with how it is shown, what was noted about it and which run made it."""

    title: str
    model: Model
    data_id: str | None = None
    run_id: str | None = None
    is_edited: bool = False  # by hand, since it was learned or opened
    layouts: Mapping[str, Layout] = field(default_factory=dict)  # by the name of the picture
    display_modes: Mapping[str, str] = field(default_factory=dict)  # by node
    node_titles: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""
    node_notes: Mapping[str, str] = field(default_factory=dict)
    edge_notes: Mapping[Edge, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    properties: Properties = field(default_factory=Properties)  # of the file it was opened from

    def __post_init__(self) -> None:
        object.__setattr__(self, "provenance", plain(self.provenance))


class Outcome(Enum):
    """How a run ended."""

    FINISHED = "finished"
    STOPPED = "stopped"  # by the user; the results so far are saved
    FAILED = "failed"


@dataclass(frozen=True, eq=False)
class Run:
    """All that is needed to run a learner again and get the same model, and what came out."""

    learner: str  # its key; an unknown one is preserved
    params: Mapping[str, Any]
    seed: int
    data_fingerprint: str
    program_version: str
    outcome: Outcome
    title: str = ""
    data_id: str | None = None
    model_id: str | None = None
    seconds: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    trace: tuple[Point, ...] = ()  # (seconds or step, score)
    messages: tuple[str, ...] = ()
    artifacts: Mapping[str, Any] = field(default_factory=dict)  # plain, by their kind

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", plain(self.params))
        numbers = {name: float(number) for name, number in self.measures.items()}
        object.__setattr__(self, "measures", numbers)
        trace = tuple((float(x), float(y)) for x, y in self.trace)
        object.__setattr__(self, "trace", trace)


@dataclass(frozen=True, eq=False)
class EvidenceCase:
    """Evidence under a name, for one model or, with None, for any that has the variables."""

    evidence: Mapping[str, Finding]
    model_id: str | None = None


@dataclass(frozen=True, eq=False)
class CurveEntry:
    """Points of SL-curves, each with the entries of the command line's JSON.

    `setup` holds how they are made: the plan, the choice of rows, where it runs. `folder` holds the
    points and their models as they come, `pinned` are keys of points.
    """

    title: str
    points: tuple[Mapping[str, Any], ...]
    data_id: str | None = None
    setup: Mapping[str, Any] = field(default_factory=dict)
    folder: str = ""
    pinned: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(map(plain, self.points)))
        object.__setattr__(self, "setup", plain(self.setup))


@dataclass(frozen=True, eq=False)
class ComparisonEntry:
    """Models to be compared on the same rows."""

    title: str
    model_ids: tuple[str, ...]
    data_id: str | None = None


@dataclass(frozen=True, eq=False)
class UnknownModel:
    """A model in a language this version does not know, preserved as it was read."""

    title: str
    kind: str
    entry: Mapping[str, Any]
    document: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class UnknownContent:
    """What a file held that means nothing here; it is written back."""

    models: Mapping[str, UnknownModel] = field(default_factory=dict)
    entries: Mapping[str, Any] = field(default_factory=dict)  # of project.json
    members: Mapping[str, bytes] = field(default_factory=dict)  # files in the project file


@dataclass(frozen=True, eq=False)
class Project:
    """Everything a person works on together."""

    title: str = ""
    notes: str = ""
    data: Mapping[str, DataEntry] = field(default_factory=dict)
    models: Mapping[str, ModelEntry] = field(default_factory=dict)
    knowledge: Knowledge = field(default_factory=Knowledge)
    edge_prices: EdgePrices = field(default_factory=EdgePrices)
    evidence_cases: Mapping[str, EvidenceCase] = field(default_factory=dict)  # by name
    runs: Mapping[str, Run] = field(default_factory=dict)
    curves: Mapping[str, CurveEntry] = field(default_factory=dict)
    comparisons: Mapping[str, ComparisonEntry] = field(default_factory=dict)
    unknown: UnknownContent = field(default_factory=UnknownContent)

    def next_data_id(self) -> str:
        """The id that the next data set will get."""
        return _next_id("d", self.data)

    def next_model_id(self) -> str:
        """The id that the next model will get."""
        return _next_id("m", {*self.models, *self.unknown.models})

    def next_run_id(self) -> str:
        """The id that the next run will get."""
        return _next_id("r", self.runs)

    def next_curve_id(self) -> str:
        """The id that the next SL-curves will get."""
        return _next_id("c", self.curves)

    def next_comparison_id(self) -> str:
        """The id that the next comparison will get."""
        return _next_id("p", self.comparisons)

    def data_entry(self, data_id: str) -> DataEntry:
        """The data set; UnknownNameError when there is none."""
        return named("data set", data_id, self.data)

    def model_entry(self, model_id: str) -> ModelEntry:
        """The model; UnknownNameError when there is none."""
        return named("model", model_id, self.models)

    def is_stale(self, model_id: str) -> bool:
        """Whether the rows a model was learned from have changed since, or are gone."""
        entry = self.model_entry(model_id)
        run = self.runs.get(entry.run_id or "")
        if run is None:
            return False
        data = self.data.get(run.data_id or "")
        return data is None or run.data_fingerprint not in fingerprints(data)


def most_similar_model(models: Mapping[str, ModelEntry], key: str) -> str | None:
    """The other model that shares most variables with this one; of several the newest."""
    names = set(models[key].model.domain.names)
    others = [other for other in models if other != key]
    shared = {other: len(names.intersection(models[other].model.domain.names)) for other in others}
    return max(reversed(others), key=shared.__getitem__, default=None)


def without_loose_references(project: Project) -> Project:
    """The project without references to data, models and runs that it does not have."""
    data, runs = project.data, project.runs
    models = {*project.models, *project.unknown.models}

    def known(key: str | None, there: Collection[str]) -> str | None:
        return key if key in there else None

    return replace(
        project,
        models={
            key: replace(e, data_id=known(e.data_id, data), run_id=known(e.run_id, runs))
            for key, e in project.models.items()
        },
        evidence_cases={
            key: replace(case, model_id=known(case.model_id, models))
            for key, case in project.evidence_cases.items()
        },
        runs={
            key: replace(r, data_id=known(r.data_id, data), model_id=known(r.model_id, models))
            for key, r in runs.items()
        },
        curves={
            key: replace(e, data_id=known(e.data_id, data)) for key, e in project.curves.items()
        },
        comparisons={
            key: replace(
                e,
                data_id=known(e.data_id, data),
                model_ids=tuple(model for model in e.model_ids if model in models),
            )
            for key, e in project.comparisons.items()
        },
    )


def fingerprints(entry: DataEntry) -> frozenset[str]:
    """Those of all rows and, where the split is still that of the rows, of its parts."""
    whole = entry.data.fingerprint
    if entry.split is None or not entry.split.is_for(entry.data):
        return frozenset({whole})
    return frozenset({whole, *entry.split.part_fingerprints})


def _next_id(letter: str, taken: Collection[str]) -> str:
    number = 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"
