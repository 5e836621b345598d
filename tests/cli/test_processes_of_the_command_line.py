"""The command line as a process: exit codes, streams, Ctrl+C."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "pgmstudio"]


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from pgmstudio.__main__ import main\n"
        "main(['--help'])\n"
        "heavy = ('numpy', 'scipy', 'numba', 'polars', 'networkx', 'PySide6')\n"
        "sys.exit([name for name in heavy if name in sys.modules] or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_exit_codes_distinguish_success_from_a_mistake(asia: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "query", asia, "--of", "lung", "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["beliefs"]["lung"]["yes"] == pytest.approx(0.055)
    wrong = subprocess.run([*PROGRAM, "query", "absent.json"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert len(wrong.stderr.splitlines()) == 1


def test_a_reader_that_leaves_early_is_no_error() -> None:
    started = subprocess.Popen(
        [*PROGRAM, "learners"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.close()
    assert "Traceback" not in started.stderr.read()
    started.stderr.close()
    assert started.wait() in (0, 120)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_a_full_disk_is_a_message(asia: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([*PROGRAM, "query", asia], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "The output cannot be written: No space left on device. Free space or write elsewhere."
    ]


def test_a_terminal_without_unicode_gets_question_marks(asia: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*PROGRAM, "query", asia], capture_output=True, env=environment)
    assert done.returncode == 0
    assert b"?" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_or_a_closed_terminal_keeps_the_best_model_and_ends_with_130(
    asia_rows: Path, tmp_path: Path, number: signal.Signals
) -> None:
    target = tmp_path / "kept.json"
    argv = ["learn", "bn.hill-climb", asia_rows, "--restarts", "100000000"]
    argv += ["--smoothing", "1", "-o", target, "--json"]
    ours, theirs = pty.openpty()  # a terminal for standard error, so that the bar is drawn
    started = subprocess.Popen(
        [*PROGRAM, *map(str, argv)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    os.close(theirs)
    seen = _read_until(ours, r"restart [1-9]")  # the first climb is over: there is a model
    started.send_signal(number)
    seen += _read_until(ours, None)
    os.close(ours)
    assert started.stdout is not None
    report = json.loads(started.stdout.read())
    started.stdout.close()
    assert started.wait() == 130
    assert report["outcome"] == "stopped"
    assert "The best model so far was kept" in seen
    assert target.is_file()
    checked = subprocess.run(
        [*PROGRAM, "evaluate", target, asia_rows, "--json"], capture_output=True, text=True
    )
    kept = json.loads(checked.stdout)["log2_likelihood_per_row"]
    assert kept == pytest.approx(report["log2_likelihood_per_row"])


def _read_until(terminal: int, pattern: str | None) -> str:
    """What the terminal shows until `pattern` is seen, or until the program leaves it."""
    seen = ""
    given_up = time.monotonic() + 120
    while pattern is None or not re.search(pattern, seen):
        ready, _, _ = select.select([terminal], [], [], given_up - time.monotonic())
        assert ready, f"{pattern} did not come: {seen[-300:]!r}"
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        seen += piece.decode(errors="replace")
    return seen
