"""The start page: what to do first, recent projects, samples, and what a crash left behind."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QIcon, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_files
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.welcome.samples import SAMPLES, Sample, SampleOpener
from pgmstudio.gui.welcome.thumbnails import paint_sample
from pgmstudio.gui.widgets.basic import IconLabel, Note, Segments, button, label, row, scrolled
from pgmstudio.gui.widgets.page import Page

MAX_RECENT = 5
COLUMN_WIDTH = 250
# The width below which the samples stand under the ways in, at 100 %.
STACKED_BELOW = 940
# The tour is offered where the first look ends.
ABOVE_THE_TOUR = 6


class WelcomePage(Page):
    """Every way in, one click each."""

    def __init__(self, app: AppContext) -> None:
        super().__init__("welcome")
        self._app = app
        self._opener = SampleOpener(app, self)
        self._group = "All"
        self._scroll = scrolled(QWidget(), "welcomeScroll")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._scroll)
        self._build()
        theme().changed.connect(self._on_theme_changed)

    def _build(self) -> None:
        """Everything in sizes of the present scale."""
        self._scale = theme().scale
        self._cards = [SampleCard(sample) for sample in SAMPLES if sample.path.is_file()]
        for card in self._cards:
            card.chosen.connect(self._opener.open)
        self._grid = QGridLayout()
        self._grid.setSpacing(theme().space(5))
        self._tour = self._tour_card()
        content = QWidget()
        self._halves = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._halves.setContentsMargins(*([theme().space(7)] * 4))
        self._halves.setSpacing(theme().space(8))
        self._halves.addWidget(self._left_side(), 0, Qt.AlignmentFlag.AlignTop)
        self._halves.addWidget(self._right_side(), 1, Qt.AlignmentFlag.AlignTop)
        self._scroll.setWidget(content)
        self._arrange()

    def _on_theme_changed(self) -> None:
        if theme().scale != self._scale:
            self._build()

    @property
    def title(self) -> str:
        return "Welcome"

    def page_icon(self) -> QIcon:
        return icon("house")

    @property
    def stands_alone(self) -> bool:
        return True

    @property
    def needs_tab(self) -> bool:
        return False

    def _left_side(self) -> QWidget:
        side = QWidget()
        side.setFixedWidth(theme().px("right"))
        layout = QVBoxLayout(side)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme().space(3))
        layout.addWidget(label("PGM Studio", "heading", size="display"))
        layout.addWidget(
            label(
                "Learn probabilistic graphical models from data, question them, compare them.",
                "secondary",
                wrap=True,
            )
        )
        layout.addSpacing(theme().space(4))
        layout.addWidget(self._way_in("data.import", "Import data", "download-simple", True))
        layout.addWidget(self._way_in("file.open", "Open project or model", "folder-open"))
        layout.addWidget(self._way_in("file.new-model", "Draw a new model", "plus-circle"))
        recent = [Path(name) for name in self._app.preferences.recent if Path(name).is_file()]
        if recent:
            layout.addSpacing(theme().space(5))
            layout.addWidget(label("Recent", "heading", size="dense"))
            for path in recent[:MAX_RECENT]:
                layout.addWidget(self._recent_row(path))
        self._add_recovery(layout)
        return side

    def _way_in(self, action: str, text: str, icon_name: str, primary: bool = False) -> QPushButton:
        registry = self._app.actions
        keys = registry[action].shortcut().toString()
        made = button(
            f"  {text}",
            registry[action].trigger,
            role="primary" if primary else "",
            icon_name=icon_name,
            tip=registry.specs[action].tip,
            name=f"welcome.{action}",
        )
        tall = theme().px("row_roomy") + 2
        made.setStyleSheet(f"text-align: left; padding-left: 14px; min-height: {tall}px;")
        hint = label(keys.replace("+", " "), "on-accent" if primary else "tertiary", size="dense")
        hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = QHBoxLayout(made)
        inside.setContentsMargins(0, 0, theme().space(4), 0)
        inside.addWidget(hint, 0, Qt.AlignmentFlag.AlignRight)
        return made

    def _recent_row(self, path: Path) -> QWidget:
        open_it = button(
            path.name,
            lambda: open_files(self._app, [path]),
            role="link",
            icon_name="file",
            tip=str(path),
            name="welcome.recent",
        )
        when = datetime.fromtimestamp(path.stat().st_mtime)
        return row(open_it, None, label(_when(when), "tertiary", size="dense"))

    def _add_recovery(self, layout: QVBoxLayout) -> None:
        from pgmstudio.gui.files.opening import recover
        from pgmstudio.gui.files.recovery import Recovered, forget, left_behind

        for entry in left_behind()[:3]:
            note = Note(name="recoveryNote", rich=True)
            note.show_text(
                f"PGM Studio closed unexpectedly. <b>{escape(entry.name)}</b> was saved "
                f"for recovery: {_when(entry.saved_at)}."
            )
            layout.addSpacing(theme().space(4))
            layout.addWidget(note)

            def discard(entry: Recovered = entry, note: Note = note) -> None:
                forget(entry)
                note.hide()

            layout.addWidget(
                row(
                    button(
                        "Recover",
                        partial(recover, self._app, entry),
                        role="link",
                        name="recoveryAccept",
                        tip="Open the recovery copy as unsaved changes.",
                    ),
                    button(
                        "Discard",
                        discard,
                        role="link",
                        name="recoveryDiscard",
                        tip="Delete the recovery copy.",
                    ),
                    None,
                )
            )

    def _right_side(self) -> QWidget:
        side = QWidget()
        layout = QVBoxLayout(side)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme().space(4))
        groups = [("All", f"All {len(self._cards)}", "Every sample.")]
        groups += [
            (name, name, f"Samples: {name.lower()}.")
            for name in dict.fromkeys(card.sample.group for card in self._cards)
        ]
        filters = Segments(groups, "sampleGroups")
        filters.choose(self._group)
        filters.chosen.connect(self._show_group)
        layout.addWidget(row(label("Samples", "heading", size="title"), None, filters))
        layout.addLayout(self._grid)
        layout.addWidget(
            label(
                "Drop a data file or a model anywhere in this window. <b>F1</b> opens the manual.",
                "secondary",
                wrap=True,
                rich=True,
            )
        )
        return side

    def _tour_card(self) -> QFrame:
        registry = self._app.actions
        card = QFrame()
        card.setObjectName("welcomeTour")
        card.setProperty("role", "card")
        start = button(
            "Start tour",
            registry["help.tour"].trigger,
            icon_name="play",
            tip=registry.specs["help.tour"].tip,
            name="welcomeStartTour",
        )
        texts = QVBoxLayout()
        texts.setSpacing(theme().space(2))
        texts.addWidget(label("Take the tour", "heading"))
        texts.addWidget(
            label(
                "8 steps, about 3 minutes: from evidence in a sample to a model learned from rows.",
                "secondary",
                size="dense",
                wrap=True,
            )
        )
        inside = QHBoxLayout(card)
        inside.setContentsMargins(*([theme().space(5)] * 4))
        inside.setSpacing(theme().space(4))
        inside.addWidget(IconLabel(icon("graduation-cap", "accent"), factor=1.5))
        inside.addLayout(texts, 1)
        inside.addWidget(start)
        return card

    def _show_group(self, group: str) -> None:
        self._group = group
        self._arrange()

    def _arrange(self) -> None:
        shown = [c for c in self._cards if self._group in ("All", c.sample.group)]
        free = self.width() - theme().space(7) * 2
        ways = QBoxLayout.Direction
        stacked = self.width() < round(STACKED_BELOW * theme().scale)
        self._halves.setDirection(ways.TopToBottom if stacked else ways.LeftToRight)
        if not stacked:
            free -= theme().px("right") + theme().space(8)
        columns = max(1, min(3, free // round(COLUMN_WIDTH * theme().scale)))
        for card in self._cards:
            self._grid.removeWidget(card)
            if card not in shown:
                card.hide()
        self._grid.removeWidget(self._tour)
        above = -(-min(ABOVE_THE_TOUR, len(shown)) // columns)
        self._grid.addWidget(self._tour, above, 0, 1, columns)
        for number, card in enumerate(shown):
            point = number // columns
            self._grid.addWidget(card, point + (point >= above), number % columns)
            card.show()
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def closed(self) -> None:
        self._opener.forget()


class SampleCard(QFrame):
    """A card with picture, title, kind and description; click or Enter opens the sample."""

    chosen = Signal(object)

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.sample = sample
        self.setObjectName(f"sample.{sample.file}")
        self.setAccessibleName(f"Open the sample {sample.title}")
        self.setToolTip(f"Open the sample {sample.title}: {sample.text}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 12)
        layout.setSpacing(4)
        layout.addSpacing(self._picture_height() + 8)
        chip = label(sample.chip, "chip", size="caption")
        layout.addWidget(row(label(sample.title, "heading"), None, chip))
        text = label(sample.text, "secondary", size="dense", wrap=True)
        text.setMinimumHeight(2 * QFontMetrics(theme().font("dense")).height() + 2)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout.addWidget(text)

    def _picture_height(self) -> int:
        return round(116 * theme().scale)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        focused = self.hasFocus()
        ring = theme().color("focus" if focused else "border")
        painter.setPen(QPen(ring, theme().line("focus" if focused else "hairline")))
        painter.setBrush(theme().color("surface"))
        painter.drawRoundedRect(frame, theme().radius("card"), theme().radius("card"))
        picture = QRectF(frame.left(), frame.top(), frame.width(), self._picture_height())
        painter.setPen(QPen(theme().color("border"), 1))
        painter.drawLine(picture.bottomLeft(), picture.bottomRight())
        paint_sample(painter, picture.adjusted(12, 10, -12, -10), self.sample)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.sample)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.sample)
        else:
            super().keyPressEvent(event)


def _when(moment: datetime) -> str:
    now = datetime.now()
    if moment.date() == now.date():
        return f"today, {moment:%H:%M}"
    if (now.date() - moment.date()).days == 1:
        return "yesterday"
    return f"{moment.day} {moment:%B}"


def open_welcome(app: AppContext) -> Page:
    return app.open_page("welcome", lambda: WelcomePage(app))
