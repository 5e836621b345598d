"""What the build does beside collecting modules; `[tool.setuptools]` in pyproject.toml names it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("resources", "docs", "sample_data")
ONLY_FOR_BUILDING = shutil.ignore_patterns("__pycache__", "*.py[co]", "packaging", "site")
FOR_SOURCES_ONLY = ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "run", "run.ps1")


class BuildModules(build_py):
    """Copies manual, samples and resources beside the modules, where `core/resources.py` looks,
    and writes the manual page of the command line, which is made from the list of commands."""

    def run(self) -> None:
        super().run()
        page = ROOT / "build" / "man" / "pgmstudio.1"  # one of the data files
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_man_page(), encoding="utf-8")
        if self.editable_mode:  # a checkout has the folders beside the package
            return
        for name in FOLDERS:
            target = Path(self.build_lib) / "pgmstudio" / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(ROOT / name, target, ignore=ONLY_FOR_BUILDING)


class SourceDistribution(sdist):
    """Also has what is not a module: the manual, samples, resources, tests and scripts."""

    def make_distribution(self) -> None:
        for name in (*FOLDERS, "tests"):
            self.filelist.graft(name)
        self.filelist.extend(name for name in FOR_SOURCES_ONLY if (ROOT / name).is_file())
        self.filelist.global_exclude("*.py[co]")
        self.filelist.prune("tests/pictures/out")
        self.filelist.sort()
        self.filelist.remove_duplicates()
        super().make_distribution()


def _man_page() -> str:
    sys.path.insert(0, str(ROOT))
    from pgmstudio.cli.man_page import man_page

    return man_page()
