"""Python scripts that rebuild a project step by step, and reading them without running them.

A script has one call per command: `project.add_edge(model_id="m1", source="A", target="B")`.
Results that have no text (large models made by hand, measured curves, a run that was stopped) are
entries of a project file beside the script. Since every argument is a literal, a script can be
replayed by the window and by `pgmstudio replay` without executing it.
"""

from __future__ import annotations

import ast
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from pprint import pformat
from typing import Any

from pgmstudio.core.errors import FileError
from pgmstudio.core.execution.events import NEVER, CancelToken, Progress
from pgmstudio.core.experiments.bootstrap import BootstrapParams
from pgmstudio.core.graphs.edge_frequencies import EdgeFrequencies
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.io.reading_limits import check_regular
from pgmstudio.core.io.session.commands import Command, commands_of
from pgmstudio.core.io.session.literals import NoText, literal
from pgmstudio.core.io.session.replay import (
    PARTS,
    REFERENCES,
    RecordedIds,
    Replay,
    RunTask,
    import_command,
    reimport_command,
    run_here,
)
from pgmstudio.core.languages.learners import all_learners, learner_of
from pgmstudio.core.params import specs_of
from pgmstudio.core.project import edits
from pgmstudio.core.project.edits import Edit, Step
from pgmstudio.core.project.project import (
    EvidenceCase,
    Outcome,
    Project,
    Run,
    fingerprints,
    plain_params,
)
from pgmstudio.core.project.runs import models_of, part_of
from pgmstudio.version import __version__

WIDTH = 96
# Commands that set a value: of several in one undo step only the last counts.
_SETTING = ("set_", "move_nodes")


@dataclass(frozen=True)
class ScriptStep:
    """A command of a script with the comment above it."""

    text: str
    command: Command


@dataclass(frozen=True)
class Script:
    """The commands of a script and the project files beside it."""

    steps: tuple[ScriptStep, ...]
    base: Path | None = None  # the project it begins with
    stored: Path | None = None

    def start(self, data: Sequence[Path] = (), cancel: CancelToken = NEVER) -> Replay:
        """The project that its commands begin with; files of `data` replace its data sets."""
        base, stored = self._read(cancel)
        return Replay(base, stored, data)

    def start_in(
        self,
        project: Project,
        cancel: CancelToken = NEVER,
        *,
        data_id: str | None = None,
        model_id: str | None = None,
        run: RunTask = run_here,
    ) -> Replay:
        """A project whose data set and model take the place of those of the script."""
        base, stored = self._read(cancel)
        ids = RecordedIds(base or Project(), data_id, model_id)
        return Replay(project, stored, ids=ids, run=run)

    def _read(self, cancel: CancelToken) -> tuple[Project | None, Project | None]:
        files = self.base, self.stored
        base, stored = (None if file is None else read_project(file, cancel) for file in files)
        return base, stored

    def replay(self, replay: Replay, cancel: CancelToken) -> Iterator[Progress]:
        """Carry out all steps in order, each announced."""
        for number, step in enumerate(self.steps):
            yield Progress(number / len(self.steps), step.text)
            yield from replay.perform(step.command, cancel)


# Writing


@dataclass
class _Writer:
    """Collects the commands of steps, and the entries that have to be stored."""

    stored: dict[str, Any] = field(default_factory=lambda: {p: {} for p in PARTS})
    _keys: dict[int, str] = field(default_factory=dict)

    def commands(self, step: Step) -> list[Command]:
        """The step as commands that give the same project."""
        made: list[Command] = []
        project = step.before
        try:
            for edit in step.edits:
                made += self._of_edit(edit, project, step.after)
                project = edit(project)
        except NoText:
            return self._difference(step.before, step.after)
        if len(step.edits) > 1 and all(one.name.startswith(_SETTING) for one in made):
            return made[-1:]
        return made

    def _of_edit(self, edit: Edit, project: Project, after: Project) -> Sequence[Command]:
        function = edit.func if isinstance(edit, partial) else None
        if function is edits.add_run and isinstance(edit, partial):
            return [learn_command(edit.keywords["run"], edit.keywords.get("into"), project)]
        if function is edits.add_data and isinstance(edit, partial):
            command = import_command(edit.keywords["entry"])
            return [command] if command is not None else commands_of(edit, project)
        if function is edits.reimport_data and isinstance(edit, partial):
            return [reimport_command(edit.keywords["data_id"], edit.keywords["entry"])]
        return commands_of(edit, project)

    def _difference(self, before: Project, after: Project) -> list[Command]:
        made: list[Command] = []
        for name, command in (
            ("title", "set_title"),
            ("notes", "set_notes"),
            ("knowledge", "set_knowledge"),
            ("edge_prices", "set_edge_prices"),
        ):
            value = getattr(after, name)
            if value is not getattr(before, name):
                made.append(Command(command, {name: literal(value, after)}))
        for part in PARTS:
            old: Mapping[str, Any] = getattr(before, part)
            new: Mapping[str, Any] = getattr(after, part)
            gone = [key for key in old if key not in new]
            made += [Command("remove", {"part": part, "key": key}) for key in gone]
            changed = [key for key, entry in new.items() if entry is not old.get(key)]
            made += [self._restored(part, key, new[key], after) for key in changed]
        return made

    def _restored(self, part: str, key: str, entry: Any, project: Project) -> Command:
        if isinstance(entry, EvidenceCase):
            evidence = literal(entry.evidence, project)
            arguments = {"name": key, "evidence": evidence, "model_id": entry.model_id}
            return Command("save_evidence_case", arguments)
        stored = self._keys.get(id(entry))
        if stored is None:
            stored = self._keys[id(entry)] = f"s{len(self._keys) + 1}"
            self.stored[part][stored] = _loose(entry)
        arguments = {"part": part, "key": key, "stored": stored}
        return Command("restore", {**arguments, **_references(entry)})

    def stored_project(self) -> Project | None:
        """The project file of what is stored; None when nothing is."""
        return Project(**self.stored) if any(self.stored.values()) else None


def _references(entry: Any) -> dict[str, Any]:
    """The ids of other entries in an entry; a file of parts would lose them."""
    return {name: getattr(entry, name) for name in sorted(REFERENCES) if getattr(entry, name, None)}


def _loose(entry: Any) -> Any:
    empty = {name: () if name == "model_ids" else None for name in _references(entry)}
    return replace(entry, **empty)


def learn_command(run: Run, into: str | None, project: Project) -> Command:
    """The run as a command; NoText unless it can be done again to the last bit."""
    data = project.data.get(run.data_id or "")
    is_whole = run.outcome is Outcome.FINISHED and run.learner in all_learners()
    if data is None or not is_whole or run.data_fingerprint not in fingerprints(data):
        raise NoText
    usual = plain_params(learner_of(run.learner).params_type(), models_of(project))
    changed = {name: value for name, value in run.params.items() if usual.get(name) != value}
    arguments: dict[str, Any] = {
        "learner": run.learner,
        "data_id": run.data_id,
        "title": run.title,
        "seed": run.seed,
    }
    part = part_of(data, run)
    frequencies = run.artifacts.get(EdgeFrequencies.kind)
    optional = {
        "part": part,
        "parameters": literal(changed, project),
        "into": into,
        "bootstrap": None if frequencies is None else _bootstrap(frequencies["settings"]),
    }
    arguments |= {name: value for name, value in optional.items() if value}
    return Command("learn", arguments)


def _bootstrap(settings: Mapping[str, Any]) -> dict[str, Any]:
    names = {spec.name for spec in specs_of(BootstrapParams)}
    return {name: value for name, value in settings.items() if name in names}


def call_text(command: Command) -> str:
    """The command as a call of Python, wrapped."""
    arguments = dict(command.arguments)
    first = [repr(arguments.pop("learner"))] if command.name == "learn" else []
    if command.name == "import_file":
        first = [repr(arguments.pop("path"))]
    parts = [*first, *(f"{name}={_literal_text(value)}" for name, value in arguments.items())]
    line = f"project.{command.name}({', '.join(parts)})"
    if len(line) <= WIDTH and "\n" not in line:
        return line
    inner = "".join(f"{textwrap.indent(part, '    ')},\n" for part in parts)
    return f"project.{command.name}(\n{inner})"


def _literal_text(value: Any) -> str:
    return pformat(value, width=WIDTH - 8, sort_dicts=False, compact=True)


_HEAD = '''"""{title}

Exported by PGM Studio {version}. Needs the package pgmstudio.

    python {name}                 rebuilds the project and saves it as {result}
    python {name} OTHER.csv       does the same with another table
"""

import sys
from pathlib import Path

import pgmstudio as pgm

here = Path(__file__).parent
project = pgm.Project({files}data=sys.argv[1:])
'''


def write_script(path: Path, steps: Sequence[Step], title: str) -> None:
    """Write a script that rebuilds the project after the last step, and the files beside it."""
    base = steps[0].before if steps else Project()
    writer = _Writer()
    chapters = [(step.text, writer.commands(step)) for step in steps]
    stored = writer.stored_project()
    files = ""
    for name, project in (("base", base if _has_content(base) else None), ("stored", stored)):
        if project is not None:
            file = path.with_name(f"{path.stem}.{name}.pgmz")
            write_project(file, project)
            files += f"{name}=here / {file.name!r}, "
    result = f"{path.stem}-rebuilt.pgmz"
    heading = f"Session of PGM Studio: {title}" if title else "Session of PGM Studio"
    text = _HEAD.format(
        title=_plain_text(heading),
        version=__version__,
        name=_plain_text(shlex.quote(path.name)),
        result=_plain_text(result),
        files=files,
    )
    for comment, commands in chapters:
        calls = "\n".join(map(call_text, commands))
        text += f"\n# {_plain_text(comment)}\n{calls}\n"
    text += f"\nproject.save(here / {result!r})\n"
    replace_file(path, text.encode())


def _plain_text(text: str) -> str:
    """A comment or docstring that no name can end."""
    return " ".join(text.replace('"', "'").replace("\\", "/").split())


def _has_content(project: Project) -> bool:
    return (
        any(getattr(project, name) for name in (*PARTS, "title", "notes"))
        or not project.knowledge.is_empty
        or not project.edge_prices.is_empty
    )


# Reading


def read_script(path: Path) -> Script:
    """The commands of a script that `write_script` wrote; FileError for any other Python."""
    check_regular(path, FileError)
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"cannot be read: {error}.") from None
    except SyntaxError as error:
        raise FileError(path, f"line {error.lineno or 1} is no Python: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FileError(path, f"is no Python that can be read: {error}.") from None
    comments = _comments(text)
    steps: list[ScriptStep] = []
    files: dict[str, Path] = {}
    comment = ""
    for statement in tree.body:
        comment = comments.get(statement.lineno - 1, comment)
        if _is_frame(statement):
            files |= _files(statement, path)
        else:
            steps.append(ScriptStep(comment, _command(statement, path)))
    return Script(tuple(steps), files.get("base"), files.get("stored"))


def _comments(text: str) -> dict[int, str]:
    lines = enumerate(text.splitlines(), start=1)
    return {number: line[2:] for number, line in lines if line.startswith("# ")}


def _is_frame(statement: ast.stmt) -> bool:
    """The docstring, imports, the two assignments and the last call: what every script has."""
    match statement:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id="here" | "project")]):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="save"))):
            return True
    return False


def _files(statement: ast.stmt, path: Path) -> dict[str, Path]:
    match statement:
        case ast.Assign(targets=[ast.Name(id="project")], value=ast.Call(keywords=keywords)):
            return {
                keyword.arg: path.with_name(name)
                for keyword in keywords
                if keyword.arg in ("base", "stored") and (name := _beside(keyword.value))
            }
    return {}


def _beside(value: ast.expr) -> str:
    match value:
        case ast.BinOp(right=ast.Constant(value=str() as name)):
            return Path(name).name
    return ""


_FIRST = {"learn": "learner", "import_file": "path"}


def _command(statement: ast.stmt, path: Path) -> Command:
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="project"), attr=name),
                args=positional,
                keywords=keywords,
            )
        ) if len(positional) <= (name in _FIRST) and all(keyword.arg for keyword in keywords):
            try:
                values = [ast.literal_eval(one) for one in positional]
                named = {str(one.arg): ast.literal_eval(one.value) for one in keywords}
            except (ValueError, TypeError, RecursionError, MemoryError):
                raise FileError(
                    path, f"line {statement.lineno}: an argument is not a plain value."
                ) from None
            return Command(name, {_FIRST[name]: values[0], **named} if values else named)
    raise FileError(
        path,
        f"line {statement.lineno} is not a command of a session. Only scripts exported by "
        "PGM Studio can be replayed; run others with Python.",
    )
