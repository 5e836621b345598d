"""Installs the stub language as a plug-in package would be: by an entry point on the path.

Child processes take over the path, so that they know the language as well.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pgmstudio.core.languages.base import Language
from pgmstudio.core.languages.registry import PLUGIN_GROUP, language, reload_plugins

ENTRY = "tests.contracts.stub_language.language:LANGUAGE"


@contextmanager
def installed(folder: Path, entry: str = ENTRY) -> Iterator[None]:
    """A package in this folder with that entry point, as long as the context lasts."""
    metadata = folder / "stub_language-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stub-language\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{PLUGIN_GROUP}]\nindependent = {entry}\n")
    sys.path.insert(0, str(folder))
    reload_plugins()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        reload_plugins()


@contextmanager
def stub_language(folder: Path) -> Iterator[Language]:
    """The stub language, installed as long as the context lasts."""
    with installed(folder):
        yield language("independent")
