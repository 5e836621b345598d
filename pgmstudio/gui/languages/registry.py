"""The registry of language views: what each model language adds to the window.

A language without a row gets a plain model page and the sections that every model has. A plug-in
adds a row by an entry point of the group `pgmstudio.language_views`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING

from pgmstudio.core.languages.base import Lazy

if TYPE_CHECKING:
    from pgmstudio.gui.context import AppContext
    from pgmstudio.gui.model_page.extension import PageExtension
    from pgmstudio.gui.model_page.page import ModelPage
    from pgmstudio.gui.widgets.page import Page

PLUGIN_GROUP = "pgmstudio.language_views"


@dataclass(frozen=True)
class LanguageView:
    """What the window shows of the models of one language."""

    kind: str
    # The page of a model; None: a ModelPage with the extension below.
    make_page: Lazy[Callable[[AppContext, str], Page]] | None = None
    extend_page: Lazy[Callable[[ModelPage], PageExtension]] | None = None


BUILT_IN: Mapping[str, Lazy[LanguageView]] = {
    kind: Lazy(f"pgmstudio.gui.languages.{package}.language_view:VIEW")
    for kind, package in {
        "latent-class": "latent_class",
        "tree-mixture": "tree_mixture",
        "ldag": "ldag",
        "pdg": "pdg",
    }.items()
}


@lru_cache(maxsize=1)
def _plugins() -> dict[str, LanguageView]:
    views: dict[str, LanguageView] = {}
    for entry in metadata.entry_points(group=PLUGIN_GROUP):
        row = entry.load()
        if isinstance(row, LanguageView) and row.kind not in BUILT_IN:
            views[row.kind] = row
    return views


@lru_cache(maxsize=64)
def language_view(kind: str) -> LanguageView:
    """The row of a language; the default one for a language without a row."""
    if kind in BUILT_IN:
        return BUILT_IN[kind].load()
    return _plugins().get(kind) or LanguageView(kind)


def make_model_page(app: AppContext, model_id: str) -> Page:
    """The page of a model, as its language makes it."""
    view = language_view(app.project.models[model_id].model.kind)
    if view.make_page is not None:
        return view.make_page.load()(app, model_id)
    return extended_model_page(app, model_id)


def extended_model_page(app: AppContext, model_id: str) -> ModelPage:
    """A ModelPage with the extension of the model's language."""
    from pgmstudio.gui.model_page.extension import PageExtension
    from pgmstudio.gui.model_page.page import ModelPage

    view = language_view(app.project.models[model_id].model.kind)
    extend = PageExtension if view.extend_page is None else view.extend_page.load()
    return ModelPage(app, model_id, extend)
