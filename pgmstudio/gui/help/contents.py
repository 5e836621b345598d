"""The contents of the manual: the pages that the index page names, without Qt.

The window and the site made of the same pages (`docs/site/hooks.py`) show them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

INDEX = "index.md"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\(([\w./-]+\.md)(?:#[\w-]*)?\)")


@dataclass(frozen=True)
class ManualPage:
    """One page: its path below the manual's folder, its title and the pages below it."""

    path: str
    title: str
    children: tuple[ManualPage, ...] = ()


@dataclass(frozen=True)
class ManualSection:
    """A heading of the index page with its pages; the index itself has no heading."""

    title: str
    pages: tuple[ManualPage, ...] = field(default=())


def read_contents(folder: Path) -> tuple[ManualSection, ...]:
    """The sections of the manual in the order of the index page."""
    index = folder / INDEX
    if not index.is_file():
        return ()
    sections = [ManualSection("", (ManualPage(INDEX, title_of(index)),))]
    parts = _HEADING.split(index.read_text(encoding="utf-8"))
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        files = linked_files(text, index)
        pages = tuple(_page(folder, file) for file in files if file != index)
        if pages:
            sections.append(ManualSection(title.strip(), pages))
    return tuple(sections)


def linked_files(text: str, file: Path) -> tuple[Path, ...]:
    """The existing pages that a text of `file` links to, without repetition."""
    targets = ((file.parent / link).resolve() for link in _LINK.findall(text))
    return tuple(dict.fromkeys(target for target in targets if target.is_file()))


def title_of(file: Path) -> str:
    """The first heading of a page, or the name of its file."""
    with file.open(encoding="utf-8") as lines:
        first = lines.readline().lstrip("# ").strip()
    return first or file.stem


def anchor_of(heading: str) -> str:
    """The link target of a heading, formed as on GitHub: `#smoothing-of-tables`."""
    words = re.sub(r"[^\w\s-]", "", heading.strip().lower())
    return re.sub(r"\s", "-", words)


def _page(folder: Path, file: Path) -> ManualPage:
    below = file.with_suffix("")
    children: tuple[ManualPage, ...] = ()
    if below.is_dir():
        linked = linked_files(file.read_text(encoding="utf-8"), file)
        ordered = dict.fromkeys([*linked, *sorted(below.glob("*.md"))])
        children = tuple(_page(folder, child) for child in ordered if child.parent == below)
    return ManualPage(file.relative_to(folder).as_posix(), title_of(file), children)
