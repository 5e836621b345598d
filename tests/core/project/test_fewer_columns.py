"""Learning from some columns: data sets, splits and rules that speak of these alone."""

from __future__ import annotations

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import split
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.project.edits import add_data, with_columns
from pgmstudio.core.project.project import DataEntry, Project


def rows() -> DataSet:
    codes = np.random.default_rng(1).integers(0, 2, (4, 60)).astype(np.uint8)
    return DataSet(Domain.of({name: ["no", "yes"] for name in "abcd"}), codes)


def test_fewer_columns_keep_the_rows_their_order_and_their_parts() -> None:
    data = rows()
    entry = DataEntry("garden", data, split=split(data, (0.5, 0.5), seed=2))
    kept = with_columns(entry, ["d", "a"])
    assert kept.name == "garden, 2 columns"
    assert kept.data.domain.names == ("a", "d")
    assert kept.split is not None
    assert entry.split is not None
    assert kept.split.is_for(kept.data)
    for before, after in zip(entry.split.parts(data), kept.split.parts(kept.data), strict=True):
        assert before.select_columns("ad").fingerprint == after.fingerprint
    project = add_data(Project(), entry=kept)
    assert list(project.data) == ["d1"]


def test_rules_among_some_variables_speak_of_no_other_and_never_clash_more() -> None:
    rules = Knowledge(
        required=frozenset({("a", "b"), ("b", "c")}),
        forbidden=frozenset({("c", "a"), ("d", "a")}),
        tiers=(("a", "d"), ("b",), ("c",)),
        closed_tiers=frozenset({0}),
    )
    some = rules.among("abc")
    assert some.required == {("a", "b"), ("b", "c")}
    assert some.forbidden == {("c", "a")}
    assert some.tiers == (("a",), ("b",), ("c",))
    assert some.contradictions("abc") == []
    assert rules.among("abcd") == rules
    assert rules.rule_count() == 2 + 2 + 3  # each tier is one, whatever it holds
    assert rules.among("").rule_count() == 0
