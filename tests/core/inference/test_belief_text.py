"""Beliefs as text on their scale, and necessity from possibility."""

from __future__ import annotations

import pytest

from pgmstudio.core.inference.base import Scale
from pgmstudio.core.inference.belief_text import belief_text, necessity_of, rest_text, state_text


@pytest.mark.parametrize(
    ("possibility", "necessity"),
    [
        ((0.45, 0.35, 0.8), (0, 0, 0.35)),
        ((0.8, 0.8, 0.1), (0, 0, 0)),  # two states are most possible: neither is necessary
        ((0.1 + 0.2, 0.3), (0, 0)),  # equal but for rounding
        ((0.0, 0.8), (0, 0.8)),  # the other state is impossible
        ((0.6,), (0.6,)),
        ((), ()),
    ],
)
def test_only_a_single_most_possible_state_is_necessary(
    possibility: tuple[float, ...], necessity: tuple[float, ...]
) -> None:
    assert necessity_of(possibility) == pytest.approx(necessity)


def test_numbers_are_read_on_their_scale() -> None:
    assert belief_text(0.692, Scale.PROBABILITY, unit=" %") == "69.2 %"
    degrees = [belief_text(value, Scale.POSSIBILITY, unit=" %") for value in (0, 0.001, 0.8, 1)]
    assert degrees == ["0.00", "0+", "0.80", "1.00"]
    assert [belief_text(v, Scale.RELATION) for v in (0, 1)] == ["impossible", "possible"]


def test_a_state_has_its_possibility_and_its_necessity() -> None:
    beliefs = (0.45, 0.8)
    assert state_text(beliefs, 1, Scale.POSSIBILITY) == "Π 0.80  N 0.35"
    assert state_text(beliefs, 1, Scale.PROBABILITY, digits=2) == "80.00 %"


def test_several_states_add_up_only_as_probabilities() -> None:
    assert rest_text((0.25, 0.5), Scale.PROBABILITY) == "75.0"
    assert rest_text((0.25, 0.5), Scale.POSSIBILITY) == "0.50"
    assert rest_text((0.0, 1.0), Scale.RELATION) == "possible"
