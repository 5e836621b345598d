"""Parts of Markov networks, as they are copied and pasted."""

from __future__ import annotations

import numpy as np
import pytest

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import GraphError
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.models.subnetwork_clipboard import copied, pasted
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import converted
from pgmstudio.core.languages.markov_network.log_linear import LogLinearTables
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.parts import joined, part_of
from pgmstudio.core.languages.markov_network.structure import MarkovStructure


def network(
    edges: str, contexts: dict[tuple[str, str], list[dict[str, str]]] | None = None
) -> MarkovNetwork:
    names = sorted(set(edges) - {" "})
    domain = Domain(tuple(Variable(name, ("0", "1", "2")[: 2 + (name == "C")]) for name in names))
    structure = MarkovStructure.of_names(domain, [(e[0], e[1]) for e in edges.split()], contexts)
    form = LogLinearTables.of(structure)
    values = np.random.default_rng(3).normal(size=len(form.parameters))
    return MarkovNetwork.of_parameters(structure, form.restricted(values))


def joint(model: MarkovNetwork | BayesianNetwork, names: str) -> Floats:
    return JunctionTreeSession(model).joint(list(names))


def test_potentials_stay_as_they_are_where_all_neighbours_are_copied() -> None:
    whole = network("AB BC CD AD EF")
    part, notices = part_of(whole, set("ABCD"))
    assert notices == ()
    assert part.undirected_edges == (("A", "B"), ("A", "D"), ("B", "C"), ("C", "D"))
    for ours, theirs in zip(part.potentials, whole.potentials, strict=False):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("names", ["ABC", "BCD", "CD", "B"])
def test_neighbours_left_behind_are_summed_out_exactly_where_the_graph_allows(names: str) -> None:
    whole = network("AB BC AC CD DE EF CF", {("A", "B"): [{"C": "1"}]})
    part, notices = part_of(whole, set(names))
    assert any("are summed over" in notice for notice in notices)
    np.testing.assert_allclose(joint(part, names), joint(whole, names), atol=1e-12)


def test_a_part_without_the_edges_for_the_exact_result_is_the_nearest_distribution() -> None:
    whole = network("AB BC CD AD")
    part, notices = part_of(whole, set("ABC"))
    assert notices == (
        "The potentials of A, C are summed over D, not copied with them.",
        "Edges are missing for the exact result: this is the nearest distribution.",
    )
    for pair in ("AB", "BC"):  # what its edges can state is exact
        np.testing.assert_allclose(joint(part, pair), joint(whole, pair), atol=1e-9)


def test_contexts_are_copied_with_their_common_neighbours_and_else_named_as_lost() -> None:
    whole = network("AB BC AC CD", {("A", "B"): [{"C": "1"}]})
    part, notices = part_of(whole, set("ABC"))
    assert part.structure.contexts == whole.structure.contexts
    part, notices = part_of(whole, set("AB"))
    assert not part.structure.contexts
    assert "1 context cannot be stated without the nodes left behind." in notices
    np.testing.assert_allclose(joint(part, "AB"), joint(whole, "AB"), atol=1e-12)


def test_a_pasted_part_is_independent_of_the_rest_and_has_free_names() -> None:
    whole = network("AB BC AC CD", {("A", "B"): [{"C": "1"}]})
    text = copied(whole, "ABC", {"A": (0.0, 0.0), "B": (100.0, 0.0)}).text
    result = pasted(whole, text, present={"A": (0.0, 0.0)})
    model = result.model
    assert isinstance(model, MarkovNetwork)
    assert result.names == ("A 2", "B 2", "C 2")
    assert model.structure.element_count == 2
    both = JunctionTreeSession(model).joint(["A", "B", "A 2", "B 2"])
    np.testing.assert_allclose(both, np.multiply.outer(*[joint(whole, "AB")] * 2), atol=1e-12)


def test_parts_go_from_markov_networks_to_bayesian_networks_and_back() -> None:
    markov = network("AB BC CD AD")
    directed = converted(network("EF FG"), "bayesian-network")
    assert isinstance(directed, BayesianNetwork)
    there = pasted(directed, copied(markov, "ABCD", {}).text).model
    assert isinstance(there, BayesianNetwork)
    np.testing.assert_allclose(joint(there, "ABCD"), joint(markov, "ABCD"), atol=1e-12)
    back = pasted(markov, copied(directed, "EFG", {}).text).model
    assert isinstance(back, MarkovNetwork)
    np.testing.assert_allclose(joint(back, "EFG"), joint(directed, "EFG"), atol=1e-12)


def test_a_language_of_whole_models_reports_which_ones_can_be_copied_in_parts() -> None:
    tree = converted(converted(network("AB BC"), "bayesian-network"), "ldag")
    with pytest.raises(GraphError, match="Only Bayesian networks and Markov networks"):
        copied(tree, "A", {})


def test_joining_keeps_the_contexts_of_both() -> None:
    one = network("AB BC AC", {("A", "B"): [{"C": "1"}]})
    names = tuple(Variable(v.name.lower(), v.states) for v in one.domain)
    both = joined(one, one.with_domain(Domain(names)))
    assert set(both.structure.contexts) == {(0, 1), (3, 4)}
    assert both.representation_size() == 2 * one.representation_size()
