"""The index of the five sources: what each one has, where it is here, and a verdict.

`published/index.csv` has a row for each algorithm, model, measure, table and figure. `where` lists
references such as `learner:bn.kes` or `study:bars`, separated by semicolons.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from pgmstudio.core.errors import DataError


@dataclass(frozen=True, slots=True)
class Publication:
    """A source: its short title, what it is, and its page of the manual in `docs/studies`."""

    key: str
    title: str
    what: str
    page: str


PUBLICATIONS: Mapping[str, Publication] = {
    each.key: each
    for each in (
        Publication(
            "meila",
            "Meilă 1999",
            "M. Meilă, *Learning with mixtures of trees*, doctoral thesis",
            "meila-1999.md",
        ),
        Publication(
            "nielsen",
            "Nielsen 2007",
            "J. D. Nielsen, *On unsupervised learning of probabilistic graphical models*, "
            "doctoral thesis",
            "nielsen-2007.md",
        ),
        Publication(
            "jaeger",
            "Jaeger, Nielsen and Silander 2006",
            "M. Jaeger, J. D. Nielsen and T. Silander, *Learning probabilistic decision graphs*, "
            "article",
            "jaeger-nielsen-silander-2006.md",
        ),
        Publication(
            "lecture",
            "Lecture",
            "*Learning the network structure from data*, lecture on relational, possibilistic and "
            "Bayesian networks",
            "lecture.md",
        ),
        Publication(
            "pensar",
            "Pensar 2016",
            "J. Pensar, *Structure learning of context-specific graphical models*, summary of a "
            "doctoral thesis with articles I to IV",
            "pensar-2016.md",
        ),
    )
}


class Kind(StrEnum):
    """What a row is about."""

    MODEL = "model"
    ALGORITHM = "algorithm"
    MEASURE = "measure"
    TABLE = "table"
    FIGURE = "figure"


class Verdict(StrEnum):
    """How the program stands to what is published."""

    IMPLEMENTED = "implemented"
    PARTLY = "partly"
    HOLDS = "holds"
    DIFFERS = "differs"
    NOT_RERUN = "not rerun"
    ILLUSTRATION = "illustration"  # a drawing or example without results


REFERENCE_KINDS = (
    "learner",
    "language",
    "command",
    "study",
    "generator",
    "measure",
    "page",
    "menu",
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in the program: `learner:bn.kes`."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A row of the index; `note` has the figures or the reason."""

    publication: str
    kind: Kind
    number: str
    title: str
    where: tuple[Reference, ...]
    verdict: Verdict
    note: str

    def studies(self) -> tuple[str, ...]:
        """The recipes and studies that rerun it."""
        return tuple(each.name for each in self.where if each.kind == "study")


@cache
def published_index() -> tuple[IndexRow, ...]:
    """All rows, in the order of the file; DataError names a row that cannot be read."""
    text = (files("pgmstudio.studies") / "published/index.csv").read_text(encoding="utf-8")
    rows = []
    for number, row in enumerate(csv.DictReader(text.splitlines()), start=2):
        try:
            where = tuple(
                Reference(*part.strip().split(":", 1)) for part in row["where"].split(";") if part
            )
            rows.append(
                IndexRow(
                    PUBLICATIONS[row["publication"]].key,
                    Kind(row["kind"]),
                    row["number"],
                    row["title"],
                    where,
                    Verdict(row["verdict"]),
                    row["note"],
                )
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise DataError(f"published/index.csv, line {number}: {problem}") from problem
    return tuple(rows)


def publication_of(study: str) -> Publication:
    """The source that a recipe or study reruns."""
    for row in published_index():
        if study in row.studies():
            return PUBLICATIONS[row.publication]
    raise DataError(f"published/index.csv does not name the study {study}.")
