"""Evidence typed as V=s and V=s:w,… is read with the names of the model."""

from __future__ import annotations

import pytest

from pgmstudio.cli.options.evidence import evidence_from, finding_json
from pgmstudio.cli.terminal.parser import UsageError
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed

DOMAIN = Domain.of(
    {
        "rain": ("no", "yes"),
        "x=y": ("a", "b"),
        "time": ("8:00", "8:00,5", "9:00"),
        "wind": ("none", "some", "much"),
    }
)


def test_observed_excluded_and_soft_findings_are_distinguished() -> None:
    result = evidence_from(
        DOMAIN, ["rain=yes"], ["wind=none", "wind=much"], ["time=8:00:0.5,9:00:2"]
    )
    assert result == {
        "rain": Observed("yes"),
        "wind": Excluded(frozenset({"none", "much"})),
        "time": Likelihood((("8:00", 0.5), ("9:00", 2.0))),
    }
    assert finding_json(result["rain"]) == "yes"
    assert finding_json(result["wind"]) == {"not": ["much", "none"]}
    assert finding_json(result["time"]) == {"likelihood": {"8:00": 0.5, "9:00": 2.0}}


def test_a_name_with_an_equals_sign_is_found() -> None:
    assert evidence_from(DOMAIN, ["x=y=a"], [], []) == {"x=y": Observed("a")}


def test_states_with_colons_and_commas_can_be_weighed() -> None:
    result = evidence_from(DOMAIN, [], [], ["time=8:00,5:1,8:00:3"])
    assert result["time"] == Likelihood((("8:00,5", 1.0), ("8:00", 3.0)))


@pytest.mark.parametrize(
    ("given", "message"),
    [("raim=yes", "Did you mean rain"), ("rain=yess", "Did you mean yes")],
)
def test_unknown_names_suggest_the_nearest(given: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        evidence_from(DOMAIN, [given], [], [])


@pytest.mark.parametrize(
    ("given", "soft"),
    [
        (["rain"], []),
        (["rain=yes", "rain=no"], []),
        (["rain=yes"], ["rain=yes:1,no:1"]),
        ([], ["rain=yes:0,no:0"]),
        ([], ["rain=yes:often"]),
        ([], ["rain=yes:-1"]),
        ([], ["rain=yes:nan"]),
    ],
)
def test_evidence_that_cannot_be_read_is_refused(given: list[str], soft: list[str]) -> None:
    with pytest.raises(UsageError):
        evidence_from(DOMAIN, given, [], soft)
