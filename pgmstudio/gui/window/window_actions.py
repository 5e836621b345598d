"""Actions of the View, Window and Help menus that concern the window itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from pgmstudio.gui.context import AppContext
from pgmstudio.gui.help.context_help import ContextHelp
from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.actions import ActionSpec
from pgmstudio.gui.widgets.basic import label, named
from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.registry import BOTTOM, LEFT, PANELS, RIGHT
from pgmstudio.version import __version__


def regions(window: MainWindow) -> list[QWidget]:
    """What F6 visits now, in order; folded sides are visited by their rail."""
    matches: list[QWidget] = []
    surround, page = window.folding.surround, window.app.center.current
    matches += [surround.rail, *_panels(window, LEFT)]
    if page is not None:
        bars = [child for child in page.children() if isinstance(child, QWidget)]
        matches += [child for child in bars if child.objectName().endswith("Bar")]
        matches.append(page)
    matches += [*_panels(window, BOTTOM), surround.bottom_row, *_panels(window, RIGHT)]
    return [region for region in matches if region.isVisible() and _first_stop(region) is not None]


def step_region(window: MainWindow, by: int) -> None:
    """Give the focus to the next region, or with −1 to the one before."""
    matches = regions(window)
    if not matches:
        return
    focus = QApplication.focusWidget()
    # The last that fits: the view bar stands before the page it belongs to.
    holds = [i for i, region in enumerate(matches) if focus is not None and _holds(region, focus)]
    bars = [i for i in holds if matches[i].objectName().endswith("Bar")]
    here = (bars or holds or [-1 if by > 0 else 0])[0]
    stop = _first_stop(matches[(here + by) % len(matches)])
    if stop is not None:
        stop.setFocus(Qt.FocusReason.TabFocusReason)


def _panels(window: MainWindow, area: Qt.DockWidgetArea) -> list[QWidget]:
    return [window.panels.panel(spec.name) for spec in PANELS if spec.area == area]


def _holds(region: QWidget, widget: QWidget) -> bool:
    return region is widget or region.isAncestorOf(widget)


def _first_stop(region: QWidget) -> QWidget | None:
    """The first widget in it that takes the focus by Tab; a page may name one itself."""
    proxy = region.focusProxy()
    if proxy is not None:
        return _first_stop(proxy) or proxy
    candidates = [region, *region.findChildren(QWidget)]
    for widget in candidates:
        if (
            widget.isVisible()
            and widget.isEnabled()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and widget.focusProxy() is None
        ):
            return widget
    return None


def show_about(parent: QWidget) -> QDialog:
    """Opens and returns the dialog; it closes itself."""
    dialog = named(QDialog(parent), "aboutDialog")
    dialog.setWindowTitle("About PGM Studio")
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(24, 24, 24, 16)
    layout.addWidget(label("PGM Studio", "heading", size="heading"))
    layout.addWidget(label(f"Version {__version__}", "secondary"))
    text = label(
        "Learn probabilistic graphical models from data, query and compare them. "
        "Free software under the MIT licence; built with Qt for Python, NumPy, SciPy, Numba, "
        "NetworkX, Graphviz, Polars and pyqtgraph.",
        wrap=True,
    )
    text.setMinimumWidth(360)
    layout.addWidget(text)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    layout.addWidget(buttons)
    dialog.open()
    return dialog


SCALE_STEP = 0.1


def window_actions(app: AppContext) -> list[ActionSpec]:
    return [*_look(app), *_arrangement(app), *_help(app)]


def _look(app: AppContext) -> list[ActionSpec]:
    def set_mode(mode: str) -> Callable[[], None]:
        return lambda: app.set_preferences(replace(app.preferences, mode=mode))

    def set_scale(scale: float) -> None:
        wanted = round(min(2.0, max(0.8, scale)), 2)
        app.set_preferences(replace(app.preferences, scale=wanted))

    def toggle_motion() -> None:
        wanted = not app.preferences.reduced_motion
        app.set_preferences(replace(app.preferences, reduced_motion=wanted))

    def open_preferences() -> None:
        from pgmstudio.gui.window.preferences_dialog import show_preferences

        show_preferences(app)

    def open_shortcuts() -> None:
        from pgmstudio.gui.window.shortcuts_dialog import show_shortcuts

        show_shortcuts(app)

    modes = (
        ("light", "Light", "Light theme."),
        ("dark", "Dark", "Dark theme."),
        ("system", "Follow system", "Use the light or dark theme of the system."),
    )
    return [
        ActionSpec(
            "edit.preferences",
            "Preferences…",
            "Edit",
            "Theme, font size, motion and the interval of recovery copies.",
            open_preferences,
            keys=("Ctrl+,",),
            icon="gear-six",
            separator_before=True,
        ),
        ActionSpec(
            "edit.shortcuts",
            "Keyboard shortcuts…",
            "Edit",
            "List the shortcuts of all actions and change them.",
            open_shortcuts,
            icon="keyboard",
        ),
        *(
            ActionSpec(
                f"view.mode.{mode}",
                text,
                "View/Colours",
                tip,
                set_mode(mode),
                is_checked=lambda mode=mode: app.preferences.mode == mode,  # type: ignore[misc]
            )
            for mode, text, tip in modes
        ),
        ActionSpec(
            "view.larger",
            "Increase font size",
            "View/Font size",
            "Every font one step larger, up to 200 %.",
            lambda: set_scale(theme().scale + SCALE_STEP),
            keys=("Ctrl+Shift+PgUp",),
            needs=[lambda: "this is the largest size." if theme().scale >= 2 else None],
        ),
        ActionSpec(
            "view.smaller",
            "Decrease font size",
            "View/Font size",
            "Every font one step smaller, down to 80 %.",
            lambda: set_scale(theme().scale - SCALE_STEP),
            keys=("Ctrl+Shift+PgDown",),
            needs=[lambda: "this is the smallest size." if theme().scale <= 0.8 else None],
        ),
        ActionSpec(
            "view.normal",
            "Reset font size",
            "View/Font size",
            "Fonts at 100 %.",
            lambda: set_scale(1.0),
        ),
        ActionSpec(
            "view.motion",
            "Reduced motion",
            "View",
            "Bars and layouts jump instead of sliding.",
            toggle_motion,
            is_checked=lambda: app.preferences.reduced_motion,
        ),
    ]


def _arrangement(app: AppContext) -> list[ActionSpec]:
    def window() -> MainWindow:
        assert isinstance(app.window, MainWindow)
        return app.window

    def full_screen() -> None:
        window().setWindowState(window().windowState() ^ Qt.WindowState.WindowFullScreen)

    def walk(by: int) -> None:
        step_region(window(), by)

    def too_few_tabs() -> str | None:
        if app.center.is_tiled or len(app.center.pages) > 1:
            return None
        return "open a second tab first."

    return [
        ActionSpec(
            "window.left",
            "Left panels",
            "Window",
            "Show or hide the project and variables.",
            lambda: window().folding.toggle_side(LEFT),
            keys=("F9",),
        ),
        ActionSpec(
            "window.right",
            "Right panels",
            "Window",
            "Show or hide the inspector.",
            lambda: window().folding.toggle_side(RIGHT),
            keys=("F10",),
        ),
        ActionSpec(
            "window.bottom",
            "Bottom panels",
            "Window",
            "Show or hide runs, table and log.",
            lambda: window().folding.toggle_side(BOTTOM),
            keys=("F8",),
        ),
        ActionSpec(
            "window.canvas",
            "Centre only",
            "Window",
            "Hide all panels, or show them again.",
            lambda: window().folding.canvas_only(),
            keys=("Ctrl+Shift+F11",),
        ),
        ActionSpec(
            "window.full-screen",
            "Full screen",
            "Window",
            "Fill the screen with the window.",
            full_screen,
            keys=("F11",),
        ),
        ActionSpec(
            "window.columns",
            "Two columns",
            "Window",
            "Show the current tab next to the others.",
            lambda: app.center.tile(Qt.Orientation.Horizontal),
            needs=[too_few_tabs],
            separator_before=True,
        ),
        ActionSpec(
            "window.rows",
            "Two rows",
            "Window",
            "Show the current tab below the others.",
            lambda: app.center.tile(Qt.Orientation.Vertical),
            needs=[too_few_tabs],
        ),
        ActionSpec(
            "window.one",
            "One group of tabs",
            "Window",
            "All tabs in one row again.",
            lambda: app.center.tile(None),
            needs=[lambda: None if app.center.is_tiled else "there is only one group."],
        ),
        ActionSpec(
            "window.next-tab",
            "Next tab",
            "Window",
            "Go to the tab at the right.",
            lambda: app.center.step(1),
            keys=("Ctrl+PgDown",),
        ),
        ActionSpec(
            "window.previous-tab",
            "Previous tab",
            "Window",
            "Go to the tab at the left.",
            lambda: app.center.step(-1),
            keys=("Ctrl+PgUp",),
        ),
        ActionSpec(
            "window.next-region",
            "Next region",
            "Window",
            "Give the focus to the next of panels, view bar and centre.",
            lambda: walk(1),
            keys=("F6",),
        ),
        ActionSpec(
            "window.previous-region",
            "Previous region",
            "Window",
            "Give the focus to the region before.",
            lambda: walk(-1),
            keys=("Shift+F6",),
        ),
        ActionSpec(
            "window.reset",
            "Reset layout",
            "Window",
            "Restore the default position and size of every panel.",
            lambda: window().reset_layout(),
            separator_before=True,
        ),
        *(
            ActionSpec(
                f"window.{panel.name}",
                panel.title,
                "Window/Panels",
                panel.tip,
                lambda name=panel.name: window().folding.toggle(name),  # type: ignore[misc]
                is_checked=lambda name=panel.name: window().folding.is_shown(name),  # type: ignore[misc]
            )
            for panel in PANELS
        ),
    ]


def _help(app: AppContext) -> list[ActionSpec]:
    def show(page: str) -> None:
        from pgmstudio.gui.help.page import open_help

        open_help(app, page)

    def about() -> None:
        show_about(app.window)

    context = ContextHelp(app)
    return [
        ActionSpec(
            "help.context",
            "Help on this",
            "Help",
            "The page of the manual on what has the focus.",
            context.show,
            keys=("F1",),
            icon="question",
        ),
        ActionSpec(
            "help.contents",
            "Manual",
            "Help",
            "The manual, offline.",
            lambda: show("index.md"),
        ),
        ActionSpec(
            "help.glossary",
            "Glossary",
            "Help",
            "Definitions of the terms used in this program.",
            lambda: show("reference/glossary.md"),
        ),
        ActionSpec("help.about", "About PGM Studio", "Help", "Version and licence.", about),
    ]
