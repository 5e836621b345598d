"""Variables and domains."""

from __future__ import annotations

import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import DataError, UnknownNameError


def test_a_variable_gives_each_state_its_place_as_code() -> None:
    sky = Variable("sky", ("clear", "grey", "black"))
    assert [sky.code(state) for state in sky.states] == [0, 1, 2]


def test_an_unknown_state_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean clear"):
        Variable("sky", ("clear", "grey")).code("cler")


@pytest.mark.parametrize(
    ("name", "states", "complaint"),
    [("", ("a",), "name"), ("x", (), "no states"), ("x", ("a", "a"), "twice")],
)
def test_a_variable_needs_a_name_and_different_states(
    name: str, states: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(DataError, match=complaint):
        Variable(name, states)


def test_a_domain_finds_variables_by_name_and_place() -> None:
    domain = Domain.of({"x": "ab", "y": "pqr"})
    assert domain["y"] is domain.variables[domain.index("y")]
    assert domain.cardinalities == (2, 3)
    assert domain.joint_states() == 6
    assert "x" in domain
    assert "z" not in domain


def test_a_domain_refuses_one_name_for_two_variables() -> None:
    with pytest.raises(DataError, match="Two variables"):
        Domain((Variable("x", ("a",)), Variable("x", ("b",))))


def test_restricting_a_domain_keeps_the_order_asked_for() -> None:
    domain = Domain.of({"x": "ab", "y": "pqr", "z": "s"})
    assert domain.restricted_to(["z", "x"]).names == ("z", "x")
