"""Commands carried out on a project: edits, imports and learning runs, without a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pgmstudio.core.errors import ParameterError, PgmStudioError, UnknownNameError, named
from pgmstudio.core.execution.events import CancelToken, Progress
from pgmstudio.core.experiments.bootstrap import BootstrapParams, BootstrapPlan, processes_for
from pgmstudio.core.io.import_plan import (
    Draft,
    ImportResult,
    import_rows,
    plain_draft,
    read,
    restored_draft,
)
from pgmstudio.core.io.session.commands import Command, check_arguments, edit_of
from pgmstudio.core.languages.learn_task import CollectedEvents, LearnTask
from pgmstudio.core.languages.learners import learner_of, named_settings
from pgmstudio.core.learning.base import LearnEvent
from pgmstudio.core.params import parse_params
from pgmstudio.core.project import edits
from pgmstudio.core.project.edits import add_data, add_run, put, reimport_data, without
from pgmstudio.core.project.project import (
    DataEntry,
    Outcome,
    Project,
    Run,
    plain_params,
    restored_params,
)
from pgmstudio.core.project.runs import learned_entry, models_of, training_rows
from pgmstudio.version import __version__

PARTS = ("data", "models", "runs", "curves", "comparisons", "evidence_cases")
# The ids of other entries in an entry.
REFERENCES = frozenset({"data_id", "run_id", "model_id", "model_ids"})
# How the entries of a part are numbered.
_NEXT_ID: Mapping[str, Callable[[Project], str]] = {
    "data": Project.next_data_id,
    "models": Project.next_model_id,
    "runs": Project.next_run_id,
    "curves": Project.next_curve_id,
    "comparisons": Project.next_comparison_id,
}
# Arguments, also within others, whose value is an id.
_ID_ARGUMENTS = frozenset(
    {"data_id", "model_id", "run_id", "curve_id", "comparison_id", "rows", "model"}
)
FINGERPRINT_LENGTH = 16  # of the rows of an imported file

RunTask = Callable[[LearnTask, CancelToken], Iterator[LearnEvent]]


def run_here(task: LearnTask, cancel: CancelToken) -> Iterator[LearnEvent]:
    """Run a learner in this process."""
    return task(cancel)


class RecordedIds:
    """The ids of a recorded session and those of the project in which it is replayed.

    Entries that the session began with are replaced by one data set and one model of the project;
    without a data set, its data are imported again.
    """

    def __init__(self, base: Project, data_id: str | None, model_id: str | None) -> None:
        self._recorded = base
        self._data_id = data_id
        self._actual: dict[str, str] = {}
        if data_id is not None:
            self._actual |= dict.fromkeys(base.data, data_id)
        if model_id is not None:
            self._actual |= dict.fromkeys(base.models, model_id)

    def takes_data(self) -> bool:
        """Whether the project's data set replaces the next one of the session, which it does once.

        A session that began with data has it already.
        """
        if self._data_id is None or self._recorded.data:
            return False
        self._note("data", self._recorded.next_data_id(), self._data_id)
        return True

    def command(self, command: Command, project: Project) -> Command:
        """The command with the ids of this project; what it brings gets an id of its own."""
        arguments = self.of(command.arguments)
        if command.name == "learn" and "into" in arguments:  # elsewhere it is the name of a state
            arguments["into"] = self._actual.get(arguments["into"], arguments["into"])
        part, key = arguments.get("part"), arguments.get("key")
        if command.name not in ("restore", "remove") or not isinstance(key, str):
            return Command(command.name, arguments)
        if isinstance(part, str) and part in _NEXT_ID:
            actual = self._actual.get(key)
            if actual is None and command.name == "restore":
                actual = _NEXT_ID[part](project)
                self._note(part, key, actual)
            arguments["key"] = actual or key
        return Command(command.name, arguments)

    def of(self, value: Any) -> Any:
        """The value with the ids of this project."""
        if isinstance(value, Mapping):
            return {key: self._in_entry(key, entry) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.of(entry) for entry in value)
        return value

    def _in_entry(self, key: Any, value: Any) -> Any:
        if key in _ID_ARGUMENTS:
            return self._actual.get(value, value) if isinstance(value, str) else value
        if key == "model_ids":
            return tuple(self._actual.get(one, one) for one in value)
        return self.of(value)

    def note_changes(self, before: Project, after: Project) -> None:
        """Entries that came or went in the project came or went in the recorded one as well."""
        for part, next_id in _NEXT_ID.items():
            old: Mapping[str, Any] = getattr(before, part)
            for key in getattr(after, part):
                if key not in old and key not in self._actual.values():
                    self._note(part, next_id(self._recorded), key)
            for key in old:
                if key not in getattr(after, part):
                    self._forget(part, key)

    def _forget(self, part: str, key: str) -> None:
        gone = [recorded for recorded, actual in self._actual.items() if actual == key]
        for recorded in gone:
            del self._actual[recorded]
        changes: Any = {part: without(getattr(self._recorded, part), *gone)}
        self._recorded = replace(self._recorded, **changes)

    def _note(self, part: str, recorded: str, actual: str) -> None:
        self._actual[recorded] = actual
        changes: Any = {part: put(getattr(self._recorded, part), recorded, None)}
        self._recorded = replace(self._recorded, **changes)


class Replay:
    """A project that commands change. `stored` has the entries that are not made anew; files of
    `data` replace the data sets, in the order in which these come."""

    def __init__(
        self,
        project: Project | None = None,
        stored: Project | None = None,
        data: Sequence[Path] = (),
        *,
        ids: RecordedIds | None = None,
        run: RunTask = run_here,
    ) -> None:
        self.project = project or Project()
        self._stored = stored or Project()
        self._data = [*data]
        self._ids, self._run = ids, run
        self.performed: list[Command] = []  # with the ids of the project

    def perform(self, command: Command, cancel: CancelToken) -> Iterator[Progress]:
        """Carry out one command. A refused one raises PgmStudioError and changes nothing."""
        ids, before = self._ids, self.project
        if ids is not None:
            if _is_data(command) and ids.takes_data():
                return
            command = ids.command(command, before)
        yield from self._perform(command, cancel)
        self.performed.append(command)
        if ids is not None:
            ids.note_changes(before, self.project)

    def check_data_used(self) -> None:
        """PgmStudioError when files of data were given that no step has imported."""
        if self._data:
            names = ", ".join(path.name for path in self._data)
            raise PgmStudioError(
                f"No step imports {names}. Files replace the tables that the session imports, "
                "in their order, not those that its project had before."
            )

    def _perform(self, command: Command, cancel: CancelToken) -> Iterator[Progress]:
        actions: dict[str, Callable[..., Iterator[Progress]]] = {
            "learn": self.learn,
            "import_file": self.import_file,
            "reimport": self.reimport,
            "restore": self.restore,
            "remove": self.remove,
        }
        if command.name in actions:
            action = actions[command.name]
            check_arguments(command, action, cancel=cancel)
            yield from action(**command.arguments, cancel=cancel)
        else:
            with _wrong_values_refused(command.name):
                self.project = edit_of(command, self.project)(self.project)

    def learn(
        self,
        learner: str,
        *,
        data_id: str,
        cancel: CancelToken,
        title: str = "",
        seed: int = 0,
        part: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        bootstrap: Mapping[str, Any] | None = None,
        into: str | None = None,
    ) -> Iterator[Progress]:
        """Learn a model and add it with its run; `bootstrap` learns from samples of the rows."""
        known = learner_of(learner)
        models = models_of(self.project)
        if seed < 0:
            raise ParameterError({"seed": "must be at least 0"})
        with _wrong_values_refused("learn"):
            given = named_settings(learner, restored_params(parameters or {}, models))
        params: Any = parse_params(known.params_type, given)
        rows = training_rows(self.project, data_id, part)
        reason = known.refuses(rows)
        if reason is not None:
            raise PgmStudioError(reason)
        task = LearnTask(known.key, rows, params, seed)
        if bootstrap is not None:
            settings = parse_params(BootstrapParams, bootstrap)
            processes = processes_for(rows, settings.replicates)
            task = BootstrapPlan(known.key, rows, params, seed, settings, processes)
        collected, began = CollectedEvents(task), time.monotonic()
        for event in self._run(task, cancel):
            collected.take(event)
            if isinstance(event, Progress):
                yield event
        best = collected.best()
        if best is None:
            raise PgmStudioError(f"{known.title} found no model.")
        run = Run(
            learner=known.key,
            params=plain_params(params, models),
            seed=seed,
            data_fingerprint=rows.fingerprint,
            program_version=__version__,
            outcome=Outcome.FINISHED,
            title=title or known.title,
            data_id=data_id,
            seconds=round(time.monotonic() - began, 3),
            measures=best.measures,
            messages=tuple(collected.notes),
            artifacts={kind: artifact.plain() for kind, artifact in collected.artifacts.items()},
        )
        entry = learned_entry(run, best.model)
        self.project = add_run(self.project, run=run, model=entry, into=into)

    def import_file(
        self,
        path: str,
        *,
        cancel: CancelToken,
        name: str = "",
        choices: Mapping[str, Any] | None = None,
        fingerprint: str = "",
    ) -> Iterator[Progress]:
        """Import a data file as the import page does with these choices. With the `fingerprint` of
        the rows of a session, a file that was changed since is refused."""
        file = Path(path)
        if self._data:
            file, name, fingerprint = self._data.pop(0), "", ""
        before = self.project
        yield from self._import(file, name, _draft(choices), cancel)
        data = self.project.data[before.next_data_id()].data
        if not data.fingerprint.startswith(fingerprint):
            self.project = before
            raise PgmStudioError(
                f"{file.name} has changed since the session was exported. "
                "Name it as the table to replay on, if its present rows are meant."
            )

    def reimport(
        self, *, data_id: str, cancel: CancelToken, choices: Mapping[str, Any] | None = None
    ) -> Iterator[Progress]:
        """Import the file of a data set again, with other choices."""
        entry = self.project.data_entry(data_id)
        path = entry.provenance.get("path")
        if not path:
            raise PgmStudioError(
                f"{entry.name} was not imported from a file; its original numbers are unknown."
            )
        yield from self._import(Path(str(path)), entry.name, _draft(choices), cancel, data_id)

    def _import(
        self,
        path: Path,
        name: str,
        draft: Draft,
        cancel: CancelToken,
        replaces: str | None = None,
    ) -> Iterator[Progress]:
        reading = read(path, draft.reading, cancel)
        name = name or path.name.split(".")[0]
        for event in import_rows(reading, draft, name, cancel):
            if not isinstance(event, ImportResult):
                yield event
            elif replaces is None:
                self.project = add_data(self.project, entry=event.entry)
            else:
                self.project = reimport_data(self.project, data_id=replaces, entry=event.entry)

    def restore(
        self, part: str, key: str, stored: str, *, cancel: CancelToken, **references: Any
    ) -> Iterator[Progress]:
        """Put a stored entry into a part of the project, such as its `models`."""
        if part == "data" and self._data and key not in self.project.data:
            yield from self._import(self._data.pop(0), "", Draft(), cancel)
            return
        entry = named("stored entry", stored, _part(self._stored, part))
        known = REFERENCES & {field.name for field in fields(entry)}
        wrong = next((name for name in references if name not in known), None)
        if wrong is not None:
            raise UnknownNameError("reference", wrong, known)
        for name, value in references.items():
            ids = value if isinstance(value, tuple) and name == "model_ids" else (value,)
            if not all(isinstance(one, str) for one in ids):
                raise PgmStudioError(f"restore: {name} cannot be {value!r:.60}.")
        entry = replace(entry, **references)
        changes: Any = {part: put(_part(self.project, part), key, entry)}
        self.project = replace(self.project, **changes)

    def remove(self, part: str, key: str, *, cancel: CancelToken) -> Iterator[Progress]:
        """Take an entry out of a part of the project; what refers to it refers to nothing."""
        cancel.raise_if_cancelled()
        edit, argument = named("part of a project", part, _REMOVERS)
        self.project = edit(self.project, **{argument: key})
        yield from ()


_REMOVERS: Mapping[str, tuple[Callable[..., Project], str]] = {
    "data": (edits.remove_data, "data_id"),
    "models": (edits.remove_model, "model_id"),
    "runs": (edits.remove_run, "run_id"),
    "curves": (edits.remove_curve, "curve_id"),
    "comparisons": (edits.remove_comparison, "comparison_id"),
    "evidence_cases": (edits.delete_evidence_case, "name"),
}


@contextmanager
def _wrong_values_refused(command: str) -> Iterator[None]:
    """PgmStudioError for arguments that only the command itself could check."""
    try:
        yield
    except PgmStudioError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise PgmStudioError(f"{command}: {error}.") from error


def _is_data(command: Command) -> bool:
    """Whether the command brings a data set."""
    return command.name == "import_file" or command.arguments.get("part") == "data"


def _part(project: Project, name: str) -> Mapping[str, Any]:
    if name not in PARTS:
        raise UnknownNameError("part of a project", name, PARTS)
    entries: Mapping[str, Any] = getattr(project, name)
    return entries


def import_command(entry: DataEntry) -> Command | None:
    """The import that made a data set, when its file is still there."""
    path, choices = entry.provenance.get("path"), entry.provenance.get("choices")
    if not path or choices is None or not Path(str(path)).is_file():
        return None
    arguments: dict[str, Any] = {"path": str(path), "name": entry.name}
    if changed := _changed(choices):
        arguments["choices"] = changed
    arguments["fingerprint"] = entry.data.fingerprint[:FINGERPRINT_LENGTH]
    return Command("import_file", arguments)


def reimport_command(data_id: str, entry: DataEntry) -> Command:
    """The import that replaced the rows of a data set."""
    return Command(
        "reimport", {"data_id": data_id, "choices": _changed(entry.provenance["choices"])}
    )


def _draft(choices: Mapping[str, Any] | None) -> Draft:
    usual = plain_draft(Draft())
    for name in choices or {}:
        named("choice of an import", name, usual)
    return restored_draft({**usual, **(choices or {})})


def _changed(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that are not the usual ones."""
    usual = plain_draft(Draft())
    return {key: value for key, value in choices.items() if usual.get(key) != value}
