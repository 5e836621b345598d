"""The example plug-in of the manual installs with pip and learns through the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/best-parent"

# From this version on setuptools builds wheels by itself; the extra `dev` asks for it.
BUILDS_WHEELS = (70, 1)


def setuptools_version() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in metadata.version("setuptools").split(".")[:2])
    except metadata.PackageNotFoundError:
        return (0,)


def run(*argv: str, path: Path | None = None) -> str:
    folders = [str(ROOT)] if path is None else [str(path), str(ROOT)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-P", *argv], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(
    setuptools_version() < BUILDS_WHEELS,
    reason="the environment is older than the extra `dev` asks for: no setuptools with wheels",
)
def test_the_example_plug_in_installs_and_learns(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "installed"
    shutil.copytree(EXAMPLE, source)
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation")
    run(*pip, "--disable-pip-version-check", "--target", str(target), str(source))

    listed = json.loads(run("-m", "pgmstudio", "learners", "--json", path=target))
    learner = next(each for each in listed["learners"] if each["key"] == "example.best-parent")
    assert [each["name"] for each in learner["parameters"]] == ["min-information", "smoothing"]

    model = tmp_path / "model.json"
    rows = ROOT / "sample_data/asia_sample.csv"
    command = ("-m", "pgmstudio", "learn", "example.best-parent", str(rows), "--json", "--quiet")
    result = json.loads(run(*command, "--min-information", "0.02", "-o", str(model), path=target))
    assert result["outcome"] == "finished"
    described = json.loads(run("-m", "pgmstudio", "describe", str(model), "--json"))
    names = [each["name"] for each in described["variables"]]
    assert 0 < len(described["edges"]) == result["measures"]["edges"] < len(names)
    assert all(names.index(source) < names.index(target) for source, target in described["edges"])
