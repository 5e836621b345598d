"""Rules about edges: what they forbid, when they clash, how a graph is checked against them."""

from __future__ import annotations

import pytest

from pgmstudio.core.errors import KnowledgeError
from pgmstudio.core.graphs.background_knowledge import Knowledge


def test_forbidden_edges_are_forbidden_in_their_direction_only() -> None:
    rules = Knowledge(forbidden=frozenset({("a", "b")}))
    assert not rules.allows("a", "b")
    assert rules.allows("b", "a")


def test_no_edge_leads_to_an_earlier_tier() -> None:
    rules = Knowledge(tiers=(("birth",), ("school", "work")))
    assert rules.allows("birth", "work")
    assert rules.why_forbidden("work", "birth") == (
        "work is in tier 2 and birth in the earlier tier 1."
    )
    assert rules.allows("school", "work")
    assert rules.allows("weather", "birth")


def test_closed_tiers_have_no_edges_within() -> None:
    rules = Knowledge(tiers=(("a", "b"), ("c", "d")), closed_tiers=frozenset({0}))
    assert not rules.allows("a", "b")
    assert rules.allows("c", "d")
    assert rules.allows("a", "c")


def test_every_contradiction_is_reported_at_once() -> None:
    rules = Knowledge(
        required=frozenset({("a", "b"), ("b", "a"), ("c", "a"), ("d", "d")}),
        forbidden=frozenset({("a", "b")}),
        tiers=(("a",), ("c",), ("a",)),
    )
    with pytest.raises(KnowledgeError) as raised:
        rules.check(["a", "b", "c", "d"])
    text = " ".join(raised.value.contradictions)
    assert "a → b is required, but: a → b is forbidden." in text
    assert "form a cycle" in text
    assert "a is in tier 1 and in tier 3" in text


def test_unknown_variables_are_named() -> None:
    rules = Knowledge(required=frozenset({("smok", "cancer")}))
    with pytest.raises(KnowledgeError, match="Did you mean smoker"):
        rules.check(["smoker", "cancer"])


def test_rules_that_can_hold_together_pass() -> None:
    rules = Knowledge(
        required=frozenset({("a", "b")}), forbidden=frozenset({("b", "c")}), tiers=(("a",), ("b",))
    )
    rules.check(["a", "b", "c"])
    assert not rules.is_empty
    assert Knowledge().is_empty


def test_violations_list_missing_and_unwanted_edges() -> None:
    rules = Knowledge(required=frozenset({("a", "b")}), forbidden=frozenset({("c", "b")}))
    assert rules.violations([("a", "b")]) == []
    broken = rules.violations([("c", "b")])
    assert len(broken) == 2
    assert "a → b is required but absent." in broken
