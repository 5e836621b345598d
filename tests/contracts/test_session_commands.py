"""Whatever the window does to a project is written as text when the session is exported."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import pgmstudio.gui
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.io.models.subnetwork_clipboard import paste_nodes
from pgmstudio.core.io.session.commands import EDITS, Command, commands_of, edit_of
from pgmstudio.core.io.session.script import call_text
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.drawn_data import generate, sample_model
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project
from tests.contracts.test_languages import EXAMPLES, edits_of

GUI = Path(pgmstudio.gui.__path__[0])
# How these are written: `learn`, `import_file` and `reimport`, which are no plain edits.
COMMANDS = {"add_run", "reimport_data"}
# What results from measurements or from the past has no text; the entry is stored.
STORED = {
    "add_curve": "measured points",
    "set_curve": "measured points",
    "show_best": "an interim model of a run",
    "gui/welcome/samples.py:_with": "a sample with its rows and the run that learned it",
}
# Parts of edits that are in EDITS, or their results.
RESULTS = {"edited_model", "add_generated"}
# Not undoable: they restore or close a project.
NO_STEPS = {"without_loose_references", "with_distinct_titles"}


def is_edit(function: object) -> bool:
    """Functions of the program have annotations as texts."""
    if not inspect.isfunction(function):
        return False
    first = next(iter(inspect.signature(function).parameters), "")
    kinds = [function.__annotations__.get(name) for name in (first, "return")]
    return kinds == ["Project", "Project"]


def edits_in(module: Path) -> Iterator[str]:
    """The functions Project → Project that a module of the window uses or defines."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pgmstudio.core"):
            source = importlib.import_module(node.module or "")
            for name in node.names:
                known = getattr(source, name.name, None)
                if is_edit(known):
                    yield name.name
                elif inspect.ismodule(known):
                    modules[name.asname or name.name] = known.__name__
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in modules:
                source = importlib.import_module(modules[node.value.id])
                if is_edit(getattr(source, node.attr, None)):
                    yield node.attr
        elif isinstance(node, ast.FunctionDef) and own_edit(node):
            yield f"gui/{module.relative_to(GUI).as_posix()}:{node.name}"


def own_edit(node: ast.FunctionDef) -> bool:
    first = next(iter(node.args.args), None)
    kinds = [one and ast.unparse(one) for one in (first and first.annotation, node.returns)]
    return kinds == ["Project", "Project"]


def test_every_edit_of_the_window_has_a_text_or_a_reason() -> None:
    used = {name for module in sorted(GUI.rglob("*.py")) for name in edits_in(module)}
    assert len(used) > 40
    without = used - set(EDITS) - COMMANDS - RESULTS - NO_STEPS
    assert without == set(STORED), "write it as a command (core/io/session), or say why not"


def through_text(edit: partial[Project], project: Project) -> Project:
    """The edit written as a call, read and carried out."""
    (command,) = commands_of(edit, project)
    call = ast.parse(call_text(command), mode="eval").body
    assert isinstance(call, ast.Call)
    arguments = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    return edit_of(Command(command.name, arguments), project)(project)


def content(project: Project) -> list[object]:
    return [
        *(e.data.fingerprint for e in project.data.values()),
        *((e.name, e.provenance, e.split is None) for e in project.data.values()),
        *((e.title, e.data_id, document_of(ModelFile(e.model))) for e in project.models.values()),
        *((e.is_edited, e.layouts, e.edge_notes, e.provenance) for e in project.models.values()),
    ]


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_edit_of_a_language_is_the_same_after_it_was_text(kind: str) -> None:
    model = EXAMPLES[kind]()
    before = edits.add_model(Project(), entry=ModelEntry("Model", model))
    for name, arguments in edits_of(model).items():
        edit = partial(model_edits.edit_language, model_id="m1", edit=name, **arguments)
        assert content(through_text(edit, before)) == content(edit(before)), name


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_small_model_of_any_language_is_text(kind: str) -> None:
    entry = ModelEntry("Own", EXAMPLES[kind](), notes="by hand", edge_notes={("A", "B"): "why?"})
    edit = partial(edits.add_model, entry=entry)
    assert content(through_text(edit, Project())) == content(edit(Project()))


A, B = (Variable(name, ("no", "yes")) for name in "AB")
ROWS = DataSet.from_rows(
    Domain((A, B)),
    [("no", "no"), ("yes", "yes"), ("yes", None), ("no", "no"), ("yes", "yes"), ("no", "yes")],
)
NETWORK = BayesianNetwork(
    Domain((A, B)),
    Dag.from_edges("AB", [("A", "B")]),
    (np.array([0.4, 0.6]), np.array([[0.9, 0.1], [0.25, 0.75]])),
)


def start() -> Project:
    project = edits.add_data(Project(), entry=DataEntry("rows", ROWS))
    project = edits.add_model(project, entry=ModelEntry("Net", NETWORK, data_id="d1"))
    project = edits.add_model(project, entry=ModelEntry("Markov", EXAMPLES["markov-network"]()))
    return sample_model(project, model_id="m2", rows=60, seed=1)


@pytest.mark.parametrize(
    "edit",
    [
        partial(edits.add_data, entry=DataEntry("more", replace(ROWS, weights=np.arange(1.0, 7)))),
        partial(edits.replace_data, data_id="d1", data=ROWS.complete_rows()),
        partial(edits.edit_data, data_id="d1", edit="impute_seeded", seed=3),
        partial(edits.edit_data, data_id="d1", edit="complete_rows"),
        partial(model_edits.impute_from_model, data_id="d1", model_id="m1", seed=3),
        partial(sample_model, model_id="m1", rows=9, seed=2, evidence={"B": Observed("yes")}),
        partial(
            generate,
            generator="parity",
            rows=12,
            seed=1,
            parameters={"variables": 3},
            is_split=True,
            adds_truth=True,
        ),
        partial(model_edits.convert_model, model_id="m1", kind="markov-network"),
        partial(
            model_edits.make_moves, model_id="m1", moves=[("reverse", "A", "B")], smoothing=1.0
        ),
        partial(model_edits.edit_from_rows, model_id="m2", edit="fit_parameters", smoothing=0.5),
        partial(edits.direct_edges, model_id="m1", edges=[("B", "A")]),
        partial(edits.replace_structure, model_id="m1", model=NETWORK.without_edge("A", "B")),
        partial(edits.resolve_choices, model_id="m1", model=NETWORK, choose="A → B"),
        partial(paste_nodes, model_id="m1", part=NETWORK),
    ],
    ids=lambda edit: edit.keywords.get("edit", edit.func.__name__),
)
def test_an_edit_is_the_same_after_it_was_text(edit: partial[Project]) -> None:
    before = start()
    after = edit(before)
    assert content(after) != content(before)
    assert content(through_text(edit, before)) == content(after)
