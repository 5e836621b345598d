"""Move and merge modules as `modules.tsv` says, and rewrite everything that names them.

    python .ci/restructure/move_modules.py --check    problems only, nothing is changed
    python .ci/restructure/move_modules.py            moves; run it in a clean checkout

A line of the table is the old and the new path of a module; `packages.tsv` has the sentence of each
new package. Several old paths with one new path are merged: imports are joined, parts stand in the
order of their dependences, private names that clash get the last word of their module's name in
front. Afterwards `ruff check --fix --select I,F401,UP`
and `ruff format` tidy up. Tried on this tree: ruff, mypy and the contracts of imports pass and all
tests are collected; the tests themselves have yet to run. This folder goes once the move is made.
"""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NAMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Public names that clash, and aliases that both parts define: (old path, name) -> new name or drop.
PUBLIC = {
    ("pgmstudio/core/models/context_cases.py", "MOST_CASES"): "MAX_LISTED_CASES",
    ("pgmstudio/core/models/same_distribution.py", "MOST_STATES"): "MAX_COMPARED_STATES",
    ("pgmstudio/core/models/conversions.py", "MOST_STATES"): "MAX_COMPARED_STATES",
    ("pgmstudio/core/scores/sanov.py", "TESTS"): "SANOV_TESTS",
    ("pgmstudio/core/scores/independence_tests.py", "TESTS"): "SANOV_TESTS",
}
DROPPED = {
    ("pgmstudio/gui/pages/fact_table.py", "Index"),
    ("pgmstudio/gui/panels/cell_table.py", "Index"),
    ("pgmstudio/gui/views/ambiguous_desk.py", "Edge"),
}
# What no rule covers: path after the move, text, its replacement.
BY_HAND = (
    ("pgmstudio/cli/registry.py", 'f"pgmstudio.cli.{', 'f"pgmstudio.cli.commands.{'),
    (
        "tests/core/io/project/test_project_file.py",
        'FILES = Path(__file__).parent / "files"',
        'FILES = Path(__file__).parents[1] / "files"',
    ),
    (
        "tests/core/io/project/test_project_file.py",
        "folders = [str(Path(__file__).parent), ",
        "folders = [str(Path(__file__).parents[1]), ",
    ),
    (
        "pgmstudio/gui/languages/tree_mixture/inspector.py",
        "for row, (state, shares) in enumerate(self._rows):\n            place = QRectF(0, row *",
        "for line, (state, shares) in enumerate(self._rows):\n            place = QRectF(0, line *",
    ),
)
BY_HAND += (
    (
        "tests/gui/screenshots.py",
        "from pgmstudio.gui.window.application import WindowGarbage  # noqa: E402\n",
        "",
    ),
    (
        "tests/gui/screenshots.py",
        "application import make_application  # noqa",
        "application import WindowGarbage, make_application  # noqa",
    ),
)
CONTRACTS = """[[tool.importlinter.contracts]]
name = "Layers of the core"
type = "layers"
containers = ["pgmstudio.core"]
layers = [
    "reports", "io", "project", "experiments", "analysis", "languages",
    "learning | inference | drawing", "scores", "model", "number_format", "graphs | data",
    "numba_support", "execution", "json_documents | large_counts", "params", "errors",
]
# Two layouts ask the mixture's diagrams for the shape of a strand: to be cut by hand.
ignore_imports = [
    "pgmstudio.core.drawing.layout.placement -> pgmstudio.core.languages.tree_mixture.diagrams",
    "pgmstudio.core.drawing.svg.diagram -> pgmstudio.core.languages.tree_mixture.diagrams",
]

[[tool.importlinter.contracts]]
name = "The window and the command line do not know each other"
type = "independence"
modules = ["pgmstudio.gui", "pgmstudio.cli"]
"""


def module_of(path: str) -> str:
    return path[:-3].replace("/", ".")


class Part:
    """One old module of a new one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.module = module_of(path)
        self.text = Path(path).read_text()
        self.tree = ast.parse(self.text)

    @property
    def stem(self) -> str:
        return Path(self.path).stem.split("_")[-1]

    def renamed(self, table: dict[str, str]) -> None:
        self.text = rename_names(self.text, table)
        self.tree = ast.parse(self.text)


def bound_names(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines."""
    if isinstance(node, NAMES):
        return {node.name}
    if isinstance(node, ast.Assign):
        parts = [part for target in node.targets for part in ast.walk(target)]
        return {part.id for part in parts if isinstance(part, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def rename_names(text: str, table: dict[str, str]) -> str:
    """Names as tokens, not attributes; inside f-strings by their spelling."""
    lines, edits, before = text.split("\n"), [], ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string in table and before != ".":
            edits.append((token.start, token.end, table[token.string]))
        elif token.type == tokenize.STRING and re.match(r"(?i)r?fr?[\"']", token.string):
            new = token.string
            for old, fresh in table.items():
                new = re.sub(rf"(?<![\w.]){re.escape(old)}\b", fresh, new)
            if new != token.string:
                edits.append((token.start, token.end, new))
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.string
    for (row, column), (end_row, end_column), new in sorted(edits, reverse=True):
        whole = lines[row - 1][:column] + new + lines[end_row - 1][end_column:]
        lines[row - 1 : end_row] = whole.split("\n")
    return "\n".join(lines)


class Move:
    """The whole move: what goes where, what is renamed, what went wrong."""

    def __init__(self) -> None:
        lines = (FOLDER / "modules.tsv").read_text().splitlines()
        self.paths = dict(line.split("\t") for line in lines)
        self.groups: dict[str, list[str]] = {}
        for old, new in self.paths.items():
            self.groups.setdefault(new, []).append(old)
        self.modules = {module_of(old): module_of(new) for old, new in self.paths.items()}
        self.renamed: dict[tuple[str, str], str] = {}
        self.aliased: dict[str, dict[str, str]] = {}  # module -> new name of an import -> its own
        self.problems = [f"not there: {old}" for old in self.paths if not Path(old).exists()]
        known = {*self.paths, "pgmstudio/__main__.py"}
        every = (str(path) for path in Path("pgmstudio").rglob("*.py"))
        left = [path for path in every if path not in known and not path.endswith("__init__.py")]
        self.problems += [f"has no new path: {path}" for path in left]

    def write_out_names(self) -> None:
        """Module names that are put together at run time become whole ones."""
        for path in Path("pgmstudio").rglob("*.py"):
            text = path.read_text()
            room = re.search(r'^_ROOM = "([\w.]+)"\n\n?', text, re.M)
            if room:
                text = text.replace(room.group(0), "")
                path.write_text(text.replace('_ROOM + "', f'"{room.group(1)}'))
        main = Path("pgmstudio/__main__.py")
        text = main.read_text()
        block = re.search(r"_BEFORE_QT = \((.*?)\)", text, re.S).group(0)
        whole = re.sub(r'"([\w.]+)"', r'"pgmstudio.core.\1"', block)
        text = text.replace(block, whole).replace('f"pgmstudio.core.{name}"', "name")
        main.write_text(text)

    def adjust_depths(self) -> None:
        """`Path(__file__).parents[n]` where a file lies deeper than before."""
        for old, new in self.paths.items():
            deeper = new.count("/") - old.count("/")
            path = Path(old)
            text = re.sub(
                r"(__file__\)(?:\.resolve\(\))?\.parents\[)(\d+)(\])",
                lambda m, n=deeper: f"{m.group(1)}{int(m.group(2)) + n}{m.group(3)}",
                path.read_text(),
            )
            if deeper and text != path.read_text():
                path.write_text(text)

    def merged(self, new: str, olds: list[str]) -> str:
        parts = [Part(old) for old in olds]
        modules = {part.module for part in parts}
        order = self._ordered(new, parts, modules)
        doubled = self._without_clashes(new, order, modules)
        imports: list[str] = []
        typing_only: list[str] = []
        bodies: list[str] = []
        for part in order:
            bodies.append(self._body(part, modules, doubled[part.module], imports, typing_only))
        docs = [doc for part in parts if (doc := ast.get_docstring(part.tree))]
        end = "\n" if len(docs) > 1 or "\n" in docs[0] else ""
        doc = "\n\n".join(docs).replace("\\", "\\\\")
        text = f'"""{doc}{end}"""\n\nfrom __future__ import annotations\n\n' + "\n".join(imports)
        if typing_only:
            text += "\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
            text += "\n".join(typing_only)
        return text + "\n\n\n" + "\n\n\n".join(body for body in bodies if body) + "\n"

    def _ordered(self, new: str, parts: list[Part], modules: set[str]) -> list[Part]:
        needs = {
            part.module: {
                node.module
                for node in part.tree.body
                if isinstance(node, ast.ImportFrom) and node.module in modules
            }
            for part in parts
        }
        order: list[Part] = []
        left = list(parts)
        while left:
            done = {part.module for part in order}
            ready = [part for part in left if not needs[part.module] - done]
            if not ready:
                self.problems.append(f"parts need each other: {new}")
                ready = left
            order.append(ready[0])
            left.remove(ready[0])
        return order

    def _without_clashes(
        self, new: str, order: list[Part], modules: set[str]
    ) -> dict[str, set[str]]:
        """Rename what clashes; returns the names of each part that an earlier part defines too."""
        seen: dict[str, object] = {}
        doubled: dict[str, set[str]] = {part.module: set() for part in order}
        for part in order:
            table: dict[str, str] = {}
            for node in part.tree.body:
                source = ast.get_source_segment(part.text, node)
                for name in bound_names(node):
                    if name not in seen:
                        seen[name] = source
                    elif seen[name] == source or (part.path, name) in DROPPED:
                        doubled[part.module].add(name)
                    elif (fresh := PUBLIC.get((part.path, name))) or name.startswith("_"):
                        table[name] = fresh or self._private(part.stem, name)
                        self.renamed[part.module, name] = table[name]
                    else:
                        self.problems.append(f"{name} of {part.path} clashes in {new}")
            self._rename_imports(part, modules, seen, table)
            for node in ast.walk(part.tree):
                if isinstance(node, ast.ImportFrom) and node.module in modules:
                    for alias in node.names:
                        own = self.renamed.get((node.module, alias.name), alias.name)
                        if own != (alias.asname or alias.name):
                            table[alias.asname or alias.name] = own
            if table:
                part.renamed(table)
            for name in table.values():
                seen.setdefault(name, None)
        return doubled

    @staticmethod
    def _private(stem: str, name: str) -> str:
        bare = name.lstrip("_")
        if bare.isupper():
            return f"_{stem.upper()}_{bare}"
        return f"_{stem.capitalize()}{bare}" if bare[0].isupper() else f"_{stem}_{bare}"

    def _rename_imports(
        self, part: Part, modules: set[str], seen: dict[str, object], table: dict[str, str]
    ) -> None:
        """Names imported here that another part defines, or imports from elsewhere."""
        for node in part.tree.body:
            if not isinstance(node, ast.ImportFrom) or node.module in {*modules, "__future__"}:
                continue
            for alias in node.names:
                name, key = alias.asname or alias.name, (node.module, alias.name)
                if seen.setdefault(name, key) != key and name not in table:
                    fresh = (
                        f"{part.stem}_{name}"
                        if name[0].islower()
                        else f"{part.stem.capitalize()}{name}"
                    )
                    table[name] = fresh
                    self.aliased.setdefault(part.module, {})[fresh] = alias.name

    def _body(
        self,
        part: Part,
        modules: set[str],
        doubled: set[str],
        imports: list[str],
        typing_only: list[str],
    ) -> str:
        """What is left of a part without docstring and imports, which are collected."""
        lines = part.text.split("\n")
        gone: set[int] = set()
        aliased = self.aliased.get(part.module, {})
        for number, node in enumerate(part.tree.body):
            span = range(node.lineno, node.end_lineno + 1)
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if number == 0 and is_text:
                gone.update(span)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                gone.update(span)
                module = getattr(node, "module", None)
                if module == "__future__" or module in modules:
                    continue
                if any(alias.name in aliased for alias in node.names):
                    for alias in node.names:
                        if alias.name in aliased:
                            alias.asname, alias.name = alias.name, aliased[alias.name]
                    imports.append(ast.unparse(node))
                else:
                    imports.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
            elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                gone.update(span)
                typing_only += [
                    "\n".join(lines[inner.lineno - 1 : inner.end_lineno])
                    for inner in node.body
                    if getattr(inner, "module", None) not in modules
                ]
            elif bound_names(node) and bound_names(node) <= doubled:
                decorators = getattr(node, "decorator_list", [])
                first = decorators[0].lineno if decorators else node.lineno
                gone.update(range(first, node.end_lineno + 1))
        for node in ast.walk(part.tree):
            if isinstance(node, ast.ImportFrom) and node.module in modules:
                gone.update(range(node.lineno, node.end_lineno + 1))
        kept = (line for number, line in enumerate(lines, 1) if number not in gone)
        return "\n".join(kept).strip("\n")

    def move_files(self, texts: dict[str, str]) -> None:
        def git(*words: str) -> None:
            subprocess.run(["git", *words], check=True)

        moving: list[tuple[str, str]] = []
        for new, olds in self.groups.items():
            Path(new).parent.mkdir(parents=True, exist_ok=True)
            largest = max(olds, key=os.path.getsize)  # carries the history
            for old in olds:
                if old != largest:
                    git("rm", "-q", old)
            if largest != new:
                git("mv", largest, f"{new}.moving")
                moving.append((f"{new}.moving", new))
        for old, new in moving:
            git("mv", old, new)
        for new, text in texts.items():
            Path(new).write_text(text)

    def rewrite_references(self) -> None:
        names = sorted(self.modules, key=len, reverse=True)
        pattern = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?!\w)")
        statement = re.compile(
            r"^([ \t]*)from ((?:pgmstudio|tests)[\w.]*) import (\([^)]*\)|[^\n(]+)$", re.M
        )
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for name in listed:
            path = Path(name)
            is_ours = path.suffix in {".py", ".toml", ".md"} or name == "run"
            if not is_ours or name == "CHANGELOG.md" or FOLDER in path.resolve().parents:
                continue
            if path.exists():
                text = statement.sub(self._statement, path.read_text())
                text = pattern.sub(lambda m: self.modules[m.group(1)], text)
                if text != path.read_text():
                    path.write_text(text)

    def _statement(self, match: re.Match[str]) -> str:
        """`from package import module`, and private names that were renamed."""
        indent, package, names = match.groups()
        kept, moved, is_renamed = [], [], False
        for item in (part.strip() for part in names.strip("()\n ").split(",")):
            name, _, alias = item.partition(" as ")
            if new := self.modules.get(f"{package}.{name}"):
                above, _, leaf = new.rpartition(".")
                ending = "" if (alias or name) == leaf else f" as {alias or name}"
                moved.append(f"{indent}from {above} import {leaf}{ending}")
            elif fresh := self.renamed.get((package, name)):
                kept.append(f"{fresh} as {alias or name}")
                is_renamed = True
            elif item:
                kept.append(item)
        if not moved and not is_renamed:
            return match.group(0)
        return "\n".join(
            [*([f"{indent}from {package} import ({', '.join(kept)})"] if kept else []), *moved]
        )

    def finish(self) -> None:
        for name, text, fresh in BY_HAND:
            path = Path(name)
            if text not in path.read_text():
                self.problems.append(f"not found in {name}: {text[:50]}")
            path.write_text(path.read_text().replace(text, fresh))
        project = Path("pyproject.toml")
        settings = project.read_text()
        begin = settings.index('[[tool.importlinter.contracts]]\nname = "Rooms point one way"')
        project.write_text(settings[:begin] + CONTRACTS)
        lines = (FOLDER / "packages.tsv").read_text().splitlines()
        sentences = dict(line.split("\t") for line in lines)
        for folder in [path for path in Path("pgmstudio").rglob("*") if path.is_dir()]:
            has_modules = [p for p in folder.glob("*.py") if p.name != "__init__.py"]
            has_folders = [p for p in folder.glob("*/") if p.name not in ("__pycache__", "schema")]
            is_package = bool(has_modules or has_folders) and "__pycache__" not in folder.parts
            first = folder / "__init__.py"
            if is_package and not first.exists():
                first.write_text(f'"""{sentences[folder.as_posix()]}"""\n')
            elif not is_package and first.exists():
                subprocess.run(["git", "rm", "-qf", str(first)], check=True)


def main() -> int:
    move = Move()
    is_check = "--check" in sys.argv
    if not is_check:
        move.write_out_names()
        move.adjust_depths()
    texts = {new: move.merged(new, olds) for new, olds in move.groups.items() if len(olds) > 1}
    if not move.problems and not is_check:
        move.move_files(texts)
        move.rewrite_references()
        move.finish()
    print("\n".join(move.problems) or "No problems.")
    return 1 if move.problems else 0


if __name__ == "__main__":
    sys.exit(main())
