"""Edits return a new project, share what they do not touch, and raise before anything changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.resampling import split
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import (
    CycleError,
    DataError,
    GraphError,
    PgmStudioError,
    UnknownNameError,
)
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.file_properties import Properties
from pgmstudio.core.project.project import (
    ComparisonEntry,
    CurveEntry,
    DataEntry,
    ModelEntry,
    Outcome,
    Project,
    Run,
)
from tests.strategies import random_classes, random_network, random_tree


def network(seed: int = 0) -> BayesianNetwork:
    return random_network(np.random.default_rng(seed), 4, cardinalities=(2, 3, 2, 2))


def rows(seed: int = 0, count: int = 20) -> DataSet:
    return network().sample(count, np.random.default_rng(seed))


def run_on(data: DataSet, **more: object) -> Run:
    options = {"data_id": "d1", "outcome": Outcome.FINISHED, **more}
    return Run("bn.k2", {}, 1, data.fingerprint, "0.1.0", **options)  # type: ignore[arg-type]


def project() -> Project:
    """Two networks without edges, so that any edge can be drawn, and a data set."""
    bare = BayesianNetwork.uniform(network().domain)
    made = edits.add_data(Project(), entry=DataEntry("rows", rows()))
    made = edits.add_run(made, run=run_on(rows()), model=ModelEntry("First", bare))
    made = edits.add_model(made, entry=ModelEntry("Second", bare))
    return edits.add_model(made, entry=ModelEntry("Tree", random_tree(np.random.default_rng(1))))


def model_of(changed: Project, model_id: str = "m1") -> BayesianNetwork:
    model = changed.models[model_id].model
    assert isinstance(model, BayesianNetwork)
    return model


edge = partial(model_edits.add_edge, model_id="m1")


def test_ids_are_short_and_the_next_free_one_is_taken() -> None:
    made = project()
    assert list(made.data) == ["d1"]
    assert list(made.models) == ["m1", "m2", "m3"]
    again = edits.remove_model(made, model_id="m2")
    assert again.next_model_id() == "m2"
    assert list(edits.duplicate_model(again, model_id="m1", title="x").models) == ["m1", "m3", "m2"]


def test_an_edit_shares_what_it_does_not_touch() -> None:
    before = project()
    after = edge(before, source="X0", target="X1")
    assert before.models["m1"].model.edges == ()
    assert model_of(after).edges == (("X0", "X1"),)
    assert after.models["m2"] is before.models["m2"]
    assert after.data is before.data
    assert after.knowledge is before.knowledge
    assert after.runs is before.runs
    assert after.evidence_cases is before.evidence_cases


def test_a_cycle_is_refused_and_nothing_changes() -> None:
    before = edge(edge(project(), source="X0", target="X1"), source="X1", target="X2")
    saved = project_bytes(before)
    with pytest.raises(CycleError) as refused:
        edge(before, source="X2", target="X0")
    assert refused.value.path == ("X0", "X1", "X2")
    assert project_bytes(before) == saved


def test_edges_are_removed_and_reversed_with_their_notes() -> None:
    made = edge(project(), source="X0", target="X1")
    made = model_edits.set_edge_note(made, model_id="m1", source="X0", target="X1", note="why")
    turned = model_edits.reverse_edge(made, model_id="m1", source="X0", target="X1")
    assert model_of(turned).edges == (("X1", "X0"),)
    assert turned.models["m1"].edge_notes == {("X1", "X0"): "why"}
    bare = model_edits.remove_edge(turned, model_id="m1", source="X1", target="X0")
    assert model_of(bare).edges == ()
    assert bare.models["m1"].edge_notes == {}


def test_a_hand_edit_is_remembered_and_a_move_is_none() -> None:
    made = project()
    moved = model_edits.move_nodes(made, model_id="m1", picture="dag", points={"X0": (1, 2)})
    assert not moved.models["m1"].is_edited
    assert edge(made, source="X0", target="X1").models["m1"].is_edited


def test_a_tree_says_that_its_edges_cannot_be_edited() -> None:
    with pytest.raises(GraphError, match="edges of a tree cannot be edited one by one"):
        model_edits.add_edge(project(), model_id="m3", source="X0", target="X1")


def test_the_tables_of_trees_and_latent_classes_can_be_edited() -> None:
    for model in (
        random_tree(np.random.default_rng(0), 3),
        random_classes(np.random.default_rng(0), 3, 2),
    ):
        made = edits.add_model(Project(), entry=ModelEntry("Model", model))
        (model_id,) = made.models
        name = model.domain.names[1]
        table = np.full_like(model.table(name), 1 / model.domain[name].cardinality)
        after = model_edits.set_table(made, model_id=model_id, variable=name, table=table)
        assert after.models[model_id].is_edited
        changed = after.models[model_id].model
        assert isinstance(changed, model_edits.EditableTables)
        assert changed.table(name) == pytest.approx(table)
        assert model.table(name) != pytest.approx(table)


def test_a_new_variable_gets_its_place_and_an_old_one_leaves_nothing_behind() -> None:
    made = model_edits.add_variable(
        project(), model_id="m1", variable=Variable("new", ("a", "b")), picture="dag", at=(3.0, 4.0)
    )
    assert made.models["m1"].layouts == {"dag": {"new": (3.0, 4.0)}}
    made = edge(made, source="new", target="X0")
    for change in (
        partial(model_edits.set_node_note, node="new", note="n"),
        partial(model_edits.set_node_title, node="new", title="t"),
        partial(model_edits.set_display_mode, nodes=["new"], mode="bars"),
        partial(model_edits.set_edge_note, source="new", target="X0", note="e"),
    ):
        made = change(made, model_id="m1")
    made = edits.save_evidence_case(
        made, name="case", evidence={"new": Observed("a"), "X0": Observed("s0")}, model_id="m1"
    )
    gone = model_edits.remove_variable(made, model_id="m1", name="new")
    entry = gone.models["m1"]
    assert "new" not in entry.model.domain
    assert entry.layouts == {"dag": {}}
    for messages in (entry.display_modes, entry.node_titles, entry.node_notes, entry.edge_notes):
        assert messages == {}
    assert gone.evidence_cases["case"].evidence == {"X0": Observed("s0")}


def test_renaming_a_variable_renames_it_everywhere_in_that_model() -> None:
    made = edge(project(), source="X0", target="X1")
    made = model_edits.move_nodes(made, model_id="m1", picture="dag", points={"X0": (1, 2)})
    made = model_edits.set_node_note(made, model_id="m1", node="X0", note="n")
    made = model_edits.set_edge_note(made, model_id="m1", source="X0", target="X1", note="e")
    for name, model_id in (("own", "m1"), ("other", "m2"), ("any", None)):
        made = edits.save_evidence_case(
            made, name=name, evidence={"X0": Observed("s0")}, model_id=model_id
        )
    named = model_edits.rename_variable(made, model_id="m1", old="X0", new="rain")
    entry = named.models["m1"]
    assert entry.model.domain.names == ("rain", "X1", "X2", "X3")
    assert entry.layouts["dag"] == {"rain": (1.0, 2.0)}
    assert entry.node_notes == {"rain": "n"}
    assert entry.edge_notes == {("rain", "X1"): "e"}
    assert set(named.evidence_cases["own"].evidence) == {"rain"}
    assert named.evidence_cases["other"] is made.evidence_cases["other"]
    assert named.evidence_cases["any"] is made.evidence_cases["any"]
    assert named.models["m2"] is made.models["m2"]
    with pytest.raises(DataError, match="called “X1” already"):
        model_edits.rename_variable(made, model_id="m1", old="X0", new="X1")


def test_renaming_a_state_renames_it_in_the_evidence_of_that_model() -> None:
    findings = {
        "a": Observed("s0"),
        "b": Excluded(frozenset({"s0", "s2"})),
        "c": Likelihood((("s0", 2.0), ("s1", 1.0))),
    }
    made = project()
    for name, finding in findings.items():
        made = edits.save_evidence_case(made, name=name, evidence={"X1": finding}, model_id="m1")
    named = model_edits.rename_state(made, model_id="m1", variable="X1", old="s0", new="none")
    assert named.models["m1"].model.domain["X1"].states == ("none", "s1", "s2")
    assert [case.evidence["X1"] for case in named.evidence_cases.values()] == [
        Observed("none"),
        Excluded(frozenset({"none", "s2"})),
        Likelihood((("none", 2.0), ("s1", 1.0))),
    ]
    for old, new in (("s9", "x"), ("s0", "s1")):
        with pytest.raises(PgmStudioError):
            model_edits.rename_state(made, model_id="m1", variable="X1", old=old, new=new)


def test_a_table_that_is_none_is_refused() -> None:
    made = model_edits.set_table(
        project(), model_id="m1", variable="X0", table=np.array([0.25, 0.75])
    )
    assert model_of(made).table("X0").tolist() == [0.25, 0.75]
    for wrong in ([0.5, 0.6], [1.0], [-1.0, 2.0], [np.nan, 1.0]):
        with pytest.raises(GraphError):
            model_edits.set_table(made, model_id="m1", variable="X0", table=np.array(wrong))


def test_display_modes_titles_and_notes_are_set_and_forgotten() -> None:
    made = model_edits.set_display_mode(project(), model_id="m1", nodes=["X0", "X1"], mode="bars")
    assert made.models["m1"].display_modes == {"X0": "bars", "X1": "bars"}
    made = model_edits.set_display_mode(made, model_id="m1", nodes=["X0"], mode=None)
    assert made.models["m1"].display_modes == {"X1": "bars"}
    made = model_edits.set_node_title(made, model_id="m1", node="X0", title="Rain")
    assert made.models["m1"].node_titles == {"X0": "Rain"}
    made = model_edits.set_node_title(made, model_id="m1", node="X0", title="")
    assert made.models["m1"].node_titles == {}
    assert model_edits.set_model_notes(made, model_id="m1", notes="n").models["m1"].notes == "n"


def test_removing_data_leaves_models_that_refer_to_nothing() -> None:
    made = project()
    assert made.models["m1"].data_id == "d1"
    gone = edits.remove_data(made, data_id="d1")
    assert gone.data == {}
    assert gone.models["m1"].data_id is None
    assert gone.runs["r1"].data_id is None
    assert gone.models["m2"] is made.models["m2"]


def test_removing_a_model_frees_what_referred_to_it() -> None:
    made = edits.save_evidence_case(project(), name="own", evidence={}, model_id="m1")
    made = edits.save_evidence_case(made, name="any", evidence={})
    made = edits.add_comparison(made, entry=ComparisonEntry("Both", ("m1", "m2")))
    gone = edits.remove_model(made, model_id="m1")
    assert gone.runs["r1"].model_id is None
    assert list(gone.evidence_cases) == ["any"]
    assert gone.comparisons["p1"].model_ids == ("m2",)


def test_removing_a_run_keeps_its_model() -> None:
    gone = edits.remove_run(project(), run_id="r1")
    assert gone.runs == {}
    assert gone.models["m1"].run_id is None


def test_other_rows_keep_a_split_only_if_it_fits() -> None:
    made = edits.set_split(project(), data_id="d1", split=split(rows(), (0.5, 0.5), seed=1))
    same = edits.replace_data(made, data_id="d1", data=rows(seed=5))
    assert same.data["d1"].split is made.data["d1"].split
    fewer = edits.replace_data(made, data_id="d1", data=rows(count=7))
    assert fewer.data["d1"].split is None
    with pytest.raises(DataError, match="split is of 7 rows, but rows has 20"):
        edits.set_split(made, data_id="d1", split=split(rows(count=7), (0.5, 0.5), seed=1))


def test_a_model_is_stale_when_its_rows_changed_or_are_gone() -> None:
    made = project()
    assert not made.is_stale("m1")
    assert not made.is_stale("m2")  # made by hand
    assert edits.replace_data(made, data_id="d1", data=rows(seed=5)).is_stale("m1")
    assert edits.remove_data(made, data_id="d1").is_stale("m1")


def test_a_model_learned_from_a_part_is_stale_only_when_the_rows_changed() -> None:
    parts = split(rows(), (0.5, 0.5), seed=1)
    train = parts.parts(rows())[0]
    made = edits.set_split(project(), data_id="d1", split=parts)
    made = edits.add_run(made, run=run_on(train), model=ModelEntry("Part", network()))
    assert not made.is_stale("m4")
    assert edits.replace_data(made, data_id="d1", data=rows(seed=5)).is_stale("m4")


def test_a_learned_model_replaces_another_with_its_run() -> None:
    made = edits.replace_model(project(), model_id="m2", model=network(3), run_id="r1")
    assert (made.models["m2"].run_id, made.models["m2"].is_edited) == ("r1", False)
    assert edits.replace_model(made, model_id="m2", model=network(4)).models["m2"].is_edited
    with pytest.raises(UnknownNameError):
        edits.replace_model(made, model_id="m2", model=network(3), run_id="r9")


def test_an_edge_is_required_or_forbidden_never_both() -> None:
    made = edits.require_edge(Project(), source="a", target="b")
    assert made.knowledge == Knowledge(required=frozenset({("a", "b")}))
    made = edits.forbid_edge(made, source="a", target="b")
    assert made.knowledge == Knowledge(forbidden=frozenset({("a", "b")}))
    assert edits.forget_edge_rule(made, source="a", target="b").knowledge == Knowledge()
    with pytest.raises(PgmStudioError, match="both are a"):
        edits.require_edge(made, source="a", target="a")
    tiers = edits.set_tiers(made, tiers=[["a"], ["b"]], closed_tiers=[1])
    assert tiers.knowledge.tiers == (("a",), ("b",))
    assert tiers.knowledge.forbidden == {("a", "b")}
    assert edits.set_knowledge(tiers, knowledge=Knowledge()).knowledge.is_empty


def test_evidence_cases_are_saved_renamed_and_deleted() -> None:
    made = edits.save_evidence_case(Project(), name="a", evidence={"X": Observed("s")})
    made = edits.save_evidence_case(made, name="b", evidence={})
    made = edits.rename_evidence_case(made, old="a", new="c")
    assert list(made.evidence_cases) == ["c", "b"]
    assert made.evidence_cases["c"].evidence == {"X": Observed("s")}
    for new in ("b", ""):
        with pytest.raises(PgmStudioError):
            edits.rename_evidence_case(made, old="c", new=new)
    assert list(edits.delete_evidence_case(made, name="c").evidence_cases) == ["b"]


NOWHERE = (
    partial(edits.remove_data, data_id="?"),
    partial(edits.rename_data, data_id="?", name="x"),
    partial(edits.remove_model, model_id="?"),
    partial(edits.rename_model, model_id="?", title="x"),
    partial(edits.remove_run, run_id="?"),
    partial(edits.delete_evidence_case, name="?"),
    partial(edits.save_evidence_case, name="x", evidence={}, model_id="?"),
    partial(edits.remove_curve, curve_id="?"),
    partial(edits.remove_comparison, comparison_id="?"),
    partial(edits.add_comparison, entry=ComparisonEntry("x", ("?",))),
    partial(model_edits.add_edge, model_id="?", source="X0", target="X1"),
    partial(model_edits.add_edge, model_id="m1", source="X0", target="?"),
    partial(model_edits.remove_variable, model_id="m1", name="?"),
    partial(model_edits.rename_variable, model_id="m1", old="?", new="x"),
    partial(model_edits.rename_state, model_id="m1", variable="?", old="a", new="b"),
    partial(model_edits.set_table, model_id="m1", variable="?", table=np.array([1.0])),
    partial(model_edits.move_nodes, model_id="?", picture="dag", points={}),
)


@pytest.mark.parametrize("change", NOWHERE, ids=lambda change: change.func.__name__)
def test_an_edit_of_what_is_not_there_names_it(change) -> None:
    made = project()
    with pytest.raises(UnknownNameError, match=r"“.”"):
        change(made)


def test_titles_notes_and_curves_are_kept() -> None:
    made = edits.set_notes(edits.set_title(project(), title="T"), notes="N")
    made = edits.add_curve(made, entry=CurveEntry("Sweep", ({"lambda": np.float64(0.5)},)))
    made = edits.rename_data(made, data_id="d1", name="other")
    made = edits.rename_model(made, model_id="m2", title="other")
    made = edits.set_data_notes(made, data_id="d1", notes="wet")
    made = edits.set_missing_markers(made, data_id="d1", markers=["?"])
    made = edits.set_cuts(made, data_id="d1", cuts={})
    assert (made.title, made.notes, made.data["d1"].name) == ("T", "N", "other")
    assert (made.data["d1"].notes, made.data["d1"].missing_markers) == ("wet", ("?",))
    assert made.models["m2"].title == "other"
    assert made.curves["c1"].points == ({"lambda": 0.5},)
    assert edits.remove_curve(made, curve_id="c1").curves == {}


def changes(names: st.SearchStrategy[str]) -> st.SearchStrategy[partial[Project]]:
    m1 = {"model_id": st.just("m1")}
    ends = {"source": names, "target": names}
    return st.one_of(
        st.builds(partial, st.just(model_edits.add_edge), **m1, **ends),
        st.builds(partial, st.just(model_edits.remove_edge), **m1, **ends),
        st.builds(partial, st.just(model_edits.reverse_edge), **m1, **ends),
        st.builds(partial, st.just(model_edits.remove_variable), **m1, name=names),
        st.builds(partial, st.just(model_edits.rename_variable), **m1, old=names, new=names),
        st.builds(partial, st.just(edits.require_edge), **ends),
        st.builds(partial, st.just(edits.forbid_edge), **ends),
        st.builds(
            partial,
            st.just(model_edits.add_variable),
            **m1,
            variable=st.builds(Variable, names, st.just(("a", "b"))),
        ),
        st.builds(partial, st.just(edits.duplicate_model), **m1, title=names),
        st.builds(partial, st.just(edits.remove_model), model_id=st.sampled_from(["m2", "m4"])),
        st.builds(partial, st.just(edits.save_evidence_case), name=names, evidence=st.just({})),
    )


@given(st.lists(changes(st.sampled_from(["X0", "X1", "X2", "X3", "Y"])), max_size=30))
@settings(max_examples=60)
def test_no_edit_changes_the_project_it_was_given(steps) -> None:
    """So undo is going back to the value before; refused edits are no step."""
    past = [project()]
    saved = [project_bytes(past[0])]
    for change in steps:
        try:
            past.append(change(past[-1]))
        except PgmStudioError:
            continue
        saved.append(project_bytes(past[-1]))
    for before, content in zip(reversed(past), reversed(saved), strict=True):
        assert project_bytes(before) == content


def test_what_the_file_of_a_model_noted_follows_its_variables() -> None:
    """Lines about a table may count its rows, so they go when its parents or states change."""
    network = random_network(np.random.default_rng(3), 3, cardinalities=(2, 2, 2))
    lines = {name: (f"about {name}",) for name in network.domain.names}
    entry = ModelEntry("m", network, properties=Properties(("all",), lines, lines))
    project = edits.add_model(Project(), entry=entry)
    renamed = model_edits.rename_variable(project, model_id="m1", old="X0", new="Y")
    assert renamed.models["m1"].properties.variables["Y"] == ("about X0",)
    assert set(renamed.models["m1"].properties.tables) == {"Y", "X1", "X2"}
    less = model_edits.remove_variable(renamed, model_id="m1", name="Y")
    assert set(less.models["m1"].properties.variables) == {"X1", "X2"}
    more = model_edits.add_state(less, model_id="m1", variable="X1", state="third")
    assert set(more.models["m1"].properties.variables) == {"X1", "X2"}
    assert "X1" not in more.models["m1"].properties.tables
    assert more.models["m1"].properties.network == ("all",)


def test_models_and_data_of_one_name_are_distinguished() -> None:
    made = Project()
    for _ in range(3):
        made = edits.add_data(made, entry=DataEntry("rows", rows()))
    assert [entry.name for entry in made.data.values()] == ["rows", "rows 2", "rows 3"]
    entry = ModelEntry("asia", network())
    made = edits.add_model(edits.add_model(made, entry=entry), entry=entry)
    made = edits.duplicate_model(made, model_id="m1", title="asia")
    assert [model.title for model in made.models.values()] == ["asia", "asia 2", "asia 3"]
    made = edits.rename_model(made, model_id="m1", title="asia")
    assert made.models["m1"].title == "asia"
    made = edits.rename_model(made, model_id="m3", title="asia 2")
    assert made.models["m3"].title == "asia 2 2"
    assert edits.with_distinct_titles(made) is made
    old = replace(made, models={"m1": entry, "m2": entry})
    titles = [model.title for model in edits.with_distinct_titles(old).models.values()]
    assert titles == ["asia", "asia 2"]
