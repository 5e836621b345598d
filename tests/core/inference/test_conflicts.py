"""Smallest conflicts: against trying every set, with any monotone notion of what is possible."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pgmstudio.core.inference.base import Finding, Observed
from pgmstudio.core.inference.findings import smallest_conflict

NAMES = "abcdefg"


@given(
    st.lists(st.sets(st.sampled_from(NAMES), min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from([0, 3_000]),
)
def test_the_conflict_is_impossible_and_nothing_can_be_left_out(
    conflicts: list[set[str]], most_tries: int
) -> None:
    asked = 0

    def is_possible(evidence: Mapping[str, Finding]) -> bool:
        nonlocal asked
        asked += 1
        return not any(conflict <= set(evidence) for conflict in conflicts)

    evidence: dict[str, Finding] = {name: Observed("x") for name in NAMES}
    result = set(smallest_conflict(evidence, is_possible, most_tries))
    assert not is_possible({name: evidence[name] for name in result})
    for fewer in combinations(sorted(result), len(result) - 1):
        assert is_possible({name: evidence[name] for name in fewer})
    if most_tries:
        assert len(result) == min(len(conflict) for conflict in conflicts)


def test_few_questions_find_two_findings_among_a_thousand() -> None:
    evidence: dict[str, Finding] = {f"v{i}": Observed("x") for i in range(1000)}
    asked = 0

    def is_possible(some: Mapping[str, Finding]) -> bool:
        nonlocal asked
        asked += 1
        return not {"v17", "v803"} <= set(some)

    assert smallest_conflict(evidence, is_possible, 0) == {"v17": "= x", "v803": "= x"}
    assert asked < 40
