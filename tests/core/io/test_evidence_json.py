"""Findings of every kind survive a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pgmstudio.core.inference.base import Done, Excluded, Finding, Likelihood, Observed
from pgmstudio.core.io.evidence import evidence_document
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.project.edits import save_evidence_case
from pgmstudio.core.project.model_edits import rename_state
from pgmstudio.core.project.project import ModelEntry, Project
from tests.strategies import random_network

EVERY: dict[str, Finding] = {
    "X0": Observed("s0"),
    "X1": Excluded(frozenset({"s1"})),
    "X2": Likelihood((("s0", 3.0), ("s1", 1.0))),
    "X3": Done("s1"),
}


def test_an_intervention_is_a_finding_of_its_own() -> None:
    assert evidence_document(EVERY)["X3"] == {"do": "s1"}
    json.dumps(evidence_document(EVERY))


def test_a_project_keeps_interventions_in_its_cases(tmp_path: Path) -> None:
    network = random_network(np.random.default_rng(2), cardinalities=[2, 3, 2, 2])
    project = Project(models={"m1": ModelEntry("net", network)})
    project = save_evidence_case(project, name="all", evidence=EVERY, model_id="m1")
    project = rename_state(project, model_id="m1", variable="X3", old="s1", new="on")
    write_project(tmp_path / "a.pgmz", project)
    again = read_project(tmp_path / "a.pgmz").evidence_cases["all"].evidence
    assert again == {**EVERY, "X3": Done("on")}
