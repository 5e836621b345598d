"""The registry of model languages: those of the program, and those of installed plug-ins.

A plug-in adds a language by an entry point of the group `pgmstudio.languages` that names its
`Language` row. One that cannot be loaded becomes a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pgmstudio.core.errors import named
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.base import (
    BAYESIAN_NETWORK,
    EdgeAnalysis,
    Language,
    Lazy,
    lower_first,
)
from pgmstudio.core.languages.plugins import Plugins
from pgmstudio.core.model import Model

# In the order of menus and lists.
BUILT_IN: Mapping[str, Lazy[Language]] = {
    "tree": Lazy("pgmstudio.core.languages.tree.language:LANGUAGE"),
    "bayesian-network": Lazy("pgmstudio.core.languages.bayesian_network.language:LANGUAGE"),
    "latent-class": Lazy("pgmstudio.core.languages.latent_class.language:LANGUAGE"),
    "tree-mixture": Lazy("pgmstudio.core.languages.tree_mixture.language:LANGUAGE"),
    "pdg": Lazy("pgmstudio.core.languages.pdg.language:LANGUAGE"),
    "ldag": Lazy("pgmstudio.core.languages.ldag.language:LANGUAGE"),
    "markov-network": Lazy("pgmstudio.core.languages.markov_network.language:LANGUAGE"),
    "relational-network": Lazy("pgmstudio.core.languages.relational_network.language:LANGUAGE"),
    "possibilistic-network": Lazy(
        "pgmstudio.core.languages.possibilistic_network.language:LANGUAGE"
    ),
}


def _row(loaded: object) -> tuple[str, Language]:
    if not isinstance(loaded, Language):
        raise TypeError("it is no Language row.")
    return loaded.kind, loaded


PLUGINS = Plugins("pgmstudio.languages", lambda: BUILT_IN, _row)


class LanguageTable(Mapping[str, Language]):
    """The languages by kind; plug-ins are looked for once a kind is not built in."""

    def __getitem__(self, kind: str) -> Language:
        return BUILT_IN[kind].load() if kind in BUILT_IN else PLUGINS.rows[kind]

    def __iter__(self) -> Iterator[str]:
        yield from BUILT_IN
        yield from PLUGINS.rows

    def __len__(self) -> int:
        return len(BUILT_IN) + len(PLUGINS.rows)


LANGUAGES = LanguageTable()


def load_languages() -> Iterator[object]:
    """Load the models, sessions, codecs, diagrams and learners of the built-in languages, one at a
    time: the window, which needs them soon, answers in between."""
    for reference in BUILT_IN.values():
        row = reference.load()
        wanted: list[Lazy[Any]] = [row.model_type, *row.learners.values()]
        wanted += [diagram.draw for diagram in row.diagrams]
        wanted += [one for one in (row.session, row.codec, row.to_network) if one is not None]
        for one in wanted:
            yield one.load()


def language(kind: str) -> Language:
    """The language of that kind; UnknownNameError suggests the nearest."""
    return LANGUAGES[kind] if kind in LANGUAGES else named("model language", kind, LANGUAGES)


def language_of(model: Model) -> Language:
    """The language of a model; UnknownNameError if its plug-in is not installed."""
    return language(model.kind)


def language_edit(model: Model, name: str) -> Callable[..., Model]:
    """The edit of that name: of the model's own language, or of one that takes such models too."""
    own = LANGUAGES.get(model.kind)
    rows = [*([] if own is None else [own]), *LANGUAGES.values()]
    edits = {key: edit for row in reversed(rows) for key, edit in row.edits.items()}
    return named("edit", name, edits).load()


def edge_analysis(kind: str) -> EdgeAnalysis:
    """Questions about single edges of models of this kind."""
    row = language(kind)
    own = row.edge_analysis or LANGUAGES[BAYESIAN_NETWORK].edge_analysis
    assert own is not None
    return own.load()


def kind_title(kind: str) -> str:
    """The title of a language; of one that is not installed, its kind as a title."""
    row = LANGUAGES.get(kind)
    return kind.replace("-", " ").capitalize() if row is None else row.title


def kind_noun(kind: str) -> str:
    """The title of a language as it is written in running text."""
    row = LANGUAGES.get(kind)
    return lower_first(kind_title(kind)) if row is None else row.noun


def a_kind(kind: str, article: str = "a") -> str:
    """A model of this kind: `a Bayesian network`, `a labelled DAG`."""
    return f"{article} {kind_noun(kind)}"


def kinds_with(has: Callable[[Language], object]) -> str:
    """The languages for which it holds: `a labelled DAG or a Markov network`."""
    return " or ".join(a_kind(row.kind) for row in LANGUAGES.values() if has(row))


def scale_of(kind: str) -> Scale:
    """How the numbers of models of this kind are read; of an unknown one, as probabilities."""
    row = LANGUAGES.get(kind)
    return Scale.PROBABILITY if row is None else row.scale


def no_likelihood_reason(kind: str) -> str:
    """Why models of this kind have no log-likelihood, no samples and no SL-curve; empty if they
    have."""
    if scale_of(kind) is Scale.PROBABILITY:
        return ""
    return f"{a_kind(kind)} is no probability distribution, so it has no log-likelihood."


def inference_form(model: Model) -> tuple[Language | None, Model]:
    """The model as algorithms of inference take it, with its language: a language whose models are
    Bayesian networks stored in another way is answered by that of networks."""
    row = LANGUAGES.get(model.kind)
    if row is None or not row.is_network or row.to_network is None:
        return row, model
    return LANGUAGES[BAYESIAN_NETWORK], row.to_network.load()(model)
