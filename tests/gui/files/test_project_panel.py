"""The project tree: the context menu of a model, and titles in little space."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem, QTreeWidget

from pgmstudio.core.project.edits import duplicate_model, rename_model
from pgmstudio.gui.files.project_panel import ProjectPanel, TitleAndFact
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


def test_titles_have_the_space_before_facts_and_are_told_apart(window: MainWindow) -> None:
    app = window.app
    model_id = add_sprinkler(app)
    panel = window.findChild(ProjectPanel)
    tree = panel.findChild(QTreeWidget, "projectTree")
    delegate = tree.itemDelegate()
    assert isinstance(delegate, TitleAndFact)
    fact = f"{app.project.models[model_id].model.representation_size()} par."

    def shown(title: str, width: int) -> tuple[str, str]:
        (item,) = tree.findItems(title, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive, 0)
        option = QStyleOptionViewItem()
        option.font = tree.font()
        option.rect = QRect(0, 0, width, 24)
        index = tree.indexFromItem(item)
        delegate.initStyleOption(option, index)
        return option.text, delegate.shown_fact(option, index)

    first, second = (f"Relation of ten {kind} objects in the lecture" for kind in ("big", "old"))
    width = QFontMetrics(tree.font()).horizontalAdvance(first) + 40
    assert shown(app.project.models[model_id].title, width)[1] == fact
    app.change("Rename", partial(rename_model, model_id=model_id, title=first))
    app.change("Duplicate", partial(duplicate_model, model_id=model_id, title=second))
    assert shown(first, width) == (first, "")
    assert shown(first, width // 2)[0] != shown(second, width // 2)[0]
