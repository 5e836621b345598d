"""A sample of the welcome page opens: its file, or a model with the rows it was learned from.

The samples of the welcome page: what each shows and which file it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import named
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.io.models.project_entry import model_entry
from pgmstudio.core.project.edits import add_data, add_run
from pgmstudio.core.project.project import DataEntry, ModelEntry, Outcome, Project, Run
from pgmstudio.core.resources import folder_of
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.navigation import open_data_page, open_files, open_model_page

NETWORKS, CONTEXT, TREES, DATA = "Bayesian networks", "Context", "Trees", "Data"
RELATIONS = "Relations"


@dataclass(frozen=True, slots=True)
class Sample:
    """A file in sample_data; `group` is a word of the filter, `chip` the kind of thing it is.

    Tables open in the import page, except counts and imprecise rows, which it could misread.
    """

    file: str
    title: str
    chip: str
    group: str
    text: str
    rows: str = ""  # the file of the rows a model was learned from, opened with it
    counts: str = ""  # the column with the count of each row
    is_imprecise: bool = False
    shows: str = ""  # the action that shows the model best

    @property
    def path(self) -> Path:
        return folder_of("sample_data") / self.file

    @property
    def rows_path(self) -> Path | None:
        """The file of rows that is read without the import page."""
        if self.rows:
            return folder_of("sample_data") / self.rows
        return self.path if self.counts or self.is_imprecise else None


SAMPLES = (
    Sample(
        "asia.json",
        "Asia",
        "Bayesian network",
        NETWORKS,
        "Click a bar, watch beliefs move. 8 variables.",
    ),
    Sample(
        "coronary_labels.json",
        "Coronary",
        "LDAG",
        CONTEXT,
        "Labels on edges, one context at a time. 6 risk factors.",
        "coronary.csv",
    ),
    Sample(
        "coronary_markov.json",
        "Coronary graph",
        "Markov network",
        CONTEXT,
        "Undirected edges, three of which vanish in a context.",
        "coronary.csv",
    ),
    Sample(
        "coronary_flow.json",
        "Coronary flow",
        "PDG",
        CONTEXT,
        "Follow the probability through the nodes.",
        "coronary.csv",
    ),
    Sample(
        "survey_trees.json",
        "Survey trees",
        "Mixture of trees",
        TREES,
        "Three trees over 12 answers, with missing cells.",
        "survey.csv",
    ),
    Sample(
        "survey_classes.json",
        "Survey classes",
        "Latent classes",
        TREES,
        "Three kinds of household: profiles and assignments.",
        "survey.csv",
    ),
    Sample(
        "greenhouse.json",
        "Greenhouse",
        "Bayesian network",
        NETWORKS,
        "41 variables: find your way in a larger network.",
    ),
    Sample(
        "check-up.csv",
        "Check-up",
        "Numbers and gaps",
        DATA,
        "Drag the bin edges of three columns; choose what ? means.",
    ),
    Sample(
        "asia_sample.csv", "Asia rows", "Data", DATA, "5 000 rows drawn from Asia: learn it back."
    ),
    Sample(
        "coronary_counts.csv",
        "Coronary table",
        "Counts",
        DATA,
        "1 841 men as published: one line for each combination.",
    ),
    Sample(
        "survey.csv",
        "Survey",
        "Data with gaps",
        DATA,
        "15 % of the cells are missing; see what each learner does.",
    ),
    Sample(
        "logic1.csv",
        "Circuit",
        "To classify",
        DATA,
        "Ten bits of a circuit: which classifier finds its rule?",
    ),
    Sample(
        "parity5.csv",
        "Parity",
        "Data",
        DATA,
        "Five bits and one rule; no pair of variables is dependent.",
    ),
    Sample(
        "k2_demo_counts.csv",
        "K2 demo",
        "Counts",
        DATA,
        "Four bits of a lecture: learn with K2 and walk through its steps.",
        counts="count",
    ),
    Sample(
        "geometric_objects.json",
        "Geometric objects (10)",
        "Relation",
        RELATIONS,
        "Ten objects that the tree color – shape – size represents.",
        "geometric_objects.arff",
        shows="model.relation",
    ),
    Sample(
        "geometric_objects_9.json",
        "Geometric objects (9)",
        "Relation",
        RELATIONS,
        "One object less, and no tree represents them exactly.",
        "geometric_objects_9.arff",
        shows="model.relation",
    ),
    Sample(
        "weather_imprecise.csv",
        "Weather",
        "Imprecise data",
        RELATIONS,
        "40 days; some cells are sets of states. Learn with possibilities.",
        is_imprecise=True,
    ),
)


class SampleOpener(QObject):
    """Belongs to the page the samples stand on; closing it forgets what was still being read."""

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._latest_task = LatestTask(self, self._on_read, app.errors.report)
        self._then: Callable[[], object] = lambda: None

    def open(self, sample: Sample, then: Callable[[], object] = lambda: None) -> None:
        """Show a sample, then call `then`; rows are read in the background."""
        self._then = then
        known = self._opened_before(sample)
        if sample.rows_path is None:
            open_files(self._app, [sample.path], then)
        elif known is not None:
            self._show_model(sample, known)
        else:
            self._latest_task.ask(partial(_read, sample))

    def _opened_before(self, sample: Sample) -> str | None:
        """The model of a sample that is in the project as it was opened."""
        models = self._app.project.models.items() if sample.rows else ()
        titled = (key for key, one in models if one.title == sample.title and not one.is_edited)
        return next(titled, None)

    def forget(self) -> None:
        self._latest_task.forget()

    def _on_read(self, read: _Read) -> None:
        app, sample = self._app, read.sample
        model_id = app.project.next_model_id()
        if not app.change(f"Open the sample {sample.title}", partial(_with, read=read)):
            return
        if read.model is None:
            open_data_page(app, _data_id(app.project, read.rows) or "")
            self._then()
        else:
            self._show_model(sample, model_id)

    def _show_model(self, sample: Sample, model_id: str) -> None:
        app = self._app
        open_model_page(app, model_id)
        if sample.shows:
            app.actions.refresh(sample.shows)
            app.actions[sample.shows].trigger()
        self._then()


def open_sample(app: AppContext, name: str, then: Callable[[], object] = lambda: None) -> None:
    """Open a sample by its file or its title; `then` is called after that."""
    samples = {key: sample for sample in SAMPLES for key in (sample.file, sample.title)}
    app.service(_window_opener).open(named("sample", name, samples), then)


def _window_opener(app: AppContext) -> SampleOpener:
    return SampleOpener(app, app.window)


@dataclass(frozen=True, eq=False)
class _Read:
    sample: Sample
    rows: DataEntry
    model: ModelEntry | None


def _read(sample: Sample, _cancel: CancelToken) -> _Read:
    from pgmstudio.core.io.data.options import ImportOptions
    from pgmstudio.core.io.data.reader import import_data, read_imprecise

    path = sample.rows_path
    assert path is not None
    model = model_entry(read_model(sample.path), sample.title) if sample.rows else None
    markers: tuple[str, ...] = ()
    if sample.is_imprecise:
        data: DataSet = read_imprecise(path)
    else:
        domain = None if model is None else model.model.domain
        imported = import_data(path, ImportOptions(domain=domain, frequency=sample.counts or None))
        data, markers = imported.data, imported.markers
    # Counted here, not in the window thread, which asks for them as soon as the data are shown.
    _ = data.missing_counts, data.incomplete_row_count, data.fingerprint
    rows = DataEntry(
        name=path.stem,
        data=data,
        source=path.name,
        missing_markers=markers,
        provenance={"made by": "import", "file": path.name},
    )
    return _Read(sample, rows, model)


def _with(project: Project, *, read: _Read) -> Project:
    """The model with the run that made it, and its rows unless the project has them already."""
    data_id = _data_id(project, read.rows)
    if data_id is None:
        data_id = project.next_data_id()
        project = add_data(project, entry=read.rows)
    if read.model is None:
        return project
    provenance = read.model.provenance
    run = Run(
        learner=str(provenance["learner"]),
        params=provenance["parameters"],
        seed=int(provenance["seed"]),
        data_fingerprint=str(provenance["data"]["fingerprint"]),
        program_version=str(provenance["program"]).rpartition(" ")[2],
        outcome=Outcome(provenance["outcome"]),
        title=read.model.title,
        data_id=data_id,
        seconds=float(provenance["seconds"]),
        measures=provenance["measures"],
    )
    return add_run(project, run=run, model=read.model)


def _data_id(project: Project, rows: DataEntry) -> str | None:
    """The same rows in the project, if it has them."""
    for data_id, entry in project.data.items():
        if entry.source == rows.source and entry.data.fingerprint == rows.data.fingerprint:
            return data_id
    return None
