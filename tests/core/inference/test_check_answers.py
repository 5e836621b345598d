"""A slice of the sweep of independent answer checks; `./run check` asks thousands more."""

from __future__ import annotations

import pytest

from benchmarks.check_answers import ANSWERS, KINDS, LANGUAGES, check


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_are_those_of_listing_every_joint_state(language: str) -> None:
    report = check(75, seed=1, languages=[language])
    assert report.wrong == []
    asked = {(kind, answer) for _, kind, answer in report.cases}
    kinds = KINDS if LANGUAGES[language].intervenes else [k for k in KINDS if k != "do"]
    assert asked >= {(kind, answer) for kind in kinds for answer in ANSWERS}


@pytest.mark.long
def test_five_thousand_answers_are_those_of_listing_every_joint_state() -> None:
    report = check(5000)
    assert report.wrong == []
    assert report.count >= 5000
