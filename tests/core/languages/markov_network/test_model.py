"""Markov networks: the distribution, inference, edits, files and conversions."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import GraphError, ImpossibleEvidenceError, ModelFileError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.inference.base import Done, Excluded, ExplainingSession, Likelihood, Observed
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.conversions import converted, same_distribution
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.markov_network.conversions import (
    labelled_of_markov,
    markov_of_labelled,
    markov_of_network,
    network_of_markov,
)
from pgmstudio.core.languages.markov_network.diagrams import markov_picture
from pgmstudio.core.languages.markov_network.edits import add_context, remove_context
from pgmstudio.core.languages.markov_network.log_linear import free_parameters, restrictions_of
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.separation import (
    context_statement,
    path_separation,
    separation,
)
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.languages.markov_network.structure_facts import neighbour_roles
from pgmstudio.core.languages.run_checks import broken_rules
from pgmstudio.core.languages.sessions import Sampled, SamplePlan, ask, open_session, sample_rows
from tests.labelled_dags import coronary as coronary_labels
from tests.labelled_dags import four, three
from tests.markov_networks import (
    FIGURE_3,
    figure_8,
    figure_9,
    graph,
    random_markov_network,
    random_structure,
)
from tests.oracles.brute_force import BruteForceSession, joint_table
from tests.strategies import random_network, random_tree

CARDS = ([2, 2, 2, 2, 2], [2, 3, 4, 2], [3, 2, 2, 4], [2, 2, 3, 2, 2], [4, 3, 2])


def examples() -> list[MarkovNetwork]:
    """Random networks of many shapes: chordal or not, with contexts or without."""
    result = []
    for seed, (cards, density, contexts) in enumerate(product(CARDS, (0.4, 0.7, 1.0), (0.0, 0.3))):
        rng = np.random.default_rng(seed)
        structure = random_structure(rng, cards, density, contexts)
        result.append(random_markov_network(rng, structure))
    ring = graph("12 23 34 45 15 25", 5).with_context((0, 1), (1,))
    result.append(random_markov_network(np.random.default_rng(99), ring))
    return result


EXAMPLES = examples()
every_example = pytest.mark.parametrize("number", range(len(EXAMPLES)))


def brute_force(network: MarkovNetwork) -> np.ndarray:
    """P(x) as the normalised product of potentials over every joint state."""
    cards = network.domain.cardinalities
    table = np.ones(cards)
    for clique, values in zip(network.structure.maximal_cliques, network.potentials, strict=True):
        table *= values.reshape([card if v in clique else 1 for v, card in enumerate(cards)])
    return table / table.sum()


def test_the_examples_are_of_every_kind() -> None:
    structures = [network.structure for network in EXAMPLES]
    for is_chordal, has_contexts in product((True, False), repeat=2):
        assert any(
            s.is_chordal == is_chordal and bool(s.contexts) == has_contexts for s in structures
        )


@every_example
def test_probabilities_are_those_of_the_product_of_potentials(number: int) -> None:
    network = EXAMPLES[number]
    assert joint_table(network) == pytest.approx(brute_force(network), abs=1e-12)
    raw = np.exp2(network.log2_partition)
    cards = network.domain.cardinalities
    table = np.ones(cards)
    for clique, values in zip(network.structure.maximal_cliques, network.potentials, strict=True):
        table = table * values.reshape([c if v in clique else 1 for v, c in enumerate(cards)])
    assert raw == pytest.approx(table.sum(), rel=1e-10)


@every_example
def test_the_parameters_give_the_network_back_and_satisfy_the_contexts(number: int) -> None:
    network = EXAMPLES[number]
    again = MarkovNetwork.of_parameters(network.structure, network.parameters)
    assert joint_table(again) == pytest.approx(joint_table(network), abs=1e-12)
    values = dict(zip(network.log_linear.parameters, network.parameters, strict=True))
    for row in restrictions_of(network.structure).rows.values():
        assert abs(sum(float(f) * values[p] for p, f in row.items())) < 1e-10
    # In every context of an edge its ends are independent given all other variables.
    joint = joint_table(network)
    for (i, j), elements in network.structure.contexts.items():
        common = network.structure.common_neighbours(i, j)
        for element in elements:
            slices = tuple(
                element[common.index(v)] if v in common else slice(None) for v in range(joint.ndim)
            )
            left = [v for v in range(joint.ndim) if v not in common]
            table = np.moveaxis(joint[slices], (left.index(i), left.index(j)), (-2, -1))
            rows = table.sum(axis=-1, keepdims=True) * table.sum(axis=-2, keepdims=True)
            assert table * table.sum(axis=(-2, -1), keepdims=True) == pytest.approx(rows, abs=1e-12)


@every_example
def test_inference_is_that_of_brute_force(number: int) -> None:
    network = EXAMPLES[number]
    session, oracle = open_session(network), BruteForceSession(network)
    assert isinstance(session, ExplainingSession)
    first, second, third = network.domain.variables[:3]
    findings = {
        first.name: Observed(first.states[-1]),
        second.name: Excluded(frozenset({second.states[0]})),
        third.name: Likelihood(tuple((s, 0.2 + 0.3 * n) for n, s in enumerate(third.states))),
    }
    for name, finding in findings.items():
        session.set_evidence(name, finding)
        oracle.set_evidence(name, finding)
        assert session.log2_evidence() == pytest.approx(oracle.log2_evidence(), abs=1e-10)
        for variable in network.domain.names:
            expected = oracle.belief(variable).values
            assert session.belief(variable).values == pytest.approx(expected, abs=1e-10)
        best = oracle.log2_most_probable()
        assert session.log2_most_probable() == pytest.approx(best, abs=1e-10)
    answer = ask(network, [network.domain.names[-1]], findings)
    assert answer.log2_evidence == pytest.approx(oracle.log2_evidence(), abs=1e-10)


@every_example
def test_missing_cells_are_summed_out(number: int) -> None:
    network = EXAMPLES[number]
    rng = np.random.default_rng(number)
    rows = network.sample(40, rng)
    codes = rows.codes.copy()
    codes[rng.random(codes.shape) < 0.4] = rows.missing_code
    joint = brute_force(network)
    expected = [
        np.log2(joint[tuple(slice(None) if c == rows.missing_code else c for c in row)].sum())
        for row in codes.T
    ]
    result = network.log2_probabilities(DataSet(network.domain, codes))
    assert result == pytest.approx(expected, abs=1e-10)


def test_samples_follow_the_distribution() -> None:
    network = EXAMPLES[3]
    data = network.sample(40_000, np.random.default_rng(1))
    counts = np.zeros(network.domain.cardinalities)
    np.add.at(counts, tuple(data.codes.astype(int)), 1)
    assert counts / 40_000 == pytest.approx(joint_table(network), abs=0.015)
    plan = SamplePlan(rows=10, evidence={"A": Observed("1")})
    *_, last = sample_rows(network, plan, NEVER)
    assert isinstance(last, Sampled)
    assert set(last.data.column("A").tolist()) == {1}


def test_a_potential_of_zero_makes_states_impossible() -> None:
    structure = graph("12 23", 3)
    network = MarkovNetwork(structure, (np.array([[1.0, 0], [0, 3]]), np.ones((2, 2))))
    assert not network.is_positive
    session = open_session(network)
    session.set_evidence("1", Observed("0"))
    with pytest.raises(ImpossibleEvidenceError):
        session.set_evidence("2", Observed("1"))
    with pytest.raises(GraphError, match="no meaning"):
        session.set_evidence("3", Done("1"))


def test_potentials_that_contradict_the_contexts_are_refused() -> None:
    structure = figure_8().structure
    with pytest.raises(GraphError, match="do not agree with the contexts"):
        MarkovNetwork(structure, (np.random.default_rng(1).random((2, 2, 2)),))
    with pytest.raises(GraphError, match="shape"):
        MarkovNetwork(structure, (np.ones((2, 2)),))
    with pytest.raises(GraphError, match="0 everywhere"):
        MarkovNetwork(structure, (np.zeros((2, 2, 2)),))
    with pytest.raises(GraphError, match="not finite"):
        MarkovNetwork(structure, (np.full((2, 2, 2), -1.0),))


def test_sizes_are_free_parameters_and_cells_of_the_junction_tree() -> None:
    network = MarkovNetwork.uniform(FIGURE_3)
    assert network.representation_size() == 13
    assert network.effective_size() == 8 + 8 + 8 + 2
    assert figure_8().representation_size() == 6


# -- edits


def test_an_edge_is_added_without_a_change_and_removed_to_the_nearest_distribution() -> None:
    network = figure_8()
    wider = network.with_variable(Variable("Y", ("a", "b", "c")))
    joined = wider.with_edge("Y", "X2").with_edge("X3", "Y")
    assert same_distribution(network, joined).is_same
    assert joined.structure.contexts == {(1, 2): {(1, 0), (1, 1), (1, 2)}}
    back = joined.without_edge("Y", "X2").without_edge("Y", "X3")
    assert same_distribution(network, back).is_same
    assert back.structure.contexts == network.structure.contexts
    less = network.without_edge("X2", "X3")
    # The nearest distribution keeps the margins of the cliques that stay.
    for edge in ((0, 1), (0, 2)):
        rest = next(v for v in range(3) if v not in edge)
        assert joint_table(less).sum(axis=rest) == pytest.approx(
            joint_table(network).sum(axis=rest), abs=1e-8
        )
    assert less.without_variable("X3").domain.names == ("X1", "X2")
    assert joined.without_variable("X1").domain.names == ("X2", "X3", "Y")


def test_contexts_are_added_and_removed() -> None:
    network = figure_8()
    more = add_context(network, source="X1", target="X2", context=(0,))
    assert more.structure.contexts == {(0, 1): {(0,)}, (1, 2): {(1,)}}
    assert more.representation_size() == 5
    less = remove_context(network, source="X2", target="X3", context=(1,))
    assert less.structure.contexts == {}
    assert same_distribution(network, less).is_same
    with pytest.raises(GraphError, match="Remove the edge"):
        add_context(network, source="X2", target="X3", context=(0,))


# -- files


@every_example
def test_a_file_gives_the_same_network(number: int, tmp_path: Path) -> None:
    network = EXAMPLES[number]
    path = tmp_path / "model.json"
    write_model(path, ModelFile(network))
    again = read_model(path).model
    assert isinstance(again, MarkovNetwork)
    assert again.structure == network.structure
    for one, other in zip(again.potentials, network.potentials, strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["X2", "X3"]', '["X2", "X9"]', "no variable"),
        ('"given": ["X1"]', '"given": ["X2"]', "common neighbours"),
        ('"states": [["1"]]', '"states": [["7"]]', "No state"),
        ('"states": [["1"]]', '"states": [["1"], ["0"]]', "Remove the edge"),
        ('"clique": ["X1", "X2", "X3"]', '"clique": ["X1", "X2"]', "numbers instead of"),
    ],
)
def test_a_damaged_file_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_model(path, ModelFile(figure_8()))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ModelFileError, match=message):
        read_model(path)


# -- conversions


@every_example
def test_a_markov_network_becomes_a_bayesian_network_and_back(number: int) -> None:
    network = EXAMPLES[number]
    bayesian = network_of_markov(network)
    assert same_distribution(network, bayesian).is_same
    joined = {tuple(sorted((p, c))) for c, ps in enumerate(bayesian.dag.parent_indices) for p in ps}
    if network.structure.is_chordal:
        assert joined == set(network.structure.edges)
    again = markov_of_network(bayesian)
    assert same_distribution(network, again).is_same
    if network.structure.is_chordal:
        assert again.structure.edges == network.structure.edges


def test_networks_and_trees_become_markov_networks() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        for model in (random_network(rng, 5), random_tree(rng, 5)):
            result = converted(model, "markov-network")
            assert isinstance(result, MarkovNetwork)
            assert same_distribution(model, result).is_same
    assert result.structure.is_chordal


@pytest.mark.parametrize("example", [three, four, coronary_labels])
def test_a_labelled_dag_becomes_a_contextual_network(example: object) -> None:
    assert callable(example)
    model = example()
    assert isinstance(model, LabelledDag)
    result = markov_of_labelled(model)
    assert same_distribution(model, result).is_same
    assert result.structure.contexts or example is four


def test_the_toy_triangle_and_its_labelled_dag_are_the_same_model() -> None:
    result = markov_of_labelled(three())
    assert result.structure.contexts == {(1, 2): {(1,)}}
    assert result.representation_size() == three().representation_size() == 6
    labelled = labelled_of_markov(figure_8())
    assert same_distribution(figure_8(), labelled).is_same
    assert labelled.representation_size() == 6
    (edge,) = labelled.labelled_edges
    assert set(edge) == {"X2", "X3"}
    assert labelled.label(*edge).tolist() == [False, True]


# -- separation


def test_a_context_of_figure_9_separates_only_given_the_detour() -> None:
    network = figure_9()
    alone = separation(network, ["2"], ["5"], [], {"3": "1"})
    assert not alone.holds
    assert alone.vanished == (("2", "5"),)
    paths = alone.trails("2", "5", ["3"])
    assert [str(path) for path in paths.active] == ["2 – 1 – 4 – 5"]
    assert separation(network, ["2"], ["5"], ["1", "4"], {"3": "1"}).holds
    assert not separation(network, ["2"], ["5"], ["1", "4"], {"3": "0"}).holds
    assert not separation(network, ["2"], ["5"], ["1", "3", "4"]).holds
    statement = context_statement(network.structure, (1, 4), (1,))
    assert statement == "2 ⟂ 5 where 3 = 1, given all other variables"
    joint = joint_table(network)[:, :, 1]  # in the context; 1, 2, 4, 5 are left
    pair = joint.sum(axis=(0, 2))
    assert abs(pair[0, 0] * pair[1, 1] - pair[0, 1] * pair[1, 0]) > 1e-6 * pair.sum() ** 2
    for x1, x4 in product((0, 1), repeat=2):
        table = joint[x1, :, x4]
        assert table[0, 0] * table[1, 1] == pytest.approx(table[0, 1] * table[1, 0])


def test_paths_are_blocked_by_known_variables() -> None:
    result = path_separation(FIGURE_3, "1", "5", ["2", "4"])
    assert result.is_separated
    assert {str(path) for path in result.blocked} >= {"1 – 2 – 5", "1 – 4 – 5"}
    assert str(result.blocked[0].blocks[0]) == "2 is known"
    assert result.irrelevant == {"3", "5", "6"}
    assert [str(path) for path in path_separation(FIGURE_3, "1", "5", ["2"]).active] == [
        "1 – 4 – 5"
    ]
    assert path_separation(FIGURE_3, "1", "6").is_separated
    with pytest.raises(GraphError, match="both queried and known"):
        path_separation(FIGURE_3, "1", "5", ["5"])
    with pytest.raises(GraphError, match="itself"):
        path_separation(FIGURE_3, "1", "1")


@every_example
def test_separations_are_independences(number: int) -> None:
    network = EXAMPLES[number]
    joint, names = joint_table(network), network.domain.names
    for i, j in product(range(len(names)), repeat=2):
        if i >= j:
            continue
        for known in product((False, True), repeat=len(names)):
            given = [v for v, chosen in enumerate(known) if chosen and v not in (i, j)]
            if separation(network, [names[i]], [names[j]], [names[v] for v in given]).holds:
                away = tuple(v for v in range(joint.ndim) if v not in (i, j, *given))
                table = joint.sum(axis=away, keepdims=True)
                product_of = table.sum(axis=i, keepdims=True) * table.sum(axis=j, keepdims=True)
                total = table.sum(axis=(i, j), keepdims=True)
                assert table * total == pytest.approx(product_of, abs=1e-12)


def test_a_diagram_shows_contexts_and_what_vanishes() -> None:
    network = figure_9()
    tags = {(e.source, e.target): e.label for e in markov_picture(network).edges}
    assert tags["2", "5"] == "3 = 1"
    assert tags["1", "2"] == ""
    styles = {(e.source, e.target): e.style for e in markov_picture(network, {2: 1}).edges}
    assert styles["2", "5"].is_vanished
    assert not styles["2", "5"].has_arrow
    assert styles["1", "2"].value == "undirected"
    assert markov_picture(network, {2: 0}).edges[3].label == ""


def test_rules_on_edges_are_checked_without_directions() -> None:
    both = {("1", "2"), ("2", "1")}
    knowledge = Knowledge(
        required=frozenset({("1", "3")}), forbidden=frozenset(both | {("2", "3")})
    )
    assert broken_rules(figure_9(), knowledge) == [
        "1 – 3 is required but absent.",
        "1 – 2 is present, but: 1 → 2 is forbidden.",
    ]
    assert neighbour_roles(figure_9(), "3") == {"2": "neighbour", "5": "neighbour"}


def test_a_network_from_another_process_is_read_only() -> None:
    again = pickle.loads(pickle.dumps(figure_9()))
    assert joint_table(again) == pytest.approx(joint_table(figure_9()))
    assert not any(table.flags.writeable for table in again.potentials)


def test_structures_of_one_model_compare_by_their_restrictions() -> None:
    structure = figure_8().structure
    assert free_parameters(structure) == 6
    assert structure == MarkovStructure(structure.domain, structure.edges, structure.contexts)
    assert structure != structure.without_contexts()
