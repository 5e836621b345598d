"""What the languages of models are called: `kind` is for files and programs, a title for people."""

from __future__ import annotations

KIND_TITLES = {
    "bayesian-network": "Bayesian network",
    "tree": "Tree",
    "tree-mixture": "Mixture of trees",
    "latent-class": "Latent classes",
    "pdg": "Probabilistic decision graph",
    "ldag": "Labelled DAG",
}


def kind_title(kind: str) -> str:
    """The title of a language; of one that is not known here, its kind in words."""
    return KIND_TITLES.get(kind, kind.replace("-", " ").capitalize())


def in_sentence(kind: str) -> str:
    """The title as it stands within a sentence."""
    title = kind_title(kind)
    return title if title.startswith("Bayesian") else title[:1].lower() + title[1:]


def a_kind(kind: str, article: str = "a") -> str:
    """A model of this kind: `a Bayesian network`, `a labelled DAG`, `a latent class model`."""
    words = "latent class model" if kind == "latent-class" else in_sentence(kind)
    return f"{article} {words}"
