"""Independences typed in instead of data, and the steps of PC that follow from them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSplitter, QWidget

from pgmstudio.core.errors import ParameterError
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc import (
    stated_network,
    stated_steps,
)
from pgmstudio.core.languages.bayesian_network.learning.constraint_based.pc_steps import PcSteps
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.canvas.canvas import Canvas
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.jobs.latest_task import LatestTask
from pgmstudio.gui.languages.bayesian_network.language_view import STATED_STEPS
from pgmstudio.gui.languages.bayesian_network.search_steps import pc_content
from pgmstudio.gui.navigation import close_welcome
from pgmstudio.gui.runs.artifact_source import ResultSource
from pgmstudio.gui.runs.results.content import ModelOpening, ResultContent, ResultState
from pgmstudio.gui.runs.results.page import RunResultPage
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Note, label, named, vbox
from pgmstudio.gui.widgets.debounce import one_shot
from pgmstudio.gui.widgets.page import Page

KEY = "independences"
TITLE = "Given independences"
# The example of the lecture: A → C ← B, C → D.
EXAMPLE = "A ⊥ B\nA ⊥ D | C\nB ⊥ D | C"
TYPING_MS = 300
_NARROW = 700  # px at 100 % below which the statements are above the steps
_HELP = (
    "One independence in each line: A ⊥ B or A ⊥ B | C, D. You may write _||_ for ⊥. "
    "Exactly these hold; all other pairs are dependent, whatever is given."
)


class IndependencesPage(Page):
    """Statements on the left, the steps of PC on the right; they follow what is typed."""

    fixed_title = TITLE
    icon_name = "test-tube"
    stands_alone = True

    def __init__(self, app: AppContext) -> None:
        super().__init__(KEY)
        self.statements = named(QPlainTextEdit(EXAMPLE), "statedIndependences", TITLE, _HELP)
        self.statements.textChanged.connect(self._on_typed)
        self.variables = named(
            QLineEdit(),
            "statedVariables",
            "Variables",
            "All variables, separated by commas; needed for those without a statement.",
        )
        self.variables.setPlaceholderText("those of the statements")
        self.variables.textChanged.connect(self._on_typed)
        self.problem = Note(level="danger", name="statedProblem")
        self._source = ResultSource(KEY, TITLE)
        self.steps = RunResultPage(f"{KEY}-steps", app, self._source, STATED_STEPS)
        left = QWidget()
        layout = vbox(
            left,
            label(TITLE, "heading"),
            label(_HELP, "secondary", size="dense", wrap=True),
            (self.statements, 1),
            label("Variables", "secondary", size="dense"),
            self.variables,
            self.problem,
            margins=(16, 12, 8, 12),
            spacing=8,
        )
        layout.setStretchFactor(self.statements, 1)
        self._splitter = QSplitter()
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(left)
        self._splitter.addWidget(self.steps)
        self._splitter.setSizes([260, 640])
        self._splitter.setStretchFactor(1, 1)
        vbox(self, self._splitter)
        self._search = LatestTask(self, self._on_steps, self._on_failed)
        self._typing = one_shot(self, self._ask, TYPING_MS)
        self.setFocusProxy(self.statements)
        self._ask()

    @property
    def canvas(self) -> Canvas:
        """The canvas of the steps, for exports."""
        return self.steps.canvas

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW * theme().scale
        ways = Qt.Orientation
        self._splitter.setOrientation(ways.Vertical if is_narrow else ways.Horizontal)

    def closed(self) -> None:
        self._typing.stop()
        self._search.forget()
        self.steps.closed()

    def _on_typed(self) -> None:
        self._typing.start()

    def _ask(self) -> None:
        text, variables = self.statements.toPlainText(), self.variables.text()
        self._search.ask(partial(stated_steps, text, variables))

    def _on_steps(self, steps: PcSteps) -> None:
        self.problem.show_text("")
        if steps != self._source.artifact:
            self._source.show(steps)

    def _on_failed(self, error: BaseException) -> None:
        """The steps stay as they were."""
        problems = error.problems.values() if isinstance(error, ParameterError) else [str(error)]
        self.problem.show_text(" ".join(problems))


def stated_content(steps: PcSteps, state: ResultState) -> ResultContent | None:
    """The steps, and a network of the class with uniform tables as a model."""
    content = pc_content(steps, state)
    if content is None:
        return None

    def entry() -> ModelEntry:
        provenance = {"made by": "stated independences"}
        return ModelEntry(TITLE, stated_network(steps), provenance=provenance)

    tip = "A network of the class, with two states each and uniform tables, as a model."
    opening = ModelOpening(tip=tip, text="Open as model", is_of_row=False, entry=entry)
    return replace(content, opening=opening)


def open_independences(app: AppContext) -> IndependencesPage:
    close_welcome(app)
    page = app.open_page(KEY, lambda: IndependencesPage(app))
    assert isinstance(page, IndependencesPage)
    return page
