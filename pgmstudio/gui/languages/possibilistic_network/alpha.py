"""The α of the cut that each model is viewed at, and the slider that chooses it.

It belongs to the view, as evidence does: not undone and not saved.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QSlider, QWidget

from pgmstudio.core.number_format import decimal
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.model_state import ByModel
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.widgets.basic import IconLabel, button, hbox, label, named
from pgmstudio.gui.widgets.elided_label import ElidedLabel

STEPS = 100  # of the slider, up to the largest degree


class AlphaCuts(QObject):
    """α by model, 0 for no cut; `changed` has the id of the model."""

    changed = Signal(str)

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._alphas: ByModel[float] = ByModel(app.document)

    def alpha(self, model_id: str) -> float:
        return self._alphas.get(model_id) or 0.0

    def choose(self, model_id: str, alpha: float) -> None:
        if alpha != self.alpha(model_id):
            self._alphas[model_id] = alpha
            self.changed.emit(model_id)


def alpha_cuts(app: AppContext) -> AlphaCuts:
    """The `AlphaCuts` of a window, made on first use."""
    return app.service(AlphaCuts)


def alpha_text(alpha: float) -> str:
    """α with two decimals, or as many as a small degree needs."""
    return decimal(alpha, 2 if alpha == 0 or alpha >= 0.1 else 4)


class AlphaSlider(QWidget):
    """A slider from 0 to the largest degree."""

    changed = Signal(float)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._top = 1.0
        tip = "α: what is at least this possible is kept. 0 keeps all that is possible."
        self.slider = named(QSlider(Qt.Orientation.Horizontal), name, "α of the cut", tip)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(10)
        self.slider.setTickInterval(STEPS // 4)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.slider.setMinimumWidth(110)
        self.slider.setMaximumWidth(180)
        self.slider.valueChanged.connect(lambda _: self.changed.emit(self.alpha))
        hbox(self, self.slider)

    @property
    def alpha(self) -> float:
        return round(self.slider.value() / STEPS * self._top, 6)

    def show_alpha(self, alpha: float, top: float) -> None:
        """Show α; `top` is the largest degree."""
        self._top = top or 1.0
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(alpha / self._top * STEPS))


class AlphaBar(QFrame):
    """The bar over the canvas: α, and what it keeps."""

    relation_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("alphaBar")
        self.setProperty("role", "alpha")
        self.slider = AlphaSlider("alphaSlider")
        tip = "States and tuples that are at least this possible are kept, given the evidence."
        self.text = named(ElidedLabel("", "plain"), "alphaText", "α", tip)
        self.kept = label("", "secondary", name="alphaKept")
        self.relation = button(
            "Relation",
            self.relation_requested.emit,
            role="link",
            icon_name="cube",
            name="alphaRelation",
            tip="Show the tuples that are kept as a relation, with all degrees.",
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        symbol = IconLabel(icon("sliders-horizontal", "accent"))
        title = label("α-cut", "alpha-title")
        hbox(
            self,
            symbol,
            title,
            self.slider,
            (self.text, 1),
            self.kept,
            self.relation,
            margins=(11, 4, 8, 4),
            spacing=8,
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())

    def show_cut(self, alpha: float, top: float, states: tuple[int, int], tuples: str) -> None:
        """`states`: how many are kept, of how many; `tuples`: a text about tuples."""
        self.slider.show_alpha(alpha, top)
        what = "" if alpha else ": drag to cut away what is less possible"
        self.text.setText(f"α = {alpha_text(alpha)}{what}")
        kept = f"{states[0]} of {states[1]} states" if alpha else ""
        self.kept.setText(" · ".join(filter(None, (kept, tuples))) + (" kept" if alpha else ""))
