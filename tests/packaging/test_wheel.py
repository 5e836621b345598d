"""The wheel is complete: what is installed from it works outside the checkout."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("pgmstudio", "resources", "docs", "sample_data")
FILES = ("pyproject.toml", "README.md", "LICENSE")
DESCRIPTION = ROOT / "resources" / "packaging" / "description.md"

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
    share = installed / "share"
    assert "Exec=pgmstudio-window" in (share / "applications/pgmstudio.desktop").read_text()
    assert (share / "icons/hicolor/scalable/apps/pgmstudio.svg").is_file()
    assert "cross\\-validate" in (share / "man/man1/pgmstudio.1").read_text()
    (metadata,) = installed.glob("pgmstudio-*.dist-info/METADATA")
    assert metadata.read_text(encoding="utf-8").endswith(DESCRIPTION.read_text(encoding="utf-8"))


def test_the_description_of_the_package_is_true_and_leads_nowhere_that_is_missing() -> None:
    assert not re.search(r"\]\((?!https://)", DESCRIPTION.read_text(encoding="utf-8"))
    result = doctest.testfile(str(DESCRIPTION), module_relative=False)
    assert (result.attempted, result.failed) == (4, 0)


def interpreter(version: str) -> str:
    """The Python of this version; the test is skipped where there is none."""
    if sys.version.startswith(f"{version}."):
        return sys.executable
    result = shutil.which(f"python{version}")
    probe = [result or "", "-c", "import sys, venv; print(sys.version)"]
    if result is None or subprocess.run(probe, capture_output=True).returncode != 0:
        pytest.skip(f"there is no Python {version} here")
    return result


@pytest.mark.long
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_an_empty_environment_gets_all_it_needs(wheel: Path, tmp_path: Path, version: str) -> None:
    environment = tmp_path / "environment"
    run(interpreter(version), ["-m", "venv", str(environment)], tmp_path)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    python, pgmstudio = programs / "python", programs / "pgmstudio"
    pip("install", str(wheel), python=python)
    assert run(python, ["-c", TEN_LINES], tmp_path).strip() == "0.1"
    assert "open the window" in run(pgmstudio, ["--help"], tmp_path)
    refused = subprocess.run([str(pgmstudio)], capture_output=True, text=True, cwd=tmp_path)
    assert refused.returncode == 2
    assert "pgmstudio[gui]" in refused.stderr
    run(pgmstudio, ["generate", "parity", "-n", "50", "-o", "rows.csv"], tmp_path)
    run(pgmstudio, ["learn", "tree.chow-liu", "rows.csv", "-o", "tree.json"], tmp_path)
    run(pgmstudio, ["draw", "tree.json", "tree.svg"], tmp_path)
    assert "</svg>" in (tmp_path / "tree.svg").read_text(encoding="utf-8")
    run(pgmstudio, ["tour"], tmp_path)
    assert list((tmp_path / "tour").glob("*.svg"))
    pip("install", f"{wheel}[gui]", python=python)
    run(pgmstudio, ["draw", "tree.json", "tree.png"], tmp_path)
    run(python, ["-m", "pgmstudio.gui.demo.screenshot_tour", "--out", "window"], tmp_path)
    assert len(list((tmp_path / "window").glob("*.png"))) >= 9


@pytest.mark.long
def test_the_bundle_needs_no_python(tmp_path: Path) -> None:
    pytest.importorskip("PyInstaller", reason="the bundle is built by PyInstaller")
    source, folder = tmp_path / "source", tmp_path / "elsewhere"
    folder.mkdir()
    for name in FOLDERS:
        leave_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=leave_out)
    for name in FILES:
        shutil.copy(ROOT / name, source)
    run(
        sys.executable,
        ["-m", "PyInstaller", "--noconfirm", "resources/packaging/bundle.spec"],
        source,
    )
    program = source / "dist" / "pgmstudio" / "pgmstudio"
    assert "open the window" in run(program, ["--help"], folder, PATH=os.defpath)
    run(program, ["generate", "parity", "-n", "50", "-o", "rows.csv"], folder)
    learned = ["cross-validate", "rows.csv", "--learners", "chow-liu", "-k", "2"]
    assert "tree.chow-liu" in run(program, learned, folder)  # in processes of its own
    run(program, ["tour"], folder)
    run(program, ["draw", str(ROOT / "sample_data" / "asia.json"), "asia.png"], folder)
    run(program, ["-m", "pgmstudio.gui.demo.screenshot_tour", "--out", "window"], folder)
    assert len(list((folder / "window").glob("*.png"))) >= 9
