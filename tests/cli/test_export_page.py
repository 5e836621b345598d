"""`pgmstudio export-page` on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pgmstudio.core.inference.base import Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.io.project.project_file import write_project
from pgmstudio.core.project.project import EvidenceCase, ModelEntry, Project

Call = Callable[..., Any]


def page_of(path: Path) -> Any:
    """The data of a page."""
    text = path.read_text(encoding="utf-8")
    result = re.search(r'<script type="application/json" id="page">(.*?)</script>', text)
    assert result is not None
    return json.loads(result[1])


@pytest.fixture
def project(asia: Path, tmp_path: Path) -> Path:
    model = read_model(asia).model
    entries = {key: ModelEntry(title, model) for key, title in (("m1", "One"), ("m2", "Two"))}
    cases = {"Smoker": EvidenceCase({"smoke": Observed("yes")}, model_id="m2")}
    path = tmp_path / "clinic.pgmz"
    write_project(path, Project(models=entries, evidence_cases=cases))
    return path


def test_a_model_file_becomes_a_page(call: Call, asia: Path, tmp_path: Path) -> None:
    out = tmp_path / "asia.html"
    done = call(
        *("export-page", asia, out, "--title", "Chest clinic", "--notes", "Who coughs?"),
        *("--scenario", "Smoker", "smoke=yes", "xray=no", "--scenario", "Visit", "asia=yes"),
        *("--given", "bronc=yes", "--do", "tub=no", "--json"),
    )
    assert done.code == 0
    assert done.json == {"kind": "bayesian-network", "file": str(out)}
    page = page_of(out)
    names = {scenario["name"]: len(scenario["findings"]) for scenario in page["scenarios"]}
    assert names == {"Smoker": 2, "Visit": 1}
    assert {finding["kind"] for finding in page["evidence"]} == {"observed", "done"}
    text = out.read_text(encoding="utf-8")
    assert "<h1>Chest clinic</h1>" in text
    assert "Who coughs?" in text


def test_a_model_of_a_project_brings_its_scenarios(
    call: Call, project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "two.html"
    assert call("export-page", project, out, "--model", "Two").code == 0
    assert [scenario["name"] for scenario in page_of(out)["scenarios"]] == ["Smoker"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["{project}", "{out}.html"], "has these models: One, Two. Choose one: --model TITLE."),
        (["{project}", "{out}.html", "--model", "Tow"], "Did you mean Two"),
        (["{asia}", "{out}.html", "--model", "One"], "--model is for a project"),
        (["{asia}", "{out}.pdf"], "must end in .html or .htm"),
        (["{asia}", "{out}.html", "--scenario", "Smoker"], "has no findings; add V=s."),
        (["{asia}", "{out}.html", "--given", "smok=yes"], "Did you mean smoke"),
    ],
)
def test_wrong_arguments_are_refused_with_a_message(
    call: Call, project: Path, asia: Path, tmp_path: Path, argv: list[str], message: str
) -> None:
    out = tmp_path / "out"
    done = call("export-page", *(part.format(project=project, asia=asia, out=out) for part in argv))
    assert done.code == 2
    assert message in done.err
    assert not list(tmp_path.glob("out*"))
