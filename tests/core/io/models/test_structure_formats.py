"""Formats that hold edges alone: DOT, DAGitty, GraphML, GML, node-link JSON, model strings."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import ModelFileError
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.io.models.files import MODEL_FORMATS, Holds, ModelFile, read_model, write_model
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.model import edges_of
from tests.core.io.odd_networks import odd_files
from tests.core.learning.lecture_data import objects_network
from tests.markov_networks import figure_9
from tests.possibilistic_networks import random_possibilistic
from tests.strategies import random_network

WITH_STATES = [".dot", ".graphml", ".gml", ".nodelink.json", ".ldag"]
UNDIRECTED = [".dot", ".graphml", ".gml", ".nodelink.json"]
STRUCTURES = [k for k in MODEL_FORMATS if k.holds is Holds.STRUCTURE]


def read(text: str, ending: str) -> ModelFile:
    path = Path(f"m{ending}")
    known = next(known for known in MODEL_FORMATS if ending in known.endings)
    return known.parser()(text.encode(), path)


def edges(text: str, ending: str) -> set[tuple[str, str]]:
    return set(read(text, ending).model.edges)


@pytest.mark.parametrize("known", STRUCTURES, ids=lambda known: known.name)
@given(file=odd_files())
@settings(max_examples=60)
def test_edges_come_back_whatever_the_names_are(known, file) -> None:
    path = Path(f"m{known.endings[0]}")
    if known.endings[0] == ".bnstr":  # no quotes there: plain names for this one
        plain = Domain.of({f"v {i}": v.states for i, v in enumerate(file.model.domain)})
        file = ModelFile(file.model.with_domain(plain))
    content, lost = known.renderer()(file, path)
    again = known.parser()(content, path)
    assert set(again.model.edges) == set(file.model.edges)
    assert "cannot hold" in lost[0]
    if known.endings[0] in WITH_STATES:
        assert again.model.domain == file.model.domain
        assert again.title == file.title
        assert dict(again.layout) == dict(file.layout)
        assert known.renderer()(again, path)[0] == content


@pytest.mark.parametrize("known", STRUCTURES, ids=lambda known: known.name)
def test_unknown_states_are_no_and_yes_with_uniform_tables_and_a_warning(known) -> None:
    samples = {
        ".dot": "digraph { a -> b }",
        ".dagitty": "dag { a -> b }",
        ".graphml": '<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/>'
        '<edge source="a" target="b"/></graph></graphml>',
        ".gml": 'graph [ directed 1 node [ id 1 label "a" ] node [ id 2 label "b" ] '
        "edge [ source 1 target 2 ] ]",
        ".nodelink.json": '{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}],'
        ' "links": [{"source": "a", "target": "b"}]}',
        ".bnstr": "[a][b|a]",
        ".ldag": "a -> b",
    }
    file = read(samples[known.endings[0]], known.endings[0])
    network = file.model
    assert isinstance(network, BayesianNetwork)
    assert network.edges == (("a", "b"),)
    assert network.domain["b"].states == ("no", "yes")
    assert network.table("b").tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert "All variables have the states no and yes" in file.warnings[-1]
    assert file.warnings[-1].endswith("Fill the tables from data.")


# DOT


def test_chains_groups_and_defaults_of_dot() -> None:
    text = """/* made by hand */
    strict digraph "my graph" {
      rankdir=LR; node [shape=box]; edge [color=gray];
      # a line of the preprocessor
      a -> b -> { c d } [weight=2];
      subgraph cluster_0 { label="part"; d -> e:port:n }
      "f \\"quoted\\"" [label=<<b>bold</b>>, pos="10,-20"];  // a node alone
      e -> a [dir=back]
    }"""
    file = read(text, ".dot")
    assert file.title == "my graph"
    wanted = {("a", "b"), ("b", "c"), ("b", "d"), ("d", "e"), ("a", "e")}
    assert set(file.model.edges) == wanted
    assert 'f "quoted"' in file.model.domain
    assert file.layout == {'f "quoted"': (10.0, 20.0)}  # y is upwards in DOT
    assert file.titles == {}


def test_graphviz_reads_what_is_written_and_stands_it_the_same_way_up(tmp_path) -> None:
    pgv = pytest.importorskip("pygraphviz")
    network = random_network(np.random.default_rng(5))
    layout = {name: (10.5 * i, 20.0 * i) for i, name in enumerate(network.domain.names)}
    write_model(tmp_path / "m.dot", ModelFile(network, layout=layout, titles={"X1": "Rain, heavy"}))
    graph = pgv.AGraph(str(tmp_path / "m.dot"))
    assert {(a, b) for a, b in graph.edges()} == set(network.edges)
    assert graph.get_node("X1").attr["label"] == "Rain, heavy"
    heights = [float(graph.get_node(n).attr["pos"].rstrip("!").split(",")[1]) for n in layout]
    assert heights == sorted(heights, reverse=True)
    graph.write(str(tmp_path / "theirs.dot"))
    again = read_model(tmp_path / "theirs.dot")
    assert set(again.model.edges) == set(network.edges)
    assert again.model.domain["X2"] == network.domain["X2"]
    assert again.layout["X3"] == layout["X3"]


def test_an_undirected_graph_is_directed_where_that_makes_no_v_structure() -> None:
    file = read("graph { a -- b -- c; }", ".dot")
    assert file.model.dag.v_structures == frozenset()
    assert file.model.dag.skeleton == {("a", "b"), ("b", "c")}
    assert "2 edges have no direction" in file.warnings[0]


def test_a_cpdag_becomes_one_of_its_members() -> None:
    text = "digraph { a -> c; b -> c; c -> d; d -> e [dir=none]; }"
    dag = read(text, ".dot").model.dag
    member = Dag.from_edges(dag.names, [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
    assert dag.is_equivalent_to(member)


def test_a_graph_that_cannot_be_directed_is_refused_with_its_line() -> None:
    square = "graph {\n a -- b;\n b -- c; c -- d; d -- a; }"
    with pytest.raises(ModelFileError, match="no way to direct") as refused:
        read(square, ".dot")
    assert refused.value.line == 2


# DAGitty


DAGITTY = """dag {
bb="-3.5,-2.5,3.5,2.5"
"Body weight" [pos="-1.0,0.5"]
Age [adjusted,pos="0.0,-1.5"]
Smoking [exposure,pos="1.0,0.5"]
Asthma [outcome,pos="0.0,1.5"]
U [latent]
Age -> Smoking
Age -> {"Body weight" Asthma} [pos="0.1,0.2"]
Asthma <- Smoking <- U
}
"""


def test_a_text_of_dagitty_net_is_read_with_its_places_stretched() -> None:
    file = read(DAGITTY, ".dagitty")
    wanted = {("Age", "Smoking"), ("Age", "Body weight"), ("Age", "Asthma")}
    assert set(file.model.edges) == wanted | {("Smoking", "Asthma"), ("U", "Smoking")}
    assert any("exposure, outcome, adjusted, latent" in warning for warning in file.warnings)
    assert "U" not in file.layout
    points = file.layout
    assert points["Smoking"][0] - points["Body weight"][0] == pytest.approx(2 * 150 / 2**0.5)
    assert points["Age"][1] < points["Asthma"][1]  # y is downwards


def test_places_in_px_stay_as_they_are() -> None:
    domain = Domain.of({"a": ("x", "y"), "b": ("x", "y")})
    file = ModelFile(BayesianNetwork.uniform(domain), layout={"a": (0.0, 5.5), "b": (200.0, 1.0)})
    known = next(k for k in MODEL_FORMATS if k.name == "DAGitty")
    content, lost = known.renderer()(file, Path("m.dagitty"))
    assert known.parser()(content, Path("m.dagitty")).layout == file.layout
    assert "states" in lost[0]


def test_a_hidden_common_cause_is_refused_with_its_line() -> None:
    with pytest.raises(ModelFileError, match="leads both ways") as refused:
        read("dag {\nA -> B\nA <-> C\n}", ".dagitty")
    assert refused.value.line == 3


def test_an_edge_without_direction_is_directed_or_refused() -> None:
    assert len(edges("pdag { A -- B; B -> C; D -> C }", ".dagitty")) == 3
    with pytest.raises(ModelFileError, match="has no direction"):
        read("pdag { A -- B; B -- C; C -- D; D -- A }", ".dagitty")


# networkx writes, we read; we write, networkx reads


@pytest.fixture
def network() -> BayesianNetwork:
    network = random_network(np.random.default_rng(11), 7)
    names = ("a", "größe", "with blank", "1", "<&>", 'say "x"', "日本")
    domain = Domain.of(
        {name: v.states for name, v in zip(names, network.domain.variables, strict=True)}
    )
    return network.with_domain(domain)


def test_networkx_reads_our_graphml(tmp_path, network) -> None:
    write_model(tmp_path / "m.graphml", ModelFile(network, layout={"a": (1.5, 2.0)}))
    graph = nx.read_graphml(tmp_path / "m.graphml")
    assert set(graph.edges) == set(network.edges)
    assert (graph.nodes["a"]["x"], graph.nodes["a"]["y"]) == (1.5, 2.0)
    assert json.loads(graph.nodes["1"]["states"]) == list(network.domain["1"].states)
    nx.write_graphml(graph, tmp_path / "theirs.graphml")
    again = read_model(tmp_path / "theirs.graphml")
    assert set(again.model.edges) == set(network.edges)
    assert again.model.domain == network.domain
    assert again.layout == {"a": (1.5, 2.0)}


def test_networkx_reads_our_gml(tmp_path, network) -> None:
    write_model(tmp_path / "m.gml", ModelFile(network, layout={"a": (1.5, 2.0)}))
    graph = nx.read_gml(tmp_path / "m.gml")
    assert set(graph.edges) == set(network.edges)
    assert graph.nodes["a"]["graphics"] == {"x": 1.5, "y": 2.0}
    nx.write_gml(graph, tmp_path / "theirs.gml")
    again = read_model(tmp_path / "theirs.gml")
    assert set(again.model.edges) == set(network.edges)
    assert again.model.domain == network.domain


@pytest.mark.parametrize("key", ["links", "edges"])
def test_networkx_reads_our_node_link_json(tmp_path, network, key) -> None:
    write_model(tmp_path / "m.nodelink.json", network)
    graph = nx.node_link_graph(
        json.loads((tmp_path / "m.nodelink.json").read_text()), edges="links"
    )
    assert set(graph.edges) == set(network.edges)
    document = nx.node_link_data(graph, edges=key)
    for name in ("theirs.nodelink.json", "theirs.json"):  # the second is known by its entries
        (tmp_path / name).write_text(json.dumps(document))
        again = read_model(tmp_path / name)
        assert set(again.model.edges) == set(network.edges)
        assert again.model.domain == network.domain


def test_labels_and_places_of_yed_are_read() -> None:
    text = """<graphml xmlns:y="http://www.yworks.com/xml/graphml">
    <key for="node" id="d6" yfiles.type="nodegraphics"/>
    <graph edgedefault="directed" id="G">
      <node id="n0"><data key="d6"><y:ShapeNode><y:Geometry height="30" width="40" x="100" y="200"/>
        <y:NodeLabel>Smoking</y:NodeLabel></y:ShapeNode></data></node>
      <node id="n1"><data key="d6"><y:ShapeNode><y:Geometry height="30" width="40" x="0" y="0"/>
        <y:NodeLabel>Lung cancer</y:NodeLabel></y:ShapeNode></data></node>
      <edge id="e0" source="n0" target="n1"/>
    </graph></graphml>"""
    file = read(text, ".graphml")
    assert file.model.edges == (("Smoking", "Lung cancer"),)
    assert file.layout == {"Smoking": (120.0, 215.0), "Lung cancer": (20.0, 15.0)}
    assert file.title == ""


# bnlearn


def test_a_model_string_lists_each_node_with_its_parents() -> None:
    text = "[A][S]\n[T|A][L|S][B|S][D|B:E][E|T:L][X|E]\n"
    file = read(text, ".bnstr")
    assert file.model.dag.parents("D") == ("B", "E")
    assert len(file.model.edges) == 8


def test_a_name_that_a_model_string_cannot_hold_is_refused(tmp_path) -> None:
    network = BayesianNetwork.uniform(Domain.of({"a|b": ("x", "y")}))
    with pytest.raises(ModelFileError, match=r"“a\|b” cannot stand in a model string"):
        write_model(tmp_path / "m.bnstr", network)


@pytest.mark.parametrize(
    ("ending", "text", "line", "message"),
    [
        (".dot", "digraph {\n a -> ; }", 2, "expected a node"),
        (".dot", "digraph {\n a -> b", 2, "has no “}”"),
        (".dot", "flowchart { }", 1, "is it a DOT file"),
        (".dot", "digraph {\n a -> a }", 2, "its own parent"),
        (".dot", "digraph { a -> b; b -> a }", None, "would close a cycle"),
        (".dot", "digraph { }", None, "holds no nodes"),
        (".dot", "digraph {" + "{" * 100, 1, "nested too deeply"),
        (".dot", "digraph { /* a", 1, "has no end"),
        (".dagitty", "mag { A -> B }", 1, "is it a DAGitty file"),
        (
            ".graphml",
            '<graphml>\n<graph><node id="a"/>\n<edge source="a" target="b"/></graph></graphml>',
            3,
            "“b”, which is no node",
        ),
        (".graphml", "<graphml>\n<graph><node/></graph></graphml>", 2, "no id of its own"),
        (".graphml", "<svg/>", None, "is it a GraphML file"),
        (".gml", "graph [\n node [ id 1 ]\n edge [ source 1 target 2 ] ]", 3, "node 2"),
        (".gml", "graph [\n node [ id 1", 2, "not closed"),
        (".gml", "graph [ ] ]", 1, "was not opened"),
        (".gml", "digraph { }", 1, "expected a"),
        (".nodelink.json", '{"nodes": [{"id": 1.5}], "links": []}', None, "nodes[0].id"),
        (".nodelink.json", '{"nodes": []}', None, "“links” is missing"),
        (".bnstr", "[A]\n[B|C]", 2, "has no [C] of its own"),
        (".bnstr", "[A]\n[A]", 2, "is there twice"),
        (".bnstr", "[A\n", 2, "expected “]” after A"),
        (".bnstr", "A B", 1, "expected “[”"),
        (".bnstr", "[A|B][B|A]", None, "would close a cycle"),
    ],
)
def test_an_error_names_its_line(ending: str, text: str, line: int | None, message: str) -> None:
    with pytest.raises(ModelFileError) as refused:
        read(text, ending)
    assert message in str(refused.value)
    assert refused.value.line == line


def test_more_parents_than_memory_holds_are_refused() -> None:
    text = "digraph { {" + " ".join(f"v{i}" for i in range(60)) + "} -> x }"
    with pytest.raises(ModelFileError, match="Remove parents"):
        read(text, ".dot")


# Markov networks: the undirected graph itself


def fields(read_graph: nx.Graph) -> tuple[set[frozenset[str]], dict[frozenset[str], str]]:
    edges = {frozenset(edge) for edge in read_graph.edges}
    contexts = nx.get_edge_attributes(read_graph, "contexts")
    return edges, {frozenset(edge): text for edge, text in contexts.items()}


@pytest.mark.parametrize("ending", UNDIRECTED)
def test_a_markov_network_is_written_as_its_undirected_graph_with_contexts(
    ending, tmp_path
) -> None:
    path = tmp_path / f"m{ending}"
    lost = write_model(path, ModelFile(figure_9(), title="Figure 9", layout={"3": (1.5, -2.0)}))
    assert not any("comes back as" in message for message in lost)
    theirs = {
        ".dot": lambda: nx.Graph(nx.nx_agraph.read_dot(path)),
        ".graphml": lambda: nx.read_graphml(path),
        ".gml": lambda: nx.read_gml(path),
        ".nodelink.json": lambda: nx.node_link_graph(json.loads(path.read_text()), edges="links"),
    }[ending]()
    edges, contexts = fields(theirs)
    assert not theirs.is_directed()
    assert edges == {frozenset(edge) for edge in figure_9().undirected_edges}
    assert contexts == {frozenset("25"): "3=1"}
    file = read_model(path)
    assert isinstance(file.model, MarkovNetwork)
    assert file.model.structure == figure_9().structure
    assert (file.title, dict(file.layout)) == ("Figure 9", {"3": (1.5, -2.0)})


@pytest.mark.parametrize("ending", UNDIRECTED)
def test_the_graphs_of_relations_and_degrees_are_written_without_their_tables(
    ending, tmp_path
) -> None:
    degrees = random_possibilistic(np.random.default_rng(1), 5)
    for model in (objects_network(), degrees):
        path = tmp_path / f"m{ending}"
        first, second, *_ = write_model(path, ModelFile(model))
        assert "cannot hold the tables" in first
        assert "comes back as a Bayesian network" in second
        again = read_model(path).model
        assert again.domain == model.domain
        ends = {frozenset(edge) for edge in edges_of(model)}
        assert {frozenset(edge) for edge in edges_of(again)} == ends
        if model is degrees:
            assert edges_of(again) == edges_of(model)


@pytest.mark.parametrize("ending", UNDIRECTED)
def test_contexts_come_back_whatever_the_names_are(ending) -> None:
    domain = Domain.of({'a -- "b"': ["x=1", "*", "<ü>"], "c; d": ["0", "1"], "e,#": ["0", "1"]})
    triangle = MarkovStructure(domain, frozenset({(0, 1), (0, 2), (1, 2)}))
    model = MarkovNetwork.uniform(triangle.with_context((1, 2), (2,)).with_context((0, 2), (1,)))
    known = next(known for known in MODEL_FORMATS if ending in known.endings)
    content, _ = known.renderer()(ModelFile(model), Path(f"m{ending}"))
    again = known.parser()(content, Path(f"m{ending}"))
    assert again.model.structure == model.structure
    assert known.renderer()(again, Path(f"m{ending}"))[0] == content


def test_a_context_that_is_not_understood_is_refused_with_its_line() -> None:
    text = 'graph { kind="markov-network"; d; a -- b; b -- c;\n a -- c [contexts="d=no"] }'
    with pytest.raises(ModelFileError, match="d is no common neighbour") as refused:
        read(text, ".dot")
    assert refused.value.line == 2


def test_formats_of_bayesian_networks_state_what_becomes_of_a_markov_network(tmp_path) -> None:
    lost = " ".join(write_model(tmp_path / "m.bif", figure_9()))
    assert "comes back as a Bayesian network" in lost
    assert "edges are added where the graph is not chordal" in lost
