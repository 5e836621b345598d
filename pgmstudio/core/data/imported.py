"""Imported: a data set and how a file became it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pgmstudio.core.data.cuts import Cuts
from pgmstudio.core.data.dataset import DataSet


@dataclass(frozen=True, eq=False)
class Imported:
    """The data, the cuts of its discretised columns, and what was decided on the way.

    `markers` are the texts that were read as missing; `remarks` are sentences for the person.
    """

    data: DataSet
    source: str
    cuts: Mapping[str, Cuts] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
