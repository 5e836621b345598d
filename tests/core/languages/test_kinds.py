"""Languages have one title, and messages never show their kind as files have it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pgmstudio
from pgmstudio.core.languages.diagrams import picture_names
from pgmstudio.core.languages.registry import LANGUAGES, a_kind, kind_noun, kind_title
from tests.decision_graphs import medical
from tests.labelled_dags import coronary

SOURCES = Path(pgmstudio.__file__).parent


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ldag", "a labelled DAG"),
        ("pdg", "a probabilistic decision graph"),
        ("bayesian-network", "a Bayesian network"),
        ("latent-class", "a latent class model"),
        ("markov-network", "a Markov network"),
        ("credal-network", "a credal network"),
    ],
)
def test_a_model_is_called_by_the_title_of_its_language(kind: str, text: str) -> None:
    assert a_kind(kind) == text
    assert a_kind(kind, "A") == f"A{text[1:]}"


def test_every_model_that_can_be_drawn_has_a_title() -> None:
    for model in (medical(), coronary()):
        assert picture_names(model)
        assert LANGUAGES[model.kind].title == kind_title(model.kind)
        assert kind_noun(model.kind)[0].islower()


def test_no_message_says_a_kind_where_a_title_belongs() -> None:
    slug = re.compile(r"\b[Aa] \{[\w.]*\bkind\}")
    result = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in SOURCES.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if slug.search(line)
    ]
    assert result == []
