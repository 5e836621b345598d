"""Damaged project files are refused with a message."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.errors import ProjectFileError
from pgmstudio.core.io.project.migrations import VERSION
from pgmstudio.core.io.project.project_file import (
    project_bytes,
    project_from_bytes,
)
from pgmstudio.core.project.project import Project
from tests.core.io.example_projects import full_project
from tests.core.io.repacked_projects import edited, repacked


def test_a_newer_version_is_refused_with_a_sentence() -> None:
    content = repacked(
        project_bytes(Project()),
        edited("project.json", lambda top: top.update(version=VERSION + 1)),
    )
    with pytest.raises(ProjectFileError, match=r"newer PGM Studio.*Update the program"):
        project_from_bytes(content)


def drop(name: str) -> Callable[[dict[str, bytes]], Any]:
    return lambda members: members.pop(name)


def put(name: str, content: bytes) -> Callable[[dict[str, bytes]], Any]:
    return lambda members: members.update({name: content})


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


# The same length, so that only the shape is a lie.
HUGE_HEADER = npy(np.zeros((5, 60), dtype=np.uint8)).replace(
    b"(5, 60), }" + b" " * 9, b"(5, 60000000000), }"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop("project.json"), "not a project file"),
        (drop("models/m1.json"), r"models/m1\.json is missing"),
        (drop("data/d1.npy"), r"data/d1\.npy is missing"),
        (drop("data/d2.weights.npy"), "missing"),
        (put("project.json", b"[]"), "is not a pgmstudio-project file"),
        (put("project.json", b"{"), "line 1"),
        (put("models/m1.json", b"{}"), r"models/m1\.json: is not a pgmstudio-model"),
        (put("data/d1.npy", b"junk"), "is no array that a project has"),
        (put("data/d1.npy", npy(np.zeros((5, 60)))), "instead of .u1"),
        (put("data/d1.npy", npy(np.zeros((5, 61), dtype=np.uint8))), r"\(5, 61\)"),
        (
            put("data/d1.npy", npy(np.array([["a", None]], dtype=object))),
            "no array that a project has",
        ),
        (put("data/d1.npy", HUGE_HEADER), r"\(5, 60000000000\) instead"),
        (
            put("data/d1.npy", npy(np.zeros((5, 60), np.uint8))[:-1]),
            "not as long as its header states",
        ),
        (put("data/d1.npy", npy(np.full((5, 60), 99, np.uint8))), "only . states"),
        (put("data/d1.split.npy", npy(np.zeros(60, np.int64))), "every row once"),
        (put("data/d1.split.npy", npy(np.full(60, -1, np.int64))), "every row once"),
        (edited("project.json", lambda t: t["data"]["d1"].update(rows=-1)), "instead of .u1"),
        (edited("project.json", lambda t: t["models"]["m1"].update(data="d9")), "no “d9”"),
        (edited("project.json", lambda t: t["models"]["m1"].update(run="r9")), "no “r9”"),
        (edited("project.json", lambda t: t["models"]["m1"].update(kind="tree")), "is a Bayesian"),
        (
            edited("project.json", lambda t: t["models"].update({"../x": {}})),
            "not an id of letters",
        ),
        (edited("project.json", lambda t: t.update(runs=["r1", "r1"])), "each once"),
        (edited("project.json", lambda t: t.update(version=0)), "no version 0"),
        (edited("project.json", lambda t: t.update(version=10**30)), "whole number"),
        (edited("runs/r1.json", lambda r: r.update(outcome="won")), "does not end “won”"),
        (edited("runs/r1.json", lambda r: r.update(measures=[])), "measures: expected an object"),
        (edited("evidence.json", lambda e: e["soft"].update(model="m9")), "no “m9”"),
        (edited("evidence.json", lambda e: e["soft"].update(evidence={"a": {}})), "“likelihood”"),
        (edited("knowledge.json", lambda k: k.update(tiers=3)), "knowledge.json.tiers"),
        (
            edited("models/m1.json", lambda m: m["parameters"]["tables"]["X0"].append([1])),
            r"models/m1\.json\.parameters\.tables\.X0: has",
        ),
        (put("../outside.txt", b"x"), "odd name"),
        (put("/etc/passwd", b"x"), "odd name"),
        (put("a\\b", b"x"), "odd name"),
        (put("C:/x", b"x"), "odd name"),
    ],
)
def test_a_spoiled_project_is_refused_with_a_message(change, message) -> None:
    content = repacked(project_bytes(full_project()), change)
    with pytest.raises(ProjectFileError, match=message):
        project_from_bytes(content)


def test_a_changed_byte_in_a_member_is_noticed() -> None:
    content = bytearray(project_bytes(full_project()))
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive:
        info = archive.getinfo("data/d1.npy")
    content[info.header_offset + 60] ^= 0xFF
    with pytest.raises(ProjectFileError, match="is damaged"):
        project_from_bytes(bytes(content))


def test_a_name_that_occurs_twice_is_refused() -> None:
    stream = io.BytesIO(project_bytes(Project()))
    with zipfile.ZipFile(stream, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("project.json", "{}")
    with pytest.raises(ProjectFileError, match="two files of the same name"):
        project_from_bytes(stream.getvalue())


def test_a_zip_bomb_is_refused_before_it_is_unpacked(monkeypatch) -> None:
    def never(*message: object) -> bytes:
        raise AssertionError("unpacked")

    monkeypatch.setattr("pgmstudio.core.io.project.reader._FREE_BYTES", 1 << 20)
    content = repacked(project_bytes(Project()), put("bomb", bytes(30 << 20)))
    assert len(content) < 1 << 16
    monkeypatch.setattr("pgmstudio.core.io.project.reader._pieces", never)
    with pytest.raises(ProjectFileError, match="would unpack to 30 MB"):
        project_from_bytes(content)


def test_a_member_longer_than_it_says_is_refused() -> None:
    """A bomb that lies about its size in the directory."""
    content = repacked(project_bytes(Project()), put("bomb", bytes(5_000_000)))
    lying = content.replace((5_000_000).to_bytes(4, "little"), (50).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(ProjectFileError, match="is damaged"):
        project_from_bytes(lying)


def test_an_encrypted_or_oddly_packed_file_is_refused() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("project.json", "{}")
    with pytest.raises(ProjectFileError, match="packed in a way no project is"):
        project_from_bytes(stream.getvalue())
    content = bytearray(project_bytes(Project()))
    entry = content.index(b"PK\x01\x02")
    content[entry + 8] |= 1
    with pytest.raises(ProjectFileError, match="encrypted"):
        project_from_bytes(bytes(content))


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_project_is_refused(fraction: float) -> None:
    content = project_bytes(full_project())
    with pytest.raises(ProjectFileError, match="is damaged or not a project file"):
        project_from_bytes(content[: int(len(content) * fraction)])


PARTS = {
    "models/m1.json": "Model m1",
    "data/d1.npy": "Data set d1",
    "data/d2.weights.npy": "Data set d2",
    "data/d1.split.npy": "Data set d1",
    "runs/r1.json": "Run r1",
    "curves/c1.json": "Curves c1",
    "knowledge.json": "Knowledge",
    "evidence.json": "Evidence",
}


def with_bad_checksum(content: bytes, name: str) -> bytes:
    """The same zip with one byte changed inside a member."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        info = archive.getinfo(name)
    start = info.header_offset + 30 + len(name.encode())
    spoiled = bytearray(content)
    spoiled[start + info.compress_size // 2] ^= 0xFF
    return bytes(spoiled)


@pytest.mark.parametrize("how", ["missing", "no JSON or array", "bad checksum"])
@pytest.mark.parametrize("name", PARTS)
def test_a_project_with_a_damaged_part_opens_without_it_and_reports_it(name: str, how: str) -> None:
    content = project_bytes(full_project())
    if how == "bad checksum":
        content = with_bad_checksum(content, name)
    else:
        content = repacked(content, drop(name) if how == "missing" else put(name, b"junk"))
    left_out: list[str] = []
    project = project_from_bytes(content, left_out=left_out)
    assert len(left_out) == 1
    assert left_out[0].startswith(f"{PARTS[name]} was left out: ")
    assert name in left_out[0]
    whole = full_project()
    kinds = ("data", "models", "runs", "curves", "comparisons", "evidence_cases")
    lost = {f"{kind} {key}" for kind in kinds for key in getattr(whole, kind)} - {
        f"{kind} {key}" for kind in kinds for key in getattr(project, kind)
    }
    assert len(lost) == (
        len(whole.evidence_cases) if name == "evidence.json" else name != "knowledge.json"
    )
    again = project_bytes(project)  # what was opened can be saved, and is whole then
    assert project_bytes(project_from_bytes(again)) == again


def test_a_reference_that_leads_nowhere_is_dropped_and_its_owner_stays() -> None:
    change = edited("project.json", lambda top: top["models"]["m1"].update(data="d9"))
    left_out: list[str] = []
    content = repacked(project_bytes(full_project()), change)
    project = project_from_bytes(content, left_out=left_out)
    assert project.models["m1"].data_id is None
    assert len(left_out) == 1
    assert "no “d9”" in left_out[0]


def test_a_project_without_its_list_of_parts_is_refused_all_the_same() -> None:
    content = project_bytes(full_project())
    for spoiled in (
        repacked(content, drop("project.json")),
        repacked(content, put("project.json", b"{")),
        with_bad_checksum(content, "project.json"),
    ):
        with pytest.raises(ProjectFileError, match=r"project\.json"):
            project_from_bytes(spoiled, left_out=[])
