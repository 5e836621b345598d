"""Rules about edges for all pairs at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.graphs.knowledge import Knowledge
from pgmstudio.core.learning.edge_rules import allowed_edges

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
