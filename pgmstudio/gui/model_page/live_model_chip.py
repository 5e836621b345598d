"""The chip on the canvas of a model that follows a learning run."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout

from pgmstudio.gui.canvas.view import CanvasView
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.runs.live_model import live_models
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import IconLabel, label
from pgmstudio.gui.widgets.elided_label import ElidedLabel

_EDGE = 12
FOLLOW_TIP = "Show each better model of the run. Untick to keep this one."


class BestChip(QFrame):
    """The restart, edges and parameters of the model, with a check box *Follow the run*."""

    def __init__(self, app: AppContext, model_id: str, view: CanvasView) -> None:
        super().__init__(view)
        self.setObjectName("bestChip")
        self.setProperty("role", "card")
        self._view, self._model_id = view, model_id
        self._following = live_models(app)
        self._symbol = IconLabel(icon("sparkle", "accent"))
        self._title = label("Best so far", "heading", size="dense")
        self._message = ElidedLabel("", "secondary", size="dense", is_snug=True)
        self._message.setObjectName("liveModelText")
        self.follow = QCheckBox("Follow the run")
        self.follow.setObjectName("followRun")
        self.follow.setToolTip(FOLLOW_TIP)
        self.follow.clicked.connect(self._on_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 2, 6, 2)
        layout.setSpacing(8)
        for widget in (self._symbol, self._title, self._message, self.follow):
            layout.addWidget(widget)
        self._following.changed.connect(self._on_changed)
        view.installEventFilter(self)
        theme().changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the state of the run; hidden once it has ended."""
        follower = self._following.of_model(self._model_id)
        self.setVisible(follower is not None)
        if follower is None:
            self._view.keep_head(0)
            return
        self._title.setText("Best so far" if follower.is_on else "An earlier best")
        message = follower.text()
        more = " · edit it while the run goes on" if follower.is_on else ""
        self._message.setText(message + more)
        self._message.setToolTip(message)
        self.setAccessibleName(f"{self._title.text()}: {message}")
        reason = follower.disabled_reason
        self.follow.setChecked(follower.is_on)
        self.follow.setEnabled(reason is None)
        self.follow.setToolTip(FOLLOW_TIP if reason is None else f"Not now: {reason}")
        self.reposition()

    def reposition(self) -> None:
        """Move to the top left of the canvas, at most as wide as the canvas."""
        wide = min(self.sizeHint().width(), self._view.width() - 2 * _EDGE)
        self.setGeometry(_EDGE, _EDGE, wide, self.sizeHint().height())
        self._view.keep_head(self.height() + 2.0 * _EDGE)

    def _on_clicked(self, on: bool) -> None:
        follower = self._following.of_model(self._model_id)
        if follower is not None:
            follower.switch(on)

    def _on_changed(self, model_id: str) -> None:
        if model_id == self._model_id:
            self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisibleTo(self._view):
            self.reposition()
        return super().eventFilter(watched, event)
