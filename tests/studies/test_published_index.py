"""The index of the sources names only what exists, and misses nothing."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from pgmstudio.cli.registry import COMMANDS
from pgmstudio.core.errors import DataError
from pgmstudio.core.experiments.generators.registry import GENERATORS
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.scores.association_measures import MEASURES
from pgmstudio.studies.published_index import (
    PUBLICATIONS,
    REFERENCE_KINDS,
    IndexRow,
    Kind,
    Verdict,
    publication_of,
    published_index,
)
from pgmstudio.studies.registry import RECIPES
from pgmstudio.studies.sl_study import STUDIES

DOCS = Path(__file__).resolve().parents[2] / "docs"
KNOWN = {
    "learner": set(all_learners()),
    "language": set(LANGUAGES),
    "command": set(COMMANDS),
    "study": {*RECIPES, *STUDIES},
    "generator": set(GENERATORS),
    "measure": set(MEASURES),
}


def title_of(row: IndexRow) -> str:
    return f"{row.publication} {row.kind} {row.number} {row.title}"


def test_every_reference_of_the_index_exists() -> None:
    # Menu entries are checked with the pages of the manual, which show them.
    for row in published_index():
        for reference in row.where:
            assert reference.kind in REFERENCE_KINDS, title_of(row)
            if reference.kind == "page":
                assert (DOCS / reference.name.partition("#")[0]).is_file(), title_of(row)
            elif reference.kind != "menu":
                assert reference.name in KNOWN[reference.kind], title_of(row)


def test_every_recipe_and_study_is_in_the_index_under_its_source() -> None:
    for study in (*RECIPES.values(), *STUDIES.values()):
        author = publication_of(study.key).title.split()[0].rstrip(",")
        assert study.place.startswith(author), study.key
    with pytest.raises(DataError, match="no-study"):
        publication_of("no-study")


def test_what_is_not_rerun_or_differs_has_a_reason_and_what_is_rerun_a_study() -> None:
    for row in published_index():
        needs_note = row.verdict in (Verdict.NOT_RERUN, Verdict.DIFFERS, Verdict.PARTLY)
        assert row.note or not needs_note, title_of(row)
        if row.verdict not in (Verdict.NOT_RERUN,) and row.kind is not Kind.FIGURE:
            assert row.where, title_of(row)
        is_result = row.kind in (Kind.TABLE, Kind.FIGURE)
        if row.verdict is Verdict.IMPLEMENTED:
            assert not is_result, title_of(row)


# The last of each numbered series: tables and figures by chapter, algorithms of the second thesis.
NUMBERED = {
    ("meila", Kind.FIGURE): ("1-3", "3-2", "5-5", "6-6", "7-11"),
    ("meila", Kind.TABLE): ("7.6",),
    ("nielsen", Kind.ALGORITHM): ("3.7", "4.18"),
    ("nielsen", Kind.FIGURE): ("3.9", "4.22", "5.11", "A.15"),
    ("nielsen", Kind.TABLE): ("3.2", "4.3", "5.11", "A.13"),
    ("jaeger", Kind.FIGURE): ("7",),
    ("jaeger", Kind.TABLE): ("2",),
    ("pensar", Kind.FIGURE): ("11",),
}


@pytest.mark.parametrize(("of", "last"), NUMBERED.items(), ids=lambda value: str(value))
def test_no_number_of_a_series_is_missing(of: tuple[str, Kind], last: tuple[str, ...]) -> None:
    publication, kind = of
    numbers = {
        row.number
        for row in published_index()
        if (row.publication, row.kind) == of and re.fullmatch(r"([\dA]+[.-])?\d+", row.number)
    }
    expected = set()
    for number in last:
        chapter, count = re.fullmatch(r"((?:[\dA]+[.-])?)(\d+)", number).groups()  # type: ignore[union-attr]
        expected |= {f"{chapter}{one}" for one in range(1, int(count) + 1)}
    assert numbers == expected, (publication, kind)


def test_rows_stand_in_the_order_of_the_sources_and_each_source_has_its_page() -> None:
    order = list(PUBLICATIONS)
    places = [order.index(row.publication) for row in published_index()]
    assert all(before <= after for before, after in pairwise(places))
    for publication in PUBLICATIONS.values():
        text = (DOCS / "studies" / publication.page).read_text(encoding="utf-8")
        assert text.startswith(f"# {publication.title}\n")
        for heading in ("## What holds", "## What does not hold"):
            assert heading in text
