"""The settings of an import as a frozen value: reading options, columns, bins and split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.discretization import Discretisation
from pgmstudio.core.data.resampling import Split, split, split_by_column
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.data.inspection import ColumnReport, FileReport, Treatment
from pgmstudio.core.io.data.options import DEFAULT_MARKERS, ImportOptions

BINS = 4
BY_HAND = "cuts"


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How the rows will be split; sizes are in percent."""

    kind: str = "none"  # none, random, column, files
    train: int = 60
    valid: int = 20
    test: int = 20
    seed: int = 1
    stratify: str | None = None
    column: str | None = None


def split_rows(data: DataSet, plan: SplitPlan) -> tuple[DataSet, Split | None]:
    """The data set with the split that was planned; by a column, it comes back without it."""
    if plan.kind == "random":
        fractions = [plan.train / 100, plan.test / 100]
        if plan.valid:
            fractions.insert(1, plan.valid / 100)
        stratify = plan.stratify if (plan.stratify or "") in data.domain else None
        return data, split(data, fractions, plan.seed, stratify=stratify)
    if plan.kind == "column" and plan.column is not None:
        return split_by_column(data, plan.column)
    return data, None


@dataclass(frozen=True)
class Draft:
    """Settings that differ from those detected or proposed."""

    reading: ImportOptions = field(default_factory=ImportOptions)
    treatments: Mapping[str, Treatment] = field(default_factory=dict)
    cutting: Mapping[str, Discretisation] = field(default_factory=dict)
    split: SplitPlan = field(default_factory=SplitPlan)

    def treatment(self, column: ColumnReport) -> Treatment:
        return self.treatments.get(column.name, column.treatment)

    def cutting_of(self, column: ColumnReport) -> Discretisation:
        return self.cutting.get(column.name, Discretisation("frequency", BINS))

    def with_treatment(self, name: str, treatment: Treatment) -> Draft:
        """One column used in another way; there is only one column of weights."""
        treatments = dict(self.treatments)
        if treatment is Treatment.WEIGHTS:
            for other, present in self.treatments.items():
                if present is Treatment.WEIGHTS:
                    treatments[other] = Treatment.LEAVE_OUT
        treatments[name] = treatment
        return replace(self, treatments=treatments)

    def with_cutting(self, name: str, how: Discretisation) -> Draft:
        treatments = {**self.treatments, name: Treatment.DISCRETISE}
        return replace(self, cutting={**self.cutting, name: how}, treatments=treatments)

    def used(self, report: FileReport) -> list[ColumnReport]:
        """The columns that become variables."""
        values = (Treatment.STATES, Treatment.DISCRETISE)
        return [column for column in report.columns if self.treatment(column) in values]

    def options(self, report: FileReport) -> ImportOptions:
        """The complete options for the reader of data files."""
        by_treatment: dict[Treatment, list[str]] = {treatment: [] for treatment in Treatment}
        for column in report.columns:
            by_treatment[self.treatment(column)].append(column.name)
        cut = set(by_treatment[Treatment.DISCRETISE])
        return replace(
            self.reading,
            leave_out=tuple(by_treatment[Treatment.LEAVE_OUT]),
            frequency=next(iter(by_treatment[Treatment.WEIGHTS]), None),
            discretise={
                column.name: self.cutting_of(column)
                for column in report.columns
                if column.name in cut
            },
            as_states=tuple(by_treatment[Treatment.STATES]),
        )


_READING_OPTIONS = ("delimiter", "encoding", "header", "decimal", "sheet")


def plain_draft(draft: Draft) -> dict[str, Any]:
    """The settings as JSON values, stored with the data so that they can be changed later."""
    return {
        "reading": {name: getattr(draft.reading, name) for name in _READING_OPTIONS},
        "markers": list(draft.reading.markers),
        "missing_as_state": draft.reading.missing_as_state,
        "treatments": {name: chosen.value for name, chosen in draft.treatments.items()},
        "cutting": {name: asdict(how) for name, how in draft.cutting.items()},
        "split": asdict(draft.split),
    }


def restored_draft(values: Mapping[str, Any]) -> Draft:
    """The settings from the JSON values of `plain_draft`; the defaults if they are not valid."""
    try:
        reading = ImportOptions(
            **{name: values["reading"].get(name) for name in _READING_OPTIONS},
            markers=tuple(values.get("markers", DEFAULT_MARKERS)),
            missing_as_state=bool(values.get("missing_as_state", False)),
        )
        treatments = {
            name: Treatment(treatment) for name, treatment in values["treatments"].items()
        }
        cutting = {
            name: Discretisation(how["method"], how["bins"], tuple(how["points"]), how["target"])
            for name, how in values["cutting"].items()
        }
        return Draft(reading, treatments, cutting, SplitPlan(**values["split"]))
    except (KeyError, TypeError, ValueError, AttributeError, PgmStudioError):
        return Draft()
