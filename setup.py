"""The folders that are edited at the top level become part of the installed package, and the
manual page, the menu entry and the icons of the system part of the installation."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
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


def written_man_page() -> str:
    """The path of the manual page, made from the list of commands."""
    sys.path.insert(0, str(ROOT))
    from pgmstudio.cli.man_page import man_page

    page = Path("build", "man", "pgmstudio.1")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(man_page(), encoding="utf-8")
    return page.as_posix()


setup(
    cmdclass={"build_py": BuildWithFolders},
    data_files=[
        ("share/applications", ["packages/pgmstudio.desktop"]),
        ("share/icons/hicolor/scalable/apps", ["resources/app/pgmstudio.svg"]),
        ("share/icons/hicolor/256x256/apps", ["resources/app/pgmstudio.png"]),
        ("share/man/man1", [written_man_page()]),
    ],
)
