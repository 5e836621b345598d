"""Writing a file whole or not at all."""

from __future__ import annotations

import os

import pytest

from pgmstudio.core.errors import FileError
from pgmstudio.core.io.atomic import PART_ENDING, make_folder, replace_file


def test_the_new_content_replaces_the_old_and_nothing_stays_beside_it(tmp_path) -> None:
    path = tmp_path / "a.txt"
    replace_file(path, b"old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_write_that_fails_leaves_the_old_file_and_no_part(tmp_path, monkeypatch) -> None:
    path = tmp_path / "a.txt"
    replace_file(path, b"old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"a\.txt: cannot be written: No space left on device"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_the_content_is_on_the_disk_before_the_name_points_to_it(tmp_path, monkeypatch) -> None:
    steps: list[str] = []
    fsync, rename = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (steps.append("flush"), fsync(number))[1])
    monkeypatch.setattr(os, "replace", lambda a, b: (steps.append("move"), rename(a, b))[1])
    replace_file(tmp_path / "a.txt", b"new")
    assert steps == ["flush", "move", "flush"]  # the file, the move, the folder


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path) -> None:
    with pytest.raises(FileError, match=r"cannot be written: there is no folder .*none"):
        replace_file(tmp_path / "none" / "a.txt", b"new")


@pytest.mark.parametrize("name", ["", ".", "/"])
def test_what_names_no_file_is_a_sentence(name) -> None:
    with pytest.raises(FileError, match="not the name of a file"):
        replace_file(name, b"x")


def test_a_link_stays_a_link_and_permissions_stay(tmp_path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_old_parts_of_a_killed_program_are_tidied_up_and_young_ones_left_alone(tmp_path) -> None:
    old, young, other = (
        tmp_path / f".{name}{PART_ENDING}" for name in ("a.txt.1-x", "a.txt.2-y", "b.txt.1-x")
    )
    for part in (old, young, other):
        part.write_bytes(b"half")
    for part in (old, other):
        os.utime(part, (0, 0))
    replace_file(tmp_path / "a.txt", b"new")
    assert not old.exists()
    assert young.exists()
    assert other.exists()


def test_a_circle_of_links_is_a_sentence(tmp_path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "b.txt")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    with pytest.raises(FileError, match=r"a\.txt: cannot be written: .*Choose another folder"):
        replace_file(tmp_path / "a.txt", b"new")
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
@pytest.mark.parametrize("was_there", [True, False])
def test_a_private_file_is_at_no_moment_readable_by_others(
    tmp_path, monkeypatch, was_there: bool
) -> None:
    """Neither the part that is written nor the file it becomes."""
    path, seen = tmp_path / "a.txt", set()
    if was_there:
        path.write_bytes(b"old")
        path.chmod(0o600)
    fsync = os.fsync

    def look(number: int) -> None:
        seen.update(entry.stat().st_mode & 0o777 for entry in os.scandir(tmp_path))
        fsync(number)

    monkeypatch.setattr(os, "fsync", look)
    before = os.umask(0o022)
    try:
        replace_file(path, b"new", private=not was_there)
    finally:
        os.umask(before)
    assert seen == {0o600}
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_a_new_file_has_the_usual_permissions(tmp_path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "a.txt", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    with pytest.raises(FileError, match="no folder can be made here"):
        make_folder(tmp_path / "a.txt" / "inside")
