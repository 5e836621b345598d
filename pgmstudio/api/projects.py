"""Projects in Python: the same edits, imports and runs as in the window, in the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pgmstudio.api.data import Data
from pgmstudio.api.models import Fitted
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.io.session.commands import EDITS, Command
from pgmstudio.core.io.session.replay import Replay
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.project import without_loose_references


class Project:
    """Data sets, models, knowledge, evidence scenarios and runs that belong together.

    Besides the methods below it has every undoable command of the window, such as
    `add_edge(model_id="m1", source="A", target="B")`; `dir(project)` lists them.

    >>> from pgmstudio.api.data import sample_path
    >>> project = Project()
    >>> project.import_file(sample_path("coronary.csv"))
    >>> project.forbid_edge(source="smoking", target="pressure")
    >>> project.learn("tree.chow-liu", data_id="d1")
    >>> project.models["m1"].kind
    'tree'
    """

    def __init__(
        self,
        *,
        base: Path | str | None = None,
        stored: Path | str | None = None,
        data: Iterable[Path | str] = (),
    ) -> None:
        """A new project, or the one in the file `base`. Scripts exported by the window name a file
        of `stored` entries, and take files of `data` instead of their own."""
        self._replay = Replay(
            None if base is None else read_project(base),
            None if stored is None else read_project(stored),
            [Path(path) for path in data],
        )

    @property
    def data(self) -> dict[str, Data]:
        """The data sets by id."""
        entries = self._replay.project.data
        return {key: Data(entry.data, entry.cuts) for key, entry in entries.items()}

    @property
    def models(self) -> dict[str, Fitted]:
        """The models by id."""
        entries = self._replay.project.models
        return {
            key: Fitted(entry.model, provenance=entry.provenance or None)
            for key, entry in entries.items()
        }

    def import_file(
        self,
        path: Path | str,
        *,
        name: str = "",
        choices: Mapping[str, Any] | None = None,
        fingerprint: str = "",
    ) -> None:
        """Import a data file as the window does, with the choices of its import page. A file whose
        rows have another `fingerprint` is refused."""
        self._perform(
            "import_file", path=str(path), name=name, choices=choices, fingerprint=fingerprint
        )

    def reimport(self, *, data_id: str, choices: Mapping[str, Any] | None = None) -> None:
        """Import the file of a data set again, with other choices."""
        self._perform("reimport", data_id=data_id, choices=choices)

    def learn(
        self,
        learner: str,
        *,
        data_id: str,
        title: str = "",
        seed: int = 0,
        part: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        bootstrap: Mapping[str, Any] | None = None,
        into: str | None = None,
    ) -> None:
        """Learn a model and add it with its run. `part` is a part of the data set's split,
        `bootstrap` has the settings of a bootstrap, `into` is a model to be replaced."""
        self._perform(
            "learn",
            learner=learner,
            data_id=data_id,
            title=title,
            seed=seed,
            part=part,
            parameters=parameters,
            bootstrap=bootstrap,
            into=into,
        )

    def save(self, path: Path | str) -> None:
        """Save the project as a `.pgmz` file, which the window opens."""
        self._replay.check_data_used()
        write_project(path, without_loose_references(self._replay.project))

    def _perform(self, command: str, **arguments: Any) -> None:
        for _ in self._replay.perform(Command(command, arguments), NEVER):
            pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in EDITS and name not in ("restore", "remove"):
            raise AttributeError(str(UnknownNameError("command of a project", name, EDITS)))

        def perform(**arguments: Any) -> None:
            self._perform(name, **arguments)

        perform.__name__ = name
        perform.__doc__ = EDITS[name].__doc__ if name in EDITS else None
        return perform

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *EDITS})

    def __repr__(self) -> str:
        project = self._replay.project
        title = f"“{project.title}”, " if project.title else ""
        data, models = counted(len(project.data), "data set"), counted(len(project.models), "model")
        return f"Project: {title}{data}, {models}"
