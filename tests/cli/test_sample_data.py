"""The sample files are what their README says they are."""

from __future__ import annotations

import collections
import csv
from pathlib import Path

from pgmstudio.core.io.models.files import ModelFile, read_model
from pgmstudio.core.io.models.markov_text import render
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.model import MarkovNetwork

LARGEST_BYTES = 300_000


def test_every_sample_is_small_and_named_in_the_readme(sample_data: Path) -> None:
    readme = (sample_data / "README.md").read_text()
    for file in sample_data.iterdir():
        if file.name != "README.md" and file.is_file():
            assert file.stat().st_size < LARGEST_BYTES
            assert f"`{file.name}`" in readme


def test_the_coronary_table_has_the_margins_of_the_publication(sample_data: Path) -> None:
    with (sample_data / "coronary_counts.csv").open() as stream:
        cells = list(csv.DictReader(stream))
    counts = [int(cell["count"]) for cell in cells]
    assert len(cells) == 64
    assert sum(counts) == 1841
    margins = {
        name: sum(c for cell, c in zip(cells, counts, strict=True) if cell[name] == state)
        for name, state in [
            ("smoking", "yes"),
            ("mental_work", "yes"),
            ("physical_work", "yes"),
            ("pressure", "140 or over"),
            ("lipoproteins", "3 or over"),
            ("family", "positive"),
        ]
    }
    assert list(margins.values()) == [880, 778, 914, 787, 780, 260]


def test_the_coronary_rows_are_the_counts_spelled_out(sample_data: Path) -> None:
    with (sample_data / "coronary_counts.csv").open() as stream:
        expected = {tuple(row[:-1]): int(row[-1]) for row in list(csv.reader(stream))[1:]}
    with (sample_data / "coronary.csv").open() as stream:
        rows = collections.Counter(tuple(row) for row in list(csv.reader(stream))[1:])
    assert rows == collections.Counter({row: count for row, count in expected.items() if count})


def test_the_coronary_counts_are_those_of_the_checked_copy(sample_data: Path, shared: Path) -> None:
    renamed = {
        "<140": "under 140",
        ">140": "140 or over",
        "<3": "under 3",
        ">3": "3 or over",
        "neg": "negative",
        "pos": "positive",
    }
    counted = []
    for file in (sample_data / "coronary.csv", shared / "data/seeds/coronary.csv"):
        with file.open() as stream:
            rows = list(csv.reader(stream))[1:]
        counted.append(
            collections.Counter(tuple(renamed.get(cell, cell) for cell in row) for row in rows)
        )
    assert counted[0] == counted[1]


def test_asia_has_the_published_tables(sample_data: Path, shared: Path) -> None:
    ours = read_model(sample_data / "asia.bif").model
    theirs = read_model(shared / "data/networks/asia.bif").model
    assert isinstance(ours, BayesianNetwork)
    assert isinstance(theirs, BayesianNetwork)
    assert set(ours.edges) == set(theirs.edges)
    for name in ours.domain.names:
        assert (ours.table(name) == theirs.table(name)).all()


def test_the_greenhouse_is_a_larger_network_that_answers_at_once(sample_data: Path) -> None:
    model = read_model(sample_data / "greenhouse.json").model
    assert isinstance(model, BayesianNetwork)
    assert len(model.domain) >= 30
    assert model.effective_size() < 20_000


def test_the_coronary_markov_network_has_the_three_contexts(sample_data: Path) -> None:
    model = read_model(sample_data / "coronary_markov.json").model
    assert isinstance(model, MarkovNetwork)
    assert model.representation_size() == 9
    text = render(ModelFile(model), Path("coronary.mn"))[0].decode()
    assert "smoking -- pressure : lipoproteins=3 or over\n" in text
    assert "smoking -- lipoproteins : pressure=under 140\n" in text
    assert "pressure -- lipoproteins : smoking=no\n" in text
