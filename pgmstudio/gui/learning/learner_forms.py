"""The list of learners and the parameter form of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QListWidgetItem, QVBoxLayout, QWidget

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.model import DirectedModel, UndirectedModel
from pgmstudio.gui.context import AppContext, Workspace
from pgmstudio.gui.theme.icons import language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import hbox, label, vbox
from pgmstudio.gui.widgets.keyed_list import KEY, KeyedList
from pgmstudio.gui.widgets.param_form import ObjectChoices, ParamForm


class TargetFields(QObject):
    """Keeps the class field of every form equal to the target until the user edits it."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._target = workspace.target
        self._fields: list[QLineEdit] = []
        workspace.target_changed.connect(self._on_target_changed)

    def follow(self, form: QWidget) -> None:
        """Track the class field of a form, if it has one."""
        field = form.findChild(QLineEdit, "param.class_")
        if isinstance(field, QLineEdit):
            self._fields.append(field)
            field.setText(self._target or "")

    def _on_target_changed(self, target: str | None) -> None:
        before, self._target = self._target, target
        for field in self._fields:
            if field.text().strip() in ("", before or ""):
                field.setText(target or "")


class LearnerList(KeyedList):
    """List of learners, as wide as the longest name where it fits."""

    picked = Signal()

    def __init__(self, name: str, keys: Iterable[str]) -> None:
        super().__init__(name, "Learners", "Choose a learner.")
        for key in keys:
            learner = all_learners()[key]
            item = QListWidgetItem(language_icon(learner.kind), learner.title)
            item.setData(KEY, key)
            item.setToolTip((type(learner).__doc__ or learner.title).strip())
            self.addItem(item)
        self._page_width: int | None = None
        self._fit()
        self.currentRowChanged.connect(self._on_row)
        theme().changed.connect(self._fit)

    def fit_page_width(self, width: int) -> None:
        """Use at most two fifths of `width` pixels; truncated names are complete in their tips."""
        self._page_width = width
        self._fit()

    @property
    def learner(self) -> Learner[object] | None:
        item = self.currentItem()
        return None if item is None else all_learners()[item.data(KEY)]

    def _on_row(self, number: int) -> None:
        if number >= 0:
            self.picked.emit()

    def _fit(self) -> None:
        most = theme().px("left") * 5 // 4
        needed = self.sizeHintForColumn(0) + theme().space(5)
        wide = min(most, max(theme().px("left_min") * 3 // 4, needed))
        self.setFixedWidth(
            wide if self._page_width is None else min(wide, self._page_width * 2 // 5)
        )


class LearnerForms(QWidget):
    """Description and parameter form of each learner; entered values are preserved."""

    changed = Signal()

    def __init__(self, app: AppContext, rules: Callable[[], Knowledge]) -> None:
        """`rules`: the background knowledge that a run can use."""
        super().__init__()
        self._app, self._rules = app, rules
        self._targets = TargetFields(app.workspace, self)
        self._forms: dict[str, ParamForm] = {}
        self._form: ParamForm | None = None
        self._columns: tuple[str, ...] = ()
        self._title = label("", "heading", size="heading")
        self._about = label("", "secondary", wrap=True)
        self._holder = QVBoxLayout()
        self._advanced = QCheckBox("Show all parameters")
        self._advanced.setObjectName("learnAdvanced")
        self._advanced.setToolTip("Parameters that are rarely changed.")
        self._advanced.toggled.connect(self._on_advanced)
        layout = vbox(self, self._title, self._about, 8, margins=(24, 24, 24, 16), spacing=8)
        # On a wide page the fields stay near their labels.
        holder_row = hbox(None, (self._holder, 1000), None)
        layout.addLayout(holder_row)
        layout.addWidget(self._advanced)
        layout.addStretch(1)

    @property
    def form(self) -> ParamForm | None:
        return self._form

    def show_learner(self, learner: Learner[object]) -> None:
        """The form of a learner with the values entered last."""
        self._title.setText(learner.title)
        self._about.setText(" ".join((type(learner).__doc__ or "").split()))
        if self._form is not None:
            self._form.hide()
        if learner.key not in self._forms:
            form = ParamForm(learner.params_type, self._objects())
            form.setMaximumWidth(theme().px("left") * 5 // 2)
            form.changed.connect(self.changed)
            self._forms[learner.key] = form
            self._holder.addWidget(form)
            self._targets.follow(form)
            form.show_columns(self._columns)
            _obey(form)
        self._form = self._forms[learner.key]
        self._form.show()
        self._advanced.setVisible(self._form.has_advanced)
        self._form.show_advanced(self._advanced.isChecked())

    def show_columns(self, names: tuple[str, ...]) -> None:
        """The columns of the data, which fields for an order list."""
        self._columns = names
        for form in self._forms.values():
            form.show_columns(names)

    def params(self) -> Any | None:
        """The current parameters; None if a value is invalid."""
        return None if self._form is None else self._form.params()

    def set_params(self, params: Any) -> None:
        if self._form is not None:
            self._form.set_params(params)

    def refresh_objects(self, *, obey: bool = False) -> None:
        """Offer the current start models and rules; `obey`: use the rules if there are any."""
        for form in self._forms.values():
            form.refresh_objects()
            if obey:
                _obey(form)

    def _objects(self) -> ObjectChoices:
        def models(kind: type) -> dict[str, object]:
            return {
                f"{entry.title} ({key})": entry.model
                for key, entry in self._app.project.models.items()
                if isinstance(entry.model, kind)
            }

        def rules() -> dict[str, object]:
            knowledge = self._rules()
            return {} if knowledge.is_empty else {"of this project": knowledge}

        starts = {kind: partial(models, kind) for kind in (DirectedModel, UndirectedModel)}
        return {**starts, Knowledge: rules}

    def _on_advanced(self, shown: bool) -> None:
        if self._form is not None:
            self._form.show_advanced(shown)


def _obey(form: ParamForm) -> None:
    """Use the rules, if there are any, unless the user decided otherwise."""
    knowledge = form.findChild(QComboBox, "param.knowledge")
    if isinstance(knowledge, QComboBox) and knowledge.count() > 1:
        knowledge.setCurrentIndex(1)


def free_title(app: AppContext, base: str) -> str:
    """Unique name for a run and its model: a number is added if the name is in use."""
    used = {entry.title for entry in app.project.models.values()}
    used |= {run.request.title for run in app.workspace.runs.runs}
    if base not in used:
        return base
    number = 2
    while f"{base} {number}" in used:
        number += 1
    return f"{base} {number}"
