"""The registry of language views: what each model language adds to the window.

A language without a row gets a plain model page and the sections that every model has. A plug-in
adds a row by an entry point of the group `pgmstudio.language_views`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from pgmstudio.core.languages.base import BAYESIAN_NETWORK, Diagram, Lazy
from pgmstudio.core.languages.plugins import Plugins
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.gui.runs.results.run_result import RunResult

if TYPE_CHECKING:
    from PySide6.QtCore import QObject, SignalInstance

    from pgmstudio.core.project.project import ModelEntry
    from pgmstudio.gui.context import AppContext
    from pgmstudio.gui.evidence.active_model import ActiveModel
    from pgmstudio.gui.languages.description import ModelDescription
    from pgmstudio.gui.languages.tables import TableSource
    from pgmstudio.gui.model_page.extension import PageExtension
    from pgmstudio.gui.model_page.page import ModelPage
    from pgmstudio.gui.widgets.actions import ActionSpec
    from pgmstudio.gui.widgets.page import Page

# Those of a language that has none of its own.
DESCRIPTION: Lazy[ModelDescription] = Lazy("pgmstudio.gui.languages.description:DEFAULT")
TABLES: Lazy[Callable[[AppContext, QObject], TableSource]] = Lazy(
    "pgmstudio.gui.languages.tables:TableSource"
)


class SubjectKind(Enum):
    """The parts of the inspector to which a language may add sections."""

    MODEL = "model"  # nothing is selected
    TABLE = "table"  # the tab Table of one variable
    EDGE = "edge"  # one edge


class SubjectSection(Protocol):
    """A section of the inspector, a widget that shows and hides itself."""

    def show_subject(self, subject: ActiveModel, names: tuple[str, ...]) -> None:
        """Show the model (no names), a variable (its name) or an edge (source and target)."""

    def hide(self) -> None: ...


class ElementInspector(Protocol):
    """The inspector of a part of a model that only one language has; a widget."""

    @property
    def changed(self) -> SignalInstance:
        """Another element is selected."""

    def show_element(self, subject: ActiveModel, variable: str) -> bool:
        """Show the selected element of a variable; False if there is none."""


class TableEditor(Protocol):
    """An editor for the table of a variable that replaces the standard one; a widget."""

    def show_variable(self, model_id: str, entry: ModelEntry, name: str) -> None: ...

    def hide(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class LanguageView:
    """What the window shows of the models of one language.

    All code is named as "module:name" and loaded on first use.
    """

    kind: str
    # The page of a model; None: a ModelPage with the extension below.
    make_page: Lazy[Callable[[AppContext, str], Page]] | None = None
    extend_page: Lazy[Callable[[ModelPage], PageExtension]] | None = None
    more_diagrams: tuple[Diagram, ...] = ()  # besides those of the language's row in the core
    description: Lazy[ModelDescription] = DESCRIPTION
    inspector_sections: Mapping[
        SubjectKind, tuple[Lazy[Callable[[AppContext], SubjectSection]], ...]
    ] = field(default_factory=dict)
    element_inspector: Lazy[Callable[[AppContext], ElementInspector]] | None = None
    tables: Lazy[Callable[[AppContext, QObject], TableSource]] = TABLES
    table_editor: Lazy[Callable[[AppContext], TableEditor]] | None = None
    actions: Lazy[Callable[[AppContext], list[ActionSpec]]] | None = None
    run_results: tuple[RunResult, ...] = ()  # of its learners, in the order of the menu


BUILT_IN: Mapping[str, Lazy[LanguageView]] = {
    kind: Lazy(f"pgmstudio.gui.languages.{package}.language_view:VIEW")
    for kind, package in {
        "bayesian-network": "bayesian_network",
        "latent-class": "latent_class",
        "tree-mixture": "tree_mixture",
        "ldag": "ldag",
        "pdg": "pdg",
        "markov-network": "markov_network",
        "relational-network": "relational_network",
        "possibilistic-network": "possibilistic_network",
    }.items()
}


def _row(loaded: object) -> tuple[str, LanguageView]:
    if not isinstance(loaded, LanguageView):
        raise TypeError("it is no LanguageView.")
    return loaded.kind, loaded


PLUGINS = Plugins("pgmstudio.language_views", lambda: BUILT_IN, _row)


def all_kinds() -> tuple[str, ...]:
    """The kinds with a row of their own."""
    return (*BUILT_IN, *PLUGINS.rows)


def language_view(kind: str) -> LanguageView:
    """The row of a language; the default one for a language without a row."""
    if kind in BUILT_IN:
        return BUILT_IN[kind].load()
    return PLUGINS.rows.get(kind) or LanguageView(kind=kind)


def all_run_results() -> dict[str, RunResult]:
    """The results of the learners of all languages, by key."""
    rows = [row for kind in all_kinds() for row in language_view(kind).run_results]
    return {row.key: row for row in rows}


def all_diagrams() -> dict[str, Diagram]:
    """The diagrams of all languages by name, those of Bayesian networks first."""
    kinds = sorted(LANGUAGES, key=lambda kind: kind != BAYESIAN_NETWORK)
    rows = [
        diagram
        for kind in kinds
        for diagram in (*LANGUAGES[kind].diagrams, *language_view(kind).more_diagrams)
    ]
    result: dict[str, Diagram] = {}
    for row in rows:
        result.setdefault(row.name, row)
    return result
