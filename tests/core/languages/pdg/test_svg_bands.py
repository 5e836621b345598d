"""A decision graph as SVG: a band for each variable, arcs as wide as the flow."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.diagrams import picture_names, picture_of
from pgmstudio.core.languages.pdg.candidate_operations import CandidateOperation, Operation
from pgmstudio.core.languages.pdg.diagrams import (
    NODES,
    node_name,
    node_numbers,
    operation_text,
    progress_text,
)
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.pdg.session import DecisionGraphSession
from pgmstudio.core.languages.pdg.svg import svg_of_bands
from tests.decision_graphs import medical, random_graph, two_trees

SPACE = "{http://www.w3.org/2000/svg}"


def drawn(graph: DecisionGraph, **findings: str) -> ElementTree.Element:
    session = DecisionGraphSession(graph)
    for name, state in findings.items():
        session.set_evidence(name, Observed(state))
    flows = session.node_flows()
    beliefs = {
        v.name: dict(zip(v.states, session.belief(v.name).values.tolist(), strict=True))
        for v in graph.domain
    }
    evidence = {n: {s: float(s == f) for s in graph.domain[n].states} for n, f in findings.items()}
    return ElementTree.fromstring(
        svg_of_bands(graph, flows.visits, flows.arcs, beliefs=beliefs, evidence=evidence)
    )


def texts_of(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SPACE}text")]


def test_every_node_stands_in_the_drawing_with_the_chance_to_reach_it() -> None:
    graph = medical()
    texts = texts_of(drawn(graph))
    for number in range(1, sum(graph.node_counts) + 1):
        assert f"ν{number}" in texts
    assert "40.0 %" in texts  # F's node after H = u


def test_evidence_leaves_nodes_unreached() -> None:
    texts = texts_of(drawn(medical(), H="p"))
    assert texts.count("not reached") == 2 + 3


def test_an_arc_is_as_wide_as_its_flow() -> None:
    root = drawn(medical())
    curves = [p for p in root.iter(f"{SPACE}path") if " C " in p.get("d", "")]
    widths = sorted(float(p.get("stroke-width", "0")) for p in curves)
    assert round(1 + 11 * 0.4, 2) in widths  # the arc of H = u


def test_nodes_are_counted_along_the_forest_and_from_left_to_right() -> None:
    graph = random_graph(np.random.default_rng(1), 6)
    numbers = [number for some in node_numbers(graph) for number in some]
    assert sorted(numbers) == list(range(1, sum(graph.node_counts) + 1))
    assert node_name(graph, graph.domain.names[graph.order[0]], 0) == "ν1"


def test_steps_are_named_by_their_nodes() -> None:
    graph = medical()
    one, two = (node_name(graph, "D", node) for node in (0, 1))
    assert (
        operation_text(graph, CandidateOperation(Operation.MERGE, "D", 0, 1))
        == f"Merge {one} with {two}"
    )
    assert operation_text(graph, CandidateOperation(Operation.SPLIT, "D", 0)) == f"Split {one}"
    arc = CandidateOperation(Operation.REDIRECT, "D", 0, upper=1, state=1)
    assert operation_text(graph, arc) == f"Redirect {node_name(graph, 'F', 1)} a to {one}"


def test_parameters_are_certain_only_where_they_are() -> None:
    assert [progress_text(v) for v in (0.0, 0.714, 0.9999, 1.0)] == ["0", ".71", ".99", "1"]


def test_nodes_and_flow_is_the_picture_shown_first() -> None:
    graph = two_trees()
    assert picture_names(graph) == (NODES, "forest")
    picture = picture_of(graph)
    assert len(picture.nodes) == sum(graph.node_counts)
    assert all(edge.label for edge in picture.edges)
