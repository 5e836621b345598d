"""Interventions, separation and sizes by command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pgmstudio.cli.commands.query import separation_names
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import UnknownNameError

Call = Callable[..., Any]

NAMES_BUT_DYSP = ("asia", "tub", "smoke", "lung", "bronc", "either", "xray")


def test_intervening_does_not_change_beliefs_of_causes(call: Call, asia: Path) -> None:
    plain = call("query", asia, "--of", "smoke", "lung", "--json").json["beliefs"]
    done = call("query", asia, "--do", "lung=yes", "--of", "smoke", "lung", "--json").json
    seen = call("query", asia, "--given", "lung=yes", "--of", "smoke", "--json").json
    assert done["evidence"] == {"lung": {"do": "yes"}}
    assert done["log2_evidence"] == pytest.approx(0.0)
    assert done["beliefs"]["smoke"] == pytest.approx(plain["smoke"])
    assert done["beliefs"]["lung"]["yes"] == 1.0
    assert seen["beliefs"]["smoke"]["yes"] > plain["smoke"]["yes"] + 0.1


def test_an_intervention_goes_with_observations_and_the_explanation(call: Call, asia: Path) -> None:
    result = call("query", asia, "--do", "smoke=no", "--given", "dysp=yes", "--mpe", "--json").json
    assert result["most_probable"]["smoke"] == "no"
    assert result["most_probable"]["dysp"] == "yes"
    argv = call("query", asia, "--do", "smoke=no", "--given", "dysp=yes")
    assert "smoke do = no" in argv.out
    assert "\nsmoke\n" not in argv.out  # what is certain is not listed


def test_a_variable_is_seen_or_done_not_both(call: Call, asia: Path) -> None:
    result = call("query", asia, "--do", "smoke=no", "--given", "smoke=yes")
    assert result.code == 2
    assert "given twice" in result.err


def test_a_tree_intervenes_along_its_edges_and_a_note_reports_it(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    rows, tree = tmp_path / "rows.csv", tmp_path / "tree.json"
    assert call("sample", asia, "-n", 200, "-o", rows).code == 0
    assert call("learn", "tree.chow-liu", rows, "-o", tree).code == 0
    for extra in ([], ["--of", "lung"], ["--map", "smoke,lung", "--mpe"]):
        result = call("query", tree, "--do", "smoke=yes", *extra)
        assert result.code == 0
        assert "another root" in result.out
    assert "another root" in call("query", tree, "--do", "smoke=yes", "--json").json["notes"][0]
    assert "notes" not in call("query", tree, "--given", "smoke=yes", "--json").json
    apart = call("query", tree, "--independent", "asia,smoke:lung,bronc,either,tub,xray", "--json")
    assert apart.json["kind"] == "tree"


def test_a_likelihood_means_the_same_to_query_and_sensitivity(call: Call, asia: Path) -> None:
    for soft in ("dysp=yes:4,no:1", "dysp=yes:0.4,no:0.1"):
        asked = call("query", asia, "--soft", soft, "--json").json
        assert 2 ** asked["log2_evidence"] == pytest.approx(0.5770, abs=5e-5)
        assert asked["notes"] == ["Likelihoods are scaled to a largest value of 1."]
        argv = ("sensitivity", asia, "--soft", soft, "--target", "lung")
        output = call(*argv, "--json").json
        assert output["findings"][0]["probability"] == pytest.approx(2 ** asked["log2_evidence"])
        assert output["notes"] == asked["notes"]
        for text in (call("query", asia, "--soft", soft).out, call(*argv).out):
            assert asked["notes"][0] in text


def test_explanations_are_shown_given_the_evidence_and_together_with_it(
    call: Call, asia: Path
) -> None:
    argv = ("query", asia, "--given", "dysp=yes", "--mpe", "--map", *NAMES_BUT_DYSP)
    output = call(*argv, "--json").json
    joint, given = output["log2_most_probable"], output["log2_most_probable_given_evidence"]
    assert joint == pytest.approx(given + output["log2_evidence"], abs=1e-12)
    # Of all variables but those in evidence, the two questions are the same.
    [best] = output["map"]["best"]
    assert best["log2_probability"] == pytest.approx(given, abs=1e-9)
    assert best["log2_joint_probability"] == pytest.approx(joint, abs=1e-9)
    text = call(*argv).out
    assert text.count(f"given the evidence {100 * 2**given:.1f} %") == 2
    assert text.count(f"together with the evidence {2**joint:.4g}") == 2
    plain = call("query", asia, "--mpe").out
    assert "with the evidence" not in plain


def test_separation_is_shown_with_its_trails(call: Call, asia: Path) -> None:
    apart = call("query", asia, "--independent", "asia,smoke", "--check", "--json").json
    assert apart["independent"] is True
    assert apart["sentence"] == "asia ⟂ smoke"
    assert apart["active_trail"] is None
    assert apart["information_bits"] == pytest.approx(0.0, abs=1e-12)
    assert {b["variable"] for t in apart["blocked_trails"] for b in t["blocked_by"]} == {
        "either",
        "dysp",
    }
    joined = call("query", asia, "--independent", "asia,smoke:dysp", "--check", "--json").json
    assert joined["independent"] is False
    assert joined["active_trail"] == "asia → tub → either ← lung ← smoke"
    assert joined["information_bits"] > 1e-9
    argv = call("query", asia, "--independent", "lung,bronc:smoke", "--check").out
    assert argv.startswith("lung ⟂ bronc given smoke.\n")
    assert "blocked  lung ← smoke → bronc  (smoke is known)" in argv
    assert "I(lung;bronc|smoke) = 0 bits" in argv


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("asia", "A,B"),
        ("asia,smoke,dysp", "A,B"),
        ("asia,smoek", "Did you mean smoke"),
        ("asia,smoke:dyspp", "Did you mean dysp"),
        ("asia,smoke:asia", "both queried and known"),
        ("asia,asia", "itself"),
    ],
)
def test_a_malformed_question_is_answered_with_the_right_form(
    call: Call, asia: Path, asked: str, expected: str
) -> None:
    result = call("query", asia, "--independent", asked)
    assert result.code == 2
    assert expected in result.err


def test_names_may_hold_the_signs_that_separate_them() -> None:
    domain = Domain.of({"a,b": ["0", "1"], "c:d": ["0", "1"], "e": ["0", "1"], "a": ["0", "1"]})
    assert separation_names(domain, "a,b,c:d:e,a") == ("a,b", "c:d", ("e", "a"))
    assert separation_names(domain, "a,c:d") == ("a", "c:d", ())
    assert separation_names(domain, "c:d, e") == ("c:d", "e", ())
    with pytest.raises(UnknownNameError):
        separation_names(domain, "x:y,e")


def test_describe_shows_the_parts_of_the_sizes(call: Call, asia: Path) -> None:
    output = call("describe", asia, "--json").json
    assert sum(f["free_parameters"] for f in output["families"]) == output["representation_size"]
    assert sum(c["cells"] for c in output["cliques"]) == output["effective_size"]
    assert output["triangulator"] in call("describe", asia).out


def test_pictures_of_the_same_model_are_drawn_by_name(
    call: Call, asia: Path, tmp_path: Path
) -> None:
    for name, argv in (
        ("cpdag", "reversible edge"),
        ("moral", "joins parents"),
        ("triangulated", "fill-in"),
        ("clique-tree", "8 cells"),
    ):
        file = tmp_path / f"{name}.svg"
        assert call("draw", asia, file, "--picture", name).code == 0
        assert argv in [node.text for node in ElementTree.parse(file).iter() if node.text]
    file = tmp_path / "do.svg"
    assert call("draw", asia, file, "--do", "lung=yes").code == 0
    assert "do = yes" in [node.text for node in ElementTree.parse(file).iter()]
