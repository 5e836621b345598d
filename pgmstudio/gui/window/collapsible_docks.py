"""Where the panels are when the window is small: docked, or folded to a rail and shown on demand.

In this order the sides give way: the right one is shown over the centre while something is
selected, the left one becomes a rail of icons, the bottom one a row of labels.

The centre of the window with what stands around it: rails at its edges, overlays above it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QDockWidget,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QMainWindow,
    QSplitter,
    QStyle,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pgmstudio.core.drawing.theme import tokens
from pgmstudio.gui.context import AppContext, Selection
from pgmstudio.gui.jobs.learning_run import LearningRun
from pgmstudio.gui.theme.icons import icon
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.basic import label, named, row, set_role, tool_button
from pgmstudio.gui.widgets.page import Page
from pgmstudio.gui.window.app_context import WindowContext
from pgmstudio.gui.window.docks import PanelDocks
from pgmstudio.gui.window.registry import BOTTOM, LEFT, PANELS, RIGHT, PanelSpec

Area = Qt.DockWidgetArea


class DockRail(QFrame):
    """One button per panel of a side; `chosen` has its name."""

    chosen = Signal(str)

    def __init__(self, name: str, specs: Sequence[PanelSpec], *, upright: bool) -> None:
        super().__init__()
        named(self, name, "Folded panels")
        self.setProperty("role", "window")
        self._upright = upright
        self._buttons: dict[str, QToolButton] = {}
        self.box: QBoxLayout = QVBoxLayout(self) if upright else QHBoxLayout(self)
        self.box.setContentsMargins(*((6, 8, 6, 8) if upright else (8, 2, 8, 2)))
        self.box.setSpacing(theme().space(2))
        for spec in specs:
            self.box.addWidget(self._button(spec))
        self.box.addStretch(1)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _button(self, spec: PanelSpec) -> QToolButton:
        made = named(QToolButton(), f"rail.{spec.name}")
        made.setIcon(icon(spec.icon, on="accent"))
        made.setCheckable(True)
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        made.setToolTip(f"{spec.title}: {spec.tip}")
        made.setAccessibleName(f"Show {spec.title.lower()}")
        if not self._upright:
            made.setText(spec.title)
            made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.clicked.connect(lambda: self.chosen.emit(spec.name))
        self._buttons[spec.name] = made
        return made

    def mark(self, names: Sequence[str]) -> None:
        """Show which panels are open over the centre."""
        for name, made in self._buttons.items():
            made.setChecked(name in names)

    def _restyle(self) -> None:
        if self._upright:
            side = theme().px("row_roomy")
            for made in self._buttons.values():
                made.setFixedSize(side, side)
            self.setFixedWidth(theme().px("rail"))
        else:
            self.setFixedHeight(theme().px("row_roomy"))


class CollapsedBottomBar(DockRail):
    """The labels of the bottom panels with the progress of the first run."""

    def __init__(self, specs: Sequence[PanelSpec], app: AppContext) -> None:
        super().__init__("bottomRow", specs, upright=False)
        self._runs = app.workspace.runs
        self._with_verb = label("", "secondary", size="dense", name="bottomRowRun")
        self.box.addWidget(self._with_verb)
        runs = self._runs
        for signal in (runs.run_added, runs.run_changed, runs.run_ended, runs.order_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _refresh(self, *_: object) -> None:
        self._with_verb.setText(progress_text(self._runs.running))


def progress_text(running: Sequence[LearningRun]) -> str:
    """`Chow–Liu 45 %`, and how many more there are."""
    if not running:
        return ""
    first = running[0]
    percent = "" if first.progress.fraction is None else f" {first.progress.fraction:.0%}"
    more = f" and {len(running) - 1} more" if len(running) > 1 else ""
    return f"{first.request.title}{percent.replace('%', ' %')}{more}"


class Overlay(QFrame):
    """Borrows the panels of docks while it is open and gives them back when it closes."""

    changed = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "overlay")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._borrowed: list[tuple[QDockWidget, QWidget]] = []
        self._title = label("", "heading", size="dense")
        self._close = tool_button("x", "Close this panel (Esc)", self.close_it, name=f"{name}Close")
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        head = row(self._title, None, self._close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        head_layout = head.layout()
        assert head_layout is not None
        head_layout.setContentsMargins(12, 2, 4, 2)
        layout.addWidget(head)
        layout.addWidget(self._splitter, 1)
        self.hide()

    @property
    def names(self) -> list[str]:
        """The panels it shows now."""
        return [dock.objectName() for dock, _ in self._borrowed]

    @property
    def is_open(self) -> bool:
        return bool(self._borrowed)

    def open_with(self, docks: Sequence[QDockWidget]) -> None:
        """Show the panels of these docks instead of others."""
        if [dock for dock, _ in self._borrowed] == list(docks):
            return
        self._give_back()
        for dock in docks:
            panel = dock.widget()
            dock.setWidget(QWidget())  # so that the dock lets go of the panel
            self._borrowed.append((dock, panel))
            self._splitter.addWidget(panel)
            panel.show()
        self._title.setText(" · ".join(dock.windowTitle() for dock in docks))
        self.setAccessibleName(self._title.text())
        self.setVisible(bool(docks))
        self.raise_()
        self.changed.emit()

    def close_it(self) -> None:
        """Hide, and give the panels back."""
        if not self._borrowed:
            return
        self._give_back()
        self.hide()
        self.changed.emit()

    def panel(self, name: str) -> QWidget | None:
        """The panel of that dock, when it is here."""
        return next((p for dock, p in self._borrowed if dock.objectName() == name), None)

    def _give_back(self) -> None:
        for dock, panel in self._borrowed:
            stand_in = dock.widget()
            dock.setWidget(panel)
            stand_in.deleteLater()
        self._borrowed.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_it()
        else:
            super().keyPressEvent(event)


def panels_at(area: Area) -> list[PanelSpec]:
    return [spec for spec in PANELS if spec.area == area]


class CentralArea(QWidget):
    """The centre with the rails at its edges and the overlays above it."""

    space_requested = Signal()  # something inside needs more or less space than before

    def __init__(self, app: WindowContext) -> None:
        super().__init__()
        self.setObjectName("surround")
        self.center = app.center
        self.rail = DockRail("leftRail", panels_at(LEFT), upright=True)
        self.bottom_row = CollapsedBottomBar(panels_at(BOTTOM), app)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail, 0, 0, 2, 1)
        layout.addWidget(self.center, 0, 1)
        layout.addWidget(self.bottom_row, 1, 1)
        layout.setRowStretch(0, 1)
        layout.setColumnStretch(1, 1)
        self.overlays = {
            LEFT: Overlay("leftOverlay", self),
            RIGHT: Overlay("rightOverlay", self),
            BOTTOM: Overlay("bottomOverlay", self),
        }
        self.is_right_at_left = False
        self.rail.hide()
        self.bottom_row.hide()

    @property
    def _low(self) -> int:
        """How high panels at the bottom stand over the centre."""
        return min(theme().px("bottom"), self.center.height() * 2 // 3)

    @property
    def has_space_above(self) -> bool:
        """Whether the centre is still readable while the bottom panel is open."""
        return self.center.height() - self._low >= theme().px("bottom_min")

    def place_overlays(self) -> None:
        """Put the open overlays along the edges of the centre."""
        area, low = self.center.geometry(), self._low
        if self.overlays[BOTTOM].is_open:
            self.overlays[BOTTOM].setGeometry(
                area.left(), area.bottom() + 1 - low, area.width(), low
            )
            area.setHeight(area.height() - low)
        wide = min(theme().px("left"), area.width())
        self.overlays[LEFT].setGeometry(area.left(), area.top(), wide, area.height())
        self.overlays[RIGHT].setGeometry(self._overlay_rect(area, self.is_right_at_left))

    def _overlay_rect(self, area: QRect, at_left: bool) -> QRect:
        wide = min(theme().px("right"), area.width())
        left = area.left() if at_left else area.right() + 1 - wide
        return QRect(left, area.top(), wide, area.height())

    def make_way(self, selected: QRect | None) -> None:
        """The right overlay goes to the side where it does not hide what is selected."""
        if selected is not None:
            here = QRect(self.mapFromGlobal(selected.topLeft()), selected.size())
            area = self.center.geometry()
            sides = (self.is_right_at_left, not self.is_right_at_left)
            free = [s for s in sides if not self._overlay_rect(area, s).intersects(here)]
            self.is_right_at_left = free[0] if free else False
        self.place_overlays()

    def resizeEvent(self, event: object) -> None:
        self.place_overlays()

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.space_requested.emit()
        return is_done


# What a canvas keeps, in pixels at 100 %.
CANVAS_WIDTH, CANVAS_HEIGHT = 560, 400
COLUMN_WIDTH = 500  # where two stand side by side

# The tree of the project is shorter than the list of its variables, but has data, models and runs.
_SHARING = ("projectPanel", "variablesPanel")
TREE_SHARE = 0.4
_OWN = Qt.FindChildOption.FindDirectChildrenOnly


def folded_sides(
    width: float, height: float, sides: Collection[Area], columns: int = 1
) -> frozenset[Area]:
    """The sides to collapse in the given width and height, in pixels at 100 %."""
    sizes = tokens()["size_px"]
    centre = CANVAS_WIDTH if columns == 1 else columns * COLUMN_WIDTH
    folded: set[Area] = set()
    widths = {LEFT: sizes["left"], RIGHT: sizes["right"]}
    for side in (RIGHT, LEFT):
        taken = sum(w for s, w in widths.items() if s in sides and s not in folded)
        if side in sides and width - taken < centre:
            folded.add(side)
    needed = CANVAS_HEIGHT + sizes["tab_bar"] + sizes["view_bar"] + sizes["bottom"]
    if BOTTOM in sides and height < needed:
        folded.add(BOTTOM)
    return frozenset(folded)


class DockCollapser(QObject):
    """Shows every wanted panel as a dock, or as an overlay where there is too little space."""

    def __init__(self, window: QMainWindow, app: WindowContext, panels: PanelDocks) -> None:
        super().__init__(window)
        self._window, self._app = window, app
        self._panels, self._docks = panels, panels.docks
        self.surround = CentralArea(app)
        self.folded: frozenset[Area] = frozenset()
        self._is_alone = False
        self._are_sizes_due = False
        self._wanted = {spec.name for spec in PANELS if spec.shown}
        self._put_away: set[str] = set()
        self._sizes: dict[Area, int] = {}
        self._tree_share = TREE_SHARE
        self._bottom_front = "tablePanel"
        self._last = {BOTTOM: "", LEFT: ""}  # the panel last shown over the centre
        for overlay in self.surround.overlays.values():
            overlay.changed.connect(self._on_overlay_changed)
        self.surround.space_requested.connect(self._on_space_requested)
        self.surround.rail.chosen.connect(self.toggle)
        self.surround.bottom_row.chosen.connect(self.toggle)
        app.workspace.selection_changed.connect(self._on_selection)
        self._page_key = ""
        app.center.page_changed.connect(self._on_page)
        app.center.tiling_changed.connect(self.refold)
        app.center.expected_size = self._expected_size
        self.usual_sizes()
        theme().changed.connect(self.refold)

    # -- asked by the window

    def refold(self) -> None:
        """Collapse or expand the sides for the present size of the window."""
        space = self._window.contentsRect()
        high = space.height() - self._window.menuBar().height() - self._window.statusBar().height()
        scale = theme().scale
        sides = {self._area(name) for name in self._wanted_now()}
        columns = self._app.center.columns
        folded = folded_sides(space.width() / scale, high / scale, sides | self.folded, columns)
        self._arrange(folded, self._is_alone)

    def _expected_size(self) -> QSize:
        """The size of a page beside the panels of their usual widths."""
        space, px = self._window.contentsRect(), theme().px
        high = space.height() - self._window.menuBar().height() - self._window.statusBar().height()
        scale = theme().scale
        folded = folded_sides(space.width() / scale, high / scale, (LEFT, RIGHT))
        left, right = px("rail" if LEFT in folded else "left"), px("right")
        taken = left + (0 if RIGHT in folded else right)
        return QSize(space.width() - taken, high - px("tab_bar"))

    def stand_alone(self, alone: bool) -> None:
        """Pages that need the whole window send the panels away."""
        if alone != self._is_alone:
            self._arrange(self.folded, alone)
            self.refold()

    def release(self) -> None:
        """Everything docked as the person wants it, for saving the arrangement."""
        self._arrange(frozenset(), False)

    def adopt(self) -> None:
        """The docks were arranged from a saved state: that is what is wanted now."""
        self._close_overlays()
        self.folded, self._is_alone = frozenset(), False
        self._wanted = {name for name, dock in self._docks.items() if not dock.isHidden()}
        self.refold()

    @property
    def wanted(self) -> frozenset[str]:
        """The panels that are shown where there is space for them."""
        return frozenset(self._wanted_now())

    def want(self, names: Collection[str]) -> None:
        """Show exactly these panels, where there is space for them."""
        self._wanted = set(names)
        self._show_requested()

    # -- asked by the person

    def is_shown(self, name: str) -> bool:
        """Docked and not hidden, or open over the centre."""
        if self._is_over(name):
            return name in self.surround.overlays[self._area(name)].names
        return not (self._docks[name].isHidden() or self._is_behind(name))

    def _is_behind(self, name: str) -> bool:
        """Another panel of the same tabs is in front of it."""
        dock = self._docks[name]
        return bool(self._window.tabifiedDockWidgets(dock)) and dock.visibleRegion().isEmpty()

    def reveal(self, name: str, *, take_focus: bool = True) -> None:
        """Show a panel, where it is, in front."""
        if not self._is_over(name):
            was_hidden = self._docks[name].isHidden()
            for tab in self._tabs_with(name):  # the tabs show what else is there
                self._wanted.add(tab)
                self._docks[tab].show()
            self.refold()  # one more panel may be one too many
            if was_hidden:  # a dock that was never shown comes with any size
                self._give_sizes()
                self._are_sizes_due = True
        if self._is_over(name):
            self._open(self._area(name), [name])
        else:
            self._docks[name].raise_()
        if take_focus:
            self._panels.panel(name).setFocus()

    def toggle(self, name: str) -> None:
        """Show the panel or put it away."""
        if not self.is_shown(name):
            self.reveal(name)
        elif self._is_over(name):
            self.surround.overlays[self._area(name)].close_it()
        else:
            self._wanted.discard(name)
            self._docks[name].hide()
        self.surround.rail.mark(self.surround.overlays[LEFT].names)
        self.surround.bottom_row.mark(self.surround.overlays[BOTTOM].names)

    def _tabs_with(self, name: str) -> list[str]:
        """The panels at the bottom come together; any other one comes alone."""
        if self._area(name) != BOTTOM or self._docks[name].isFloating():
            return [name]
        docks = self._docks.items()
        return [n for n, dock in docks if self._area(n) == BOTTOM and not dock.isFloating()]

    def toggle_side(self, area: Area) -> None:
        """Show or put away all panels of one side."""
        names = [name for name in self._docks if self._area(name) == area]
        usual = [s.name for s in PANELS if s.name in names and (s.shown or s.name in self._wanted)]
        usual = usual or names  # a side whose panels come on demand is shown whole
        overlay = self.surround.overlays[area]
        shown = any(not self._docks[name].isHidden() for name in names)
        if overlay.is_open:
            overlay.close_it()
        elif area in self.folded:
            self._open(area, usual if area == RIGHT else [self._last[area] or usual[0]])
        elif shown:
            for name in names:
                self._docks[name].hide()
            self._wanted_now()
        else:
            for name in reversed(usual):
                self.reveal(name, take_focus=False)

    def close_one(self) -> bool:
        """Esc: put away the overlay that was least asked for; False when none is open."""
        for area in (LEFT, BOTTOM, RIGHT):
            overlay = self.surround.overlays[area]
            if overlay.is_open:
                overlay.close_it()
                return True
        return False

    def canvas_only(self) -> None:
        """Hide all panels, or show them again."""
        over = any(overlay.is_open for overlay in self.surround.overlays.values())
        docked = {n for n, d in self._docks.items() if not (d.isHidden() or d.isFloating())}
        self._close_overlays()
        if docked or over:
            self._put_away = docked
            self._wanted -= docked
        else:
            self._wanted |= self._put_away or {spec.name for spec in PANELS if spec.shown}
        self._show_requested()

    # -- doing

    def _arrange(self, folded: frozenset[Area], alone: bool) -> None:
        self._wanted_now()
        if (folded, alone) == (self.folded, self._is_alone):
            self.surround.place_overlays()
            return
        self._close_overlays()
        self.folded, self._is_alone = folded, alone
        self._show_requested()

    def _show_requested(self) -> None:
        if front := self._front_tab():
            self._bottom_front = front
        for name, dock in self._docks.items():
            is_away = self._is_alone or self._area(name) in self.folded
            if not dock.isFloating():
                dock.setVisible(name in self._wanted and not is_away)
        if self._is_docked(self._bottom_front, BOTTOM):
            self._docks[self._bottom_front].raise_()
        self.surround.rail.setVisible(LEFT in self.folded and not self._is_alone)
        self.surround.bottom_row.setVisible(BOTTOM in self.folded and not self._is_alone)
        self._give_sizes()
        self._are_sizes_due = True
        self.surround.place_overlays()

    def _front_tab(self) -> str:
        """The panel at the bottom that is in front of the others; none while they are hidden."""
        shown = [n for n in self._docks if self._is_docked(n, BOTTOM) and not self._is_behind(n)]
        return shown[0] if len(shown) == 1 else ""

    def _on_space_requested(self) -> None:
        """A closed page may have claimed more of the centre than the sides could give."""
        if self._are_sizes_due:
            QTimer.singleShot(0, self, self._give_due_sizes)

    def _give_due_sizes(self) -> None:
        if not self._are_sizes_due:
            return
        self._give_sizes()
        wanted = sum(
            max((d.width() for n, d in self._docks.items() if self._is_docked(n, side)), default=0)
            - size
            for side, size in self._sizes.items()
            if side != BOTTOM and any(self._is_docked(n, side) for n in self._docks)
        )
        self._are_sizes_due = abs(wanted) > 2

    def _is_docked(self, name: str, area: Area) -> bool:
        dock = self._docks[name]
        return self._area(name) == area and not (dock.isHidden() or dock.isFloating())

    def _give_sizes(self) -> None:
        for area, size in self._sizes.items():
            docks = [
                d for n, d in self._docks.items() if self._area(n) == area and not d.isHidden()
            ]
            way = Qt.Orientation.Vertical if area == BOTTOM else Qt.Orientation.Horizontal
            if docks:
                self._window.resizeDocks(docks, [size] * len(docks), way)
        self._dress_tabs()
        if pair := self._tree_and_list():
            high = sum(dock.height() for dock in pair)
            tree = round(high * self._tree_share)
            self._window.resizeDocks(pair, [tree, high - tree], Qt.Orientation.Vertical)

    def _dress_tabs(self) -> None:
        """The window makes the tabs of docks by itself, and shortens even the shortest titles."""
        for bar in self._window.findChildren(QTabBar, options=_OWN):
            if bar.property("role") != "panel":
                bar.setElideMode(Qt.TextElideMode.ElideNone)
                bar.setExpanding(False)
                bar.setAccessibleName("Panels at the bottom")
                set_role(bar, "panel")

    def _tree_and_list(self) -> list[QDockWidget]:
        """The two that share the left side, when they are there and alone."""
        there = [name for name in self._docks if self._is_docked(name, LEFT)]
        return [self._docks[name] for name in there] if there == list(_SHARING) else []

    def note_sizes(self) -> None:
        """Remember how large the person made the sides: a hidden dock comes back with any size."""
        center, window = self.surround.geometry(), self._window
        extent = QStyle.PixelMetric.PM_DockWidgetSeparatorExtent
        line = window.style().pixelMetric(extent, None, window)
        taken = {
            LEFT: center.left(),
            RIGHT: window.width() - center.right() - 1,
            BOTTOM: window.statusBar().y() - center.bottom() - 1,
        }
        self._are_sizes_due = False
        if pair := self._tree_and_list():
            self._tree_share = pair[0].height() / max(1, sum(dock.height() for dock in pair))
        # A few pixels are no side but its separator.
        self._sizes.update({a: size - line for a, size in taken.items() if size > 4 * line})

    def usual_sizes(self) -> None:
        """Every side as wide or high as the tokens set."""
        names = {LEFT: "left", RIGHT: "right", BOTTOM: "bottom"}
        self._sizes = {area: theme().px(name) for area, name in names.items()}
        self._tree_share = TREE_SHARE
        self._give_sizes()

    def _wanted_now(self) -> set[str]:
        """Docked panels may have been hidden or shown by other means."""
        if not self._is_alone:
            for name, dock in self._docks.items():
                if self._area(name) not in self.folded:
                    (self._wanted.discard if dock.isHidden() else self._wanted.add)(name)
        return self._wanted

    def _open(self, area: Area, names: Sequence[str]) -> None:
        if area in self._last and names:
            self._last[area] = names[0]
        overlay, chosen = self.surround.overlays[area], self._app.workspace.selection
        if area == RIGHT and not overlay.is_open and not (chosen.nodes or chosen.edges):
            self.surround.is_right_at_left = False  # nothing to make way for
        for name in names:
            self._panels.panel(name)  # built before the overlay borrows it
        if names and not self.surround.has_space_above:  # large fonts: one at a time
            for other in (LEFT, RIGHT) if area == BOTTOM else (BOTTOM,):
                self.surround.overlays[other].close_it()
        overlay.open_with([self._docks[name] for name in names])

    def _close_overlays(self) -> None:
        for overlay in self.surround.overlays.values():
            overlay.close_it()

    def _is_over(self, name: str) -> bool:
        return self._area(name) in self.folded and not self._docks[name].isFloating()

    def _area(self, name: str) -> Area:
        return self._window.dockWidgetArea(self._docks[name])

    def _on_overlay_changed(self) -> None:
        self.surround.rail.mark(self.surround.overlays[LEFT].names)
        self.surround.bottom_row.mark(self.surround.overlays[BOTTOM].names)
        self.surround.place_overlays()
        self._keep_clear()
        focus = self._window.focusWidget()
        if focus is None or not focus.isVisible():
            self._app.center.setFocus()

    def _on_selection(self, selection: Selection) -> None:
        if RIGHT not in self.folded or self._is_alone:
            return
        names = [name for name in self._docks if name in self._wanted]
        names = [name for name in names if self._area(name) == RIGHT]
        taken = self.surround.overlays[BOTTOM].is_open and not self.surround.has_space_above
        if (selection.nodes or selection.edges) and names and not taken:
            page, overlay = self._app.center.current, self.surround.overlays[RIGHT]
            if not overlay.is_open:
                self.surround.is_right_at_left = False
            self.surround.make_way(None if page is None else page.selected_rect())
            self._open(RIGHT, names)
        else:
            self.surround.overlays[RIGHT].close_it()
        self._keep_clear()

    def _on_page(self, page: Page | None) -> None:
        """An overlay is about the previous page; a canvas has space next to it."""
        before, self._page_key = self._page_key, page.key if page is not None else ""
        if page is not None and page.key != before and not page.key.startswith("model:"):
            self._close_overlays()

    def _keep_clear(self) -> None:
        """Pass the covered areas to the current page, which keeps its selection visible."""
        page = self._app.center.current
        if page is not None and page.isVisible():
            overlays = [o for o in self.surround.overlays.values() if o.is_open]
            corners = [o.mapToGlobal(QPoint(0, 0)) for o in overlays]
            page.keep_clear([QRect(c, o.size()) for c, o in zip(corners, overlays, strict=True)])
