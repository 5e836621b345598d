"""The folders that are edited at the top level become part of the installed package."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDERS = ("resources", "docs", "sample_data")


class BuildWithFolders(build_py):
    """Copies manual, samples and resources beside the modules; `core/resources.py` finds them."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:  # a checkout has them beside the package
            return
        for name in FOLDERS:
            target = Path(self.build_lib) / "pgmstudio" / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(name, target, ignore=shutil.ignore_patterns("__pycache__", "*.py[co]"))


setup(cmdclass={"build_py": BuildWithFolders})
