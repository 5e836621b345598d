"""Learners of a plan of SL-curves, and the parameter values to try for each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QListWidget, QListWidgetItem, QWidget

from pgmstudio.core.experiments.plans.expansion import own_sweep_of, sweep_of
from pgmstudio.core.experiments.plans.plan import LearnerGrid
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.markers import marker_family
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.params import AUTO, ParamKind, ParamSpec, parse_value, specs_of
from pgmstudio.gui.theme.language_symbols import mark_icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named

# What a first plan tries, where the learner's own defaults would give one model or take too long.
FIRST: Mapping[str, Mapping[str, str]] = {
    "bn.hill-climb": {"name": "Bayesian network", "restarts": "5"},
    "bn.kes": {"name": "Network by KES", "greediness": "[1, 0.7, 0.4]", "restarts": "3"},
    "bn.pc": {"name": "Network by PC", "alpha": "0.001, 0.01, 0.05, 0.1"},
    "bn.npc": {"name": "Network by NPC", "alpha": "0.001, 0.01, 0.05, 0.1"},
    "mn.mpl": {"name": "Markov network"},
    "mn.contextual": {"name": "Contextual Markov network"},
    "ldag.greedy": {"name": "LDAG", "kappa": "1, 0.5, 0.1, 0.01, 0.001", "restarts": "2"},
    "pdg.learn": {"name": "PDG"},
    "pdg.hybrid": {"name": "Hybrid PDG"},
    "tree.chow-liu": {"name": "Chow–Liu"},
    "mixture.trees": {"name": "Mixture of trees", "components": "2, 4, 8, 16", "edge-penalty": "0"},
    "nb.latent": {"name": "Latent classes"},
}
FIRST_TICKED = (
    *("tree.chow-liu", "bn.hill-climb", "mn.mpl", "ldag.greedy", "pdg.learn"),
    *("mixture.trees", "nb.latent"),
)
# These fit tables or labels of a model that is there already: there is nothing to compare.
NOT_OFFERED = frozenset({"bn.em", "ldag.labels"})
_PIECE = re.compile(r"\[[^\]]*\]|[^,;]+")


def parsed_values(spec: ParamSpec, text: str) -> tuple[Any, ...]:
    """`1, 2, 5` are three values to try, `[0.3, 1]` is one list; raises ValueError.

    None for an empty text is the caller's affair.
    """
    values: list[Any] = []
    for piece in (match.group().strip() for match in _PIECE.finditer(text)):
        if not piece:
            continue
        if piece.startswith("["):
            if not spec.is_list:
                raise ValueError("expects single values; remove the brackets")
            values.append(list(parse_value(spec, piece[1:-1])))
            continue
        value = parse_value(spec, piece)
        values.append(value[0] if spec.is_list and isinstance(value, tuple) else value)
    if not values:
        raise ValueError("needs at least one value")
    return tuple(values)


def parsed_numbers(text: str, whole: bool = False) -> tuple[Any, ...]:
    """Numbers parted by commas or spaces; `0…4` and `0-4` are all whole numbers between."""
    numbers: list[Any] = []
    for piece in re.split(r"[,;\s]+", text.strip()):
        if not piece:
            continue
        between = re.fullmatch(r"(\d+)(?:…|\.\.+|-|–)(\d+)", piece) if whole else None
        if between is not None:
            low, high = int(between[1]), int(between[2])
            if high - low > 10_000:
                raise ValueError(f"“{piece}” are too many")
            numbers += range(low, high + 1)
            continue
        try:
            numbers.append(int(piece) if whole else float(piece))
        except ValueError:
            kind = "whole number" if whole else "number"
            raise ValueError(f"“{piece}” is no {kind}") from None
        if whole and numbers[-1] < 0:
            raise ValueError(f"“{piece}” must be 0 or more")
    return tuple(numbers)


def values_text(values: Any) -> str:
    """How values stand in a field."""
    return ", ".join(
        f"[{', '.join(_one(part) for part in value)}]"
        if isinstance(value, list | tuple)
        else _one(value)
        for value in values
    )


def _one(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def default_text(spec: ParamSpec) -> str:
    """What is used where a field is empty."""
    if spec.default is None:
        return spec.none_label or "none"
    if spec.default == AUTO:
        return AUTO
    return values_text([spec.default])


class GridForm(QWidget):
    """Form of one learner's values to try; `grid()` is None while a field is invalid."""

    changed = Signal()

    def __init__(self, learner: Learner[Any]) -> None:
        super().__init__()
        self.setObjectName(f"grid.{learner.key}")
        self.learner = learner
        self._specs = {
            spec.option: spec
            for spec in specs_of(learner.params_type)
            if spec.kind is not ParamKind.OBJECT and spec.name not in ("processes", "lambdas")
        }
        self._has_lambdas = self._sweeps(())
        self._fields: dict[str, QLineEdit] = {}
        self._titles: dict[str, QLabel] = {}
        self._errors: dict[str, QLabel] = {}
        self.problems: dict[str, str] = {}
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setHorizontalSpacing(12)
        self._layout.setVerticalSpacing(4)
        self._layout.setColumnStretch(1, 1)
        own = FIRST.get(learner.key, {})
        self._add("name", "Name of the curve", learner.title, "Name of the curve.")
        if self._has_lambdas:
            tip = "Size penalties λ between 0 and 1; empty: those of the plan."
            self._add("lambdas", "λ", "as for all", tip)
        self._add("time-limit", "Time limit, s", "as for all", "Seconds for each run.")
        for option, spec in self._specs.items():
            choices = f" One or more of {', '.join(spec.choices)}." if spec.choices else ""
            tip = f"{spec.help}{choices} Separate values with commas."
            self._add(option, spec.title, default_text(spec), tip)
        for option, text in own.items():
            self._fields[option].setText(text)
        self.show_advanced(False)

    def _sweeps(self, taken: tuple[str, ...]) -> bool:
        kind = self.learner.params_type
        return sweep_of(kind, taken) is not None or own_sweep_of(kind, (0.5,), taken) is not None

    def _add(self, option: str, title: str, empty: str, tip: str) -> None:
        field = named(QLineEdit(), f"{self.objectName()}.{option}")
        field.setPlaceholderText(empty)
        field.setToolTip(tip)
        field.setAccessibleName(f"{title}. {tip}")
        field.textChanged.connect(self._on_changed)
        name = label(title, "secondary")
        name.setToolTip(tip)
        name.setBuddy(field)
        error = error_line()
        index = 2 * len(self._fields)
        self._layout.addWidget(name, index, 0)
        self._layout.addWidget(field, index, 1)
        self._layout.addWidget(error, index + 1, 1)
        self._fields[option], self._titles[option], self._errors[option] = field, name, error

    def field(self, option: str) -> QLineEdit:
        return self._fields[option]

    @property
    def problems_by_title(self) -> dict[str, str]:
        """The problems, by the titles of their fields."""
        return {self._titles[option].text(): problem for option, problem in self.problems.items()}

    @property
    def has_advanced(self) -> bool:
        return any(spec.advanced for spec in self._specs.values())

    def show_advanced(self, shown: bool) -> None:
        for option, spec in self._specs.items():
            visible = shown or not spec.advanced or bool(self._fields[option].text())
            self._fields[option].setVisible(visible)
            self._titles[option].setVisible(visible)

    def fill(self, grid: LearnerGrid) -> None:
        """As a plan has it."""
        for field in self._fields.values():
            field.setText("")
        self._fields["name"].setText(grid.name)
        if grid.lambdas and "lambdas" in self._fields:
            self._fields["lambdas"].setText(values_text(grid.lambdas))
        if grid.time_limit is not None:
            self._fields["time-limit"].setText(f"{grid.time_limit:g}")
        for option, values in grid.values.items():
            if option in self._fields:
                self._fields[option].setText(values_text(values))

    def grid(self) -> LearnerGrid | None:
        """What stands in the fields; what is wrong is marked and in `problems`."""
        self.problems = {}
        texts = {option: field.text().strip() for option, field in self._fields.items()}
        values: dict[str, Any] = {}
        for option, spec in self._specs.items():
            if texts[option]:
                try:
                    values[option] = parsed_values(spec, texts[option])
                except ValueError as wrong:
                    self.problems[option] = str(wrong)
        lambdas = self._lambdas(texts.get("lambdas", ""))
        limit = self._limit(texts["time-limit"])
        self._mark()
        if self.problems:
            return None
        return LearnerGrid(self.learner.key, values, texts["name"], lambdas, limit)

    def _lambdas(self, text: str) -> tuple[float, ...]:
        try:
            lambdas = parsed_numbers(text)
        except ValueError as wrong:
            self.problems["lambdas"] = str(wrong)
            return ()
        if not all(0 < value < 1 for value in lambdas):
            self.problems["lambdas"] = "must all lie between 0 and 1"
        return lambdas

    def _limit(self, text: str) -> float | None:
        if not text:
            return None
        try:
            (seconds,) = parsed_numbers(text)
        except ValueError:
            self.problems["time-limit"] = "needs one number of seconds"
            return None
        if not seconds > 0:
            self.problems["time-limit"] = "must be more than 0"
        return float(seconds)

    def _on_changed(self) -> None:
        self.grid()
        self.changed.emit()

    def _mark(self) -> None:
        for option, field in self._fields.items():
            mark_field(field, self._errors[option], self.problems.get(option, ""))


def error_line() -> QLabel:
    """Label of the error under a field; hidden while there is none."""
    made = label("", "danger", size="dense", wrap=True)
    made.hide()
    return made


def mark_field(field: QLineEdit, error: QLabel, problem: str) -> None:
    """Outline an invalid field and show the error under it; an empty text clears both."""
    stop = "" if problem.endswith(".") else "."
    error.setText(f"{problem[:1].upper()}{problem[1:]}{stop}" if problem else "")
    error.setVisible(bool(problem) and not field.isHidden())
    state = "error" if problem else ""
    if field.property("state") != state:
        field.setProperty("state", state)
        field.style().unpolish(field)
        field.style().polish(field)


_LEARNER = Qt.ItemDataRole.UserRole


def _language_icon(key: str) -> QIcon:
    return mark_icon(marker_family(all_learners()[key].kind, key))


_AIR = 12  # px beside the names


class LearnerTicks(QListWidget):
    """The learners of a plan are ticked; the current one shows its values."""

    picked = Signal(str)
    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("planLearners")
        self.setAccessibleName("Learners of the plan")
        self.setToolTip("Select the learners of the plan; set the values of the current one.")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        size = theme().px("icon_small")
        self.setIconSize(QSize(size, size))
        self.ensurePolished()  # rows laid out before that keep their unstyled height
        first = [key for key in FIRST_TICKED if key in all_learners()]
        others = [
            key
            for key, learner in all_learners().items()
            if key not in first
            and key not in NOT_OFFERED
            and not no_likelihood_reason(learner.kind)
        ]
        for key in (*first, *others):
            learner = all_learners()[key]
            item = QListWidgetItem(_language_icon(key), learner.title)
            item.setData(_LEARNER, key)
            item.setToolTip(" ".join((type(learner).__doc__ or learner.title).split()))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = Qt.CheckState.Checked if key in first else Qt.CheckState.Unchecked
            item.setCheckState(on)
            self.addItem(item)
        self.currentItemChanged.connect(self._on_current)
        self.itemChanged.connect(self._on_item)
        theme().follow(self._restyle)

    def _items(self) -> list[QListWidgetItem]:
        items = (self.item(number) for number in range(self.count()))
        return [item for item in items if item is not None]

    @property
    def keys(self) -> list[str]:
        """Those that are ticked."""
        on = Qt.CheckState.Checked
        return [str(i.data(_LEARNER)) for i in self._items() if i.checkState() == on]

    def tick(self, keys: list[str]) -> None:
        """Tick these and no others."""
        with QSignalBlocker(self):
            for item in self._items():
                is_on = item.data(_LEARNER) in keys
                item.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)
        self.ticked.emit()

    def choose(self, key: str) -> None:
        for item in self._items():
            if item.data(_LEARNER) == key:
                self.setCurrentItem(item)

    def _on_current(self, item: QListWidgetItem | None, _before: object) -> None:
        if item is not None:
            self.picked.emit(str(item.data(_LEARNER)))

    def _on_item(self, item: QListWidgetItem) -> None:
        self.setCurrentItem(item)
        self.ticked.emit()

    def _restyle(self) -> None:
        names = self.sizeHintForColumn(0) + self.verticalScrollBar().sizeHint().width()
        least = theme().px("left")
        self.setFixedWidth(min(max(least, names + _AIR), round(1.25 * least)))
