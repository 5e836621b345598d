"""Possibilistic networks: propagation against all joint states, conventions, learners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.imprecise import ImpreciseData
from pgmstudio.core.data.possibility import PossibilityDistribution
from pgmstudio.core.data.tuple_degrees import TupleDegrees, kept_at
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import (
    DataError,
    GraphError,
    ImpossibleEvidenceError,
    ParameterError,
    TooLargeError,
)
from pgmstudio.core.execution.events import NEVER, Note
from pgmstudio.core.graphs.dag import Dag, dag_count, undirected_graph_count
from pgmstudio.core.inference.base import Excluded, Finding, Likelihood, Observed, weights_of
from pgmstudio.core.inference.join_tree import MINIMUM, NORMS, PRODUCT, combine
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.languages.degree_session import DegreeSession, degrees_of
from pgmstudio.core.languages.possibilistic_network.edits import (
    rescale,
    set_convention,
    set_norm,
)
from pgmstudio.core.languages.possibilistic_network.fit import fit_measures
from pgmstudio.core.languages.possibilistic_network.learning import tests as possibility_tests
from pgmstudio.core.languages.possibilistic_network.learning.exhaustive import (
    PossibilisticExhaustiveLearner,
    all_dags,
)
from pgmstudio.core.languages.possibilistic_network.learning.greedy_parents import (
    GreedyParentsLearner,
)
from pgmstudio.core.languages.possibilistic_network.learning.tests import (
    PossibilisticTestLearner,
    PossibilityTester,
)
from pgmstudio.core.languages.possibilistic_network.learning.trees import (
    PossibilisticAugmentedTreeLearner,
    PossibilisticCliqueLearner,
    PossibilisticTreeLearner,
)
from pgmstudio.core.languages.possibilistic_network.model import (
    CONVENTIONS,
    HISDAL,
    QUOTIENT,
    PossibilisticNetwork,
    conditional_degrees,
)
from pgmstudio.core.languages.possibilistic_network.probabilities import (
    compared_degrees,
    same_graph_network,
)
from pgmstudio.core.learning.base import ArtifactSaved, Finished, Learner
from pgmstudio.core.learning.edge_constraints import EdgeRules
from pgmstudio.core.learning.graph_ranking import GraphRanking
from pgmstudio.core.params import parse_params
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.project import EvidenceCase, ModelEntry, Project
from pgmstudio.core.project.scenarios import Outcome, Scenario, scenario_table
from pgmstudio.core.reports.evidence_sections import scenarios_part
from pgmstudio.core.reports.model_svg import drawing_of
from pgmstudio.core.scores.association_measures import AGGREGATIONS, Setting, conditional_gain
from tests.core.data.test_possibility import random_imprecise
from tests.core.learning.lecture_data import GEOMETRIC
from tests.possibilistic_networks import random_possibilistic


def joint_degrees(network: PossibilisticNetwork) -> Floats:
    """π of every joint state."""
    joint = np.ones(network.domain.cardinalities)
    indices = np.indices(joint.shape)
    for v, table in enumerate(network.degrees):
        joint = combine(network.norm, joint, table[tuple(indices[list(network.scope(v))])])
    return joint


def learn(learner: Learner[Any], data: DataSet, **chosen: object) -> tuple[Any, list[Any]]:
    params = parse_params(learner.params_type, chosen)
    events = list(learner.run(data, params, rng=np.random.default_rng(0), cancel=NEVER))
    assert isinstance(events[-1], Finished)
    return events[-1].model, events


def random_finding(rng: np.random.Generator, variable: Variable) -> Finding:
    states = [str(state) for state in rng.permutation(variable.states)]
    match rng.integers(3):
        case 0:
            return Observed(states[0])
        case 1:
            return Excluded(frozenset(states[int(rng.integers(1, len(states))) :]))
        case _:
            return Likelihood(tuple((state, float(rng.random())) for state in states))


@pytest.mark.parametrize("norm", NORMS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_propagation_is_the_largest_degree_of_all_joint_states(norm: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_possibilistic(rng, int(rng.integers(1, 7)), norm, zeros=0.3)
    joint = joint_degrees(network)
    if not joint.any():
        with pytest.raises(GraphError, match="exclude each other"):
            DegreeSession(network)
        return
    session = DegreeSession(network)
    n = len(network.domain)
    for position in [None, *rng.permutation(n)[:3]]:
        if position is not None:
            variable = network.domain.variables[position]
            finding = random_finding(rng, variable)
            shape = [1] * n
            shape[position] = variable.cardinality
            narrowed = combine(norm, joint, weights_of(variable, finding).reshape(shape))
            if not narrowed.any():
                with pytest.raises(ImpossibleEvidenceError):
                    session.set_evidence(variable.name, finding)
                continue
            session.set_evidence(variable.name, finding)
            joint = narrowed
        top = joint.max()
        assert 2 ** session.log2_evidence() == pytest.approx(top)
        for v, name in enumerate(network.domain.names):
            expected = joint.max(axis=tuple(u for u in range(n) if u != v))
            degrees = degrees_of(session.belief(name).values, session.log2_evidence())
            assert degrees.possibility == pytest.approx(expected)
            for state in range(expected.size):
                others = np.delete(expected, state).max(initial=0.0)
                assert degrees.necessity[state] == pytest.approx(max(0.0, top - others))
        row = session.most_probable()
        codes = tuple(network.domain[name].code(state) for name, state in row.items())
        assert joint[codes] == pytest.approx(top)
        pair = network.domain.names[:2]
        if n > 1:
            others = tuple(range(2, n))
            assert session.joint(pair) * top == pytest.approx(joint.max(axis=others))


def test_the_three_conventions_by_hand() -> None:
    family = np.array([[0.8, 0.3], [0.5, 0.5], [0.0, 0.0]])
    assert conditional_degrees(family, "joint").tolist() == family.tolist()
    assert conditional_degrees(family, HISDAL).tolist() == [[1, 0.3], [1, 1], [1, 1]]
    quotient = conditional_degrees(family, QUOTIENT)
    assert quotient == pytest.approx(np.array([[1, 0.375], [1, 1], [0, 0]]))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_complete_graph_gives_back_the_degrees_of_the_data(convention: str) -> None:
    rng = np.random.default_rng(4)
    domain = Domain.of(dict.fromkeys("abc", "012"))
    data = DataSet(domain, rng.integers(0, 3, (3, 30)).astype(np.uint8))
    distribution = PossibilityDistribution.of(data)
    dag = Dag(domain.names, ((), (0,), (0, 1)))
    norm = PRODUCT if convention == QUOTIENT else MINIMUM
    network = PossibilisticNetwork.of_distribution(dag, distribution, norm, convention)
    assert joint_degrees(network) == pytest.approx(distribution.projection([0, 1, 2]))


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_sums_and_nonspecificity_of_the_joint_are_counted_right(seed: int) -> None:
    rng = np.random.default_rng(seed)
    norm = NORMS[int(rng.integers(2))]
    network = random_possibilistic(rng, 4, norm, zeros=0.1)
    joint = joint_degrees(network)
    if not joint.any():
        return
    assert network.join_tree.degree_sum() == pytest.approx(joint.sum())
    if norm == MINIMUM:
        levels = np.unique(joint[joint > 0])
        steps = np.diff(levels, prepend=0.0)
        cuts = [np.log2((joint >= level).sum()) for level in levels]
        assert network.join_tree.nonspecificity() == pytest.approx(float(steps @ np.array(cuts)))


def test_the_numbers_of_graphs_are_those_of_the_specification() -> None:
    # §1.1 and §13, 1
    directed = [1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343]
    directed += [1213442454842881, 4175098976430598143]
    assert [dag_count(n) for n in range(1, 11)] == directed
    undirected = [1, 2, 8, 64, 1024, 32768, 2097152, 268435456, 68719476736, 35184372088832]
    assert [undirected_graph_count(n) for n in range(1, 11)] == undirected
    for n in (1, 2, 3, 4):
        rules = EdgeRules.of(tuple("abcd"[:n]), None, None)
        assert sum(1 for _ in all_dags(rules)) == directed[n - 1]


def skeleton(network: PossibilisticNetwork) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in network.edges}


CHAIN = {frozenset(("color", "shape")), frozenset(("shape", "size"))}


def test_the_ten_objects_give_the_tree_of_the_lecture_with_every_symmetric_measure() -> None:
    for measure in ("spec_gain", "spec_sym1", "spec_sym2"):
        network, events = learn(PossibilisticTreeLearner(), GEOMETRIC, measure=measure)
        assert skeleton(network) == CHAIN
        assert events[-1].measures["additional_degrees"] == pytest.approx(0, abs=1e-12)
        assert events[-1].measures["specificity_divergence"] == pytest.approx(0, abs=1e-12)
    network, _ = learn(PossibilisticTreeLearner(), GEOMETRIC, root="size")
    assert set(network.edges) == {("size", "shape"), ("shape", "color")}


def test_other_learners_find_the_tree_of_the_lecture_too() -> None:
    for learner in (PossibilisticTestLearner(), PossibilisticExhaustiveLearner()):
        network, _ = learn(learner, GEOMETRIC)
        assert skeleton(network) == CHAIN
    free, _ = learn(GreedyParentsLearner(), GEOMETRIC, search="free", max_parents=1)
    assert skeleton(free) == CHAIN
    along, events = learn(GreedyParentsLearner(), GEOMETRIC, order="shape, color, size")
    assert {("shape", "color"), ("shape", "size")} <= set(along.edges)
    assert any(getattr(event, "artifact", None) is not None for event in events)


def test_the_exhaustive_search_is_never_beaten() -> None:
    rng = np.random.default_rng(2)
    domain = Domain.of(dict.fromkeys("abc", "012"))
    data = DataSet(domain, rng.integers(0, 3, (3, 25)).astype(np.uint8))
    best, events = learn(PossibilisticExhaustiveLearner(), data)
    (ranking,) = [event.artifact for event in events if isinstance(event, ArtifactSaved)]
    assert isinstance(ranking, GraphRanking)
    assert ranking.graphs == len(ranking.ranking) == 25
    assert set(ranking.ranking[0].edges) == set(best.edges)
    assert GraphRanking.restored(ranking.plain()) == ranking
    learner = PossibilisticExhaustiveLearner()
    fitted = learner.fit_graph(data, learner.params_type(), ranking.ranking[7].edges)
    assert joint_degrees(fitted).sum() == pytest.approx(ranking.ranking[7].total)
    assert ranking.ranking[7].total - ranking.total == pytest.approx(
        ranking.ranking[7].additional, abs=1e-8
    )
    expected = PossibilityDistribution.of(data).projection([0, 1, 2])
    lowest = np.abs(joint_degrees(best) - expected).sum()
    for learner in (PossibilisticTreeLearner(), GreedyParentsLearner()):
        other, _ = learn(learner, data)
        assert np.abs(joint_degrees(other) - expected).sum() >= lowest - 1e-9
    with pytest.raises(ParameterError, match="max-variables"):
        learn(PossibilisticExhaustiveLearner(), GEOMETRIC, max_variables=2)


def test_augmented_trees_and_cliques_are_closer_to_the_data_than_the_tree() -> None:
    rng = np.random.default_rng(5)
    base = rng.integers(0, 3, 40)
    codes = [(base + rng.integers(0, 2, 40)) % 3 for _ in range(4)]
    data = DataSet(Domain.of({f"v{i}": "012" for i in range(4)}), np.array(codes, dtype=np.uint8))
    added = {}
    for learner in (
        PossibilisticTreeLearner(),
        PossibilisticAugmentedTreeLearner(),
        PossibilisticCliqueLearner(),
    ):
        _, events = learn(learner, data)
        added[learner.key] = events[-1].measures["additional_degrees"]
    tree = added["possibilistic.spanning-tree"]
    assert added["possibilistic.augmented-tree"] <= tree + 1e-12
    assert added["possibilistic.cliques"] <= tree + 1e-12
    _, events = learn(PossibilisticCliqueLearner(), data, max_clique_size=4)
    assert events[-1].measures["additional_degrees"] == pytest.approx(0, abs=1e-12)


def test_imprecise_rows_are_learned_and_an_approximation_is_noted() -> None:
    domain = Domain.of({"c": ("red", "green", "blue"), "s": ("x", "y")})
    cells = [(["green", "red"], "x"), ("blue", None), ("red", ["x", "y"]), ("green", "y")]
    data = ImpreciseData.from_cells(domain, cells)
    network, _ = learn(PossibilisticTreeLearner(), data)
    distribution = PossibilityDistribution.of(data)
    assert joint_degrees(network) == pytest.approx(distribution.projection([0, 1]))
    _, events = learn(PossibilisticTreeLearner(), data, max_closure=1)
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any("approximate" in note for note in notes)
    # The model is marked too: what a run measured is stored with it.
    assert events[-1].measures["drawn_intersections"] >= 1
    _, events = learn(PossibilisticTreeLearner(), data)
    assert "drawn_intersections" not in events[-1].measures


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_compiled_tests_give_the_gains_of_the_projection(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_imprecise(rng, 5, int(rng.integers(1, 15)))
    distribution = PossibilityDistribution.of(data)
    for aggregation in AGGREGATIONS:
        tester = PossibilityTester(distribution, 0.0, aggregation)
        for condition in ((), (4,), (4, 1), (3, 1), (1, 3, 4)):
            table = distribution.projection((*condition, 0, 2))
            slices = table.reshape(-1, table.shape[-2], table.shape[-1])
            expected = conditional_gain(slices, Setting.POSSIBILISTIC, aggregation)
            assert tester.gain(0, 2, condition) == pytest.approx(expected, abs=1e-12)


def test_the_weakest_edges_are_left_out_where_tables_would_be_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    base = rng.integers(0, 3, 60)
    codes = [(base + rng.integers(0, 2, 60)) % 3 for _ in range(5)]
    data = DataSet(Domain.of({f"v{i}": "012" for i in range(5)}), np.array(codes, dtype=np.uint8))
    whole, _ = learn(PossibilisticTestLearner(), data)
    monkeypatch.setattr(possibility_tests, "MAX_LISTED", 60)
    smaller, events = learn(PossibilisticTestLearner(), data)
    assert whole.effective_size() > 60 >= smaller.effective_size()
    assert smaller.edges
    notes = [event.message for event in events if isinstance(event, Note)]
    assert any("weakest edges of" in note for note in notes)


def test_a_table_that_cannot_be_made_is_refused_by_name() -> None:
    domain = Domain.of({f"v{i}": "0123456789" for i in range(12)})
    data = DataSet(domain, np.zeros((12, 2), dtype=np.uint8))
    with pytest.raises(TooLargeError, match="v0, v1, v2"):
        PossibilityDistribution.of(data).projection(range(12))


def test_edits_keep_the_degrees_where_they_can() -> None:
    network = random_possibilistic(np.random.default_rng(8), 4, MINIMUM)
    before = joint_degrees(network)
    names = network.domain.names
    missing = next(
        (a, b) for b in names[::-1] for a in names if a < b and (a, b) not in network.edges
    )
    more = network.with_edge(*missing)
    assert joint_degrees(more) == pytest.approx(before)
    less = more.without_edge(*missing)
    assert less.edges == network.edges
    assert (joint_degrees(less) >= before - 1e-12).all()
    turned = network.with_reversed_edge(*network.edges[0])
    assert (joint_degrees(turned) >= before - 1e-12).all()
    without = network.without_variable(names[0])
    assert without.domain.names == names[1:]
    assert (joint_degrees(without) >= before.max(axis=0) - 1e-12).all()
    wider = network.with_variable(Variable("new", ("0", "1")))
    assert joint_degrees(wider)[..., 1] == pytest.approx(before)
    with pytest.raises(GraphError, match="between 0 and 1"):
        PossibilisticNetwork(Domain.of({"a": "01"}), Dag.empty(("a",)), (np.array([0.5, 2.0]),))


@pytest.mark.parametrize("norm", NORMS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_cuts_have_the_joint_states_of_at_least_that_degree(norm: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_possibilistic(rng, int(rng.integers(1, 5)), norm, zeros=0.2)
    joint = joint_degrees(network)
    if not joint.any():
        return
    listed = network.tuple_degrees()
    assert len(listed) == np.count_nonzero(joint)
    assert network.top == pytest.approx(joint.max())
    assert listed.levels[0] == listed.top == pytest.approx(joint.max())
    for alpha in (0.01, 0.3, float(np.median(joint)), float(joint.max())):
        expected = {*zip(*np.nonzero((joint > 0) & (joint >= alpha - 1e-9)), strict=True)}
        assert listed.count(alpha) == len(expected)
        if expected:
            cut = listed.cut(alpha)
            assert {tuple(column) for column in cut.tuples.T.tolist()} == expected
            # The projection of the cut is the cut of the largest degrees.
            degrees = listed.projection([0])
            assert (cut.occurs([0]) == kept_at(degrees, alpha)).all()
    with pytest.raises(DataError, match="No tuple"):
        listed.cut(joint.max() + 0.01)


def test_the_cut_of_imprecise_rows_is_that_of_all_joint_states() -> None:
    domain = Domain.of({"c": ("red", "green", "blue"), "s": ("x", "y")})
    cells = [(["red", "green"], "x"), ("blue", None), ("green", ["x", "y"]), ("green", "x")]
    listed = TupleDegrees.of(PossibilityDistribution.of(ImpreciseData.from_cells(domain, cells)))
    assert listed.tuples[:, 0].tolist() == [1, 0]  # green, x: rows 1, 3 and 4
    assert listed.levels == (0.75, 0.25)
    assert listed.cut(0.5).tuples.T.tolist() == [[1, 0]]
    assert len(listed.cut(0.25)) == 5


def test_norm_convention_and_scale_can_be_changed() -> None:
    rows = DataSet.from_rows(
        Domain.of({"a": "01", "b": "01"}), [("0", "0"), ("0", "0"), ("1", "1"), ("0", "1")]
    )
    dag = Dag(("a", "b"), ((), (0,)))
    network = PossibilisticNetwork.of_distribution(dag, PossibilityDistribution.of(rows))
    assert set_norm(network, norm=PRODUCT).norm == PRODUCT
    quotient = set_convention(network, convention=QUOTIENT)
    assert quotient.degrees[1] == pytest.approx(np.array([[1.0, 0.5], [0.0, 1.0]]))
    assert network.top == 0.5
    scaled = rescale(network)
    assert scaled.top == 1.0
    assert joint_degrees(scaled) == pytest.approx(joint_degrees(network) / 0.5)
    with pytest.raises(GraphError, match="minimum"):
        rescale(set_norm(network, norm=PRODUCT))


def test_a_rescaled_network_is_compared_with_rescaled_degrees() -> None:
    rng = np.random.default_rng(9)
    domain = Domain.of(dict.fromkeys("abc", "012"))
    data = DataSet(domain, rng.integers(0, 3, (3, 40)).astype(np.uint8))
    network, _ = learn(PossibilisticTreeLearner(), data)
    plain, rescaled = fit_measures(network, data), fit_measures(rescale(network), data)
    assert plain["largest_degree"] < 1
    assert rescaled["largest_degree"] == pytest.approx(1)
    for name in ("additional_degrees", "specificity_divergence"):
        assert plain[name] > 0
        assert rescaled[name] == pytest.approx(plain[name] / plain["largest_degree"])


def test_probabilities_of_the_same_graph_stand_beside_the_degrees() -> None:
    dag = Dag(GEOMETRIC.domain.names, ((), (0,), (1,)))
    network = PossibilisticNetwork.of_distribution(dag, PossibilityDistribution.of(GEOMETRIC))
    twin = same_graph_network(network, GEOMETRIC)
    assert twin.dag == dag
    rows = compared_degrees(network, twin, {"color": Observed("yellow")})
    shape = {row.state: row for row in rows if row.variable == "shape"}
    assert shape["square"].possibility == shape["square"].necessity == pytest.approx(0.1)
    assert sum(row.probability or 0 for row in shape.values()) == pytest.approx(1)
    # Smoothing leaves a circle some probability that is not possible.
    assert not shape["circle"].is_consistent
    assert shape["square"].is_consistent


def test_reports_drawings_and_scenarios_have_possibility_and_necessity() -> None:
    dag = Dag(GEOMETRIC.domain.names, ((), (0,), (1,)))
    network = rescale(
        PossibilisticNetwork.of_distribution(dag, PossibilityDistribution.of(GEOMETRIC))
    )
    evidence = {"color": Observed("yellow")}
    project = add_model(Project(), entry=ModelEntry("objects", network))
    case = EvidenceCase(evidence, next(iter(project.models)))
    report = "".join(map(str, scenarios_part(replace(project, evidence_cases={"yellow": case}))))
    assert "Degree of possibility 1" in report
    assert "Π 1.00  N 1.00" in report
    assert "probability" not in report
    drawing = drawing_of(ModelFile(network), findings=evidence, with_beliefs=True)
    assert ">N 1<" in drawing
    assert ">Π 1<" in drawing
    with_yellow = np.array([0.0, 1.0, 0.0])
    outcome = Outcome(Scenario("A", "yellow", evidence), {"shape": with_yellow}, 0.0)
    table = scenario_table(network, {"shape": np.ones(3)}, [outcome], ["shape"])
    assert table.splitlines()[0].split("\t")[2:] == [
        "prior",
        "A: yellow",
        "necessity, prior",
        "necessity, A: yellow",
    ]
    assert table.splitlines()[2].split("\t")[2:] == ["1.0", "1.0", "0.0", "1.0"]
