"""What every language of the registry can do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from pgmstudio.__main__ import main
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import GraphError, PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.language_comparison.candidates import LANGUAGES as CANDIDATES
from pgmstudio.core.inference.base import JointSession, Observed, Scale
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.io.models.native_json import model_schema
from pgmstudio.core.io.project.project_file import project_bytes, project_from_bytes
from pgmstudio.core.languages.base import Language, Lazy
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.conversions import conversions_of, converted, same_distribution
from pgmstudio.core.languages.diagrams import picture_names, picture_of
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.learners import all_learners
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.pdg.candidate_operations import redirections_to
from pgmstudio.core.languages.pdg.diagrams import node_name, operation_edit
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.languages.registry import LANGUAGES, edge_analysis, language, language_of
from pgmstudio.core.languages.sessions import Sampled, SamplePlan, open_session, sample_rows
from pgmstudio.core.languages.tree_mixture.model import TreeMixture
from pgmstudio.core.learning.edge_moves import ClimbResult, MoveList, MoveParams, climb
from pgmstudio.core.model import Model, ProbabilisticModel, edges_of, has_edges
from pgmstudio.core.project.edits import add_model
from pgmstudio.core.project.model_edits import EditableStructure, add_edge, edit_language
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.core.reports.model_svg import drawing_of
from tests.core.learning.lecture_data import GEOMETRIC, objects_network
from tests.decision_graphs import random_graph
from tests.labelled_dags import three
from tests.markov_networks import figure_9
from tests.oracles.brute_force import BruteForceSession
from tests.possibilistic_networks import random_possibilistic
from tests.strategies import random_classes, random_mixture, random_network, random_tree

EXAMPLES: dict[str, Callable[[], Any]] = {
    "tree": lambda: random_tree(np.random.default_rng(1), 4),
    "bayesian-network": lambda: random_network(np.random.default_rng(2), 4),
    "latent-class": lambda: random_classes(np.random.default_rng(3), 4, 2),
    "tree-mixture": lambda: random_mixture(np.random.default_rng(4), 4, 2),
    "pdg": lambda: random_graph(np.random.default_rng(5), 4, zeros=0.0),
    "ldag": three,
    "markov-network": figure_9,
    "relational-network": objects_network,
    "possibilistic-network": lambda: random_possibilistic(np.random.default_rng(6), 4),
}

every_language = pytest.mark.parametrize("kind", EXAMPLES)
# Of these every model is a distribution; the others have no likelihood and no samples.
DISTRIBUTIONS = [kind for kind in EXAMPLES if language(kind).scale is Scale.PROBABILITY]
every_distribution = pytest.mark.parametrize("kind", DISTRIBUTIONS)


def test_every_language_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(LANGUAGES)


def references(row: Language) -> list[Lazy[Any]]:
    """Everything that a row names and loads later."""
    result: list[Lazy[Any]] = []

    def walk(value: object) -> None:
        if isinstance(value, Lazy):
            result.append(value)
        elif isinstance(value, dict):
            for one in value.values():
                walk(one)
        elif isinstance(value, tuple):
            for one in value:
                walk(one)
        elif hasattr(value, "__dataclass_fields__"):
            for name in value.__dataclass_fields__:
                walk(getattr(value, name))

    for name in row.__dataclass_fields__:
        walk(getattr(row, name))
    return result


@every_language
def test_a_row_names_code_that_exists(kind: str) -> None:
    row = language(kind)
    assert row.kind == kind
    for reference in references(row):
        assert reference.load() is not None
    assert row.model_type.load() is type(EXAMPLES[kind]())
    assert row.title[0].isupper()
    assert {entry.learner for entry in row.comparison} <= set(row.learners)


@every_distribution
def test_a_session_answers_like_brute_force(kind: str) -> None:
    model = EXAMPLES[kind]()
    session, oracle = open_session(model), BruteForceSession(model)
    first = model.domain.variables[0]
    for asked in (session, oracle):
        asked.set_evidence(first.name, Observed(first.states[0]))
    for name in model.domain.names:
        belief = session.belief(name)
        assert belief.scale is language(kind).scale
        assert belief.values == pytest.approx(oracle.belief(name).values)
    assert session.log2_evidence() == pytest.approx(oracle.log2_evidence())


@every_language
def test_every_diagram_is_drawn_also_with_beliefs(kind: str) -> None:
    model = EXAMPLES[kind]()
    names = picture_names(model)
    assert names[0] == language(kind).diagrams[0].name
    for name in names:
        assert picture_of(model, name).nodes
        for with_beliefs in (False, True):
            assert drawing_of(ModelFile(model), picture=name, with_beliefs=with_beliefs)


@every_language
def test_a_diagram_allows_only_edits_that_exist(kind: str) -> None:
    structure = {"add_edge", "remove_edge", "reverse_edge", "add_variable", "remove_variable"}
    row = language(kind)
    for diagram in row.diagrams:
        own = diagram.edits - structure
        assert own <= set(row.edits)
        if diagram.edits & structure:
            assert isinstance(EXAMPLES[kind](), EditableStructure)


def edits_of(model: Model) -> dict[str, dict[str, Any]]:
    """Arguments for every edit that the language of a model names."""
    if model.kind == "pdg":
        assert isinstance(model, DecisionGraph)
        names, graph = model.domain.names, model
        rows = model.sample(200, np.random.default_rng(0))
        root = names[graph.roots[0]]
        states = model.domain[root].cardinality
        inner = next(n for n, c in zip(names, graph.node_counts, strict=True) if c > 1)
        redirected = operation_edit(model, next(redirections_to(graph, inner, 0)))
        return {
            "merge_nodes": {
                "node": node_name(model, inner, 0),
                "other": node_name(model, inner, 1),
                "data": rows,
            },
            "split_node": {"node": node_name(model, inner, 0)},
            redirected.pop("edit"): redirected,
            "move_variable": {"variable": inner, "above": None, "data": rows},
            "set_node": {"variable": root, "node": 0, "numbers": [1 / states] * states},
        }
    if model.kind == "ldag":
        assert isinstance(model, LabelledDag)
        source, target = model.labelled_edges[0]
        whole = model.table(target).shape
        kept = {"source": source, "target": target}
        class_rows = model.rows[model.domain.index(target)]
        label = np.argwhere(model.label(source, target))[0]
        held = tuple(int(state) for state in label)
        other = next(a for a, b in model.edges if b == target and a != source)
        free = next(c for c in np.ndindex(*whole[:-2]) if tuple(c) != held)
        return {
            "remove_context": {**kept, "context": held},
            "add_context": {"source": other, "target": target, "context": (0,)},
            "delete_labelled_edge": {**kept, "context": free},
            "set_class_rows": {"variable": target, "rows": class_rows[::-1]},
            "drop_labels": {},
            "labels_from_rows": {},
        }
    if model.kind == "tree-mixture":
        assert isinstance(model, TreeMixture)
        tree = model.trees[0]
        root = tree.domain.names[tree.parents.index(None)]
        states = tree.domain[root].cardinality
        return {
            "edit_tree": {"number": 0, "removed": tree.edges[0]},
            "set_tree_table": {
                "number": 0,
                "variable": root,
                "table": np.full(states, 1 / states),
            },
        }
    if model.kind == "relational-network":
        return {
            "set_projection": {
                "variables": ["size", "shape"],
                "tuples": [("small", "circle"), ("medium", "square")],
            },
            "project_data": {"data": GEOMETRIC},
        }
    if model.kind == "possibilistic-network":
        first = model.domain.variables[0]
        zeros = np.zeros((len(model.domain), 1), dtype=np.uint8)
        return {
            "set_degrees": {
                "variable": first.name,
                "degrees": np.linspace(0.5, 1.0, first.cardinality),
            },
            "project_data": {"data": DataSet(model.domain, zeros)},
            "set_norm": {"norm": "product"},
            "set_convention": {"convention": "hisdal"},
            "rescale": {},
        }
    if model.kind == "markov-network":
        assert isinstance(model, MarkovNetwork)
        names = model.domain.names
        clique = [names[v] for v in model.structure.maximal_cliques[0]]
        return {
            "add_context": {"source": names[1], "target": names[2], "context": (0,)},
            "remove_context": {"source": names[1], "target": names[4], "context": (1,)},
            "drop_contexts": {},
            "set_potential": {"variables": clique, "values": 2 * model.potentials[0]},
            "fit_parameters": {"data": model.sample(200, np.random.default_rng(0))},
        }
    return {}


@every_language
def test_edits_give_a_new_project_that_is_saved_and_leave_the_old_one(kind: str) -> None:
    model = EXAMPLES[kind]()
    before = add_model(Project(), entry=ModelEntry("Model", model))
    (model_id,) = before.models
    edits = edits_of(model)
    assert set(edits) == set(language(kind).edits)
    for edit, arguments in edits.items():
        after = edit_language(before, model_id=model_id, edit=edit, **arguments)
        assert after.models[model_id].model is not model
        assert before.models[model_id].model is model
        again = project_from_bytes(project_bytes(after)).models[model_id].model
        assert again.domain == model.domain
    if isinstance(model, EditableStructure):
        names = model.domain.names
        pairs = [(a, b) for a in names for b in names if a != b]
        added = 0
        for source, target in pairs:
            try:
                after = add_edge(before, model_id=model_id, source=source, target=target)
            except PgmStudioError:
                continue
            assert after.models[model_id].model is not model
            added += 1
        assert added


@every_language
def test_a_model_is_saved_by_the_schema_and_loaded(kind: str, tmp_path: Path) -> None:
    model, path = EXAMPLES[kind](), tmp_path / "model.json"
    write_model(path, ModelFile(model, title="Example"))
    jsonschema.Draft202012Validator(model_schema()).validate(json.loads(path.read_text()))
    (own,) = [
        one
        for one in model_schema()["allOf"]
        if one["if"]["properties"]["language"]["const"] == kind
    ]
    assert own["then"]["properties"]["structure"]["additionalProperties"] is False
    again = read_model(path).model
    assert again.kind == kind
    codec = language(kind).codec
    assert codec is not None
    assert codec.load().encode(again) == codec.load().encode(model)
    assert isinstance(again, ProbabilisticModel) == (kind in DISTRIBUTIONS)
    if not isinstance(again, ProbabilisticModel):
        return
    rows = model.sample(50, np.random.default_rng(0))
    assert again.log2_probabilities(rows).tolist() == model.log2_probabilities(rows).tolist()


@every_distribution
def test_conversions_keep_the_distribution(kind: str) -> None:
    model = EXAMPLES[kind]()
    done = 0
    for target in conversions_of(kind):
        try:
            other = converted(model, target)
        except GraphError:
            continue  # its structure has no such form
        assert other.kind == target
        assert same_distribution(model, other).is_same
        done += 1
    assert done


@every_distribution
def test_rows_are_sampled_also_given_evidence(kind: str) -> None:
    model = EXAMPLES[kind]()
    first = model.domain.variables[0]
    plan = SamplePlan(rows=20, evidence={first.name: Observed(first.states[0])})
    *_, last = sample_rows(model, plan, NEVER)
    assert isinstance(last, Sampled)
    assert last.data.row_count == 20
    assert set(last.data.column(first.name).tolist()) == {0}


@every_distribution
def test_a_model_is_exported_as_a_network(kind: str, tmp_path: Path) -> None:
    model = EXAMPLES[kind]()
    write_model(tmp_path / "model.bif", ModelFile(model))
    network = read_model(tmp_path / "model.bif").model
    assert set(model.domain.names) <= set(network.domain.names)


@every_language
def test_the_commands_query_and_draw_take_it(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = EXAMPLES[kind](), tmp_path / "model.json"
    write_model(path, ModelFile(model))
    first = model.domain.variables[0]
    assert main(["query", str(path), "--given", f"{first.name}={first.states[0]}", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kind"] == kind
    assert set(answer["beliefs"]) == set(model.domain.names)
    assert main(["draw", str(path), str(tmp_path / "model.svg"), "--quiet"]) == 0
    assert (tmp_path / "model.svg").read_text().rstrip().endswith("</svg>")


@every_language
def test_its_learners_and_its_place_in_the_comparison_come_from_the_row(kind: str) -> None:
    row = language(kind)
    learners = all_learners()
    assert row.learners
    for key in row.learners:
        assert learners[key].kind == kind
    assert (row.default_learner in row.learners) == (kind in DISTRIBUTIONS)
    for entry in row.comparison:
        assert CANDIDATES[entry.key].learner == entry.learner
        assert CANDIDATES[entry.key].family == kind


@pytest.mark.parametrize("kind", [kind for kind in EXAMPLES if kind not in DISTRIBUTIONS])
def test_what_needs_probabilities_is_refused_with_the_reason(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, path = EXAMPLES[kind](), tmp_path / "model.json"
    write_model(path, ModelFile(model))
    rows = tmp_path / "rows.csv"
    names = model.domain.names
    states = [variable.states[0] for variable in model.domain]
    rows.write_text("\n".join([",".join(names), *[",".join(states)] * 3]) + "\n")
    assert main(["evaluate", str(path), str(rows), "--json"]) == 0
    assert "log2_likelihood" not in json.loads(capsys.readouterr().out)
    assert main(["compare", str(rows), str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scale"] == language(kind).scale.value
    other = tmp_path / "network.json"
    write_model(other, ModelFile(BayesianNetwork.uniform(model.domain)))
    with pytest.raises(PgmStudioError, match="no probability distribution"):
        next(sample_rows(model, SamplePlan(rows=2), NEVER))
    assert conversions_of(kind) == {}
    for argv in (
        ["sample", str(path), "-n", "3", "-o", str(tmp_path / "drawn.csv")],
        ["evaluate", str(path), str(rows), "--target", names[0]],
        ["compare", str(rows), str(path), str(other)],
        ["sensitivity", str(path), "--target", names[0]],
        ["curve", str(rows), "--learners", next(iter(language(kind).learners))],
        ["convert", str(path), str(tmp_path / "model.bif")],
    ):
        assert main([*argv, "--quiet"]) in (1, 2), argv
        assert language(kind).noun in capsys.readouterr().err, argv


def test_a_query_of_a_tree_loads_no_other_language(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    write_model(path, ModelFile(EXAMPLES["tree"]()))
    code = (
        "import sys; from pgmstudio.cli.main import main\n"
        f"main(['query', {str(path)!r}, '--json'])\n"
        "print(*[name for name in sys.modules if name.endswith('.model')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[-2] for name in done.stderr.split()}
    assert {"tree", "bayesian_network"} <= loaded
    assert not loaded & {"pdg", "ldag", "markov_network", "tree_mixture", "latent_class"}


def test_the_language_of_a_model_is_found_by_its_kind() -> None:
    for kind, example in EXAMPLES.items():
        assert language_of(example()) is language(kind)


@every_distribution
def test_edges_are_measured_explained_and_moved_by_the_row_of_their_language(kind: str) -> None:
    model = EXAMPLES[kind]()
    if not has_edges(model):
        with pytest.raises(GraphError):
            edge_analysis(kind).graph_of(model)
        return
    analysis = edge_analysis(kind)
    rows = model.sample(300, np.random.default_rng(8))
    edges = set(edges_of(model))
    assert {link.edge for link in analysis.strengths(model, rows)} == edges
    session = open_session(model)
    if isinstance(session, JointSession):
        divergences = dict(analysis.removal_divergences(model, session))
        assert set(divergences) == edges
        assert min(divergences.values()) >= 0
    explainer = analysis.explainer(rows)
    assert all(explainer.explain(model, *edge).is_edge for edge in edges)
    graph, params = analysis.graph_of(model), MoveParams()
    search = analysis.search(rows, params, graph)
    rules = analysis.rules(model.domain.names, None, None)
    *_, end = climb(search, graph, rules, 1)
    assert isinstance(end, ClimbResult)
    *_, before = search.list_moves(graph, rules)
    *_, after = search.list_moves(end.graph, rules)
    assert isinstance(before, MoveList)
    assert isinstance(after, MoveList)
    gain = sum(move.gain for move in end.moves)
    assert after.score - before.score == pytest.approx(gain, abs=1e-6)
    if (row := language(kind)).is_network or row.edge_analysis is not None:
        fitted = analysis.fitted(model, end.graph, rows, 1.0)
        assert analysis.graph_of(fitted) == end.graph
