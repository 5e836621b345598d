"""Options of a report: title, sections, the state for sensitivity, format and look."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QFormLayout, QGridLayout, QLineEdit, QWidget

from pgmstudio.core.project.project import Project
from pgmstudio.core.reports.evidence_sections import scenarios_by_model
from pgmstudio.core.reports.html import Look
from pgmstudio.core.reports.report import SECTIONS, ReportOptions
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import (
    Segments,
    button,
    label,
    named,
    resize_dialog,
    row,
    scrolled,
    vbox,
)
from pgmstudio.gui.widgets.combo_box import ChoiceBox

_TIPS = {
    "notes": "The notes of the project.",
    "data": "Rows, columns, states and missing cells.",
    "models": "Diagram, sizes, fit, notes and origin of every model.",
    "tables": "The conditional probability tables of small networks.",
    "comparison": "The models of a data set on the same rows.",
    "curves": "SL-curves with their best models.",
    "scenarios": "The beliefs of up to four evidence scenarios side by side.",
    "explanation": "The most probable joint state, also given each scenario.",
    "sensitivity": "CPT entries and observations that change a belief most.",
    "rules": "Required and forbidden edges, and tiers.",
    "runs": "Learner, settings, seed and outcome of every run.",
    "reproduce": "Versions, and the commands that make everything again.",
}


class ReportDialog(QDialog):
    """Emits the options and the ending of the file; what the project lacks cannot be ticked."""

    accepted_with = Signal(object, str)  # ReportOptions, ".html" or ".pdf"

    def __init__(
        self,
        project: Project,
        title: str,
        target: str | None,
        options: ReportOptions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("reportDialog")
        self.setWindowTitle("Report of the project")
        self._project = project
        before = options or ReportOptions(look=theme().shade)
        self._title = named(QLineEdit(title), "reportTitle", "Title of the report")
        self._title.setToolTip("Heading of the report; by default the name of the project.")
        self._format = Segments(
            [
                (".html", "HTML", "One web page that needs no other file."),
                (".pdf", "PDF", "Pages of A4, for printing and mail."),
            ],
            "reportFormat",
        )
        self._look = Segments(
            [
                ("light", "Light", "Light theme, whatever the window has."),
                ("dark", "Dark", "Dark theme, whatever the window has."),
                ("auto", "As the browser", "HTML: light or dark as the reader's browser."),
            ],
            "reportLook",
        )
        self._look.choose(before.look)
        self._boxes = {name: self._box(name, before) for name in SECTIONS}
        self._target = ChoiceBox("reportTarget", "State whose belief is examined")
        self._fill_target(target)
        self._boxes["sensitivity"].toggled.connect(self._refresh)
        self._format.chosen.connect(self._refresh)
        self._arrange()
        self._refresh()

    def _box(self, name: str, before: ReportOptions) -> QCheckBox:
        box = named(QCheckBox(SECTIONS[name]), f"report.{name}")
        absent = self._absent(name)
        box.setEnabled(not absent)
        box.setChecked(not absent and name in before.sections)
        box.setToolTip(f"Not now: {absent}" if absent else _TIPS[name])
        return box

    def _absent(self, name: str) -> str:
        """Why the project has nothing for a section."""
        project = self._project
        missing = {
            "notes": (project.notes, "the project has no notes."),
            "data": (project.data, "the project has no data."),
            "models": (project.models, "the project has no models."),
            "tables": (project.models, "the project has no models."),
            "comparison": (
                len(project.models) > 1 and project.data,
                "two models and data are needed.",
            ),
            "curves": (project.curves, "the project has no SL-curves."),
            "scenarios": (
                project.evidence_cases and scenarios_by_model(project),
                "no evidence scenario is saved (Evidence ▸ Save as scenario).",
            ),
            "explanation": (project.models, "the project has no models."),
            "sensitivity": (project.models, "the project has no models."),
            "rules": (not project.knowledge.is_empty, "there are no rules about edges."),
            "runs": (project.runs, "nothing was learned here yet."),
        }
        has_it, reason = missing.get(name, (True, ""))
        return "" if has_it else reason

    def _fill_target(self, target: str | None) -> None:
        """States of the models; first those of the target of the window."""
        states: dict[str, tuple[str, str]] = {}
        for entry in self._project.models.values():
            for variable in entry.model.domain:
                for state in variable.states:
                    states[f"{variable.name} = {state}"] = variable.name, state
        ordered = sorted(states, key=lambda text: states[text][0] != target)
        self._states = states
        self._target.show_choices({text: text for text in ordered}, next(iter(ordered), None))
        if target is None:
            self._boxes["sensitivity"].setChecked(False)

    def _arrange(self) -> None:
        grid = QGridLayout()
        grid.setVerticalSpacing(theme().space(1))
        grid.setHorizontalSpacing(theme().space(6))
        half = (len(self._boxes) + 1) // 2
        for number, box in enumerate(self._boxes.values()):
            grid.addWidget(box, number % half, number // half)
        sections = QWidget()
        sections.setLayout(grid)
        form = QFormLayout()
        form.setVerticalSpacing(theme().space(4))
        form.setHorizontalSpacing(theme().space(5))
        form.addRow(label("Title", "secondary"), self._title)
        form.addRow(label("Sections", "secondary"), sections)
        form.addRow(label("Sensitivity of", "secondary"), self._target)
        form.addRow(label("Format", "secondary"), row(self._format, None))
        form.addRow(label("Look", "secondary"), row(self._look, None))
        content = QWidget()
        content.setLayout(form)
        write = button(
            "Write…",
            self._on_write,
            role="primary",
            icon_name="article",
            tip="Choose a file and write the report.",
            name="reportWrite",
        )
        write.setDefault(True)
        cancel = button("Cancel", self.reject, role="link", tip="Write nothing.", name="reportNo")
        space = theme().space(6)
        vbox(
            self,
            (scrolled(content, "reportScroll", is_wide=True), 1),
            row(cancel, None, write),
            margins=(space, space, space, space),
            spacing=theme().space(5),
        )
        wanted = content.sizeHint()
        resize_dialog(self, wanted.width() + 3 * space, wanted.height() + 5 * space)

    def _refresh(self, *_: object) -> None:
        is_asked = self._boxes["sensitivity"].isChecked()
        self._target.setEnabled(is_asked)
        self._target.setToolTip(
            "The state whose belief is examined."
            if is_asked
            else "Not now: tick Sensitivity first."
        )
        is_pdf = self._format.current == ".pdf"
        self._look.button("auto").setEnabled(not is_pdf)
        if is_pdf and self._look.current == "auto":
            self._look.choose("light")

    @property
    def options(self) -> ReportOptions:
        """What is chosen now."""
        chosen = tuple(name for name, box in self._boxes.items() if box.isChecked())
        text = self._target.currentText()
        target = self._states.get(text) if "sensitivity" in chosen else None
        return ReportOptions(
            chosen, cast(Look, self._look.current), self._title.text().strip(), target
        )

    def _on_write(self) -> None:
        self.accepted_with.emit(self.options, self._format.current)
        self.accept()
