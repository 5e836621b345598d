"""Rules about edges for all pairs at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.latent_class.model import LatentClasses
from pgmstudio.core.languages.pdg.conversions import dependences
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.run_checks import broken_rules
from pgmstudio.core.learning.edge_constraints import allowed_edges

NAMES = ("A", "B", "C", "D", "E")
PAIRS = [(a, b) for a in NAMES for b in NAMES]


@given(
    st.sets(st.sampled_from(PAIRS)),
    st.lists(st.sampled_from([None, 0, 1, 2]), min_size=5, max_size=5),
    st.sets(st.integers(0, 2)),
)
def test_all_pairs_at_once_are_allowed_as_one_by_one(
    forbidden: set[tuple[str, str]], tier_of: list[int | None], closed: set[int]
) -> None:
    tiers = tuple(
        tuple(name for name, own in zip(NAMES, tier_of, strict=True) if own == tier)
        for tier in range(3)
    )
    knowledge = Knowledge(
        forbidden=frozenset(forbidden), tiers=tiers, closed_tiers=frozenset(closed)
    )
    allowed = allowed_edges(NAMES, knowledge)
    for p, source in enumerate(NAMES):
        for c, target in enumerate(NAMES):
            assert bool(allowed[p, c]) is knowledge.allows(source, target)


def test_the_rules_that_a_decision_graph_breaks_are_read_from_its_nodes() -> None:
    """a decides the node of b, and through it that of c; d has a single node."""
    even = np.array([[0.5, 0.5]])
    two = np.array([[0.9, 0.1], [0.2, 0.8]])
    graph = DecisionGraph(
        Domain.of(dict.fromkeys("abcd", "01")),
        (None, 0, 1, 2),
        (even, two, two, even),
        (
            None,
            np.array([[0, 1]]),
            np.array([[0, 0], [0, 1]]),
            np.array([[0, 0], [0, 0]]),
        ),
    )
    assert dependences(graph) == (("a", "b"), ("a", "c"), ("b", "c"))
    rules = Knowledge(
        required=frozenset({("a", "b"), ("c", "d")}), forbidden=frozenset({("a", "c")})
    )
    assert broken_rules(graph, rules) == [
        "c → d is required but absent.",
        "a → c is present, but: a → c is forbidden.",
    ]


def test_latent_classes_have_no_edges_between_columns() -> None:
    classes = LatentClasses(
        Domain.of(dict.fromkeys("ab", "01")), np.array([1.0]), (np.array([[0.5, 0.5]]),) * 2, "h"
    )
    assert broken_rules(classes, Knowledge(forbidden=frozenset({("a", "b")}))) == []
    (broken,) = broken_rules(classes, Knowledge(required=frozenset({("a", "b")}))) or []
    assert broken == "a → b is required but absent."
