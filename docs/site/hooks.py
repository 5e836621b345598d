"""What mkdocs does not know about these pages; `mkdocs.yml` beside it names this file.

The contents of the site are those of the window, links to places of the window become plain text,
and headings have the link targets that the window and GitHub give them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pgmstudio.gui.help.contents import ManualPage, anchor_of, read_contents

_PLACE = re.compile(r"\[([^\]]+)\]\(pgmstudio:[^)]*\)")


def on_config(config: Any) -> Any:
    """The sections of the index page, each with its pages."""
    config["nav"] = [
        entry
        for section in read_contents(Path(config["docs_dir"]).resolve())
        for entry in _entries(section.title, section.pages)
    ]
    config["mdx_configs"]["toc"]["slugify"] = lambda heading, _separator: anchor_of(heading)
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    return without_places(markdown)


def without_places(markdown: str) -> str:
    """Links that open a place of the window (`pgmstudio:…`) as their text."""
    return _PLACE.sub(r"\1", markdown)


def _entries(title: str, pages: tuple[ManualPage, ...]) -> list[Any]:
    entries = [_entry(page) for page in pages]
    return [{title: entries}] if title else entries


def _entry(page: ManualPage) -> Any:
    if page.children:  # the page itself is the first of its section
        return {page.title: [page.path, *(_entry(child) for child in page.children)]}
    return {page.title: page.path}
