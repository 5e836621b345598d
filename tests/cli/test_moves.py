"""moves: what it lists, takes, writes and refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_moves_lists_the_best_first_and_shows_how_many_raise_the_score(
    call: Call, asia: Path, asia_rows: Path
) -> None:
    done = call("moves", asia, asia_rows, "--top", "4", "--json")
    assert done.code == 0
    result = done.json
    assert set(result) == {
        "rows",
        "score",
        "value",
        "taken",
        "moves",
        "better",
        "legal",
        "is_optimum",
    }
    assert len(result["moves"]) == 4
    # An edge with no rows behind it: BIC does without.
    best = result["moves"][0]
    assert (best["action"], best["from"], best["to"]) == ("remove", "asia", "tub")
    assert "deed" not in best
    assert best["parameters"] == -1
    gains = [move["gain"] for move in result["moves"]]
    assert gains == sorted(gains, reverse=True)
    assert result["better"] == sum(gain > 0 for gain in gains)
    why = call("why", asia, asia_rows, "asia", "tub", "--json").json
    assert best["gain"] == pytest.approx(why["moves"][0]["gain"])


def test_steps_lead_to_an_optimum_that_is_written(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    target = tmp_path / "climbed.json"
    before = call("moves", asia, asia_rows, "--json").json
    after = call("moves", asia, asia_rows, "--steps", "all", "-o", target, "--json").json
    gained = sum(move["gain"] for move in after["taken"])
    assert after["value"] == pytest.approx(before["value"] + gained)
    assert after["is_optimum"]
    again = call("moves", target, asia_rows)
    assert "no move raises it" in again.out
    assert ["asia", "tub"] not in call("describe", target, "--json").json["edges"]


def test_rules_keep_moves_out_and_nonsense_is_refused_with_a_message(
    call: Call, asia: Path, asia_rows: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("asia -> tub = true\n")
    result = call("moves", asia, asia_rows, "--knowledge", rules, "--json").json
    assert all({move["from"], move["to"]} != {"asia", "tub"} for move in result["moves"])
    for argv, expected in (
        (("--steps", "few"), "not a whole number or “all”"),
        (("-o", tmp_path / "a.json"), "give their number with --steps"),
        (("--score", "best"), "score"),
    ):
        refused = call("moves", asia, asia_rows, *argv)
        assert refused.code == 2
        assert expected in refused.err
        assert "Traceback" not in refused.err
