"""What a person prefers: colours, font size, motion, autosave, limits. Changes show at once."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QSpinBox,
    QVBoxLayout,
)

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.project.preferences import Preferences
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import Segments, button, label, named

MODES = (
    ("light", "Light", "Light theme."),
    ("dark", "Dark", "Dark theme."),
    ("system", "Follow system", "Use the light or dark theme of the system."),
)


class PreferencesDialog(QDialog):
    """Writes every choice down as it is made; there is nothing to apply."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app = app
        self.setObjectName("preferencesDialog")
        self.setWindowTitle("Preferences")
        self._mode = Segments(MODES, "preferMode")
        self._mode.setAccessibleName("Colours")
        self._mode.chosen.connect(lambda mode: self._prefer(mode=mode))
        self._scale = _number("preferScale", "Size of every font, in percent.", (80, 200), 10, " %")
        self._scale.valueChanged.connect(lambda percent: self._prefer(scale=percent / 100))
        self._motion = QCheckBox("Bars and layouts jump instead of sliding")
        self._motion.setObjectName("preferMotion")
        self._motion.setToolTip("Changes are shown at once, without animation.")
        self._motion.toggled.connect(lambda on: self._prefer(reduced_motion=on))
        self._autosave = _number(
            "preferAutosave", "Seconds between two recovery copies.", (5, 3600), 5, " s"
        )
        self._autosave.valueChanged.connect(lambda seconds: self._prefer(autosave_seconds=seconds))
        self._quote = named(
            QCheckBox("Quote cells that look like formulas"),
            "preferQuoteFormulas",
            tip="Exported CSV files get a ' before text that begins with = + - or @, which a "
            "spreadsheet would take for a formula.",
        )
        self._quote.toggled.connect(lambda on: self._prefer(quote_formulas=on))
        self._limit = _number(
            "preferReadLimit",
            "The largest unpacked size of a file, and the memory that reading it may take.",
            (1, 4096),
            1,
            " GB",
        )
        self._limit.valueChanged.connect(lambda limit: self._prefer(read_limit_gigabytes=limit))
        form = QFormLayout()
        form.setHorizontalSpacing(theme().space(5))
        form.setVerticalSpacing(theme().space(4))
        form.addRow("Colours", self._mode)
        form.addRow("Font size", self._scale)
        form.addRow("Motion", self._motion)
        form.addRow("Keep a copy every", self._autosave)
        form.addRow("CSV files", self._quote)
        form.addRow("Read files up to", self._limit)
        note = "Recovery copies are stored separately; your own files change only when you save."
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        usual = button(
            "Restore defaults",
            self._back,
            name="preferDefaults",
            tip="Light, 100 %, with motion, a copy every minute, files up to 4 GB.",
        )
        buttons.addButton(usual, QDialogButtonBox.ButtonRole.ResetRole)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setToolTip("Close; all changes are saved (Esc).")
        close.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*([theme().space(6)] * 4))
        layout.setSpacing(theme().space(5))
        layout.addLayout(form)
        layout.addWidget(label(note, "secondary", wrap=True))
        layout.addWidget(buttons)
        app.preferences_changed.connect(self._show)
        self._show(app.preferences)

    def _show(self, preferences: Preferences) -> None:
        """Show the present preferences, with signals blocked because the person changed nothing."""
        self._mode.choose(preferences.mode)
        for field, value in (
            (self._scale, round(preferences.scale * 100)),
            (self._autosave, preferences.autosave_seconds),
            (self._limit, preferences.read_limit_gigabytes),
        ):
            with QSignalBlocker(field):
                field.setValue(value)
        for tick, is_on in (
            (self._motion, preferences.reduced_motion),
            (self._quote, preferences.quote_formulas),
        ):
            with QSignalBlocker(tick):
                tick.setChecked(is_on)

    def _prefer(self, **changes: object) -> None:
        self._app.set_preferences(replace(self._app.preferences, **changes))  # type: ignore[arg-type]
        self.adjustSize()

    def _back(self) -> None:
        present = self._app.preferences
        defaults = Preferences(recent=present.recent, shortcuts=present.shortcuts)
        self._app.set_preferences(defaults)
        self.adjustSize()


def show_preferences(app: AppContext) -> PreferencesDialog:
    """Open the dialog; it forgets itself when it is closed."""
    dialog = PreferencesDialog(app)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def _number(name: str, tip: str, bounds: tuple[int, int], step: int, unit: str) -> QSpinBox:
    made = named(QSpinBox(), name, tip, tip)
    made.setRange(*bounds)
    made.setSingleStep(step)
    made.setSuffix(unit)
    made.setKeyboardTracking(False)
    return made
