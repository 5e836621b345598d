"""A language of one folder joins the program through the registry, without another change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.languages.base import Language
from pgmstudio.core.languages.registry import LANGUAGES, PLUGINS
from pgmstudio.core.model import Model
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.model_edits import edit_language
from pgmstudio.core.project.project import ModelEntry, Project
from tests.contracts.stub_language.installation import installed, stub_language

Run = Callable[..., str]


@pytest.fixture
def stub(tmp_path: Path) -> Iterator[Language]:
    folder = tmp_path / "packages"
    folder.mkdir()
    with stub_language(folder) as language:
        yield language


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """A command of the command line; returns what it prints."""

    def command(*argv: object) -> str:
        capsys.readouterr()
        try:
            code = main([str(word) for word in argv])
        except SystemExit as end:  # --help
            code = end.code  # type: ignore[assignment]
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out

    return command


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = [f"{a},{b}" for a, b in rng.choice(["yes", "no"], (300, 2), p=[0.25, 0.75])]
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def learned(stub: Language, run: Run, rows: Path, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    run("learn", "independent.marginals", rows, "-o", path, "--quiet")
    return path


def model_in(path: Path) -> Model:
    return read_model(path).model


def test_it_is_known_only_while_it_is_installed(tmp_path: Path) -> None:
    assert "independent" not in LANGUAGES
    with stub_language(tmp_path) as language:
        assert LANGUAGES["independent"] is language
        assert [*LANGUAGES][-1] == "independent"
    assert "independent" not in LANGUAGES


def test_an_entry_point_that_fails_is_a_message_and_the_languages_stay(tmp_path: Path) -> None:
    before = set(LANGUAGES)
    with installed(tmp_path, {PLUGINS.group: {"independent": "no_such_module:LANGUAGE"}}):
        assert set(LANGUAGES) == before
        (problem,) = PLUGINS.problems
        assert "independent did not load" in problem


def test_its_learner_is_listed_and_learns(stub: Language, run: Run, learned: Path) -> None:
    assert "independent.marginals" in run("learners")
    document = json.loads(learned.read_text())
    assert document["language"] == stub.kind
    assert document["provenance"]["learner"] == "independent.marginals"


def test_its_model_is_queried_and_drawn(run: Run, learned: Path, tmp_path: Path) -> None:
    answer = json.loads(run("query", learned, "--given", "a=yes", "--json"))
    assert answer["kind"] == "independent"
    assert answer["beliefs"]["a"] == {"no": 0.0, "yes": 1.0}
    assert 0 < answer["beliefs"]["b"]["yes"] < 0.5
    run("draw", learned, tmp_path / "model.svg", "--quiet")
    assert ">a<" in (tmp_path / "model.svg").read_text()


def test_it_takes_part_in_the_comparison_of_languages(
    stub: Language, run: Run, rows: Path, tmp_path: Path
) -> None:
    assert "independent" in run("compare-languages", "--help")
    document = json.loads(
        run(
            *("compare-languages", rows, "--languages", "tree,independent", "--budget", 600),
            *("--processes", 1, "--splits", 1, "--json", "--quiet"),
        )
    )
    states = {one["title"]: one["state"] for one in document["languages"]}
    assert states == {"Chow–Liu tree": "learned", stub.title: "learned"}


def test_it_is_converted_with_the_same_distribution(
    stub: Language, run: Run, learned: Path, tmp_path: Path
) -> None:
    run("convert", learned, tmp_path / "network.bif", "--quiet")
    assert model_in(tmp_path / "network.bif").kind == "bayesian-network"


def test_it_is_edited_and_saved_in_a_project(stub: Language, learned: Path) -> None:
    project = add_model(Project(), entry=ModelEntry("Marginals", model_in(learned)))
    (model_id,) = project.models
    edited = edit_language(project, model_id=model_id, edit="set_uniform", variable="a")
    again = project_from_bytes(project_bytes(edited)).models[model_id].model
    assert again.kind == stub.kind
    codec = stub.codec
    assert codec is not None
    _, parameters = codec.load().encode(again)
    assert parameters["marginals"]["a"] == [[0.5, 0.5]]
