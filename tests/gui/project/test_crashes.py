"""Killed at any moment, the program loses nothing it had kept and leaves nothing running."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.gui.files.opening import begin
from pgmstudio.gui.files.recovery import left_behind
from pgmstudio.gui.project import preferences
from pgmstudio.gui.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[3]
SHARED_MEMORY = Path("/dev/shm")

pytestmark = pytest.mark.skipif(
    not SHARED_MEMORY.is_dir(), reason="needs a visible folder of shared memory"
)


class Child:
    """The program in a process and a home of its own; it tells in lines what it does."""

    def __init__(self, home: Path, when: str) -> None:
        home.mkdir(exist_ok=True)
        # Only what belongs to a person; compiled loops may be shared.
        positions = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
        environment = {**os.environ, **dict.fromkeys(positions, str(home))}
        environment["QT_QPA_PLATFORM"] = "offscreen"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.gui.crash_child", when],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )

    def receive(self, word: str) -> list[str]:
        """The words after `word` of the next line that begins with it."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return line.split()[1:]
        pytest.fail(f"the program ended before it said “{word}”")

    def kill(self) -> None:
        """As the system would; then wait until nothing that it started is left."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.read()  # ends when every process that inherited it is gone


def kill_and_recover(
    window: MainWindow, home: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = Child(home, when)
    [folder] = child.receive("folder")
    _file, size = child.receive("saved")
    moment, *blocks = child.receive("now")
    assert moment == when
    child.kill()
    _wait_until_gone(blocks)
    monkeypatch.setattr(preferences, "preferences_folder", lambda: Path(folder).parent)
    assert len(left_behind()) == 1
    window.app.document.undo_stack.setClean()
    window.app.center.close_all()
    begin(window.app, [])
    welcome = window.app.center.current
    assert welcome is not None
    welcome.findChild(QPushButton, "recoveryAccept").click()
    assert len(project_bytes(window.app.project)) == int(size)
    assert [entry.title for entry in window.app.project.models.values()] == ["Sprinkler"]
    assert window.app.project.title == ""
    assert not window.app.document.is_saved
    assert left_behind() == []


def _wait_until_gone(blocks: list[str]) -> None:
    waiting = threading.Event()
    for _ in range(200):
        if not any((SHARED_MEMORY / name).exists() for name in blocks):
            return
        waiting.wait(0.05)
    pytest.fail(f"shared memory is left behind: {blocks}")


@pytest.mark.parametrize("when", ["half", "learning"])
def test_a_killed_program_is_recovered(
    window: MainWindow, tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_and_recover(window, tmp_path / "home", when, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("when", ["half", "whole", "between", "learning"])
def test_killed_again_and_again_it_is_always_recovered(
    window: MainWindow, tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = 6 if when == "learning" else 4  # with those above, twenty
    for number in range(times):
        kill_and_recover(window, tmp_path / f"home{number}", when, monkeypatch)
