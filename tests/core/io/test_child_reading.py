"""Files that would end the program end a child process instead, and become a message."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import zipfile
from contextlib import closing
from pathlib import Path

import openpyxl
import polars
import pytest

from pgmstudio.core.errors import Cancelled, DataFileError, PgmStudioError, UnknownNameError
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.io.background_knowledge import read_knowledge
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import read_data, read_table
from pgmstudio.core.io.experiments import read_plan
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.io.reading_limits import LIMIT_VARIABLE, read_limit, set_read_limit, size_text
from tests.core.io.written_tables import rows_of

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@pytest.fixture(scope="module", autouse=True)
def read_in_this_process() -> None:
    """These tests are about the child."""


def workbook(path: Path, cell: bytes, member: str = "xl/worksheets/sheet1.xml") -> Path:
    """A workbook with one sheet that has a cell at A1 and another one as written."""
    book = openpyxl.Workbook()
    whole = io.BytesIO()
    book.save(whole)
    sheet = (
        f'<worksheet xmlns="{MAIN}"><sheetData><row><c r="A1"><v>1</v></c></row><row>'.encode()
        + cell
        + b"<v>1</v></c></row></sheetData></worksheet>"
    )
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "xl/worksheets/sheet1.xml":
                name, content = member, sheet
            target.writestr(
                name, content.replace(b"/xl/worksheets/sheet1.xml", b"/" + member.encode())
            )
    return path


@pytest.mark.parametrize(
    ("cell", "member"),
    [
        (b'<c r="XFD1048576">', "xl/worksheets/sheet1.xml"),
        (b'<c r="XFD01048576">', "xl/worksheets/sheet1.xml"),
        (b"<c r='XFD1048576'>", "xl/worksheets/sheet1.xml"),
        (b'<c r="xfd1048576">', "xl/worksheets/sheet1.xml"),
        (b'<c r ="XFD1048576">', "xl/worksheets/sheet1.xml"),
        (b'<c r="XFD1048576">', "xl/elsewhere/sheet1.xml"),
    ],
    ids=["plain", "digits", "single quotes", "lower case", "blank", "elsewhere"],
)
def test_a_workbook_with_a_cell_in_the_far_corner_is_a_message(
    tmp_path: Path, cell: bytes, member: str
) -> None:
    path = workbook(tmp_path / "corner.xlsx", cell, member)
    with pytest.raises(DataFileError, match="needs more than 4 GB of memory to read, the limit"):
        read_data(path)


def test_a_parquet_file_with_one_wrong_bit_is_a_message(tmp_path: Path) -> None:
    path = tmp_path / "flipped.parquet"
    frame = polars.DataFrame({"x": ["a", "b", None] * 5, "n": [1.5, 2.5, 3.5] * 5})
    frame.write_parquet(path)
    content = path.read_bytes()
    message = []
    for executor in (44, 127):  # both ask for exabytes in files of today's polars
        flipped = bytearray(content)
        flipped[executor] ^= 1
        path.write_bytes(flipped)
        try:
            read_data(path, ImportOptions(bins=2))
        except DataFileError as problem:
            message.append(str(problem))
    assert all(text.startswith("flipped.parquet: ") for text in message)


def test_what_the_child_reads_is_what_this_process_would_have_read(tmp_path: Path) -> None:
    frame = polars.DataFrame({"x": ["a", None, "b"], "y": [1, 2, 1], "z": [True, False, None]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    assert rows_of(read_data(tmp_path / "t.parquet")) == rows_of(read_data(tmp_path / "t.csv"))


def test_refusals_come_back_from_the_child_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "base.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE rain (x TEXT)")
    with pytest.raises(UnknownNameError, match="Did you mean rain"):
        read_data(path, ImportOptions(sheet="rian"))
    nested = tmp_path / "nested.parquet"
    polars.DataFrame({"x": ["a", "b"], "y": [[1], [2]]}).write_parquet(nested)
    with pytest.raises(DataFileError) as refused:
        read_data(nested)
    assert [problem.column for problem in refused.value.problems] == ["y"]


def test_a_packed_file_beyond_the_limit_is_refused_with_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "0.125")
    path = tmp_path / "zeros.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(140):
            stream.write(b"x,y\n" * (1 << 18))
    with pytest.raises(DataFileError) as refused:
        read_data(path)
    assert "more than 128 MB when unpacked" in str(refused.value)
    assert "--read-limit" in str(refused.value)
    assert LIMIT_VARIABLE in str(refused.value)


def database(path: Path, generated: str) -> Path:
    """A table of two rows with a column that is computed when it is read."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE t (n INTEGER, x TEXT AS ({generated}))")
        connection.executemany("INSERT INTO t (n) VALUES (?)", [(0,), (1,)])
    return path


def test_a_generated_column_cannot_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "base.sqlite"
    with pytest.raises(DataFileError, match="by a function that is not run"):
        read_data(database(path, "printf('%.*c', 2000000, 'x')"))
    many = "3" * 1100
    longer = f"replace(replace(hex(n), '3', '{many}'), '3', '{many}')"
    with pytest.raises(DataFileError, match="a cell of more than 1 MB"):
        read_data(database(path, longer))
    assert read_data(database(path, "n % 2")).domain["x"].states == ("0", "1")


@pytest.mark.parametrize("is_open", [False, True], ids=["left behind", "in use"])
def test_rows_in_a_write_ahead_log_are_read(tmp_path: Path, is_open: bool) -> None:
    path = tmp_path / "live.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("CREATE TABLE t (x TEXT)")
    connection.executemany("INSERT INTO t VALUES (?)", [("old",)] * 5)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.executemany("INSERT INTO t VALUES (?)", [("new",)] * 95)
    connection.commit()
    folder = tmp_path
    if not is_open:  # as after a crash, or as copied from elsewhere
        folder = tmp_path / "copied"
        folder.mkdir()
        for end in ("", "-wal"):
            (folder / f"live.sqlite{end}").write_bytes(
                (tmp_path / f"live.sqlite{end}").read_bytes()
            )
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    assert read_data(folder / "live.sqlite").row_count == 100
    after = {file.name for file in folder.iterdir() if file.is_file()}
    assert after == set(before)
    connection.close()
    assert read_data(path).row_count == 100  # the log is gone, its rows are in the file
    assert not (tmp_path / "live.sqlite-wal").exists()


def test_a_transaction_that_was_cut_off_is_rolled_back(tmp_path: Path) -> None:
    path, copied = tmp_path / "cut.sqlite", tmp_path / "copied"
    copied.mkdir()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("CREATE TABLE t (x TEXT)")
    connection.execute("INSERT INTO t VALUES ('whole')")
    connection.execute("BEGIN")
    connection.execute("UPDATE t SET x = 'half'")
    connection.executemany("INSERT INTO t VALUES (?)", [("half " + "." * 500,)] * 200)
    for end in ("", "-journal"):
        shutil.copyfile(tmp_path / f"cut.sqlite{end}", copied / f"cut.sqlite{end}")
    connection.close()
    assert rows_of(read_data(copied / "cut.sqlite")) == [["whole"]]


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    polars.DataFrame({"x": ["a"]}).write_parquet(path)
    switch = StopSwitch()
    switch.cancel()
    with pytest.raises(Cancelled):
        read_table(path, None, switch)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("pipe.csv", read_data),
        ("pipe.parquet", read_data),
        ("pipe.sqlite", read_data),
        ("pipe.bif", read_model),
        ("pipe.xdsl.gz", read_model),
        ("pipe.txt", read_knowledge),
        ("pipe.toml", read_plan),
        ("pipe.pgmz", read_project),
    ],
)
def test_what_is_no_regular_file_is_refused(tmp_path: Path, name: str, read) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(PgmStudioError, match="is a named pipe, not a file"):
        read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(PgmStudioError, match="is a folder, not a file"):
        read(path)
    path.rmdir()
    path.symlink_to("/dev/zero")
    with pytest.raises(PgmStudioError, match="is a device, not a file"):
        read(path)


def test_the_limit_is_one_number_for_this_process_and_its_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, "")  # put back at the end
    assert size_text(read_limit()) == "4 GB"
    set_read_limit(0.5)
    assert size_text(read_limit()) == "512 MB"
    assert os.environ[LIMIT_VARIABLE] == "0.5"
    for odd in ("", "much", "nan", "-1", "0", "inf", "1e300"):
        monkeypatch.setenv(LIMIT_VARIABLE, odd)
        assert size_text(read_limit()) == "4 GB"


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C is sent another way")
def test_ctrl_c_ends_the_reading_and_its_child(tmp_path: Path) -> None:
    """A child that reads without end is asked to end by the signal that people send."""
    script = (
        "import signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored\n"
        "from functools import partial\n"
        "from pathlib import Path\n"
        "from pgmstudio.core.io.child_reading import read_in_child\n"
        "from pgmstudio.core.execution.events import NEVER\n"
        "if __name__ == '__main__':\n"
        "    print('ready', flush=True)\n"
        "    read_in_child(Path('x.parquet'), partial(time.sleep, 600), NEVER)\n"
    )
    file = tmp_path / "script.py"
    file.write_text(script, encoding="utf-8")
    root = Path(__file__).resolve().parents[3]
    running = subprocess.Popen(
        [sys.executable, str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    again = threading.Event()
    while running.poll() is None:  # the first may come before the handler is there
        running.send_signal(signal.SIGINT)
        again.wait(0.2)
    assert running.returncode != 0
    running.stdout.close()


def test_a_cell_of_megabytes_is_refused_whatever_holds_it(tmp_path: Path) -> None:
    """Packed, it is a few hundred bytes."""
    path = tmp_path / "long.parquet"
    polars.DataFrame({"x": ["a" * 2_000_000, "b"]}).write_parquet(path)
    with pytest.raises(DataFileError, match="a cell of more than 1 MB"):
        read_data(path)
