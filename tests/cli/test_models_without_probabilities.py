"""Every command with a relational and with a possibilistic network: a sensible answer, or one
sentence that names what does not exist on its scale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.cli.registry import COMMANDS
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.project import edits
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project
from tests.core.learning.lecture_data import GEOMETRIC, objects_network

Call = Callable[..., Any]

# The arguments of a call, and part of the answer or of the refusal. {m} is the model, {d} the data,
# {o} a folder to write to, {l} the setting, {p} a project, {t} a plan.
ANSWERS: dict[str, list[tuple[str, str]]] = {
    "learners": [("", "{l}.exhaustive")],
    "describe": [("{m}", "{l}-network")],
    "associations": [("{d} --measure hartley_gain", "1.000000")],
    "decomposition": [("{d}", "26"), ("{d} {m}", "0")],
    "learn": [("{l}.spanning-tree {d}", "Additional"), ("{l}.exhaustive {d}", "Ranking")],
    "evaluate": [("{m} {d}", "Additional")],
    "query": [("{m} --given shape=square", "color"), ("{m} --mpe", "color")],
    "compare": [("{d} {m}", "best")],
    "diff": [("{m} {m}", "same")],
    "draw": [("{m} {o}/model.svg", "")],
    "convert": [("{m} {o}/copy.json", "")],
    "export-page": [("{m} {o}/page.html", "")],
    "report": [("{p} -o {o}/report.html", "")],
}
REFUSALS: dict[str, list[tuple[str, str]]] = {
    "evaluate": [
        ("{m} {d} --target shape", "gives rows no probability"),
        ("{m} {d} --rows {o}/rows.csv", "gives rows no probability"),
    ],
    "sensitivity": [("{m} --target shape=square", "has no probabilities. Use pgmstudio query")],
    "sample": [("{m} -n 3 -o {o}/rows.csv", "cannot be sampled")],
    "curve": [("{d} --learners {l}.spanning-tree -o {o}/curve", "no log-likelihood")],
    "cross-validate": [("{d} --learners {l}.spanning-tree", "no log-likelihood")],
    "consensus": [("{m} --target shape", "has no probabilities. Use pgmstudio query")],
    "average": [("{m} {m}", "cannot be averaged")],
    "disagree": [("{m} {m} --given shape=square", "has no probabilities")],
    "why": [("{m} {d} color shape", "has no probabilities. Use pgmstudio associations")],
    "moves": [("{m} {d}", "has no probabilities. Use a learner")],
    "strengths": [("{m} {d}", "has no probabilities. Use pgmstudio associations")],
    "bootstrap": [("{l}.spanning-tree {d}", "A bootstrap counts the edges of")],
    "convert": [
        ("{m} {o}/model.bif", "BIF holds Bayesian networks"),
        ("{m} {o}/model.json --to bayesian-network", "cannot become a Bayesian network"),
    ],
    "sweep": [("{t} --out {o}/sweep", "no log-likelihood")],
}
# They take neither a model nor a learner.
OTHER = {
    *("generate", "recipe", "study", "tour", "compare-languages", "independences"),
    *("completion", "replay"),
    "possibility",  # has tests of its own
}
PLAN = """
title = "Objects"
seeds = [0]
[data]
file = "rows.csv"
test-share = 0.2
[[learners]]
key = "{l}.spanning-tree"
"""


def calls(table: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(name, *each) for name, listed in table.items() for each in listed]


def test_every_command_is_walked() -> None:
    assert {*ANSWERS, *REFUSALS, *OTHER} == set(COMMANDS)


@pytest.fixture(scope="module", params=["relational", "possibilistic"])
def fields(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What stands for the braces, made once for each setting."""
    setting = request.param
    folder: Path = tmp_path_factory.mktemp(setting)
    data = folder / "rows.csv"
    names = GEOMETRIC.domain.names
    rows = [
        ",".join(v.states[code] for v, code in zip(GEOMETRIC.domain, codes, strict=True))
        for codes in GEOMETRIC.codes.T.tolist()
    ]
    data.write_text("\n".join([",".join(names), *rows]) + "\n")
    learner = learner_of(f"{setting}.spanning-tree")
    *_, last = LearnTask(learner.key, GEOMETRIC, learner.params_type(), 0)(NEVER)
    assert isinstance(last, Finished)
    model = folder / "model.json"
    write_model(model, ModelFile(last.model))
    project = edits.add_data(Project(), entry=DataEntry("objects", GEOMETRIC))
    for title in ("one", "two"):
        project = edits.add_model(project, entry=ModelEntry(title, last.model, data_id="d1"))
    (folder / "project.pgmz").write_bytes(project_bytes(project))
    (folder / "plan.toml").write_text(PLAN.replace("{l}", setting))
    return {
        "m": model,
        "d": data,
        "o": folder,
        "l": setting,
        "p": folder / "project.pgmz",
        "t": folder / "plan.toml",
    }


@pytest.mark.parametrize(("command", "arguments", "answer"), calls(ANSWERS))
def test_what_exists_is_answered(
    call: Call, fields: dict[str, Any], command: str, arguments: str, answer: str
) -> None:
    result = call(command, *arguments.format(**fields).split())
    assert result.code == 0, result.err
    assert answer.format(**fields) in result.out
    assert "Traceback" not in result.err


@pytest.mark.parametrize(("command", "arguments", "reason"), calls(REFUSALS))
def test_what_does_not_exist_is_refused_in_one_line(
    call: Call, fields: dict[str, Any], command: str, arguments: str, reason: str
) -> None:
    result = call(command, *arguments.format(**fields).split(), "--quiet")
    assert result.code == 2, result.out
    assert reason in result.err
    assert result.err.count("\n") == 1
    assert result.err.endswith(".\n")


def test_models_of_different_scales_are_not_compared(call: Call, tmp_path: Path) -> None:
    relation = tmp_path / "relation.json"
    write_model(relation, ModelFile(objects_network()))
    data = tmp_path / "rows.csv"
    data.write_text("color,shape,size\nred,circle,small\nblue,square,large\n")
    tree = tmp_path / "tree.json"
    assert call("learn", "tree.chow-liu", data, "-o", tree, "--quiet").code == 0
    result = call("compare", data, relation, tree)
    assert result.code == 2
    assert "Choose models of one scale." in result.err
