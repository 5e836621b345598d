"""Whatever is done can be undone, and what is undone can be done again, to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pgmstudio.core.data.resampling import split
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.inference.base import Excluded, Likelihood, Observed
from pgmstudio.core.io.project.project_file import project_bytes
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.project import DataEntry, ModelEntry, Project
from pgmstudio.gui.navigation import open_data_page, open_model_page
from pgmstudio.gui.window.main_window import MainWindow
from tests.gui.samples import add_sprinkler, sprinkler, sprinkler_rows

Edit = Callable[[Project], Project]
WORDS = ("alpha", "β", "x y", "long name of a thing", "7", "été")


class Chance:
    """Draws an edit that fits the project as it is; most are possible, some are refused."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._made = 0

    def edit(self, project: Project) -> tuple[str, Edit]:
        kinds: list[Callable[[Project], Edit]] = [self._project, self._knowledge]
        if project.data:
            kinds += [self._data, self._data]
        if project.models:
            kinds += [self._structure] * 6 + [self._look] * 3 + [self._model] * 2 + [self._case]
        kind = self.one(kinds)
        return kind.__name__.strip("_"), kind(project)

    def one(self, things: Iterable[Any]) -> Any:
        """One of them."""
        return self._random.choice(list(things))

    def word(self) -> str:
        self._made += 1
        return f"{self.one(WORDS)} {self._made}"

    def flip(self) -> bool:
        return self._random.random() < 0.5

    def _project(self, project: Project) -> Edit:
        data_id = self.one(project.data) if project.data else None
        fresh = ModelEntry(self.word(), sprinkler(), data_id=data_id)
        return self.one(
            [
                partial(edits.set_title, title=self.word()),
                partial(edits.set_notes, notes=f"# {self.word()}\n\nText."),
                partial(edits.add_model, entry=fresh),
                partial(edits.add_data, entry=DataEntry(self.word(), sprinkler_rows(20))),
            ]
        )

    def _names(self, project: Project) -> list[str]:
        domains = [e.model.domain for e in project.models.values()]
        domains += [e.data.domain for e in project.data.values()]
        return sorted({name for domain in domains for name in domain.names}) or ["a", "b"]

    def _knowledge(self, project: Project) -> Edit:
        names = self._names(project)
        source, target = self.one(names), self.one(names)
        shuffled = names[:]
        self._random.shuffle(shuffled)
        cut = self._random.randrange(len(names) + 1)
        tiers = (shuffled[:cut], shuffled[cut : cut + 2])
        return self.one(
            [
                partial(edits.require_edge, source=source, target=target),
                partial(edits.forbid_edge, source=source, target=target),
                partial(edits.forget_edge_rule, source=source, target=target),
                partial(edits.set_tiers, tiers=tiers, closed_tiers={1} if self.flip() else set()),
            ]
        )

    def _data(self, project: Project) -> Edit:
        data_id = self.one(project.data)
        rows = project.data[data_id].data
        shares = self.one([(0.8, 0.2), (0.6, 0.2, 0.2)])
        parts = split(rows, shares, self._random.randrange(99)) if rows.row_count else None
        return self.one(
            [
                partial(edits.rename_data, data_id=data_id, name=self.word()),
                partial(edits.set_split, data_id=data_id, split=parts),
                partial(edits.set_split, data_id=data_id, split=None),
                partial(edits.set_data_notes, data_id=data_id, notes=self.word()),
                partial(edits.set_missing_markers, data_id=data_id, markers=["?", self.word()]),
                partial(edits.replace_data, data_id=data_id, data=sprinkler_rows(30)),
                partial(edits.remove_data, data_id=data_id),
            ]
        )

    def _model(self, project: Project) -> Edit:
        model_id = self.one(project.models)
        return self.one(
            [
                partial(edits.rename_model, model_id=model_id, title=self.word()),
                partial(edits.duplicate_model, model_id=model_id, title=self.word()),
                partial(model_edits.set_model_notes, model_id=model_id, notes=self.word()),
                partial(edits.replace_model, model_id=model_id, model=sprinkler()),
                partial(edits.remove_model, model_id=model_id),
            ]
        )

    def _structure(self, project: Project) -> Edit:
        model_id = self.one(project.models)
        model = project.models[model_id].model
        assert isinstance(model, BayesianNetwork)
        new = Variable(self.word(), ("low", "mid", "high")[: self._random.randint(2, 3)])
        add = partial(model_edits.add_variable, model_id=model_id, variable=new)
        if not len(model.domain):
            return add
        names = model.domain.names
        source, target = self.one(names), self.one(names)
        if model.edges and self.flip():
            source, target = self.one(sorted(model.edges))
        state = self.one(model.domain[source].states)
        shape = model.table(source).shape
        generator = np.random.default_rng(self._random.randrange(1 << 30))
        table = generator.dirichlet(np.ones(shape[-1]), size=shape[:-1])
        edge = {"model_id": model_id, "source": source, "target": target}
        choices = [
            partial(model_edits.add_edge, **edge),
            partial(model_edits.remove_edge, **edge),
            partial(model_edits.reverse_edge, **edge),
            partial(model_edits.rename_variable, model_id=model_id, old=source, new=self.word()),
            partial(
                model_edits.rename_state,
                model_id=model_id,
                variable=source,
                old=state,
                new=self.word(),
            ),
            partial(model_edits.set_table, model_id=model_id, variable=source, table=table),
            partial(model_edits.set_edge_note, **edge, note=self.word() if self.flip() else ""),
        ]
        # Tables grow with their parents; a few variables in and out are enough.
        choices += [add] if len(names) < 9 else []
        choices += [partial(model_edits.remove_variable, model_id=model_id, name=source)]
        return self.one(choices)

    def _look(self, project: Project) -> Edit:
        model_id = self.one(project.models)
        names = project.models[model_id].model.domain.names or ("nothing",)
        node = self.one(names)
        position = (self._random.uniform(-900, 900), self._random.uniform(-900, 900))
        mode = self.one(["dot", "name", "bars", None])
        return self.one(
            [
                partial(
                    model_edits.move_nodes,
                    model_id=model_id,
                    picture="dag",
                    points={node: position},
                ),
                partial(model_edits.set_display_mode, model_id=model_id, nodes=[node], mode=mode),
                partial(
                    model_edits.set_node_title, model_id=model_id, node=node, title=self.word()
                ),
                partial(model_edits.set_node_note, model_id=model_id, node=node, note=self.word()),
            ]
        )

    def _case(self, project: Project) -> Edit:
        model_id = self.one(project.models)
        domain = project.models[model_id].model.domain
        if project.evidence_cases and self.flip():
            name = self.one(project.evidence_cases)
            return self.one(
                [
                    partial(edits.delete_evidence_case, name=name),
                    partial(edits.rename_evidence_case, old=name, new=self.word()),
                ]
            )
        evidence = {}
        for variable in domain:
            state = self.one(variable.states)
            excluded, doubt = frozenset({state}), ((state, 0.25),)
            finding = self.one([None, Observed(state), Excluded(excluded), Likelihood(doubt)])
            if finding is not None:
                evidence[variable.name] = finding
        return partial(
            edits.save_evidence_case, name=self.word(), evidence=evidence, model_id=model_id
        )


def wander(window: MainWindow, chance: Chance) -> None:
    """Look at something else, ask a model, or step back and forth, as people do."""
    app, history = window.app, window.app.history
    match chance.one(range(6)):
        case 0 if app.project.models:
            open_model_page(app, chance.one(app.project.models))
        case 1 if app.project.data:
            open_data_page(app, chance.one(app.project.data))
        case 2 if app.workspace.model_id:
            model = app.project.models[app.workspace.model_id].model
            app.workspace.select([n for n in model.domain.names if chance.flip()])
        case 3:
            for _ in range(3):
                history.undo()
            for _ in range(3):
                history.redo()
        case 4 if app.workspace.active_beliefs is not None:
            live = app.workspace.active_beliefs
            for variable in live.model.domain:
                live.click_state(variable.name, chance.one(variable.states))
        case _:
            history.undo()
    QApplication.processEvents()


def do_and_undo(qtbot: QtBot, window: MainWindow, seed: int, count: int) -> None:
    app, stack = window.app, window.app.document.undo_stack
    open_model_page(app, add_sprinkler(app))
    app.actions["knowledge.edit"].trigger()
    app.document.replace(app.project, None)
    beginning, first = app.project, project_bytes(app.project)
    chance, done = Chance(seed), 0
    refused: list[str] = []
    app.errors.message.connect(refused.append)
    while done < count:
        text, edit = chance.edit(app.project)
        before = app.project
        if app.change(text, edit):
            done += 1
        else:
            assert app.project is before
        if done % 20 == 0:
            wander(window, chance)
    assert all(refused)
    end, last = app.project, project_bytes(app.project)
    assert last != first
    for _ in range(stack.count()):
        stack.undo()
    assert app.project is beginning
    assert project_bytes(app.project) == first
    while stack.canRedo():
        stack.redo()
    assert app.project is end
    assert project_bytes(app.project) == last


@pytest.mark.parametrize("seed", [1, 2])
def test_hundreds_of_random_actions_are_undone_and_redone(
    qtbot: QtBot, window: MainWindow, seed: int
) -> None:
    do_and_undo(qtbot, window, seed, 150)


@pytest.mark.long
def test_a_thousand_random_actions_are_undone_and_redone(qtbot: QtBot, window: MainWindow) -> None:
    do_and_undo(qtbot, window, 3, 1000)
