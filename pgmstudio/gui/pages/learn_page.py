"""The run sheet: choose a learner and data, set parameters, read what will happen, start."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.protocols import Learner
from pgmstudio.core.learning.registry import all_learners
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.project.project import Project
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.dialogs.param_form import ObjectChoices, ParamForm
from pgmstudio.gui.pages.page import Page
from pgmstudio.gui.style.icons import icon, language_icon
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import Note, Section, button, hairline, label, scrolled
from pgmstudio.gui.workers.landing import Landing, training_rows
from pgmstudio.gui.workers.learning_run import RunRequest

# The width below which settings and run stand one above the other, at 100 %.
STACKED_BELOW = 860


class LearnPage(Page):
    """One for the window; it keeps what was set for each learner."""

    def __init__(self, shell: Shell, landing: Landing) -> None:
        super().__init__("learn")
        self._shell, self._landing = shell, landing
        self._forms: dict[str, ParamForm] = {}
        self._form: ParamForm | None = None
        self._learners = QListWidget()
        self._learners.setObjectName("learnerList")
        self._learners.setAccessibleName("Learners")
        self._learners.setToolTip("Choose how to learn.")
        self._learners.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._learners.setMinimumWidth(theme().px("left_min") * 3 // 4)
        self._learners.setMaximumWidth(theme().px("left"))
        self._learners.ensurePolished()  # rows laid out before that keep their unstyled height
        for key, learner in all_learners().items():
            item = QListWidgetItem(language_icon(learner.kind), learner.title)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setToolTip((type(learner).__doc__ or learner.title).strip())
            self._learners.addItem(item)
        self._learners.currentRowChanged.connect(self._on_learner)
        self._middle = QVBoxLayout()
        self._middle.setContentsMargins(24, 24, 24, 16)
        self._middle.setSpacing(8)
        self._title = label("", "heading", size="heading")
        self._about = label("", "secondary", wrap=True)
        self._holder = QVBoxLayout()
        self._advanced = QCheckBox("Show all settings")
        self._advanced.setObjectName("learnAdvanced")
        self._advanced.setToolTip("Settings that are rarely changed.")
        self._advanced.toggled.connect(self._on_advanced)
        for widget in (self._title, self._about):
            self._middle.addWidget(widget)
        self._middle.addSpacing(8)
        self._middle.addLayout(self._holder)
        self._middle.addWidget(self._advanced)
        self._middle.addStretch(1)
        middle = QWidget()
        middle.setLayout(self._middle)
        content = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._columns.setContentsMargins(0, 0, 0, 0)
        self._columns.setSpacing(0)
        self._columns.addWidget(middle, 3)
        self._columns.addWidget(self._sheet(), 2)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(scrolled(content, "learnScroll"), 1)
        right.addWidget(hairline())
        right.addWidget(self._foot())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._learners, 1)
        layout.addLayout(right, 3)
        shell.document.changed.connect(self._on_document_changed)
        theme().changed.connect(self._on_theme_changed)
        self._refresh_data()
        self._learners.setCurrentRow(self._learners.count() - 1)

    @property
    def title(self) -> str:
        return "Learn"

    def page_icon(self) -> QIcon:
        return icon("play-circle")

    def _sheet(self) -> QWidget:
        sheet = QWidget()
        sheet.setMinimumWidth(theme().px("right_min"))
        layout = QVBoxLayout(sheet)
        layout.setContentsMargins(0, 24, 0, 16)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._data = self._combo("learnData", "The rows to learn from.")
        self._part = self._combo("learnPart", "All rows, or one part of the split.")
        self._seed = QSpinBox()
        self._seed.setObjectName("learnSeed")
        self._seed.setRange(0, 2**31 - 1)
        self._seed.setToolTip("The same seed gives the same model.")
        self._seed.setAccessibleName("Seed")
        self._name = QLineEdit()
        self._name.setObjectName("learnName")
        self._name.setToolTip("How the run and its model are called.")
        self._name.setAccessibleName("Name of the run")
        for text, widget in (
            ("Data", self._data),
            ("Rows", self._part),
            ("Seed", self._seed),
            ("Name", self._name),
        ):
            form.addRow(label(text, "secondary"), widget)
        section = Section("This run", line=False)
        section.add(form)
        layout.addWidget(section)
        layout.addStretch(1)
        self._data.currentIndexChanged.connect(self._on_data)
        self._part.currentIndexChanged.connect(self._refresh_notes)
        return sheet

    def _foot(self) -> QWidget:
        """What will happen, and the button; they do not scroll, so they are read before it."""
        self._missing = Note(name="missingNote")
        self._rules = Note(name="rulesNote")
        self._refusal = Note(level="danger", name="refusalNote")
        self._start = button(
            "Start",
            self._on_start,
            role="primary",
            icon_name="play-circle",
            tip="Start the run in the background (Ctrl+Return)",
            name="learnStart",
        )
        self._start.setShortcut("Ctrl+Return")
        words = QVBoxLayout()
        words.setSpacing(4)
        for note in (self._missing, self._rules, self._refusal):
            words.addWidget(note)
        foot = QWidget()
        bottom = QHBoxLayout(foot)
        bottom.setContentsMargins(16, 8, 16, 8)
        bottom.setSpacing(16)
        bottom.addLayout(words, 1)
        bottom.addWidget(self._start, 0, Qt.AlignmentFlag.AlignBottom)
        return foot

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where two columns have no room, the run stands below the settings."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        narrow = self.width() < STACKED_BELOW * theme().scale
        self._columns.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)

    def _combo(self, name: str, tip: str) -> QComboBox:
        combo = QComboBox()
        combo.setObjectName(name)
        combo.setToolTip(tip)
        combo.setAccessibleName(tip)
        combo.setMinimumContentsLength(8)
        return combo

    # -- what is chosen

    @property
    def learner(self) -> Learner[object]:
        item = self._learners.currentItem()
        return all_learners()[item.data(Qt.ItemDataRole.UserRole)]

    @property
    def data_id(self) -> str | None:
        found = self._data.currentData()
        return str(found) if found is not None else None

    def choose(self, *, learner: str | None = None, data_id: str | None = None) -> None:
        """Preselect a learner or a data set."""
        for number in range(self._learners.count()):
            item = self._learners.item(number)
            if item is not None and item.data(Qt.ItemDataRole.UserRole) == learner:
                self._learners.setCurrentRow(number)
        if data_id is not None:
            self._data.setCurrentIndex(max(0, self._data.findData(data_id)))

    def fill(self, request: RunRequest) -> None:
        """The settings of an earlier run, to be changed and started again."""
        self.choose(learner=request.learner_key, data_id=request.data_id)
        if self._form is not None:
            self._form.set_params(request.params)
        self._seed.setValue(request.seed)
        self._part.setCurrentIndex(max(0, self._part.findData(request.split_part)))

    def _rows(self) -> DataSet | None:
        if self.data_id is None:
            return None
        return training_rows(self._shell.project, self.data_id, self._part.currentData())

    # -- reactions

    def _on_learner(self, number: int) -> None:
        if number < 0:
            return
        learner = self.learner
        self._title.setText(learner.title)
        self._about.setText(" ".join((type(learner).__doc__ or "").split()))
        if self._form is not None:
            self._form.hide()
        key = learner.key
        if key not in self._forms:
            form = ParamForm(learner.params_type, self._objects())
            form.changed.connect(self._refresh_notes)
            self._forms[key] = form
            self._holder.addWidget(form)
            knowledge = form.findChild(QComboBox, "param.knowledge")
            if knowledge is not None and not self._shell.project.knowledge.is_empty:
                knowledge.setCurrentIndex(1)
        self._form = self._forms[key]
        self._form.show()
        self._advanced.setVisible(self._form.has_advanced)
        self._form.show_advanced(self._advanced.isChecked())
        self._name.setPlaceholderText(learner.title)
        self._refresh_notes()

    def _objects(self) -> ObjectChoices:
        def models() -> dict[str, object]:
            return {
                f"{entry.title} ({key})": entry.model
                for key, entry in self._shell.project.models.items()
                if isinstance(entry.model, DirectedModel)
            }

        def rules() -> dict[str, object]:
            knowledge = self._shell.project.knowledge
            return {} if knowledge.is_empty else {"of this project": knowledge}

        return {DirectedModel: models, Knowledge: rules}

    def _on_theme_changed(self) -> None:
        for number in range(self._learners.count()):
            item = self._learners.item(number)
            if item is not None:
                kind = all_learners()[item.data(Qt.ItemDataRole.UserRole)].kind
                item.setIcon(language_icon(kind))

    def _on_advanced(self, shown: bool) -> None:
        if self._form is not None:
            self._form.show_advanced(shown)

    def _on_document_changed(self, before: Project, after: Project) -> None:
        if before.data is not after.data:
            self._refresh_data()
        if before.knowledge is not after.knowledge or before.models is not after.models:
            for form in self._forms.values():
                form.refresh_objects()
            self._refresh_notes()

    def _refresh_data(self) -> None:
        chosen = self.data_id
        self._data.blockSignals(True)
        self._data.clear()
        for key, entry in self._shell.project.data.items():
            self._data.addItem(entry.name, key)
        self._data.setCurrentIndex(max(0, self._data.findData(chosen)))
        self._data.blockSignals(False)
        self._on_data()

    def _on_data(self) -> None:
        self._part.clear()
        self._part.addItem("all rows", None)
        entry = self._shell.project.data.get(self.data_id or "")
        if entry is not None and entry.split is not None:
            for name in entry.split.names:
                self._part.addItem(name, name)
            self._part.setCurrentIndex(1)
        self._refresh_notes()

    def _refresh_notes(self, *_: object) -> None:
        if self._learners.currentItem() is None:
            return
        try:
            data = self._rows()
        except PgmStudioError as error:
            self._refusal.tell(str(error))
            self._start.setEnabled(False)
            return
        params = self._form.params() if self._form is not None else None
        refusal = (
            "Import data first: Data ▸ Import."
            if data is None
            else self.learner.refuses(data) or ("" if params is not None else "A setting is wrong.")
        )
        knowledge = getattr(params, "knowledge", None)
        if data is not None and isinstance(knowledge, Knowledge):
            clashes = knowledge.contradictions(data.domain.names)
            refusal = refusal or " ".join(clashes)
            self._rules.tell(f"{knowledge.rule_count()} rules about edges will be obeyed.")
        else:
            self._rules.tell("")
        self._missing.tell(self.learner.on_missing(data) if data is not None else "")
        self._refusal.tell(refusal)
        self._start.setEnabled(not refusal)
        self._start.setToolTip(
            f"Not now: {refusal}" if refusal else "Start the run in the background (Ctrl+Return)"
        )

    def _on_start(self) -> None:
        if self._form is None or self.data_id is None:
            return
        params = self._form.params()
        if params is None:
            return
        request = RunRequest(
            title=self._name.text().strip() or self._default_title(),
            learner_key=self.learner.key,
            params=params,
            seed=self._seed.value(),
            data_id=self.data_id,
            split_part=self._part.currentData(),
        )
        self._landing.start(request)
        self._shell.reveal("runsPanel")

    def _default_title(self) -> str:
        taken = {entry.title for entry in self._shell.project.models.values()}
        taken |= {run.request.title for run in self._shell.bench.runs.runs}
        base, number = self.learner.title, 2
        if base not in taken:
            return base
        while f"{base} {number}" in taken:
            number += 1
        return f"{base} {number}"
