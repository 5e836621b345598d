"""Learning from Python: any learner by its key, with its parameters as keyword arguments."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pgmstudio.api.answers import Table
from pgmstudio.api.checks import brief, check_seconds, check_whole
from pgmstudio.api.data import TableLike, read_data
from pgmstudio.api.models import Fitted
from pgmstudio.core.errors import Cancelled, DataError, ParameterError, PgmStudioError
from pgmstudio.core.execution.events import Progress, StopSwitch
from pgmstudio.core.io.background_knowledge import read_knowledge
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.edge_prices import read_edge_prices
from pgmstudio.core.languages.compile_ahead import compiling_beside
from pgmstudio.core.languages.learn_task import CollectedEvents, LearnTask
from pgmstudio.core.languages.learners import all_learners, learner_of, named_settings, presets_of
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.learning.base import Finished, Learner, LearnEvent
from pgmstudio.core.params import parse_params, specs_of


def learners() -> Table:
    """The learners: key, title and language."""
    return Table(
        ("key", "title", "language"),
        tuple((one.key, one.title, LANGUAGES[one.kind].title) for one in all_learners().values()),
    )


def parameters(learner: str) -> Table:
    """The parameters of a learner: name, default and meaning.

    >>> parameters("tree.chow-liu").columns
    ('name', 'default', 'help')
    """
    specs = specs_of(learner_of(learner).params_type)
    return Table(("name", "default", "help"), tuple((s.name, s.default, s.help) for s in specs))


def presets(learner: str) -> Table:
    """The named settings of a learner, for `learn(…, preset=name)`.

    >>> [row["name"] for row in presets("bn.kes")]
    ['thesis', 'ges']
    """
    known = presets_of(learner_of(learner))
    return Table(
        ("name", "title", "settings"),
        tuple((one.name, one.title, dict(one.settings)) for one in known),
    )


def task_of(learner: str, data: TableLike, seed: int, params: dict[str, Any]) -> LearnTask:
    """A run with checked parameters; ParameterError names everything that is wrong."""
    if not isinstance(learner, str):
        raise ParameterError({"learner": f'{brief(learner)} is not a key such as "bn.kes"'})
    known = learner_of(learner)
    reading = [name for name in params if name in _READING and name not in _names(known)]
    if reading:
        own = ", ".join(spec.name for spec in specs_of(known.params_type))
        option = f"is an option of read_data: read_data(…, {reading[0]}=…)"
        raise ParameterError({reading[0]: f"{option}; parameters of {known.key} are {own}"})
    plain = {name: _plain(name, value) for name, value in params.items()}
    try:
        settings: Any = parse_params(known.params_type, named_settings(learner, plain))
    except ParameterError as error:  # named as the keyword arguments are
        problems = {name.replace("-", "_"): text for name, text in error.problems.items()}
        raise ParameterError(problems) from None
    check_whole(0, seed=seed)
    rows = read_data(data).dataset
    reason = known.refuses(rows)
    if reason is not None:
        raise DataError(reason)
    return LearnTask(known.key, rows, settings, seed)


_READING = frozenset(ImportOptions.__dataclass_fields__)


def _names(learner: Learner[Any]) -> set[str]:
    return {spec.name for spec in specs_of(learner.params_type)}


def _plain(name: str, value: Any) -> Any:
    """A model for a wrapper, and rules or edge prices for the path of their file."""
    if isinstance(value, Fitted):
        return value.model
    if name == "knowledge" and isinstance(value, Path | str):
        return read_knowledge(value)
    if name == "edge_prices" and isinstance(value, Path | str):
        return read_edge_prices(value)
    return value


def iter_learn(
    learner: str,
    data: TableLike,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    **params: Any,
) -> Iterator[LearnEvent]:
    """The events of a run: `Progress`, `Note`, `ImprovedModel`, `ArtifactSaved`, then `Finished`.

    The model of an event becomes a `Fitted` by `Fitted(event.model)`. Parameters are checked when
    this function is called. With `time_limit` in seconds the events may end without `Finished`.

    >>> from pgmstudio.api.data import sample_path
    >>> events = list(iter_learn("tree.chow-liu", sample_path("coronary.csv")))
    >>> type(events[-1]).__name__
    'Finished'
    """
    check_seconds(time_limit=time_limit)
    return _events(task_of(learner, data, seed, params), StopSwitch(seconds=time_limit))


def _events(task: LearnTask, switch: StopSwitch) -> Iterator[LearnEvent]:
    try:
        for event in task(switch):
            yield event
            if not isinstance(event, Finished):
                switch.raise_if_cancelled()
    except Cancelled:
        return


def learn(
    learner: str,
    data: TableLike,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    progress: bool = False,
    **params: Any,
) -> Fitted:
    """Learn a model from a file, a frame or a `Data`.

    The keyword arguments are the learner's parameters, see `parameters(learner)`; `preset` names
    settings of a publication, see `presets(learner)`, which other arguments replace. When
    `time_limit` seconds have passed, or at Ctrl+C, the best model so far is returned with a
    warning. `progress` prints a line that moves.

    >>> from pgmstudio.api.data import sample_path
    >>> tree = learn("tree.chow-liu", sample_path("coronary.csv"))
    >>> len(tree.edges)
    5
    """
    check_seconds(time_limit=time_limit)
    task = task_of(learner, data, seed, params)
    collected = CollectedEvents(task)
    began = time.monotonic()
    try:
        with compiling_beside(task.learner_key, task.data):
            for event in _events(task, StopSwitch(seconds=time_limit)):
                collected.take(event)
                if progress and isinstance(event, Progress):
                    _show(event)
    except KeyboardInterrupt:
        if collected.best() is None:
            raise
    if progress:
        print(file=sys.stderr)
    best = collected.best()
    if best is None:
        raise PgmStudioError("Stopped before a first model was found; raise time_limit.")
    is_finished = isinstance(best, Finished)
    if not is_finished:
        warnings.warn(f"{learner} was stopped; this is its best model so far.", stacklevel=2)
    provenance = task.provenance(
        outcome="finished" if is_finished else "stopped",
        seconds=time.monotonic() - began,
        measures=best.measures,
        trace=collected.trace,
    )
    return Fitted(
        best.model,
        measures=dict(best.measures),
        notes=tuple(collected.notes),
        artifacts=collected.artifacts,
        provenance=provenance,
        is_finished=is_finished,
    )


def _show(event: Progress) -> None:
    fraction = "" if event.fraction is None else f"{event.fraction:4.0%} "
    print(f"\r\033[K{fraction}{event.message}", end="", file=sys.stderr, flush=True)
