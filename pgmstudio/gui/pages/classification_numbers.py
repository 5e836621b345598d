"""The measures of a classification in one line: a number and what it is, side by side."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pgmstudio.core.experiments.classification import Classification
from pgmstudio.gui.panels.elided_label import ElidedLabel
from pgmstudio.gui.plots.confusion_map import weight_text
from pgmstudio.gui.style.theme import theme
from pgmstudio.gui.style.widgets import set_role

# Key, what it is called, and what it means.
MEASURES = (
    ("accuracy", "Accuracy ↑", "Rows whose most probable state is the true one, ± standard error."),
    ("majority", "Majority alone", "The accuracy of always naming the most frequent state."),
    ("soft", "Soft score ↑", "The mean probability of the true state: Σ γ_true / N."),
    ("brier", "Brier score ↓", "Mean of Σ (p − truth)²: 0 is perfect, 2 is sure and wrong."),
    ("loss", "Log loss, bits ↓", "Mean of −log2 P(true state)."),
    ("area", "Mean AUC ↑", "The mean of the areas under the ROC curves, each against the rest."),
    ("ece", "Calibration ↓", "Expected calibration error: |probability − frequency| over 10 bins."),
)


def measures_in_words(found: Classification) -> dict[str, str]:
    """The numbers by the keys of MEASURES."""
    error = found.accuracy.standard_error
    spread = "" if error is None else f" ± {100 * error:.1f}"
    return {
        "accuracy": _share(found.accuracy.value) + (spread if found.judged_weight else ""),
        "majority": _share(found.majority_share),
        "soft": _decimal(found.soft_score.value),
        "brier": _decimal(found.brier.value),
        "loss": _decimal(found.log_loss.value),
        "area": _decimal(found.mean_area),
        "ece": _decimal(found.calibration.error),
    }


def rows_in_words(found: Classification) -> str:
    """How many rows were judged, and what was the matter with others."""
    parts = [f"{weight_text(found.judged_weight)} rows judged"]
    if found.unlabelled_rows:
        parts.append(f"{weight_text(found.unlabelled_rows)} without a state of {found.target}")
    if found.impossible_rows:
        parts.append(f"{weight_text(found.impossible_rows)} ruled out by the model, prior taken")
    if found.zero_rows:
        parts.append(f"{weight_text(found.zero_rows)} with a true state of probability 0")
    return " · ".join(parts)


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f} %"


def _decimal(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{value:.3f}"


class Numbers(QWidget):
    """They give way when there is little room; tooltips have them whole."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("classifyNumbers")
        self._values: dict[str, ElidedLabel] = {}
        self._captions: list[ElidedLabel] = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        for key, caption, tip in MEASURES:
            value, words = ElidedLabel("–"), ElidedLabel(caption)
            value.setObjectName(f"classify.{key}")
            words.setProperty("role", "secondary")
            value.setToolTip(tip)
            words.setToolTip(f"{caption}: {tip}")
            self._values[key] = value
            self._captions.append(words)
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(value)
            column.addWidget(words)
            layout.addLayout(column, 4 if key == "accuracy" else 3)  # it has its error beside it
        theme().changed.connect(self._restyle)
        self._restyle()

    def text(self, key: str) -> str:
        return self._values[key].text()

    def show_found(self, found: Classification | None) -> None:
        words = {} if found is None else measures_in_words(found)
        for (key, caption, tip), value in zip(MEASURES, self._values.values(), strict=True):
            value.setText(words.get(key, "–"))
            value.setToolTip(f"{value.text()}. {tip}")
            value.setAccessibleName(f"{caption.rstrip(' ↑↓')} {value.text()}")

    def dim(self, is_stale: bool) -> None:
        """Numbers of what is no more are grey."""
        for value in self._values.values():
            set_role(value, "tertiary" if is_stale else "")

    def _restyle(self) -> None:
        for value in self._values.values():
            value.setFont(theme().font("title", "semibold"))
        for caption in self._captions:
            caption.setFont(theme().font("caption"))
