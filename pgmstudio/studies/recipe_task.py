"""Running a recipe: its parts one after the other, in processes or on a cluster.

Finished parts can be saved in a file, a line of JSON for each, with which a later run of the same
settings and data continues.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import FileError
from pgmstudio.core.execution.cluster import connect, work_on_cluster
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.execution.process_pool import WorkAgain, WorkEnded, WorkFailed, in_pool
from pgmstudio.core.experiments.plans.expansion import code_version
from pgmstudio.core.io.atomic import append_line, replace_file
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.json_documents import json_line, read_json_line, render_json
from pgmstudio.core.params import params_to_dict
from pgmstudio.studies.recipe import Measured, Part, RecipeContext, RecipeEvent
from pgmstudio.studies.registry import recipe_of

Sources = Mapping[str, Any]
PartEvent = RecipeEvent | WorkFailed | WorkAgain | WorkEnded


@dataclass(frozen=True, eq=False)
class PartWork:
    """One of the parts of a recipe, for any process."""

    key: str
    params: Any
    seed: int
    part: Part
    parts: int

    def __call__(self, sources: Sources, cancel: CancelToken, /) -> Iterator[RecipeEvent]:
        context = RecipeContext(self.params, self.seed, sources, cancel, self.part, self.parts)
        for event in recipe_of(self.key).run(context):
            cancel.raise_if_cancelled()
            yield event


@dataclass(frozen=True, eq=False)
class RecipeTask:
    """A recipe as a task; the same table wherever it runs.

    `cluster` is the address of a Dask scheduler. What the file `saved` has of an earlier run with
    the same settings, data and code comes first; parts that finish are added to it.
    """

    key: str
    params: Any
    seed: int
    sources: Sources
    processes: int = 1
    cluster: str | None = None
    saved: Path | None = None

    def __call__(self, cancel: CancelToken, /) -> Iterator[RecipeEvent]:
        parts = recipe_of(self.key).parts(self.params)
        store = None if self.saved is None else SavedParts(self.saved, self._identity())
        known = {} if store is None else store.known(parts)
        if len(known) == len(parts):
            known = {}  # a run of everything is asked for again
        if known:
            yield Note(f"Continues after {len(known)} of {len(parts)} parts that are finished.")
        for number, events in known.items():
            yield from (_of_part(event, number) for event in events)
        if self.cluster and recipe_of(self.key).is_timed:
            yield Note("It measures seconds, so its parts run here, one after the other.")
        left = [number for number in range(len(parts)) if number not in known]
        works = [PartWork(self.key, self.params, self.seed, parts[n], len(parts)) for n in left]
        if store is not None and not known:
            store.begin()
        fractions = dict.fromkeys(known, 1.0)
        done: dict[int, list[Measured | Note]] = {number: [] for number in left}
        repeated = dict.fromkeys(left, 0)  # events that come again
        for index, event in self._events(works, cancel):
            number = left[index]
            match event:
                case Progress(fraction, message, counters):
                    fractions[number] = fraction or fractions.get(number, 0.0)
                    yield Progress(sum(fractions.values()) / len(parts), message, counters)
                case Measured() | Note() if repeated[number]:
                    repeated[number] -= 1
                case Measured() | Note():
                    done[number].append(_of_part(event, number))
                    yield done[number][-1]
                case WorkEnded():
                    fractions[number] = 1.0
                    if store is not None:
                        store.add(parts[number], done[number])
                case WorkFailed(error):
                    raise error
                case WorkAgain():
                    repeated[number] = len(done[number])

    def _events(
        self, works: Sequence[PartWork], cancel: CancelToken
    ) -> Iterator[tuple[int, PartEvent]]:
        is_timed = recipe_of(self.key).is_timed
        if self.cluster and not is_timed:
            yield from self._on_cluster(works, cancel)
        elif self.processes > 1 and len(works) > 1 and not is_timed:
            yield from in_pool(self.sources, works, cancel, processes=self.processes)
        else:
            for number, work in enumerate(works):
                for event in work(self.sources, cancel):
                    yield number, event
                yield number, WorkEnded()

    def _on_cluster(
        self, works: Sequence[PartWork], cancel: CancelToken
    ) -> Iterator[tuple[int, PartEvent]]:
        with closing(connect(self.cluster or "")) as client:
            yield 0, Progress(None, f"{len(works)} parts on {self.cluster}")
            ends = work_on_cluster(
                client, _run_part, works, cancel, shared=dict(self.sources), version=code_version
            )
            with closing(ends):
                for count, (number, ended) in enumerate(ends, 1):
                    for event in ended.values:
                        yield number, event
                    yield number, WorkEnded() if ended.error is None else WorkFailed(ended.error)
                    yield number, Progress(1.0, f"{count} of {len(works)} parts")

    def _identity(self) -> str:
        """What the values depend on: settings, seed, data and the code."""
        contents = {name: _fingerprint(source) for name, source in self.sources.items()}
        described = [self.key, params_to_dict(self.params), self.seed, contents, code_version()]
        return hashlib.sha256(render_json(described)).hexdigest()[:16]


def _run_part(work: PartWork, sources: Sources, cancel: CancelToken) -> Iterator[RecipeEvent]:
    """Runs in a worker of the cluster, which does not report progress."""
    return (event for event in work(sources, cancel) if not isinstance(event, Progress))


def _of_part(event: Measured | Note, number: int) -> Measured | Note:
    return replace(event, part=number) if isinstance(event, Measured) else event


def _fingerprint(source: Any) -> Any:
    if isinstance(source, DataSet):
        return source.fingerprint
    if isinstance(source, tuple):
        return [_fingerprint(part) for part in source]
    return hashlib.sha256(render_json(document_of(ModelFile(source)))).hexdigest()


@dataclass(frozen=True)
class SavedParts:
    """A file of finished parts; lines of other settings or data stay but do not count."""

    file: Path
    identity: str

    def known(self, parts: Sequence[Part]) -> dict[int, list[Measured | Note]]:
        """The events of the parts that are finished, by their numbers."""
        numbers = {part: number for number, part in enumerate(parts)}
        result: dict[int, list[Measured | Note]] = {}
        for record in self._records():
            if record["identity"] == self.identity:
                with suppress(KeyError, TypeError):
                    number = numbers[Part(**record["part"])]
                    result[number] = [_read_event(event) for event in record["events"]]
        return dict(sorted(result.items()))

    def begin(self) -> None:
        """Forget these settings and data, and what other versions of the program have written."""
        left = (
            json_line(record)
            for record in self._records()
            if record["identity"] != self.identity and record.get("code") == code_version()
        )
        with self._problems_named():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self.file, b"".join(left))

    def add(self, part: Part, events: Sequence[Measured | Note]) -> None:
        record = {
            "identity": self.identity,
            "code": code_version(),
            "part": asdict(part),
            "events": [_saved_event(event) for event in events],
        }
        append_line(self.file, json_line(record))

    def _records(self) -> Iterator[dict[str, Any]]:
        """All lines but those that the program was ended in; FileError for another file."""
        with self._problems_named():
            content = self.file.read_bytes() if self.file.exists() else b""
        if not content.startswith(_FIRST_BYTES[: len(content)]):
            raise FileError(self.file, "is no file of finished trials; choose another name.")
        for line in content.splitlines():
            with suppress(ValueError):
                record = read_json_line(line)
                if isinstance(record, dict) and "identity" in record:
                    yield record

    @contextmanager
    def _problems_named(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            message = f"finished trials cannot be saved: {problem.strerror or problem}."
            raise FileError(self.file, message) from problem


_FIRST_BYTES = json_line({"identity": ""})[:-3]


def _saved_event(event: Measured | Note) -> dict[str, Any]:
    if isinstance(event, Note):
        return {"message": event.message}
    return {"trial": event.trial, "values": dict(event.values), "name": event.name}


def _read_event(event: dict[str, Any]) -> Measured | Note:
    return Note(**event) if "message" in event else Measured(**event)
