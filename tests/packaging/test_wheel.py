"""The wheel is complete: what is installed from it works outside the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("pgmstudio", "resources", "docs", "sample_data")
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")

TEN_LINES = """
import pgmstudio as pgm
assert "site-packages" in pgm.__file__ or "installed" in pgm.__file__, pgm.__file__
asia = pgm.load(pgm.sample_path("asia.json"))
print(round(asia.query("lung", given={"smoke": "yes"})["lung"]["yes"], 3))
asia.draw().save("asia.svg")
from pgmstudio.core.resources import folder_of
assert (folder_of("docs") / "index.md").is_file()
assert (folder_of("resources") / "style.qss").is_file()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as a build leaves folders behind."""
    source = tmp_path_factory.mktemp("source")
    for name in FOLDERS:
        leave_out = shutil.ignore_patterns("__pycache__", "*.nb[ci]")
        shutil.copytree(ROOT / name, source / name, ignore=leave_out)
    for name in FILES:
        shutil.copy(ROOT / name, source)
    out = tmp_path_factory.mktemp("dist")
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", str(out), str(source))
    (built,) = out.glob("*.whl")
    return built


def pip(*words: str, python: Path | str = sys.executable) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(python: Path | str, words: list[str], folder: Path, **environment: str) -> str:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**kept, "QT_QPA_PLATFORM": "offscreen", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_installed_from_the_wheel_has_its_files(wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    pip("install", "--no-deps", "--target", str(installed), str(wheel))
    out = run(sys.executable, ["-c", TEN_LINES], tmp_path, PYTHONPATH=str(installed))
    assert out.strip() == "0.1"
    assert (tmp_path / "asia.svg").stat().st_size > 1000


@pytest.mark.long
def test_an_empty_environment_gets_all_it_needs(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "environment", with_pip=True)
    python = tmp_path / "environment" / "bin" / "python"
    pip("install", str(wheel), python=python)
    assert run(python, ["-c", TEN_LINES], tmp_path).strip() == "0.1"
    assert "open the window" in run(python, ["-m", "pgmstudio", "--help"], tmp_path)
    refused = subprocess.run(
        [str(python), "-m", "pgmstudio"], capture_output=True, text=True, cwd=tmp_path
    )
    assert refused.returncode == 2
    assert "pgmstudio[gui]" in refused.stderr
    run(python, ["-m", "pgmstudio", "tour", "--out", "tour"], tmp_path)
    assert list((tmp_path / "tour").glob("*.svg"))
    pip("install", f"{wheel}[gui]", python=python)
    run(python, ["-m", "pgmstudio.gui.demo.screenshot_tour", "--out", "window"], tmp_path)
    assert len(list((tmp_path / "window").glob("*.png"))) >= 9
