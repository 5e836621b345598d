"""Reports: one page that needs no other file, says everything, and keeps content content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pgmstudio
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.experiments.plans.expansion import PINNED_VERSION
from pgmstudio.core.experiments.plans.plan import DataPlan, LearnerGrid, Plan
from pgmstudio.core.experiments.plans.runner import SerialExecutor
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.inference.junction_tree.session import JunctionTreeSession
from pgmstudio.core.io.data.options import ImportOptions
from pgmstudio.core.io.data.reader import import_data, write_data
from pgmstudio.core.io.experiments import SavedPlanTask, read_plan_rows
from pgmstudio.core.io.models.files import read_model
from pgmstudio.core.io.project.project_file import read_project, write_project
from pgmstudio.core.languages.bayesian_network.learning.score_based.hill_climbing import (
    HillClimbParams,
)
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.markov_network.model import MarkovNetwork
from pgmstudio.core.languages.markov_network.structure import MarkovStructure
from pgmstudio.core.learning.base import Finished
from pgmstudio.core.number_format import percent
from pgmstudio.core.params import params_to_dict
from pgmstudio.core.project.project import (
    DataEntry,
    EvidenceCase,
    ModelEntry,
    Outcome,
    Project,
    Run,
    plain,
)
from pgmstudio.core.reports.html import Markup, page, shown, table, tag
from pgmstudio.core.reports.notes import notes_markup
from pgmstudio.core.reports.report import (
    ReportInfo,
    ReportOptions,
    ReportTask,
    folder_report,
    project_report,
)
from pgmstudio.core.reports.reproduction import (
    Reproduced,
    ReproduceFolder,
    ReproduceProject,
    compared_points,
)
from pgmstudio.core.reports.sections import learn_command
from tests.core.io.example_projects import full_project
from tests.strategies import random_network

INFO = ReportInfo("rain.pgmz", datetime(2026, 1, 2, 3, 4))
VOID = {"meta"}


@pytest.fixture(autouse=True, scope="module")
def one_version() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PINNED_VERSION, "the version under test")
        yield


class Strict(HTMLParser):
    """Every element is closed in its turn, nothing is loaded, nothing runs."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.seen: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"{name} has an attribute twice"
        assert name not in ("script", "link", "img", "iframe", "object", "base", "form")
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "srcset")]
        self.seen.add(name)
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        self.links += [attributes["href"] or ""] if "href" in attributes else []
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open, f"<{name}/> is no HTML"
        self.seen.add(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def checked(text: str) -> Strict:
    """The page, when it is well formed and needs nothing but itself."""
    parser = Strict()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert text.startswith("<!doctype html>")
    assert len(parser.ids) == len(set(parser.ids))
    assert all(link.startswith("#") and link[1:] in parser.ids for link in parser.links)
    assert "@import" not in text
    assert "url(" not in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    return parser


def learned_project() -> Project:
    """A project whose one run can be repeated."""
    rng = np.random.default_rng(1)
    rows = random_network(rng, 4, density=0.7, max_parents=2).sample(200, rng)
    params = HillClimbParams()
    events = LearnTask("bn.hill-climb", rows, params, 5)(NEVER)
    model = next(event.model for event in events if isinstance(event, Finished))
    settings = plain(params_to_dict(params))
    run = Run(
        *("bn.hill-climb", settings, 5, rows.fingerprint, pgmstudio.__version__, Outcome.FINISHED),
        title="Climb",
        data_id="d1",
        model_id="m1",
    )
    entry = ModelEntry("Climbed", model, data_id="d1", run_id="r1", provenance={"seed": 5})
    data = {"d1": DataEntry("rows", rows, source="rows.csv")}
    return Project(data=data, models={"m1": entry}, runs={"r1": run})


# -- the page --------------------------------------------------------------------------------------


@given(st.text(), st.text())
def test_no_text_becomes_markup(one: str, other: str) -> None:
    text = page(
        one,
        [tag("p", other, title=one)],
        [("part", other, table((one, other), [(other, one)], "<>", one))],
    )
    parser = checked(text)
    assert parser.seen <= {
        *("html", "head", "meta", "title", "style", "body", "header", "h1", "p", "nav", "a"),
        *("main", "section", "h2", "div", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    }


def test_markup_stands_as_it_is_and_text_does_not() -> None:
    assert shown("<b>&") == "&lt;b&gt;&amp;"
    assert shown(Markup("<b>")) == "<b>"
    assert tag("p", "a", tag("b", "<"), title='"') == '<p title="&quot;">a<b>&lt;</b></p>'


def test_a_project_with_everything_is_one_page_that_shows_it() -> None:
    project = full_project()
    parser = checked(project_report(project, INFO))
    page_text = " ".join(parser.text)
    for expected in ("Rain “and” snow", "rain.csv", "First try", "Learned", "A tree", "why?"):
        assert expected in page_text, expected
    for entry in project.data.values():
        assert entry.data.fingerprint in page_text
        assert all(name in page_text for name in entry.data.domain.names)
    assert "svg" in parser.seen
    assert "pgmstudio report rain.pgmz --reproduce" in page_text


def test_a_model_whose_rows_have_changed_is_marked_as_stale() -> None:
    project = learned_project()
    assert "stale" not in checked(project_report(project, INFO)).text
    fewer = replace(project.data["d1"], data=project.data["d1"].data.take_rows(slice(0, 50)))
    page_text = checked(project_report(replace(project, data={"d1": fewer}), INFO)).text
    assert "stale" in page_text


def test_names_that_look_like_markup_stay_names() -> None:
    project = full_project()
    name = "<script>alert(1)</script>"
    first = project.models["m1"]
    project = replace(
        project,
        title=name,
        notes="</style><b onclick='x'>",
        models={"m1": replace(first, title=name, notes="</svg><img src=x>")},
    )
    parser = checked(project_report(project, INFO))
    assert name in " ".join(parser.text)


def test_an_empty_project_is_a_page_too() -> None:
    parser = checked(project_report(Project(), INFO))
    assert parser.ids == ["reproduce"]


def test_light_and_dark_pictures_are_both_there_and_paper_is_light() -> None:
    text = project_report(learned_project(), INFO)
    assert text.count('class="picture for-light"') == text.count('class="picture for-dark"') == 1
    assert "@media screen and (prefers-color-scheme: dark)" in text
    assert "@media print" in text


def test_the_command_of_a_model_has_what_differs_from_the_defaults() -> None:
    provenance = {
        "learner": "bn.kes",
        "seed": 3,
        "parameters": {"restarts": 10, "greediness": [1.0, 0.5], "max_parents": 2, "start": None},
    }
    assert learn_command(provenance, "my rows.csv") == (
        "pgmstudio learn bn.kes 'my rows.csv' --greediness 1.0,0.5 --max-parents 2 --seed 3"
    )
    assert learn_command({"made by": "hand"}, "") is None


def test_a_report_is_written_whole_by_a_task(tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    assert list(ReportTask(Project(title="Snow"), target, INFO)(NEVER)) == [target]
    checked(target.read_text(encoding="utf-8"))


# -- experiments -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the points of a small plan."""
    folder = tmp_path_factory.mktemp("experiment")
    rng = np.random.default_rng(0)
    write_data(folder / "rows.csv", random_network(rng, 4, density=0.7).sample(300, rng))
    plan = Plan(
        (LearnerGrid("tree.chow-liu", {"smoothing": (1.0,)}, "Trees"),),
        lambdas=(0.3, 0.6, 0.9),
        data=DataPlan(str(folder / "rows.csv"), test_share=0.3),
        title="Small & <plain>",
    )
    rows = read_plan_rows(plan.data)  # type: ignore[arg-type]
    for _ in SavedPlanTask(folder / "points", plan, rows, SerialExecutor())(NEVER):
        pass
    return folder / "points"


def test_a_folder_of_points_is_one_page(experiment: Path) -> None:
    parser = checked(folder_report(experiment, INFO))
    page_text = " ".join(parser.text)
    assert "Small & <plain>" in page_text
    assert "Trees" in page_text
    assert {"experiment", "data", "curves", "models", "reproduce"} == set(parser.ids)


def test_a_folder_without_points_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no points"):
        folder_report(tmp_path, INFO)


def test_an_experiment_comes_out_the_same_again(experiment: Path) -> None:
    result = [
        e for e in ReproduceFolder(experiment, SerialExecutor())(NEVER) if isinstance(e, Reproduced)
    ]
    assert [(one.title, one.is_same) for one in result] == [("Trees", True)]
    assert "3 points" in result[0].summary


def test_a_number_that_differs_is_named() -> None:
    one = CurvePoint("l", "f", 0.5, 0, 10, 9, -1.0, -2.0, None, 10, 1.0, {}, key="a-000", name="C")
    same = replace(one, seconds=9.0, key="b-000", train_log2_likelihood_per_row=-1.0 - 1e-13)
    (result,) = compared_points({"a-000": one}, {"b-000": same})
    assert result.is_same
    other = replace(one, test_log2_likelihood_per_row=-2.1)
    (result,) = compared_points({"a-000": one}, {"a-000": other})
    assert result.is_same is False
    assert "test log2 likelihood per row of size 10 was -2.0, is -2.1" in result.summary
    (result,) = compared_points({"a-000": one}, {})
    assert "1 point missing now" in result.summary
    (result,) = compared_points({}, {"a-000": one})
    assert "1 point more than recorded" in result.summary


# -- runs of a project -----------------------------------------------------------------------------


def again(project: Project) -> Reproduced:
    (result,) = [e for e in ReproduceProject(project)(NEVER) if isinstance(e, Reproduced)]
    return result


def test_a_run_gives_the_same_model_bit_for_bit() -> None:
    result = again(learned_project())
    assert result == Reproduced("Climb", True, "The same model, bit for bit.")


def test_another_model_than_recorded_is_reported() -> None:
    project = learned_project()
    entry = project.models["m1"]
    model = random_network(np.random.default_rng(9), 4)
    project = replace(project, models={"m1": replace(entry, model=model)})
    result = again(project)
    assert result.is_same is False
    assert "Another model" in result.summary


def test_what_cannot_be_repeated_has_a_reason() -> None:
    project = learned_project()
    changed = project.data["d1"].data.take_rows(slice(0, 50))
    entry = replace(project.data["d1"], data=changed)
    assert "have changed since" in again(replace(project, data={"d1": entry})).summary
    assert "not in the project" in again(replace(project, data={})).summary
    stopped = replace(project.runs["r1"], outcome=Outcome.STOPPED)
    assert again(replace(project, runs={"r1": stopped})).is_same is None
    strange = replace(project.runs["r1"], learner="bn.none")
    assert again(replace(project, runs={"r1": strange})).is_same is None
    edited = replace(project.models["m1"], is_edited=True)
    assert "edited" in again(replace(project, models={"m1": edited})).summary


def test_what_came_of_it_is_on_the_page() -> None:
    info = replace(INFO, reproduced=(Reproduced("Climb", False, "Another <model>."),))
    page_text = " ".join(checked(project_report(Project(), info)).text)
    assert "Another <model>." in page_text
    assert "differs" in page_text


def grid(side: int) -> MarkovNetwork:
    """Neighbours on a square; its junction tree has 2 ** side cells and more."""
    domain = Domain.of({f"X{i}": "01" for i in range(side * side)})
    across = [(i, i + 1) for i in range(side * side) if (i + 1) % side]
    down = [(i, i + side) for i in range(side * (side - 1))]
    return MarkovNetwork.uniform(MarkovStructure(domain, frozenset(across + down)))


def test_a_markov_network_too_large_for_its_partition_function_is_reported_without_likelihood(
    tmp_path: Path,
) -> None:
    model = grid(40)
    rows = DataSet(model.domain, np.zeros((1600, 5), dtype=np.uint8))
    entry = ModelEntry("Grid", model, data_id="d1")
    project = Project(data={"d1": DataEntry("rows", rows)}, models={"m1": entry})
    text = project_report(project, INFO)
    assert "Not computed. " in text
    assert "bits per row over" not in text
    write_project(tmp_path / "grid.pgmz", project)
    again = read_project(tmp_path / "grid.pgmz").models["m1"].model
    assert isinstance(again, MarkovNetwork)
    assert again.structure == model.structure


def test_a_report_has_edges_contexts_and_likelihood_of_a_markov_network(
    sample_data: Path,
) -> None:
    file = read_model(sample_data / "coronary_markov.json")
    assert isinstance(file.model, MarkovNetwork)
    rows = import_data(sample_data / "coronary.csv", ImportOptions(domain=file.model.domain)).data
    entry = ModelEntry("Risk", file.model, data_id="d1", edge_notes={("smoking", "pressure"): "?"})
    project = Project(data={"d1": DataEntry("rows", rows)}, models={"m1": entry})
    strict = Strict()
    strict.feed(project_report(project, INFO))
    text = " ".join(strict.text)
    assert "5.241 bits per row over" in text
    assert "lipoproteins = 3 or over" in text
    assert "smoking – pressure" in text
    assert "smoking → pressure" not in text


def test_a_report_has_the_chosen_sections_and_look() -> None:
    project = replace(full_project(), notes="Which one is best?")
    options = ReportOptions(("notes", "data"), "dark", "My title")
    text = project_report(project, replace(INFO, options=options))
    parsed = checked(text)
    assert parsed.ids == ["notes", "data"]
    assert "My title" in parsed.text
    assert "prefers-color-scheme" not in text
    assert ".for-light { display: none; }" in text


def test_scenarios_are_side_by_side_with_explanation_and_sensitivity() -> None:
    model = random_network(np.random.default_rng(3), 4)
    first, second = model.domain.variables[:2]
    cases = {
        "One": EvidenceCase({first.name: Observed(first.states[0])}, "m1"),
        "Other": EvidenceCase({first.name: Observed(first.states[1])}, "m1"),
    }
    project = Project(models={"m1": ModelEntry("Net", model)}, evidence_cases=cases)
    options = ReportOptions(
        ("scenarios", "explanation", "sensitivity"), target=(second.name, second.states[0])
    )
    text = " ".join(checked(project_report(project, replace(INFO, options=options))).text)
    session = JunctionTreeSession(model)
    session.set_evidence(first.name, Observed(first.states[0]))
    belief = float(session.belief(second.name).values[0])
    assert percent(belief) in text
    assert f"{2 ** (session.log2_most_probable() - session.log2_evidence()):.4g}" in text
    assert f"P({second.name} = {second.states[0]}) is {percent(belief)} %." in text


def test_an_unknown_section_is_named() -> None:
    with pytest.raises(PgmStudioError, match="Did you mean scenarios"):
        ReportOptions(("scenario",))


def test_a_model_without_rows_of_its_own_is_compared_on_rows_that_fit_it() -> None:
    rng = np.random.default_rng(5)
    drawn = random_network(rng, 3)
    learned = BayesianNetwork.uniform(drawn.domain)
    project = Project(
        data={"d1": DataEntry("rows", drawn.sample(50, rng))},
        models={
            "m1": ModelEntry("Opened", drawn),
            "m2": ModelEntry("Learned", learned, data_id="d1"),
        },
    )
    parsed = checked(project_report(project, replace(INFO, options=ReportOptions(("comparison",)))))
    assert parsed.ids == ["comparison"]
    assert {"Opened", "Learned", "best"} <= set(parsed.text)


def test_notes_are_markdown() -> None:
    text = "# Plan\nWhich is **best**? *None* of `a_b`, 2 * 3 * 4, some_long_name.\n\n- one\n- <b>"
    assert notes_markup(text) == [
        "<p><strong>Plan</strong></p>",
        "<p>Which is <strong>best</strong>? <em>None</em> of <code>a_b</code>, 2 * 3 * 4, "
        "some_long_name.</p>",
        "<ul><li>one</li>\n<li>&lt;b&gt;</li></ul>",
    ]
