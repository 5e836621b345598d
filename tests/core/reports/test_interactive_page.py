"""Interactive pages: self-contained, strict, and complete for every language."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import PgmStudioError, TooLargeError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.inference.base import Done, Excluded, Likelihood, Observed
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.project.project import EvidenceCase, ModelEntry, Project
from pgmstudio.core.reports.interactive_page.inference import MAX_CELLS, program_of
from pgmstudio.core.reports.interactive_page.page import (
    PageSubject,
    PageTask,
    interactive_page,
    subject_of_entry,
    subject_of_file,
)
from tests.core.reports.test_page_engines import EXAMPLES
from tests.strategies import domain_of

VOID = {"meta", "input"}


class PageParser(HTMLParser):
    """Elements, their attributes, and the texts of scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"{name} has an attribute twice"
        self.elements.append((name, attributes))
        if name not in VOID:
            self.open.append(name)
        if name in ("script", "style"):
            self.raw.append((name, attributes, ""))

    def handle_startendtag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attrs)))

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            name, attributes, text = self.raw[-1]
            self.raw[-1] = (name, attributes, text + data)


def parsed(text: str) -> PageParser:
    """The page, when it is well formed, loads nothing and runs only what its policy allows."""
    parser = PageParser()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    ids = [attributes["id"] for _, attributes in parser.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for name, attributes in parser.elements:
        assert name not in ("link", "img", "iframe", "object", "embed", "base")
        for key in attributes:
            assert not key.startswith("on")
            assert key not in ("src", "srcset", "href", "action", "style")
    policy = next(
        attributes["content"] or ""
        for name, attributes in parser.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for name, attributes, content in parser.raw:
        if attributes.get("type") == "application/json":
            continue
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
        assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|@import|url\(", content)
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(", content)
    assert sum(name == "script" for name, *_ in parser.raw) <= 3
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    return parser


def data_of(parser: PageParser, identity: str) -> Any:
    """What a script element with data holds."""
    return next(
        json.loads(text) for _, attributes, text in parser.raw if attributes.get("id") == identity
    )


@pytest.fixture(scope="module")
def asia(sample_data: Path) -> BayesianNetwork:
    model = read_model(sample_data / "asia.json").model
    assert isinstance(model, BayesianNetwork)
    return model


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_language_has_a_page_with_a_card_for_each_variable(kind: str) -> None:
    model = EXAMPLES[kind](np.random.default_rng(30))
    parser = parsed(interactive_page(PageSubject(model, kind)))
    page = data_of(parser, "page")
    assert [variable["title"] for variable in page["variables"]] == list(model.domain.names)
    assert page["scale"] == LANGUAGES[kind].scale.value
    assert page["program"] == program_of(model).document()
    placed = [node["variable"] for node in page["diagram"]["nodes"]]
    assert set(range(len(model.domain))) <= set(placed)
    is_hidden = isinstance(model, ComponentModel) and model.component_title not in model.domain
    assert (page["component"] is not None) == is_hidden
    assert json.loads(data_of(parser, "model"))["language"] == kind


HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "{{edges}}",
    "\"'&amp;\u2028",
    "javascript:alert(1)",
)
HOSTILE_STATES = ("</style><b>", "]]>&lt;")


def hostile_subject() -> PageSubject:
    """A model whose names, states, notes and scenarios are attacks."""
    domain = Domain(tuple(Variable(name, HOSTILE_STATES) for name in HOSTILE))
    count = len(HOSTILE)
    tables = (np.array([0.4, 0.6]), *(np.array([[0.4, 0.6], [0.1, 0.9]]),) * (count - 1))
    dag = Dag(domain.names, ((), *((v - 1,) for v in range(1, count))))
    return PageSubject(
        BayesianNetwork(domain, dag, tables),
        title=HOSTILE[0],
        notes="\n\n".join(HOSTILE),
        node_notes=dict.fromkeys(HOSTILE, HOSTILE[0]),
        scenarios={name: {HOSTILE[0]: Observed(HOSTILE_STATES[0])} for name in HOSTILE},
        provenance={"file": HOSTILE[0], "learner": HOSTILE[1], "path": "/home/someone/secret.csv"},
    )


def test_hostile_names_are_only_texts() -> None:
    text = interactive_page(hostile_subject())
    parser = parsed(text)
    page = data_of(parser, "page")
    assert [variable["title"] for variable in page["variables"]] == list(HOSTILE)
    assert [scenario["name"] for scenario in page["scenarios"]] == list(HOSTILE)
    assert page["variables"][0]["states"] == list(HOSTILE_STATES)
    assert text.count('<svg id="edges"') == 1
    assert "secret.csv" not in text


def test_findings_of_every_kind_are_written(asia: BayesianNetwork) -> None:
    scenario = {
        "smoke": Observed("yes"),
        "xray": Excluded(frozenset({"yes"})),
        "dysp": Likelihood((("yes", 1.0), ("no", 4.0))),
        "bronc": Done("no"),
    }
    subject = PageSubject(asia, scenarios={"all": scenario}, evidence={"asia": Observed("no")})
    page = data_of(parsed(interactive_page(subject)), "page")
    index, states = asia.domain.index, asia.domain["smoke"].states
    yes, no = states.index("yes"), states.index("no")
    weights = {"excluded": [0.0, 0.0], "likelihood": [0.0, 0.0]}
    weights["excluded"][no] = 1.0
    weights["likelihood"][yes], weights["likelihood"][no] = 0.25, 1.0
    assert page["scenarios"] == [
        {
            "name": "all",
            "findings": [
                {"variable": index("smoke"), "kind": "observed", "state": yes},
                {"variable": index("xray"), "kind": "excluded", "weights": weights["excluded"]},
                {"variable": index("dysp"), "kind": "likelihood", "weights": weights["likelihood"]},
                {"variable": index("bronc"), "kind": "done", "state": no},
            ],
        }
    ]
    assert page["evidence"] == [{"variable": index("asia"), "kind": "observed", "state": no}]
    assert page["interventions"]


def test_nodes_stand_where_they_stand_in_the_window(asia: BayesianNetwork) -> None:
    points = {name: (300.0 * i, 200.0 * (i % 2)) for i, name in enumerate(asia.domain.names)}
    subject = PageSubject(asia, layouts={"dag": points})
    nodes = data_of(parsed(interactive_page(subject)), "page")["diagram"]["nodes"]
    named = {asia.domain.names[node["variable"]]: (node["x"], node["y"]) for node in nodes}
    assert named == points


def test_boxes_that_would_touch_are_moved_apart(asia: BayesianNetwork) -> None:
    points = {name: (60.0 * i, 0.0) for i, name in enumerate(asia.domain.names)}
    subject = PageSubject(asia, layouts={"dag": points})
    nodes = data_of(parsed(interactive_page(subject)), "page")["diagram"]["nodes"]
    for i, one in enumerate(nodes):
        for other in nodes[:i]:
            apart_x = abs(one["x"] - other["x"]) >= (one["width"] + other["width"]) / 2
            apart_y = abs(one["y"] - other["y"]) >= (one["height"] + other["height"]) / 2
            assert apart_x or apart_y


def test_a_model_of_a_project_brings_its_notes_and_scenarios(asia: BayesianNetwork) -> None:
    entry = ModelEntry(
        "Chest clinic",
        asia,
        notes="A patient comes.\n\nDoes the X-ray point to cancer?",
        node_titles={"smoke": "Smoker"},
        node_notes={"smoke": "Asked at the door."},
    )
    cases = {
        "Smoker": EvidenceCase({"smoke": Observed("yes")}),
        "Of another model": EvidenceCase({"smoke": Observed("yes")}, model_id="m2"),
    }
    project = Project(models={"m1": entry}, evidence_cases=cases)
    text = interactive_page(subject_of_entry(project, "m1"))
    page = data_of(parsed(text), "page")
    assert [scenario["name"] for scenario in page["scenarios"]] == ["Smoker"]
    assert page["variables"][asia.domain.index("smoke")]["title"] == "Smoker"
    assert "<h1>Chest clinic</h1>" in text
    assert "Author’s note.</b> A patient comes.</p>" in text
    assert "Asked at the door." in text
    assert page["fileName"] == "Chest clinic.json"


def test_a_model_that_is_too_large_is_refused_with_both_numbers() -> None:
    count = 22
    domain = domain_of([2] * count)
    parents: list[tuple[int, ...]] = [() for _ in range(count)]
    parents[-1] = tuple(range(count - 1))
    tables = [np.array([0.5, 0.5]) for _ in range(count - 1)]
    model = BayesianNetwork(
        domain,
        Dag(domain.names, tuple(parents)),
        (*tables, np.full((2,) * count, 0.5)),
    )
    with pytest.raises(TooLargeError, match=f"{2**count:,}.*{MAX_CELLS:,} are possible"):
        interactive_page(PageSubject(model))


def test_a_language_without_inference_for_pages_is_refused() -> None:
    with pytest.raises(PgmStudioError):
        program_of(_Unknown())  # type: ignore[arg-type]


class _Unknown:
    kind = "no-such-language"
    domain = domain_of([2])


def test_the_task_writes_the_file(sample_data: Path, tmp_path: Path) -> None:
    file = read_model(sample_data / "coronary_flow.json")
    target = tmp_path / "page.html"
    *_, last = PageTask(subject_of_file(file, "Flow"), target)(NEVER)
    assert last == target
    page = data_of(parsed(target.read_text(encoding="utf-8")), "page")
    assert page["program"]["engine"] == "decision-graph"
    again = tmp_path / "again.html"
    list(PageTask(subject_of_file(file, "Flow"), again)(NEVER))
    assert again.read_bytes() == target.read_bytes()
