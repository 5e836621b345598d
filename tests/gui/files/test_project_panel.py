"""The project tree: the context menu of a model."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QTreeWidget

from pgmstudio.gui.files.project_panel import ProjectPanel
from pgmstudio.gui.navigation import open_model_page
from pgmstudio.gui.widgets.actions import unmarked
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler


def test_a_model_is_duplicated_and_compared_from_the_tree(window: MainWindow) -> None:
    app = window.app
    open_model_page(app, add_sprinkler(app))
    panel = window.findChild(ProjectPanel)
    tree = panel.findChild(QTreeWidget, "projectTree")
    title = app.project.models["m1"].title

    def menu() -> dict[str, QAction]:
        (item,) = tree.findItems(title, Qt.MatchFlag.MatchRecursive, 0)
        panel._on_menu(tree.visualItemRect(item).center())
        shown = panel.findChildren(QMenu)[-1]
        shown.close()
        return {unmarked(action.text()): action for action in shown.actions()}

    first = menu()
    assert not first["Compare with…"].isEnabled(), "there is one model"
    first["Duplicate"].trigger()
    assert [entry.title for entry in app.project.models.values()] == [title, f"{title} copy"]
    assert app.project.models["m2"].model is app.project.models["m1"].model
    menu()["Compare with…"].trigger()
    assert app.center.current is app.center.page("difference")
