"""Which page is in front, for actions; the classes of pages are loaded with the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgmstudio.gui.app.shell import Shell

if TYPE_CHECKING:
    from pgmstudio.gui.pages.data_page import DataPage
    from pgmstudio.gui.pages.model_page import ModelPage


def model_page_in_front(shell: Shell) -> ModelPage | None:
    page = shell.center.current
    if page is None or not page.key.startswith("model:"):
        return None
    from pgmstudio.gui.pages.model_page import ModelPage

    return page if isinstance(page, ModelPage) else None


def data_page_in_front(shell: Shell) -> DataPage | None:
    page = shell.center.current
    if page is None or not page.key.startswith("data:"):
        return None
    from pgmstudio.gui.pages.data_page import DataPage

    return page if isinstance(page, DataPage) else None
