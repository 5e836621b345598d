"""The script `run` of a checkout, with a stand-in for its Python environment."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash")

pytestmark = pytest.mark.skipif(BASH is None, reason="run is a script for bash")

# Says where it runs and what it was given, one line each; an installation of packages is silent.
PYTHON = """#!/usr/bin/env bash
if [ "$1 $2" = "-m pip" ] || [ "$1" = -c ]; then exit 0; fi
pwd
printf '<%s>\\n' "$@"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    checkout = tmp_path / "checkout"
    programs = checkout / ".venv" / "bin"
    programs.mkdir(parents=True)
    (checkout / ".venv" / "stamp-qt").touch()
    for name in ("run", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout / name)
    for name in ("python", "ruff", "mypy", "lint-imports"):
        program = programs / name
        program.write_text(PYTHON if name == "python" else "#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
    return checkout


def run(checkout: Path, *argv: str, folder: Path) -> tuple[str, list[str]]:
    """The folder in which Python was started and the arguments it was given."""
    assert BASH is not None
    called = subprocess.run(
        [BASH, str(checkout / "run"), *argv],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    where, *given = called.stdout.splitlines()
    return where, [word[1:-1] for word in given]


def test_the_command_line_runs_in_the_folder_of_the_caller(checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "my data"
    folder.mkdir()
    where, given = run(checkout, "learn", "bn.hill-climb", "table.csv", folder=folder)
    assert where == str(folder)
    assert given[-4:] == ["pgmstudio", "learn", "bn.hill-climb", "table.csv"]


@pytest.mark.parametrize(
    ("argv", "marks"), [(["test"], []), (["test", "--long"], ["-m", ""])], ids=["plain", "long"]
)
def test_long_adds_the_long_tests(
    checkout: Path, tmp_path: Path, argv: list[str], marks: list[str]
) -> None:
    where, given = run(checkout, *argv, "tests/core", folder=tmp_path)
    assert where == str(checkout)
    assert given[:2] == ["-m", "pytest"]
    assert given[2:][-len(marks) - 1 :] == [*marks, "tests/core"]
    assert given[2:].count("-m") == len(marks) // 2
    assert "--long" not in given


def test_check_runs_the_answer_checks_in_the_checkout(checkout: Path, tmp_path: Path) -> None:
    where, given = run(checkout, "check", "--cases", "10", folder=tmp_path)
    assert where == str(checkout)
    assert given == ["benchmarks/check_answers.py", "--cases", "10"]


def test_package_builds_in_the_checkout(checkout: Path, tmp_path: Path) -> None:
    where, given = run(checkout, "package", "--no-bundle", folder=tmp_path)
    assert where == str(checkout)
    assert given == ["resources/packaging/build.py", "--no-bundle"]


def test_docs_stops_at_a_dead_link(checkout: Path, tmp_path: Path) -> None:
    where, given = run(checkout, "docs", "--site-dir", "pages", folder=tmp_path)
    assert where == str(checkout)
    assert given[:3] == ["-m", "mkdocs", "build"]
    assert given[3:5] == ["--config-file", "docs/site/mkdocs.yml"]
    assert given[5:] == ["--strict", "--site-dir", "pages"]


def test_the_script_for_windows_has_the_same_words() -> None:
    """Its head lists them as that of `run` does, and its switch knows each of them."""
    heads = [
        re.findall(r"^#   \S+ (\w+)\b.*?  +(\S.*)$", (ROOT / name).read_text("utf-8"), re.MULTILINE)
        for name in ("run", "run.ps1")
    ]
    assert [word for word, _ in heads[0]] == [word for word, _ in heads[1]]
    code = (ROOT / "run.ps1").read_text("utf-8").split("switch ($first)")[1]
    for word in {word for word, _ in heads[0]} - {"WORDS"}:
        assert f"'{word}' {{" in code


def test_what_the_script_for_windows_starts_exists() -> None:
    text = (ROOT / "run.ps1").read_text("utf-8")
    files = re.findall(r"'((?:benchmarks|docs|resources)[/\\][\w/.]+)'", text)
    assert len(files) >= 5
    assert [file for file in files if not (ROOT / file.replace("\\", "/")).is_file()] == []


def test_the_workflow_installs_the_libraries_that_the_script_asks_for() -> None:
    listed = re.search(r'qt_libraries="([^"]*)"', (ROOT / "run").read_text())
    assert listed is not None
    wanted = {pair.partition("=")[2] for pair in listed[1].split()}
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert wanted <= set(workflow.split())
