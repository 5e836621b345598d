"""The project file: everything comes back, nothing is lost, nothing is trusted."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import random
import select
import signal
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import Split, split
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import GraphError, ProjectFileError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.project.migrations import MIGRATIONS, VERSION, migrated
from pgmstudio.core.io.project.project_file import (
    project_bytes,
    project_from_bytes,
    read_project,
    write_project,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.latent_class.learning.trace import ClassScan
from pgmstudio.core.project.edits import remove_model
from pgmstudio.core.project.model_edits import add_edge
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project
from pgmstudio.core.reports.reproduction import Reproduced, ReproduceProject
from tests.core.io.example_projects import full_project
from tests.core.io.odd_networks import same_network
from tests.core.io.repacked_projects import edited, repacked

FILES = Path(__file__).parents[1] / "files"


def same_data(one: DataSet, other: DataSet) -> bool:
    return one.domain == other.domain and one.fingerprint == other.fingerprint


def test_the_split_of_a_table_of_counts_comes_back_with_its_copies() -> None:
    domain = Domain.of({"x": "ab", "y": "ab"})
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8)
    data = DataSet(domain, codes, np.array([40.0, 30.0, 0.0, 30.0]))
    project = Project(data={"d": DataEntry("counts", data, split=split(data, (0.7, 0.3), 1))})
    result = project_from_bytes(project_bytes(project)).data["d"]
    assert isinstance(result.split, Split)
    parts = result.split.parts(result.data)
    assert [part.total_weight for part in parts] == [70, 30]
    assert tuple(part.fingerprint for part in parts) == result.split.part_fingerprints


def test_everything_in_a_project_comes_back() -> None:
    project = full_project()
    again = project_from_bytes(project_bytes(project))
    assert (again.title, again.notes) == (project.title, project.notes)
    assert again.knowledge == project.knowledge
    for key, entry in project.data.items():
        result = again.data[key]
        assert same_data(result.data, entry.data)
        assert result.data.codes.dtype == entry.data.codes.dtype
        for name in ("name", "source", "cuts", "missing_markers", "notes", "provenance"):
            assert getattr(result, name) == getattr(entry, name)
    one, other = project.data["d1"].split, again.data["d1"].split
    assert isinstance(one, Split)
    assert isinstance(other, Split)
    assert (other.names, other.seed, other.fingerprint) == (one.names, one.seed, one.fingerprint)
    assert all(np.array_equal(a, b) for a, b in zip(one.indices, other.indices, strict=True))
    assert other.is_for(again.data["d1"].data)
    for key, model in project.models.items():
        kept = again.models[key]
        assert kept.model.kind == model.model.kind
        for field in dataclasses.fields(ModelEntry):
            if field.name != "model":
                assert getattr(kept, field.name) == getattr(model, field.name)
    assert same_network(project.models["m1"].model, again.models["m1"].model)
    for name, case in project.evidence_cases.items():
        assert again.evidence_cases[name].evidence == case.evidence
        assert again.evidence_cases[name].model_id == case.model_id
    for key, run in project.runs.items():
        assert vars(again.runs[key]) == vars(run)
    assert vars(again.curves["c1"]) == vars(project.curves["c1"])
    assert vars(again.comparisons["p1"]) == vars(project.comparisons["p1"])


def test_equal_projects_give_equal_bytes_also_after_reading() -> None:
    content = project_bytes(full_project())
    assert project_bytes(full_project()) == content
    assert project_bytes(project_from_bytes(content)) == content
    assert project_bytes(full_project(seed=1)) != content


def test_an_empty_project_comes_back() -> None:
    content = project_bytes(Project())
    assert project_bytes(project_from_bytes(content)) == content


def test_arrays_from_a_file_cannot_be_changed() -> None:
    again = project_from_bytes(project_bytes(full_project()))
    with pytest.raises(ValueError, match="read-only"):
        again.data["d1"].data.codes[0, 0] = 1


def test_a_project_is_saved_and_opened(tmp_path) -> None:
    path = tmp_path / "rain.pgmz"
    write_project(path, full_project())
    assert project_bytes(read_project(path)) == path.read_bytes()
    assert [entry.name for entry in tmp_path.iterdir()] == ["rain.pgmz"]


def test_what_cannot_be_read_or_written_is_a_sentence(tmp_path) -> None:
    with pytest.raises(ProjectFileError, match="does not exist"):
        read_project(tmp_path / "none.pgmz")
    with pytest.raises(ProjectFileError, match="cannot be written"):
        write_project(tmp_path / "none" / "a.pgmz", Project())


def with_riddle() -> bytes:
    """A project from a later program: an unknown language, entry, member and learner."""

    def change(members: dict[str, bytes]) -> None:
        edited(
            "project.json",
            lambda top: (
                top["models"].update(m3={"title": "Riddle", "kind": "riddle", "new": [1]}),
                top.update(horoscope={"sign": "fish"}),
            ),
        )(members)
        members["models/m3.json"] = b'{"language": "riddle", "answer": 42}'
        members["extras/picture.bin"] = bytes(range(256))
        members["models/stray.json"] = b"{}"
        edited("runs/r1.json", lambda run: run.update(learner="quantum.leap"))(members)

    return repacked(project_bytes(full_project()), change)


def test_what_is_not_known_is_kept_on_saving() -> None:
    project = project_from_bytes(with_riddle())
    assert "m3" not in project.models
    assert project.unknown.models["m3"].title == "Riddle"
    assert project.runs["r1"].learner == "quantum.leap"
    saved = project_bytes(project)
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        assert json.loads(archive.read("models/m3.json")) == {"language": "riddle", "answer": 42}
        top = json.loads(archive.read("project.json"))
        assert archive.read("extras/picture.bin") == bytes(range(256))
        assert archive.read("models/stray.json") == b"{}"
    assert top["models"]["m3"] == {"title": "Riddle", "kind": "riddle", "new": [1]}
    assert top["horoscope"] == {"sign": "fish"}
    assert project_bytes(project_from_bytes(saved)) == saved


def test_an_unknown_model_cannot_be_edited_but_removed_and_its_id_is_taken() -> None:
    project = project_from_bytes(with_riddle())
    assert project.next_model_id() == "m4"
    with pytest.raises(GraphError, match="riddle, a language this version does not know"):
        add_edge(project, model_id="m3", source="a", target="b")
    assert not remove_model(project, model_id="m3").unknown.models


class Riddle(BayesianNetwork):
    kind = "riddle"


def with_a_model_that_cannot_be_saved() -> Project:
    project = full_project()
    network = project.models["m1"].model
    assert isinstance(network, BayesianNetwork)
    riddle = Riddle(network.domain, network.dag, network.tables)
    odd = dataclasses.replace(project.models["m1"], title="Odd one", model=riddle)
    return dataclasses.replace(project, models={**project.models, "m1": odd})


def test_a_save_that_cannot_write_one_part_writes_the_others_and_reports_which(tmp_path) -> None:
    path = tmp_path / "a.pgmz"
    lost = write_project(path, with_a_model_that_cannot_be_saved())
    assert len(lost) == 1
    assert lost[0].startswith("Model “Odd one” cannot be saved: ")
    again = read_project(path)  # strictly: what was left out is nowhere referred to
    whole = full_project()
    assert set(again.models) == set(whole.models) - {"m1"}
    assert again.runs["r1"].model_id is None
    assert set(again.runs) == set(whole.runs)
    assert set(again.data) == set(whole.data)
    assert again.knowledge == whole.knowledge


def test_a_run_that_holds_what_no_file_can_hold_does_not_keep_the_rest_off_the_disk(
    tmp_path,
) -> None:
    project = full_project()
    run = dataclasses.replace(project.runs["r1"], artifacts={"odd": object()})
    lost = write_project(tmp_path / "a.pgmz", dataclasses.replace(project, runs={"r1": run}))
    assert [text[:17] for text in lost] == ["Run “First try” c"]
    assert set(read_project(tmp_path / "a.pgmz").models) == set(project.models)


def test_a_file_name_that_is_no_text_does_not_keep_a_project_off_the_disk() -> None:
    """Linux names files in bytes; those that are no UTF-8 are half characters in Python."""
    project = full_project()
    name = os.fsdecode(b"caf\xe9.csv")
    entry = dataclasses.replace(project.data["d1"], name=name, source=name, provenance={"f": name})
    data = {**project.data, "d1": entry}
    again = project_from_bytes(project_bytes(dataclasses.replace(project, data=data)))
    assert again.data["d1"].source == "caf\ufffd.csv"


def test_points_of_a_layout_that_are_nowhere_are_not_saved() -> None:
    project = full_project()
    layouts = {"dag": {"X0": (float("nan"), 1.0), "X1": (2.0, 3.0)}}
    entry = dataclasses.replace(project.models["m1"], layouts=layouts)
    models = {**project.models, "m1": entry}
    again = project_from_bytes(project_bytes(dataclasses.replace(project, models=models)))
    assert again.models["m1"].layouts == {"dag": {"X1": (2.0, 3.0)}}


# Old versions


def test_the_project_of_version_1_can_be_read() -> None:
    """Written by the first program that saved projects; every later one must read it."""
    project = read_project(FILES / "project_v1.pgmz")
    assert project.title == "Sprinkler"
    network = project.models["m1"].model
    assert isinstance(network, BayesianNetwork)
    assert network.edges == (("rain", "sprinkler"), ("rain", "grass"), ("sprinkler", "grass"))
    assert network.table("grass")[1, 0].tolist() == [0.2, 0.8]
    assert project.models["m1"].layouts["dag"]["rain"] == (120.0, 40.5)
    assert project.data["d1"].data.row_count == 8
    assert sum(project.data["d1"].data.missing_counts) == 1
    assert project.runs["r1"].seed == 7
    assert project.knowledge.required == {("rain", "grass")}
    assert str(project.evidence_cases["Wet"].evidence["grass"]) == "= wet"


def test_aic_in_a_project_of_version_1_is_that_of_the_thesis_and_its_runs_can_be_repeated() -> None:
    """Then `aic` was L − k bits; today's `aic` finds a smaller network in these rows."""
    project = read_project(FILES / "project_v1_aic.pgmz")
    params = {key: run.params for key, run in project.runs.items()}
    assert (
        params["r1"]["score"]
        == params["r2"]["criterion"]
        == params["r3"]["measure"]
        == "aic-thesis"
    )
    assert project.models["m1"].provenance["parameters"]["score"] == "aic-thesis"
    scan = ClassScan.restored(project.runs["r2"].artifacts["class-scan"])
    assert scan.criterion == "aic-thesis"
    for point in scan.points:
        cost = point.representation_size / 40
        assert point.aic_bits == pytest.approx(point.train_bits - cost / math.log(2))
        assert point.value("aic-thesis") == pytest.approx(point.train_bits - cost)
    searches = {key: run for key, run in project.runs.items() if key != "r2"}
    again = ReproduceProject(dataclasses.replace(project, runs=searches))(NEVER)
    assert [one.is_same for one in again if isinstance(one, Reproduced)] == [True, True]


def test_migrations_run_one_after_the_other_from_the_version_of_the_file() -> None:
    steps = {
        version: lambda members, version=version: {**members, f"step {version}": version}
        for version in (1, 2, 3)
    }
    old = {"project.json": {"version": 2}}
    new = migrated(old, 2, steps=steps, newest=4)
    assert list(new) == ["project.json", "step 2", "step 3"]
    assert list(old) == ["project.json"]


def test_every_version_before_the_present_one_has_a_migration() -> None:
    assert sorted(MIGRATIONS) == list(range(1, VERSION))


# Killed while saving


SAVER = """
    import os, sys
    from example_projects import full_project
    from pgmstudio.core.io.project import project_file

    projects = [full_project(seed, rows=50_000, variables=12) for seed in (1, 2)]
    # Packing beforehand, so that nearly every moment is one of writing.
    packed = {id(project): project_file.project_bytes(project) for project in projects}
    project_file._packed = lambda project, *_: (packed[id(project)], ())
    for _ in sys.stdin:
        child = os.fork()
        while child == 0:
            for project in projects:
                project_file.write_project(sys.argv[1], project)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("dead", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")
def test_a_program_killed_while_saving_leaves_a_whole_file(tmp_path) -> None:
    """kill -9 at fifty random moments of saving over and over; the file is always one of two."""
    path = tmp_path / "killed.pgmz"
    projects = [full_project(seed, rows=50_000, variables=12) for seed in (1, 2)]
    whole = [project_bytes(project) for project in projects]
    write_project(path, projects[0])
    chance = random.Random(4)
    folders = [str(Path(__file__).parents[1]), str(Path(__file__).parents[3]), *sys.path]
    seen: set[int] = set()
    cut_off = 0
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SAVER), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))},
    ) as saver:
        assert saver.stdin is not None
        assert saver.stdout is not None
        for _ in range(50):
            saver.stdin.write(b"go\n")
            saver.stdin.flush()
            child = int(saver.stdout.readline())
            # Nothing comes while the child saves, so this is a pause that ends early if it dies.
            early, _, _ = select.select([saver.stdout], [], [], chance.uniform(0, 0.1))
            assert not early
            os.kill(child, signal.SIGKILL)
            assert saver.stdout.readline() == b"dead\n"
            content = path.read_bytes()
            assert content in whole
            seen.add(whole.index(content))
            parts = [part for part in tmp_path.iterdir() if part != path]
            cut_off += bool(parts)
            for part in parts:
                part.unlink()
        saver.stdin.close()
    assert project_bytes(read_project(path)) == path.read_bytes()
    assert seen == {0, 1}
    assert cut_off > 0  # at least one save was cut off in the middle
