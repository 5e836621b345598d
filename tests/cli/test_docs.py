"""Every command shown in README and docs runs; every link leads somewhere."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in DOCS.rglob("*.md") if not {"results", "examples"} & set(page.parts)),
]


def commands_of(page: Path) -> list[list[str]]:
    """The arguments after `$ pgmstudio` or `$ ./run` on each such line of the console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    result = [re.match(r"\$ (?:pgmstudio|\./run) (.*)", line) for line in lines]
    return [shlex.split(match[1]) for match in result if match]


def shown_output(page: Path) -> list[tuple[list[str], list[str]]]:
    """Every command of the page with the lines shown below it, times and empty lines left out."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    shown: list[tuple[list[str], list[str]]] = []
    for line in "".join(blocks).splitlines():
        if line.startswith("$ "):
            shown.append((shlex.split(line.partition(" ")[2])[1:], []))
        elif line and not line.startswith("Time "):
            shown[-1][1].append(line)
    return shown


def assert_printed(shown: list[str], printed: list[str]) -> None:
    """Every line shown is one of the output, in this order; others may be left out."""
    rest = iter(printed)
    for line in shown:
        assert line in rest, f"not printed here: {line}"


WITH_COMMANDS = [page for page in PAGES if commands_of(page)]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_one_after_another_and_print_what_it_shows(
    call: Call, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    for argv, shown in shown_output(page):
        if argv != ["test"]:  # ./run test is this suite
            done = call(*argv)
            assert done.code == 0, f"{' '.join(argv)}: {done.err}"
            assert_printed(shown, done.out.splitlines())


@pytest.mark.parametrize(
    "page", sorted((DOCS / "reference/learners").glob("*.md")), ids=lambda page: page.stem
)
def test_the_page_of_a_learner_explains_when_to_use_it_and_shows_what_it_prints(page: Path) -> None:
    """`python docs/generate_reference.py --output` writes what the commands print."""
    text = page.read_text(encoding="utf-8")
    assert "**Use it** " in text
    key = text.partition(":")[0].removeprefix("# ")
    shown = next(lines for argv, lines in shown_output(page) if argv[:2] == ["learn", key])
    assert shown[0].split()[:2] == ["Learner", f"{key},"]


SAMPLES = commands_of(ROOT / "sample_data/README.md")
LEARNED = [argv for argv in SAMPLES if argv[0] == "learn"]


@pytest.mark.parametrize(
    "argv", [argv for argv in SAMPLES if argv not in LEARNED], ids=lambda argv: argv[-1]
)
def test_the_command_gives_the_same_bytes_again(
    call: Call, argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    assert call(*argv).code == 0
    assert (tmp_path / argv[-1]).read_bytes() == (ROOT / "sample_data" / argv[-1]).read_bytes()


@pytest.mark.parametrize(
    "argv",
    [pytest.param(w, marks=pytest.mark.long) if w[1] == "pdg.learn" else w for w in LEARNED],
    ids=lambda argv: argv[-1],
)
def test_the_command_learns_the_same_model_again(
    call: Call, argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to rounding, which processors do in their own ways."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    assert call(*argv).code == 0
    made, kept = (
        json.loads((folder / argv[-1]).read_text()) for folder in (tmp_path, ROOT / "sample_data")
    )
    assert made["structure"] == kept["structure"]
    assert made["variables"] == kept["variables"]
    for entry in ("parameters", "seed", "data"):
        assert made["provenance"][entry] == kept["provenance"][entry]
    assert made["provenance"]["measures"] == pytest.approx(kept["provenance"]["measures"], rel=1e-6)


def headings_of(page: Path) -> set[str]:
    """The link targets of a page's headings, formed as on GitHub."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.strip().lower())) for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_a_file_and_to_a_heading_of_it(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        target, _, anchor = link.partition("#")
        if "://" not in target and not target.startswith("pgmstudio:"):  # tests/gui/help has those
            file = page.parent / target if target else page
            assert file.exists(), link
            assert not anchor or anchor in headings_of(file), link


def test_every_page_is_linked_from_the_index_or_from_its_parent_page() -> None:
    """`reference/learners.md` is the parent of the pages in `reference/learners/`."""
    missing = []
    for page in PAGES[2:]:
        name = page.relative_to(DOCS).as_posix()
        parent = page.parent.with_suffix(".md")
        listed, link = (parent, f"{page.parent.name}/{page.name}")
        if not parent.is_file():
            listed, link = DOCS / "index.md", name
        if name != "index.md" and f"({link})" not in listed.read_text(encoding="utf-8"):
            missing.append(name)
    assert missing == []


def test_every_source_path_that_the_manual_names_exists() -> None:
    """Paths with a placeholder, such as `<language>`, are patterns and left out."""
    missing = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"`((?:pgmstudio|tests|benchmarks|docs)/[^`\s]*)`", text):
            if "<" not in path and "NAME" not in path and not (ROOT / path).exists():
                missing.append(f"{page.relative_to(ROOT)}: {path}")
    assert missing == []


def test_every_class_and_constant_that_the_contributing_pages_name_exists() -> None:
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "pgmstudio").rglob("*.py")]
    defined = r"^(?:class (\w+)|([A-Z]\w+)\b(?=:| =))"
    result = re.findall(defined, "\n".join(sources), re.MULTILINE)
    known = {name for pair in result for name in pair if name}
    pages = (DOCS / "contributing").glob("*.md")
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(re.findall(r"`([A-Z]\w+)`", text))
    assert {"Language", "Finished", "LearnTask"} <= named
    assert named - known - {"False"} == set()


def test_the_generated_tables_of_the_reference_are_up_to_date() -> None:
    """Otherwise run `python docs/generate_reference.py`."""
    from docs.generate_reference import outdated_pages

    assert [page.name for page, _ in outdated_pages()] == []


def test_every_learner_has_a_page_and_no_page_lacks_its_learner() -> None:
    from docs.generate_reference import built_in_learners, page_of

    keys = [learner.key for learner in built_in_learners()]
    assert set((DOCS / "reference/learners").glob("*.md")) == {page_of(key) for key in keys}
    for key in keys:
        assert page_of(key).read_text(encoding="utf-8").startswith(f"# {key}: ")


def test_every_language_has_a_page_under_its_title() -> None:
    from pgmstudio.core.languages.registry import BUILT_IN, LANGUAGES

    pages = {page.stem: page for page in (DOCS / "reference/languages").glob("*.md")}
    assert set(pages) == set(BUILT_IN)
    for kind, page in pages.items():
        assert page.read_text(encoding="utf-8").startswith(f"# {LANGUAGES[kind].title}\n")


def test_a_table_without_its_markers_is_refused() -> None:
    from docs.generate_reference import replace_between

    assert replace_between("a <!-- t -->\nold\n<!-- end --> b", "t", "new") == (
        "a <!-- t -->\n\nnew\n\n<!-- end --> b"
    )
    with pytest.raises(ValueError, match="markers"):
        replace_between("no markers here", "t", "new")


def test_every_command_and_generator_is_in_the_docs() -> None:
    from pgmstudio.cli.registry import COMMANDS
    from pgmstudio.core.experiments.generators.registry import GENERATORS

    commands = (ROOT / "docs/reference/command-line.md").read_text()
    assert [name for name in COMMANDS if f"`pgmstudio {name}" not in commands] == []
    data = (ROOT / "docs/reference/data.md").read_text()
    assert [name for name in GENERATORS if f"`{name}`" not in data] == []
