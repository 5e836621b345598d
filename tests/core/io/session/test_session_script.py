"""Sessions as Python: what the undo steps did, written as a script and carried out again."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.errors import FileError, PgmStudioError
from pgmstudio.core.execution.events import NEVER
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.graphs.edge_prices import EdgePrices
from pgmstudio.core.inference.base import Done, Excluded, Likelihood, Observed
from pgmstudio.core.io.evidence import evidence_document
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.models.native_json import document_of
from pgmstudio.core.io.project.project_file import read_project
from pgmstudio.core.io.session.commands import (
    EDITS,
    Command,
    NoText,
    commands_of,
    edit_of,
    literal,
)
from pgmstudio.core.io.session.replay import Replay
from pgmstudio.core.io.session.script import call_text, read_script, write_script
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.edits import Step
from pgmstudio.core.project.project import DataEntry, Project, plain_params
from pgmstudio.core.resources import folder_of

SAMPLE = folder_of("sample_data") / "coronary.csv"


@dataclass
class Session:
    """Makes changes as a document does, and remembers its steps."""

    project: Project = field(default_factory=Project)
    steps: list[Step] = field(default_factory=list)

    def change(self, text: str, *changes: Callable[[Project], Project]) -> None:
        before = self.project
        for change in changes:
            self.project = change(self.project)
        self.steps.append(Step(text, before, self.project, changes))

    def perform(self, text: str, command: str, **arguments: Any) -> None:
        """A command that takes a run or an import; it is recorded as the window does."""
        replay = Replay(self.project)
        for _ in replay.perform(Command(command, arguments), NEVER):
            pass
        after = replay.project
        if command == "learn":
            (run_id,) = after.runs.keys() - self.project.runs.keys()
            run = after.runs[run_id]
            model = after.models[run.model_id or ""]
            edit = partial(edits.add_run, run=run, model=model, into=arguments.get("into"))
        else:
            (data_id,) = after.data.keys() - self.project.data.keys()
            edit = partial(edits.add_data, entry=after.data[data_id])
        self.change(text, edit)


def documents(project: Project) -> Mapping[str, Any]:
    """What a rebuilt project must have in common: everything but times and notes of runs."""
    return {
        "models": {
            key: (entry.title, document_of(ModelFile(entry.model)), entry.layouts, entry.node_notes)
            for key, entry in project.models.items()
        },
        "data": {key: (e.name, e.data.fingerprint) for key, e in project.data.items()},
        "split": {key: e.split and e.split.part_fingerprints for key, e in project.data.items()},
        "knowledge": project.knowledge,
        "prices": project.edge_prices,
        "cases": {k: evidence_document(c.evidence) for k, c in project.evidence_cases.items()},
        "runs": {k: (r.learner, r.params, r.seed, r.data_id) for k, r in project.runs.items()},
        "notes": (project.title, project.notes),
    }


def expert_session() -> Session:
    """Tiers and rules, two learners, an edge pinned, one deleted, learned again from there."""
    session = Session()
    session.perform("Import coronary.csv", "import_file", path=str(SAMPLE), name="coronary")
    tiers = [("family", "smoking"), ("physical_work", "mental_work"), ("pressure",)]
    session.change("Change tiers", partial(edits.set_tiers, tiers=tiers, closed_tiers={0}))
    forbid = partial(edits.forbid_edge, source="smoking", target="mental_work")
    session.change("Forbid smoking → mental_work", forbid)
    rules = plain_params_of(session.project.knowledge)
    for key, title in (("bn.kes", "KES"), ("tree.chow-liu", "Tree")):
        session.perform(
            f"Learn {title}",
            "learn",
            learner=key,
            data_id="d1",
            title=title,
            seed=3,
            parameters={"knowledge": rules},
        )
    (source, target), *_ = session.project.models["m1"].model.edges  # type: ignore[attr-defined]
    model = {"model_id": "m1"}
    delete = partial(model_edits.remove_edge, **model, source=source, target=target)
    session.change("Delete", edits.InOrder((delete,)))
    session.change(
        "Move", partial(model_edits.move_nodes, **model, picture="dag", points={source: (1.5, 2.0)})
    )
    return session


def plain_params_of(knowledge: Knowledge) -> dict[str, Any]:
    @dataclass
    class Params:
        knowledge: Knowledge

    rules: dict[str, Any] = plain_params(Params(knowledge), {})["knowledge"]
    return rules


def test_a_script_rebuilds_the_project_with_the_same_models_to_the_last_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = expert_session()
    path = tmp_path / "session.py"
    write_script(path, session.steps, "Coronary")
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path))
    rebuilt = read_project(tmp_path / "session-rebuilt.pgmz")
    assert documents(rebuilt) == documents(session.project)
    assert not (tmp_path / "session.stored.pgmz").exists()  # everything could be made anew


def test_the_same_script_is_replayed_without_executing_it(tmp_path: Path) -> None:
    session = expert_session()
    path = tmp_path / "session.py"
    write_script(path, session.steps, "")
    script = read_script(path)
    assert [step.text for step in script.steps] == [step.text for step in session.steps]
    replay = script.start()
    messages = [progress.message for progress in script.replay(replay, NEVER)]
    assert documents(replay.project) == documents(session.project)
    assert "Learn KES" in messages


def test_a_session_is_replayed_on_other_data(tmp_path: Path) -> None:
    session = expert_session()
    path, other = tmp_path / "session.py", tmp_path / "half.csv"
    lines = SAMPLE.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    write_script(path, session.steps[:-2], "")  # the edge that was deleted may not be found again
    script = read_script(path)
    replay = script.start([other])
    for _ in script.replay(replay, NEVER):
        pass
    entry = replay.project.data["d1"]
    assert entry.name == "half"
    assert {run.data_fingerprint for run in replay.project.runs.values()} == {
        entry.data.fingerprint
    }
    assert [model.title for model in replay.project.models.values()] == ["KES", "Tree"]


def rows() -> DataSet:
    domain = Domain((Variable("A", ("no", "yes")), Variable("B", ("low", "mid", "high"))))
    return DataSet(domain, np.array([[0, 1, 1, 0], [0, 1, 2, 2]], dtype=np.uint8))


def test_what_cannot_be_made_anew_is_stored_beside_the_script(tmp_path: Path) -> None:
    session = Session()
    entry = DataEntry("typed", rows())
    session.change("Add rows", lambda project: edits.add_data(project, entry=entry))
    merge = {"edit": "merge_states", "column": "B", "states": ["low", "mid"], "into": "rest"}
    session.change("Merge", partial(edits.edit_data, data_id="d1", **merge))
    session.perform("Learn", "learn", learner="bn.hill-climb", data_id="d1", title="HC")
    model = session.project.models["m1"].model
    session.change("Paste", partial(edits.replace_model, model_id="m1", model=model))
    session.change("Title", lambda project: edits.set_title(project, title="By hand"))
    path = tmp_path / "session.py"
    write_script(path, session.steps, "")
    script = read_script(path)
    replay = script.start()
    for _ in script.replay(replay, NEVER):
        pass
    assert documents(replay.project) == documents(session.project)
    entry_now = replay.project.models["m1"]
    assert (entry_now.data_id, entry_now.run_id) == ("d1", "r1")


def test_a_session_that_began_with_a_file_begins_with_it_again(tmp_path: Path) -> None:
    first = Session()
    first.change("Add rows", partial(edits.add_data, entry=DataEntry("typed", rows())))
    session = Session(first.project)
    session.change("Rename", partial(edits.rename_data, data_id="d1", name="other name"))
    path = tmp_path / "session.py"
    write_script(path, session.steps, "")
    script = read_script(path)
    assert script.base == tmp_path / "session.base.pgmz"
    replay = script.start()
    for _ in script.replay(replay, NEVER):
        pass
    assert documents(replay.project) == documents(session.project)


def test_of_values_set_in_one_step_only_the_last_is_written(tmp_path: Path) -> None:
    session = Session()
    texts = ("a", "ab", "abc")
    session.change("Notes", *(partial(edits.set_notes, notes=text) for text in texts))
    write_script(tmp_path / "s.py", session.steps, "")
    (step,) = read_script(tmp_path / "s.py").steps
    assert step.command == Command("set_notes", {"notes": "abc"})


def test_some_columns_and_other_bin_edges_are_commands_that_follow_other_data(
    tmp_path: Path,
) -> None:
    table, other = tmp_path / "ages.csv", tmp_path / "others.csv"
    for file, first in ((table, 20), (other, 50)):
        lines = [f"{first + row},{'mf'[row % 2]},{'xyz'[row % 3]}" for row in range(60)]
        file.write_text("\n".join(["age,sex,kind", *lines]) + "\n")
    session = Session()
    session.perform("Import", "import_file", path=str(table), choices=bins(2))
    select = partial(edits.select_columns, data_id="d1", names=("sex", "age"))
    session.change("Select 2 columns", select)
    again = Replay(session.project)
    for _ in again.perform(Command("reimport", {"data_id": "d1", "choices": bins(3)}), NEVER):
        pass
    entry = again.project.data["d1"]
    session.change("Discretise", partial(edits.reimport_data, data_id="d1", entry=entry))
    path = tmp_path / "session.py"
    write_script(path, session.steps, "")
    assert not (tmp_path / "session.stored.pgmz").exists()

    rebuilt = replayed(path)
    assert documents(rebuilt) == documents(session.project)
    assert rebuilt.data["d1"].provenance == entry.provenance
    of_others = replayed(path, other)
    assert of_others.data["d1"].name == "others"
    assert of_others.data["d1"].data.domain["age"].states[0] == "<70"
    assert of_others.data["d2"].data.domain.names == ("age", "sex")


def bins(count: int) -> dict[str, Any]:
    how = {"method": "frequency", "bins": count, "points": (), "target": None}
    return {"treatments": {"age": "discretise"}, "cutting": {"age": how}}


def test_data_that_no_step_imports_are_refused(tmp_path: Path) -> None:
    session = Session()
    session.change("Title", partial(edits.set_title, title="x"))
    write_script(tmp_path / "s.py", session.steps, "")
    replay = read_script(tmp_path / "s.py").start([SAMPLE])
    with pytest.raises(PgmStudioError, match=r"No step imports coronary\.csv"):
        replay.check_data_used()


def test_a_name_with_quotes_and_backslashes_makes_a_script_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    session.change("Add", partial(edits.add_data, entry=DataEntry('say "hi" \\', rows())))
    folder = tmp_path / "ü"
    folder.mkdir()
    path = folder / "it's.py" if sys.platform == "win32" else folder / 'it\'s "one" \\x.py'
    write_script(path, session.steps, 'A "title"\\')
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path))
    rebuilt = read_project(path.with_name(f"{path.stem}-rebuilt.pgmz"))
    assert documents(rebuilt) == documents(session.project)
    assert documents(replayed(path)) == documents(session.project)


def test_a_macro_overwrites_nothing_that_it_did_not_change_when_it_was_recorded(
    tmp_path: Path,
) -> None:
    """What is stored beside it comes under ids of its own; the edited model is the active one."""
    start = expert_session().project
    session = Session(start)
    opened = replace(start.models["m2"], data_id=None, run_id=None, title="Opened")
    session.change("Open", lambda project: edits.add_model(project, entry=opened))
    session.change("Name it", partial(edits.rename_model, model_id="m3", title="From a file"))
    pasted = partial(edits.replace_model, model_id="m1", model=start.models["m2"].model)
    session.change("Paste", pasted)
    path = tmp_path / "macro.py"
    write_script(path, session.steps, "")
    models = {f"m{n}": replace(opened, title=f"Mine {n}") for n in (1, 2, 3, 4)}
    mine = replace(start, models=models)
    script = read_script(path)
    replay = script.start_in(mine, data_id="d1", model_id="m4")
    for _ in script.replay(replay, NEVER):
        pass
    after = replay.project.models
    assert [after[key] is models[key] for key in models] == [True, True, True, False]
    assert after["m5"].title == "From a file"


def replayed(path: Path, *data: Path) -> Project:
    script = read_script(path)
    replay = script.start(data)
    for _ in script.replay(replay, NEVER):
        pass
    return replay.project


EVIDENCE = {
    "A": Observed("yes"),
    "B": Likelihood((("low", 0.25), ("high", 1.0))),
    "C": Excluded(frozenset({"x"})),
    "D": Done("on"),
}


@pytest.mark.parametrize(
    "edit",
    [
        partial(edits.save_evidence_case, name='old "quoted"', evidence=EVIDENCE, model_id=None),
        partial(
            edits.set_knowledge,
            knowledge=Knowledge(frozenset({("A", "B")}), tiers=(("A",), ("B",))),
        ),
        partial(edits.set_edge_prices, edge_prices=EdgePrices((("A", "B", 1.5),))),
        partial(edits.split_data, data_id="d1", kind="random", train=50, valid=0, test=50, seed=2),
        partial(edits.edit_data, data_id="d1", edit="with_typed_cells", cells={(1, "B"): "low"}),
        partial(edits.edit_data, data_id="d1", edit="drop_rows", rows=[0, 2]),
    ],
)
def test_an_edit_is_the_same_after_it_was_text(edit: partial[Project], tmp_path: Path) -> None:
    session = Session()
    session.change("Add rows", partial(edits.add_data, entry=DataEntry("typed", rows())))
    session.change("Edit", edit)
    write_script(tmp_path / "s.py", session.steps, "")
    script = read_script(tmp_path / "s.py")
    replay = script.start()
    for _ in script.replay(replay, NEVER):
        pass
    assert documents(replay.project) == documents(session.project)


def test_every_command_names_a_function_and_is_written_as_a_call() -> None:
    assert {name for name, edit in EDITS.items() if edit.__name__ != name} == set()
    (command,) = commands_of(partial(edits.set_title, title="x"), Project())
    assert call_text(command) == "project.set_title(title='x')"
    assert edit_of(command, Project())(Project()).title == "x"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import os; os.remove('x')", "line 1 is not a command"),
        ("project.set_title(title=open('x').read())", "line 1: an argument is not a plain value"),
        ("project.set_title(**{'title': 'x'})", "line 1 is not a command"),
        ("def broken(:", "line 1 is no Python"),
        ("project.set_title(title={[]: 1})", "line 1: an argument is not a plain value"),
        ("project.set_title(title=" + "-" * 5000 + "1)", "no Python that can be read"),
    ],
)
def test_other_python_is_refused_and_not_executed(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(line)
    with pytest.raises(FileError, match=message):
        read_script(path)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (Command("set_titel", {"title": "x"}), "Did you mean set_title"),
        (Command("set_title", {"name": "x"}), "set_title: "),
        (Command("restore", {"part": "models", "key": "m1", "stored": "s1"}), "stored entry"),
        (Command("restore", {"part": "unknown", "key": "m1", "stored": "s1"}), "part of a project"),
        (Command("learn", {"learner": "bn.kes"}), "learn: "),
        (Command("learn", {"learner": "bn.kes", "data_id": "d1", "seed": True}), "seed cannot be"),
        (Command("learn", {"learner": "bn.kes", "data_id": "d1", "seed": -1}), "seed: must be"),
        (
            Command(
                "learn",
                {"learner": "bn.kes", "data_id": "d1", "parameters": {"knowledge": {"tiers": 5}}},
            ),
            "learn: ",
        ),
        (Command("set_title", {"title": 5}), "set_title: title cannot be 5"),
        (Command("set_tiers", {"tiers": "AB"}), "set_tiers: tiers cannot be 'AB'"),
        (Command("set_tiers", {"tiers": [["A"], [5]]}), "set_tiers: tiers cannot be"),
        (Command("set_knowledge", {"knowledge": None}), "set_knowledge: knowledge cannot be None"),
        (
            Command("move_nodes", {"model_id": "m1", "picture": "dag", "points": {"A": (1, "x")}}),
            "points cannot be",
        ),
        (Command("import_file", {"path": "x.csv", "choices": 5}), "choices cannot be 5"),
        (Command("split_data", {"data_id": "d1", "parts": 5}), "split_data: "),
        (Command("edit_data", {"data_id": "d1", "edit": "eval"}), "edit of data is called “eval”"),
        (Command("import_file", {"path": str(SAMPLE), "choices": {"cuting": {}}}), "cutting"),
    ],
)
def test_a_wrong_command_is_refused_with_a_message(command: Command, message: str) -> None:
    replay = Replay(edits.add_data(Project(), entry=DataEntry("typed", rows())))
    before = replay.project
    with pytest.raises(PgmStudioError, match=message):
        for _ in replay.perform(command, NEVER):
            pass
    assert replay.project is before


def test_a_script_restores_references_and_nothing_else_of_a_stored_entry() -> None:
    stored = edits.add_data(Project(), entry=DataEntry("typed", rows()))
    command = Command("restore", {"part": "data", "key": "d1", "stored": "d1", "data": "text"})
    replay = Replay(stored=stored)
    with pytest.raises(PgmStudioError, match="No reference is called “data”"):
        for _ in replay.perform(command, NEVER):
            pass
    assert not replay.project.data


def test_a_value_that_is_no_literal_of_python_has_no_text() -> None:
    for value in (float("inf"), np.float64("nan"), np.array([0.5, np.inf])):
        with pytest.raises(NoText):
            literal(value, Project())
    assert literal(np.array([0.5, 1.0]), Project()) == [0.5, 1.0]


@pytest.mark.skipif(sys.platform == "win32", reason="names have no quotes there")
def test_the_name_of_a_script_may_have_quotes(tmp_path: Path) -> None:
    session = Session()
    session.change("Title", partial(edits.set_title, title="x"))
    session.change("Title", lambda project: edits.add_data(project, entry=DataEntry("t", rows())))
    path = tmp_path / 'a """ b.py'
    write_script(path, session.steps, "")
    script = read_script(path)
    assert script.stored == tmp_path / 'a """ b.stored.pgmz'
    assert len(script.steps) == 2


def test_an_alias_of_a_learner_brings_its_settings() -> None:
    replay = Replay(edits.add_data(Project(), entry=DataEntry("typed", rows())))
    for _ in replay.perform(Command("learn", {"learner": "ges", "data_id": "d1"}), NEVER):
        pass
    run = replay.project.runs["r1"]
    assert (run.learner, run.params["greediness"], run.params["phases"]) == (
        "bn.kes",
        [1.0],
        "two-phase",
    )


def test_a_file_that_has_changed_since_is_refused_unless_it_is_named(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("A,B\nx,y\nz,y\nx,w\n")
    session = Session()
    session.perform("Import", "import_file", path=str(table))
    write_script(tmp_path / "s.py", session.steps, "")
    table.write_text("A,B\nx,y\nz,w\nx,w\n")
    script = read_script(tmp_path / "s.py")
    replay = script.start()
    with pytest.raises(PgmStudioError, match="has changed since"):
        for _ in script.replay(replay, NEVER):
            pass
    assert not replay.project.data
    replay = script.start([table])
    for _ in script.replay(replay, NEVER):
        pass
    assert [*replay.project.data] == ["d1"]


def test_what_is_removed_leaves_no_reference(tmp_path: Path) -> None:
    session = expert_session()
    replay = Replay(session.project)
    for _ in replay.perform(Command("remove", {"part": "data", "key": "d1"}), NEVER):
        pass
    assert {entry.data_id for entry in replay.project.models.values()} == {None}
    assert {run.data_id for run in replay.project.runs.values()} == {None}
