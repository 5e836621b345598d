"""Installs the stub language as a plug-in package would be: by an entry point on the path.

Child processes take over the path, so that they know the language as well.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pgmstudio.core.languages.base import Language
from pgmstudio.core.languages.registry import PLUGINS, language

# Entry points by group and name.
Points = Mapping[str, Mapping[str, str]]
LANGUAGE_POINT: Points = {
    PLUGINS.group: {"independent": "tests.contracts.stub_language.language:LANGUAGE"}
}


@contextmanager
def installed(folder: Path, points: Points = LANGUAGE_POINT) -> Iterator[None]:
    """A package in this folder with these entry points, as long as the context lasts."""
    metadata = folder / "stub_language-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stub-language\nVersion: 1.0\n")
    lines = []
    for group, entries in points.items():
        lines += [f"[{group}]", *(f"{name} = {entry}" for name, entry in entries.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
    sys.path.insert(0, str(folder))
    PLUGINS.reload()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        PLUGINS.reload()


@contextmanager
def stub_language(folder: Path) -> Iterator[Language]:
    """The stub language, installed as long as the context lasts."""
    with installed(folder):
        yield language("independent")
