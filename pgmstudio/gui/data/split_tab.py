"""The Split tab of a data page: the current split, and a form to change it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QVBoxLayout, QWidget

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import case_total
from pgmstudio.core.errors import PgmStudioError
from pgmstudio.core.io.import_plan import SplitPlan, split_rows
from pgmstudio.core.number_format import counted
from pgmstudio.core.project.edits import replace_data, set_split
from pgmstudio.core.project.project import Project
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.widgets.basic import Note, button, label, row, scrolled
from pgmstudio.gui.widgets.split_form import SplitForm


class SplitTab(QWidget):
    """Split form; the split changes when the button is pressed, as one undoable step."""

    def __init__(self, app: AppContext, data_id: str) -> None:
        super().__init__()
        self.setObjectName("splitTab")
        self._app, self._data_id = app, data_id
        self._plan = SplitPlan(kind="random")
        self.now = label("", wrap=True)
        self.now.setObjectName("splitNow")
        self.problem = Note("", "danger", "splitProblem")
        self.form = SplitForm()
        self.form.plan_requested.connect(self._on_plan_requested)
        self.apply = button("Split rows", self._on_apply, role="primary", name="applySplit")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.now)
        layout.addWidget(self.problem)
        layout.addWidget(scrolled(self.form, "splitTabScroll"), 1)
        layout.addWidget(row(self.apply, None))

    def show_data(self, data: DataSet) -> None:
        split = self._app.project.data[self._data_id].split
        if split is None:
            self.now.setText("The rows are not split: learners use all rows.")
        else:
            sizes = zip(split.names, split.sizes, strict=True)
            parts = ", ".join(f"{name} {counted(size, 'row')}" for name, size in sizes)
            seed = "" if split.seed is None else f" (seed {split.seed})"
            self.now.setText(f"Current split: {parts}{seed}.")
        self.form.show_plan(self._plan, case_total(data), data.domain.names, has_files=False)
        text = "Split rows" if self._plan.kind != "none" else "Remove split"
        self.apply.setText(text)
        self.apply.setToolTip(f"{text}; can be undone")

    def _on_plan_requested(self, plan: SplitPlan) -> None:
        self._plan = replace(plan)
        self.show_data(self._app.project.data[self._data_id].data)

    def _on_apply(self) -> None:
        plan, data_id = self._plan, self._data_id

        def edit(project: Project) -> Project:
            data, split = split_rows(project.data[data_id].data, plan)
            if data is not project.data[data_id].data:
                project = replace_data(project, data_id=data_id, data=data)
            return set_split(project, data_id=data_id, split=split)

        name = self._app.project.data[data_id].name
        text = f"Split {name}" if plan.kind != "none" else f"Remove the split of {name}"
        try:
            self._app.document.change(text, edit)
        except PgmStudioError as refusal:
            self.problem.show_text(str(refusal))
            return
        self.problem.show_text("")
