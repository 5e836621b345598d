"""The File and Edit menus: new, open, save, export, undo."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.io.models.files import (
    MODEL_FORMATS,
    ModelFile,
    known_endings,
    named_like_a_model,
    write_model,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.diagrams import structure_diagram
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.evidence.action_conditions import Conditions
from pgmstudio.gui.evidence.files import EVIDENCE_ENDING
from pgmstudio.gui.files.closing import when_settled
from pgmstudio.gui.files.opening import open_files, show_project
from pgmstudio.gui.files.saving import PROJECT_ENDING, ProjectSaver, not_saved, project_folder
from pgmstudio.gui.navigation import add_and_show_model, open_welcome
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.basic import literal
from pgmstudio.gui.widgets.file_dialog import choose_files, choose_target

NONE_YET = "Not now: no project was opened or saved yet."


class RecentMenu(QMenu):
    """Filled when it is about to show; off while there is nothing to list."""

    def __init__(self, app: AppContext, parent: QWidget) -> None:
        super().__init__("Open recent", parent)
        self._app = app
        self.setObjectName("menuFile/Open recent")
        self.setToolTipsVisible(True)
        self.menuAction().setObjectName("file.recent")
        self.aboutToShow.connect(self._fill)
        app.preferences_changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """On or off, with the reason."""
        is_any = bool(self._app.preferences.recent)
        self.menuAction().setEnabled(is_any)
        self.menuAction().setToolTip(
            "A project that was opened or saved before." if is_any else NONE_YET
        )

    def _fill(self) -> None:
        self.clear()
        for number, name in enumerate(self._app.preferences.recent, start=1):
            path = Path(name)
            mnemonic = f"&{number} " if number < 10 else ""
            action = self.addAction(mnemonic + literal(path.name))
            action.setToolTip(name)
            action.triggered.connect(
                lambda _checked=False, path=path: open_files(self._app, [path])
            )
            if not path.is_file():
                action.setEnabled(False)
                action.setToolTip(f"Not now: there is no file {name}.")


_DATA_ENDINGS = (
    "*.csv *.csv.gz *.tsv *.txt *.parquet *.xlsx *.arff *.tab *.cas *.dat *.data *.db *.sqlite "
    "*.basket"
)

MODEL_FILTERS = tuple(
    f"{known.name} ({' '.join(f'*{ending}' for ending in known.endings)})"
    for known in MODEL_FORMATS
)


def with_ending(path: Path, picked: str) -> Path:
    """The name as typed; one without a known ending gets that of the picked format."""
    if named_like_a_model(path):
        return path
    formats = dict(zip(MODEL_FILTERS, MODEL_FORMATS, strict=True))
    known = formats.get(picked, MODEL_FORMATS[0])
    return path.with_name(path.name + known.endings[0])


class FileCommands(QObject):
    """Saving and opening through file choices."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app

    def new_project(self) -> None:
        when_settled(self._app, partial(show_project, self._app, Project(), None))

    def new_model(self) -> None:
        """An empty model to draw in."""
        empty = BayesianNetwork.uniform(Domain(()))
        number = len(self._app.project.models) + 1
        entry = ModelEntry(title=f"Model {number}", model=empty)
        add_and_show_model(self._app, entry, f"New model {number}")

    def open(self) -> None:
        models = " ".join(f"*{ending}" for ending in known_endings())
        evidence = f"*{EVIDENCE_ENDING}"
        everything = f"*{PROJECT_ENDING} {models} {_DATA_ENDINGS} {evidence}"
        chosen = choose_files(
            self._app.window,
            "project",
            "Open project, model or data",
            f"All of these ({everything});;Projects (*{PROJECT_ENDING});;Models ({models});;"
            f"Data ({_DATA_ENDINGS});;Evidence ({evidence});;All files (*)",
            first=project_folder(self._app),
        )
        open_files(self._app, chosen)

    def save_model(self) -> None:
        """Save the active model to a file, in the format of its ending."""
        entry = self._app.project.models[self._app.workspace.model_id or ""]
        chosen = choose_target(
            self._app.window,
            "model",
            "Save model",
            f"{entry.title}.json",
            ";;".join(MODEL_FILTERS),
            first=project_folder(self._app),
        )
        if chosen is not None:
            self.save_model_to(with_ending(*chosen), entry)

    def save_model_to(self, path: Path, entry: ModelEntry) -> None:
        """Write one model and report what its format cannot store."""
        drawn = structure_diagram(entry.model)
        file = ModelFile(
            model=entry.model,
            title=entry.title,
            notes=entry.notes,
            titles=entry.node_titles,
            layout=entry.layouts.get(drawn, next(iter(entry.layouts.values()), {})),
            provenance=entry.provenance,
            properties=entry.properties,
        )
        try:
            lossy = write_model(path, file)
        except Exception as error:  # whatever it is, it must be seen that nothing was saved
            self._app.errors.report_loss(not_saved(path, error))
            return
        for message in lossy:
            self._app.log("warning", message)
        self._app.notify(" ".join([f"Saved {path.name}.", *lossy]))


def file_actions(app: AppContext) -> list[ActionSpec]:
    commands, saver = FileCommands(app), app.service(ProjectSaver)
    return [
        ActionSpec(
            "file.new",
            "New project",
            "File",
            "Start an empty project.",
            commands.new_project,
            keys=("Ctrl+Shift+N",),
        ),
        ActionSpec(
            "file.new-model",
            "Draw a new model",
            "File",
            "An empty Bayesian network to draw in.",
            commands.new_model,
            keys=("Ctrl+N",),
            icon="plus-circle",
        ),
        ActionSpec(
            "file.open",
            "Open…",
            "File",
            "A project, a model or a data file.",
            commands.open,
            keys=("Ctrl+O",),
            icon="folder-open",
        ),
        ActionSpec(
            "file.welcome",
            "Welcome page",
            "File",
            "Samples, recent projects and the tour.",
            lambda: open_welcome(app),
        ),
        ActionSpec(
            "file.save",
            "Save project",
            "File",
            "Save everything in one file.",
            saver.save,
            keys=("Ctrl+S",),
            icon="floppy-disk",
            separator_before=True,
        ),
        ActionSpec(
            "file.save-as",
            "Save project as…",
            "File",
            "Save the project under another name.",
            saver.save_as,
            keys=("Ctrl+Shift+S",),
        ),
        ActionSpec(
            "file.save-model",
            "Save model as…",
            "File",
            "Save the active model as JSON, BIF, GeNIe, HUGIN or Netica.",
            commands.save_model,
            needs=[Conditions(app).model],
        ),
    ]


def close_and_undo_actions(app: AppContext) -> list[ActionSpec]:
    history = app.history

    def close_tab() -> None:
        if app.center.current is not None:
            app.center.close_page(app.center.current)

    return [
        ActionSpec(
            "file.close-tab",
            "Close tab",
            "File",
            "Close the current tab; its content stays in the project.",
            close_tab,
            keys=("Ctrl+W",),
            needs=[lambda: None if app.center.current else "no tab is open."],
            separator_before=True,
        ),
        ActionSpec(
            "file.quit", "Quit", "File", "Close the window.", app.window.close, keys=("Ctrl+Q",)
        ),
        ActionSpec(
            "edit.undo",
            "Undo",
            "Edit",
            "Undo the last change or evidence.",
            history.undo,
            keys=("Ctrl+Z",),
            icon="arrow-counter-clockwise",
            needs=[lambda: None if history.can_undo else "nothing to undo."],
            text_provider=lambda: history.undo_text,
        ),
        ActionSpec(
            "edit.redo",
            "Redo",
            "Edit",
            "Redo what was undone last.",
            history.redo,
            keys=("Ctrl+Shift+Z", "Ctrl+Y"),
            icon="arrow-clockwise",
            needs=[lambda: None if history.can_redo else "nothing to redo."],
            text_provider=lambda: history.redo_text,
        ),
    ]
