"""Imports point one way: no Qt below the window."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pgmstudio.cli
import pgmstudio.core


def test_no_core_or_command_line_module_imports_qt() -> None:
    names = [
        module.name
        for package in (pgmstudio.core, pgmstudio.cli)
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    ]
    program = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "print([m for m in ('PySide6', 'shiboken6', 'pyqtgraph') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
