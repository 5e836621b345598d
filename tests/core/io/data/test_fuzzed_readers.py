"""Every reader on damaged and hostile files, in children with a memory limit: never a traceback,
never a hang, and no end of a process that the program would not have started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pgmstudio.core.io.data.reader import FORMATS
from pgmstudio.core.io.models.files import MODEL_FORMATS
from tests.fuzzing.__main__ import run
from tests.fuzzing.readers import READERS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of memory here")


def test_there_is_a_reader_of_every_format() -> None:
    names = {reader.file_name for reader in READERS.values()}
    for kind in (*FORMATS, *MODEL_FORMATS):
        endings = (*kind.endings, *(f"{ending}.gz" for ending in kind.endings))
        assert any(name.endswith(endings) for name in names), endings


@pytest.mark.parametrize("name", READERS)
def test_the_sound_file_of_every_reader_is_read(tmp_path: Path, name: str) -> None:
    """Else its damaged ones would show nothing."""
    reader = READERS[name]
    path = tmp_path / reader.file_name
    path.write_bytes(reader.sound())
    assert reader.read(path) is not None


def test_damaged_files_give_a_value_or_a_message() -> None:
    tally = run(list(READERS), 8, seed=1, hostile=False)
    assert tally.failures == []
    assert sum(tally.outcomes.values()) == 8 * len(READERS)
    assert sum(n for (_, kind), n in tally.outcomes.items() if kind == "value") > 50


@pytest.mark.long
def test_hostile_files_give_a_value_or_a_message() -> None:
    tally = run([], 0)
    assert tally.failures == []
    assert tally.outcomes["table .xlsx", "child ended"] > 0  # they are hostile


@pytest.mark.long
def test_two_thousand_damaged_files_for_each_reader_give_a_value_or_a_message() -> None:
    assert run(list(READERS), 2000, hostile=False).failures == []
