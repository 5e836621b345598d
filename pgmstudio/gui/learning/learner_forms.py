"""The list of learners and the parameter form of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QListView, QListWidgetItem, QVBoxLayout, QWidget

from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.learners import (
    all_learners,
    learner_of,
    named_settings,
    presets_of,
)
from pgmstudio.core.languages.registry import kind_title
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.model import DirectedModel, UndirectedModel
from pgmstudio.core.params import ParamKind, parse_params, specs_of
from pgmstudio.core.project.edits import free_name
from pgmstudio.gui.context import AppContext, Workspace
from pgmstudio.gui.theme.icons import language_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import hbox, label, row, vbox
from pgmstudio.gui.widgets.combo_box import ChoiceBox
from pgmstudio.gui.widgets.keyed_list import KEY, KeyedList
from pgmstudio.gui.widgets.param_form import VARIABLES, ObjectChoices, ParamForm
from pgmstudio.gui.widgets.search_field import SearchField
from pgmstudio.gui.widgets.two_lines import FACTS, TwoLines


class TargetFields(QObject):
    """Keeps the class of every form equal to the target until the user chooses another."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._target = workspace.target
        self._fields: list[QComboBox] = []
        workspace.target_changed.connect(self._on_target_changed)

    def follow(self, form: QWidget) -> None:
        """Track the class of a form, if it has one."""
        field = form.findChild(QComboBox, "param.class_")
        if isinstance(field, QComboBox):
            self._fields.append(field)
            self._show(field)

    def refresh(self) -> None:
        """The columns are others: offer the target where no class is chosen."""
        for field in self._fields:
            if field.currentData() is None:
                self._show(field)

    def _show(self, field: QComboBox) -> None:
        field.setCurrentIndex(max(0, field.findData(self._target)))

    def _on_target_changed(self, target: str | None) -> None:
        before, self._target = self._target, target
        for field in self._fields:
            if field.currentData() in (None, before):
                self._show(field)


def _matches(words: Sequence[str], texts: Sequence[str]) -> list[bool]:
    """Which texts have all words at the beginning of one of theirs, or else anywhere."""
    starts = [re.compile(rf"(?<![^\W_]){re.escape(word)}") for word in words]
    matches = [all(start.search(text) for start in starts) for text in texts]
    return matches if any(matches) else [all(word in text for word in words) for text in texts]


class LearnerList(QWidget):
    """Learners by model language, those that suit the data on top, and a field to find one."""

    picked = Signal()

    def __init__(self, name: str, keys: Iterable[str]) -> None:
        super().__init__()
        self._keys = list(keys)
        self._recommended: dict[str, str] = {}
        self._picked: str | None = None
        self._search = SearchField(f"{name}Search", "Find a learner")
        self._search.setMinimumWidth(0)
        self._search.setMaximumWidth(QWIDGETSIZE_MAX)
        self._search.setToolTip("Part of a name, language or description; Down goes to the list.")
        self._search.textChanged.connect(self._on_search)
        self._search.returnPressed.connect(self._on_return)
        self._search.installEventFilter(self)
        self._list = KeyedList(name, "Learners", "Choose a learner.")
        self._list.setItemDelegate(TwoLines(self._list))
        self._list.setResizeMode(QListView.ResizeMode.Adjust)
        self._list.currentRowChanged.connect(self._on_row)
        space = theme().space(2)
        searching = hbox(None, self._search, margins=(space, space, space, space))
        vbox(self, searching, (self._list, 1), spacing=0)
        self.setFocusProxy(self._list)
        self._page_width: int | None = None
        theme().follow(self._restyle)
        self._fill()

    def fit_page_width(self, width: int) -> None:
        """Use at most two fifths of `width` pixels; truncated lines are complete in their tips."""
        self._page_width = width
        self._fit()

    def show_recommended(self, reasons: Mapping[str, str]) -> None:
        """List these learners on top with the reason."""
        reasons = {key: reason for key, reason in reasons.items() if key in self._keys}
        if reasons != self._recommended:
            self._recommended = reasons
            self._fill()

    @property
    def recommended(self) -> Mapping[str, str]:
        return self._recommended

    @property
    def learner(self) -> Learner[object] | None:
        return None if self._picked is None else all_learners()[self._picked]

    def choose(self, key: str | None) -> None:
        """Choose a learner; a key that is not listed changes nothing."""
        if key in self._keys:
            self._search.clear()
            self._list.choose(key)

    def _fill(self) -> None:
        """Write the list anew; the choice stays."""
        learners = all_learners()
        kinds = list(dict.fromkeys(learners[key].kind for key in self._keys))
        with QSignalBlocker(self._list):
            self._list.clear()
            if self._recommended:
                self._add_heading("Recommended for these rows")
                for key, reason in self._recommended.items():
                    self._add(key, reason)
            heading = ""
            # The languages in the order of their first learner.
            for key in sorted(self._keys, key=lambda key: kinds.index(learners[key].kind)):
                kind = learners[key].kind
                if kind != heading:
                    self._add_heading(kind_title(kind))
                    heading = kind
                self._add(key, about_learner(learners[key]))
            self._list.choose(self._picked)
        self._filter(self._search.text())
        self._fit()

    def _restyle(self) -> None:
        self._list.scheduleDelayedItemsLayout()
        self._fit()

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(text)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self._list.addItem(item)

    def _add(self, key: str, line: str) -> None:
        learner = learner_of(key)
        item = QListWidgetItem(language_icon(learner.kind), learner.title)
        item.setData(KEY, key)
        item.setData(FACTS, line)
        about = f"{learner.title}, {kind_title(learner.kind)}\n{about_learner(learner)}"
        item.setToolTip(f"{about}\n{line}" if key in self._recommended else about)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{learner.title}. {line}")
        self._list.addItem(item)

    def _on_row(self, number: int) -> None:
        item = self._list.item(number)
        key = None if item is None else item.data(KEY)
        if key is not None and key != self._picked:
            self._picked = key
            self.picked.emit()

    def _on_search(self, text: str) -> None:
        self._filter(text)

    def _filter(self, text: str) -> None:
        """Show the learners with all words, below the heading of their group."""
        items = [self._list.item(number) for number in range(self._list.count())]
        keys = [item.data(KEY) or "" for item in items]
        tips = [item.toolTip() for item in items]
        searched = [f"{key} {tip}".casefold() for key, tip in zip(keys, tips, strict=True)]
        matches = _matches(text.casefold().split(), searched)
        heading: QListWidgetItem | None = None
        for item, key, is_shown in zip(items, keys, matches, strict=True):
            if not key:
                heading = item
                item.setHidden(True)
                continue
            item.setHidden(not is_shown)
            if is_shown and heading is not None:
                heading.setHidden(False)

    def _on_return(self) -> None:
        """Choose the first whose title matches, else the first that is shown."""
        rows = range(self._list.count())
        shown = [r for r in rows if not self._list.isRowHidden(r) and self._list.item(r).data(KEY)]
        titles = [self._list.item(r).text().casefold() for r in shown]
        if shown:
            matches = _matches(self._search.text().casefold().split(), titles)
            self._list.setCurrentRow(next(compress(shown, matches), shown[0]))
            self._list.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down goes from the field to the list, Escape empties the field."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self._on_return()
                return True
            if event.key() == Qt.Key.Key_Escape and self._search.text():
                self._search.clear()
                return True
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        wide = theme().px("left") * 5 // 4
        self.setFixedWidth(
            wide if self._page_width is None else min(wide, self._page_width * 2 // 5)
        )


QWIDGETSIZE_MAX = (1 << 24) - 1


# Types of models that parameters may be.
START_TYPES: tuple[type, ...] = (DirectedModel, UndirectedModel, ComponentModel)


def about_learner(learner: Learner[Any]) -> str:
    """What a learner does, in one sentence."""
    return " ".join((type(learner).__doc__ or learner.title).split())


class LearnerForms(QWidget):
    """Description and parameter form of each learner; entered values are preserved."""

    changed = Signal()

    def __init__(
        self,
        app: AppContext,
        rules: Callable[[], Knowledge],
        names: Callable[[], Sequence[str]],
    ) -> None:
        """`rules`: the background knowledge that a run can use; `names`: the columns."""
        super().__init__()
        self._app, self._rules, self._names = app, rules, names
        self._targets = TargetFields(app.workspace, self)
        self._forms: dict[str, ParamForm] = {}
        self._form: ParamForm | None = None
        self._learner: Learner[Any] | None = None
        self._columns: tuple[str, ...] = ()
        self._title = label("", "heading", size="heading")
        self._about = label("", "secondary", wrap=True)
        self._presets = ChoiceBox("learnPreset", "Named settings, such as those of a publication")
        self._presets.picked.connect(self._on_preset)
        self._preset_row = row(label("Preset", "secondary"), self._presets, None)
        self._holder = QVBoxLayout()
        self._advanced = QCheckBox("Show all parameters")
        self._advanced.setObjectName("learnAdvanced")
        self._advanced.setToolTip("Parameters that are rarely changed.")
        self._advanced.toggled.connect(self._on_advanced)
        layout = vbox(
            self,
            self._title,
            self._about,
            8,
            self._preset_row,
            margins=(24, 24, 24, 16),
            spacing=8,
        )
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
        self._about.setText(f"{kind_title(learner.kind)}. {about_learner(learner)}")
        if self._form is not None:
            self._form.hide()
        if learner.key not in self._forms:
            form = ParamForm(learner.params_type, self._objects())
            form.setMaximumWidth(theme().px("left") * 5 // 2)
            form.changed.connect(self.changed)
            form.changed.connect(self._show_preset)
            self._forms[learner.key] = form
            self._holder.addWidget(form)
            self._targets.follow(form)
            form.show_columns(self._columns)
            _obey(form)
        self._form = self._forms[learner.key]
        self._form.show()
        self._learner = learner
        self._preset_row.setVisible(bool(presets_of(learner)))
        self._show_preset()
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
        self._targets.refresh()

    def _on_preset(self, name: object) -> None:
        """Fill in a preset: other parameters get their defaults, chosen models and rules stay."""
        learner, form = self._learner, self._form
        if learner is None or form is None or name == _OWN_SETTINGS:
            return
        given = {**form.chosen_objects(), "preset": None if name == _NO_PRESET else name}
        form.set_params(parse_params(learner.params_type, named_settings(learner.key, given)))

    def _show_preset(self) -> None:
        """The preset whose settings the form has."""
        if self._learner is None or not presets_of(self._learner):
            return
        params, chosen = self.params(), _OWN_SETTINGS
        choices = {_NO_PRESET: "defaults"}
        choices |= {preset.name: preset.title for preset in presets_of(self._learner)}
        for name in reversed(choices):
            given = {"preset": None if name == _NO_PRESET else name}
            wanted: Any = parse_params(
                self._learner.params_type, named_settings(self._learner.key, given)
            )
            if params is not None and _same_settings(params, wanted):
                chosen = name
        if chosen == _OWN_SETTINGS:
            choices[_OWN_SETTINGS] = "other settings"
        self._presets.show_choices(choices, chosen)

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

        def prices() -> dict[str, object]:
            prices = self._app.project.edge_prices.among(self._names())
            return {} if prices.is_empty else {"of this project": prices}

        starts = {kind: partial(models, kind) for kind in START_TYPES}
        return {**starts, Knowledge: rules, EdgePrices: prices, VARIABLES: self._variables}

    def _variables(self) -> dict[str, object]:
        return {name: name for name in self._names()}

    def _on_advanced(self, shown: bool) -> None:
        if self._form is not None:
            self._form.show_advanced(shown)


_NO_PRESET, _OWN_SETTINGS = "none", "own"


def _same_settings(one: Any, other: Any) -> bool:
    """Whether two parameter objects are equal but for chosen models, rules and columns."""
    return all(
        getattr(one, spec.name) == getattr(other, spec.name)
        for spec in specs_of(type(one))
        if spec.kind is not ParamKind.OBJECT and not spec.is_variable
    )


def _obey(form: ParamForm) -> None:
    """Use the rules, if there are any, unless the user decided otherwise."""
    knowledge = form.findChild(QComboBox, "param.knowledge")
    if isinstance(knowledge, QComboBox) and knowledge.count() > 1:
        knowledge.setCurrentIndex(1)


def free_title(app: AppContext, base: str) -> str:
    """Unique name for a run and its model: a number is added if the name is in use."""
    used = {entry.title for entry in app.project.models.values()}
    used |= {run.request.title for run in app.workspace.runs.runs}
    return free_name(base, used)
