"""The site is made of the pages of the manual; `./run docs` builds it and checks its links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from docs.site.hooks import on_config, without_places

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _paths(entries: list[Any]) -> list[str]:
    if isinstance(entries, str):
        return [entries]
    below = entries.values() if isinstance(entries, dict) else entries
    return [path for entry in below for path in _paths(entry)]


def test_the_contents_of_the_site_are_all_pages_below_the_sections_of_the_first_page() -> None:
    config: dict[str, Any] = {"docs_dir": str(DOCS), "mdx_configs": {"toc": {}}}
    nav = on_config(config)["nav"]
    first = (DOCS / "index.md").read_text(encoding="utf-8")
    assert [next(iter(entry)) for entry in nav] == [
        "PGM Studio",
        *re.findall(r"^## (.+)$", first, re.MULTILINE),
    ]
    pages = {
        page.relative_to(DOCS).as_posix()
        for page in DOCS.rglob("*.md")
        if not {"results", "examples"} & set(page.parts)
    }
    assert sorted(_paths(nav)) == sorted(pages)
    slugify = config["mdx_configs"]["toc"]["slugify"]
    assert slugify("Size against likelihood?", "-") == "size-against-likelihood"


def test_places_of_the_window_become_text_and_other_links_stay() -> None:
    text = "See [the ten](pgmstudio:sample/geometric_objects.json) and [Data](data.md#numbers)."
    assert without_places(text) == "See the ten and [Data](data.md#numbers)."


def test_a_dead_link_is_an_error(tmp_path: Path) -> None:
    mkdocs = pytest.importorskip("mkdocs", reason="the site is built with the extra docs")
    del mkdocs
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    for page, goal in (("good", "index.md"), ("bad", "missing.md")):
        folder = tmp_path / page
        folder.mkdir()
        (folder / "index.md").write_text(f"# Index\n\n## Start\n\n- [A]({goal})\n")
        config = load_config(
            str(DOCS / "site" / "mkdocs.yml"),
            docs_dir=str(folder),
            site_dir=str(tmp_path / "site" / page),
            strict=True,
        )
        if page == "good":
            build(config)
            assert (tmp_path / "site/good/index.html").is_file()
        else:
            with pytest.raises(Abort):
                build(config)
