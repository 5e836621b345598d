"""F6 walks the regions of the window: left panels, view bar, centre, bottom, inspector."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from pgmstudio.gui.window.main_window import MainWindow
from pgmstudio.gui.window.registry import BOTTOM, LEFT, PANELS, RIGHT


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
