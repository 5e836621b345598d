"""Findings in words."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.analysis.evidence_impact import FindingTrace
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed
from pgmstudio.core.inference.findings import (
    chip_of,
    finding_text,
    ruled_out_sentence,
    short_text,
)
from pgmstudio.core.project.scenarios import name_for
from pgmstudio.gui.beliefs.evidence_diagnostics import trace_text

TWO = Variable("dysp", ("yes", "no"))
FOUR = Variable("grade", ("a", "b", "c", "d"))


@pytest.mark.parametrize(
    ("variable", "finding", "chip", "short"),
    [
        (TWO, Observed("yes"), "yes", "= yes"),
        (FOUR, Excluded(frozenset({"b"})), "≠ b", "≠ b"),
        (FOUR, Excluded(frozenset({"b", "c"})), "∈ 2 of 4", "∈ 2 of 4"),
        (TWO, Likelihood((("yes", 0.9), ("no", 0.3))), "3 : 1", "0.9 : 0.3"),
        (TWO, Likelihood((("no", 2.0),)), "0 : 1", "0 : 2"),
        (FOUR, Likelihood((("a", 1.0), ("b", 0.5))), "likelihood", "likelihood"),
    ],
)
def test_a_finding_has_a_chip_and_a_short_form(
    variable: Variable, finding: Finding, chip: str, short: str
) -> None:
    assert chip_of(variable, finding).text == chip
    assert short_text(variable, finding) == short


def test_all_of_a_finding_is_reported_for_texts() -> None:
    assert finding_text(Observed("yes")) == "= yes"
    assert finding_text(Likelihood((("yes", 0.9), ("no", 0.3)))) == "likelihood yes 0.9, no 0.3"


def test_what_rules_a_state_out_is_named_up_to_three_and_then_counted() -> None:
    assert ruled_out_sentence("x = a", {}) == "x = a is impossible in this model."
    assert ruled_out_sentence("x = a", {"y": "= b"}) == "y = b rules out x = a."
    five = {f"y{i}": "= b" for i in range(5)}
    assert ruled_out_sentence("x = a", five) == (
        "y0 = b, y1 = b, y2 = b and 2 more rule out x = a."
    )


def test_a_case_is_named_after_its_evidence_and_never_like_another() -> None:
    evidence: dict[str, Finding] = {"smoke": Observed("yes")}
    first = name_for(evidence, {"smoke": "Smoker"}, {})
    assert first == "Smoker = yes"
    assert name_for(evidence, {"smoke": "Smoker"}, {first}) == "Smoker = yes (2)"


def test_certain_evidence_is_shown_without_the_noise_of_the_last_bits() -> None:
    def text(given_rest: float, alone: float) -> str:
        belief = np.array([0.79, 0.21])
        trace = FindingTrace("dysp", Observed("yes"), alone, given_rest, belief, None)
        return trace_text(trace)

    assert "has 100 % given the other evidence, 100 % alone" in text(1 - 2e-16, 1.0)
    assert "has 0+ % given the other evidence, 99.9 % alone" in text(1e-12, 0.999)
