"""The shape of the package: imports, folders, and what is known outside the languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import networkx as nx
import pytest

import pgmstudio
from pgmstudio.core.languages.registry import LANGUAGES

ROOT = Path(pgmstudio.__file__).parent
MAX_FILES = 35
IMPORT = re.compile(
    r"^( *)(?:from (pgmstudio[\w.]*) import (\([^)]*\)|.*)|import (pgmstudio[\w.]*))", re.MULTILINE
)

FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?: .*\n|\n)*", re.MULTILINE)


@cache
def sources() -> dict[str, str]:
    """The text of every module without its imports for types alone, by its name."""
    result = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        result[name] = FOR_TYPES.sub("", path.read_text(encoding="utf-8"))
    return result


def imports_of(name: str, *, is_late: bool) -> Iterator[set[str]]:
    """The modules of each import statement: those inside functions, or those of the module."""
    modules = sources()
    for match in IMPORT.finditer(modules[name]):
        indent, package, names, whole = match.groups()
        if bool(indent) is not is_late:
            continue
        home = package or whole
        listed = (word.split(" as ")[0].strip() for word in (names or "").strip("()").split(","))
        inner = {f"{home}.{word}" for word in listed}
        yield (inner & modules.keys()) or ({home} & modules.keys())


@cache
def imported(name: str) -> frozenset[str]:
    """What a module imports when it is loaded."""
    return frozenset[str]().union(*imports_of(name, is_late=False)) - {name}


def loaded_with(name: str) -> set[str]:
    """All modules that are loaded with one."""
    seen, waiting = {name}, [name]
    while waiting:
        for other in imported(waiting.pop()) - seen:
            seen.add(other)
            waiting.append(other)
    return seen


def test_no_modules_import_each_other() -> None:
    try:
        tuple(TopologicalSorter({name: imported(name) for name in sources()}).static_order())
    except CycleError as cycle:
        pytest.fail(" → ".join(cycle.args[1]))


# A model is loaded without the code behind some of its methods, a registry without its pages; these
# import it. No other modules may import each other, not even inside functions.
LATE_CYCLES = {
    frozenset(f"pgmstudio.{name}" for name in names.split())
    for names in (
        "core.languages.bayesian_network.model core.languages.bayesian_network.arc_reversal",
        "core.languages.markov_network.model core.languages.markov_network.fitting",
        "core.languages.ldag.model core.languages.ldag.contexts core.languages.ldag.labels",
        "core.languages.pdg.model core.languages.pdg.kernels",
        "api.models api.exchange",
    )
}


def test_imports_inside_functions_close_no_further_cycles() -> None:
    graph = nx.DiGraph()
    for name in sources():
        for is_late in (False, True):
            for modules in imports_of(name, is_late=is_late):
                graph.add_edges_from((name, other) for other in modules - {name})
    cycles = {frozenset(part) for part in nx.strongly_connected_components(graph) if len(part) > 1}
    assert cycles - LATE_CYCLES == set()


def test_an_import_inside_a_function_loads_something_new() -> None:
    """Such an import saves time at the start; else it belongs to the head of its module."""
    needless = [
        f"{name}: {', '.join(sorted(modules))}"
        for name in sources()
        if (late := [modules for modules in imports_of(name, is_late=True) if modules])
        for at_once in [loaded_with(name)]
        for modules in late
        if modules <= at_once
    ]
    assert needless == []


def test_no_folder_has_more_files_than_can_be_surveyed() -> None:
    folders = [path for path in (ROOT, *ROOT.rglob("*/")) if path.is_dir()]
    counts = {str(path.relative_to(ROOT)): len(list(path.glob("*.py"))) for path in folders}
    assert {folder: count for folder, count in counts.items() if count > MAX_FILES} == {}


def asks_for(text: str, types: set[str]) -> bool:
    """Whether code asks for one of the classes: by `isinstance`, `match`, `type` or `kind`."""

    def names(node: ast.AST) -> bool:
        return any(isinstance(one, ast.Name) and one.id in types for one in ast.walk(node))

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass") and names(node.args[1]):
                return True
        elif (isinstance(node, ast.Compare) and any(map(names, node.comparators))) or (
            isinstance(node, ast.MatchClass) and names(node.cls)
        ):
            return True
    return False


def test_outside_the_languages_no_code_asks_for_a_concrete_model_class() -> None:
    types = {row.model_type.load().__name__ for row in LANGUAGES.values()}
    named = re.compile(rf"\b({'|'.join(types)})\b")
    result = {
        name
        for name, text in sources().items()
        if "languages" not in name.split(".") and named.search(text) and asks_for(text, types)
    }
    # A file format is of one language: it asks whether a model is of it.
    formats = {"pgmstudio.core.io.models.shared.undirected_graphs", "pgmstudio.core.io.models.uai"}
    assert result == formats
