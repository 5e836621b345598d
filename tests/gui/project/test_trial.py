"""A trial is taken back whole: project, what can be undone and redone, what counts as saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from pgmstudio.core.project.project import EvidenceCase, Project
from pgmstudio.gui.project.document import Document, DocumentSnapshot, Edit


def noting(name: str) -> Edit:
    """An edit that leaves a case of that name."""

    def edit(project: Project) -> Project:
        cases = {**project.evidence_cases, name: EvidenceCase({}, None)}
        return replace(project, evidence_cases=cases)

    return edit


def history(document: Document) -> tuple[object, ...]:
    stack = document.undo_stack
    texts = [stack.text(index) for index in range(stack.count())]
    return document.project, texts, stack.index(), stack.cleanIndex(), document.is_saved


@pytest.fixture
def document(qtbot: QtBot) -> Document:
    """Three steps, saved after the second, gone back to the first."""
    made = Document()
    for name in "abc":
        made.change(name, noting(name))
    made.undo_stack.setIndex(2)
    made.mark_saved(Path("study.pgmz"), made.project)
    made.undo_stack.undo()
    return made


@pytest.mark.parametrize("undone", [0, 1, 2])
def test_everything_is_as_before_the_trial(document: Document, undone: int) -> None:
    before = history(document)
    trial = DocumentSnapshot(document)
    document.change("x", noting("x"), merge="m")
    document.change("y", noting("y"))
    for _ in range(undone):
        document.undo_stack.undo()
    trial.end()
    assert history(document) == before
    document.undo_stack.redo()
    assert document.is_saved
    document.undo_stack.redo()
    assert list(document.project.evidence_cases) == ["a", "b", "c"]


def test_a_trial_that_went_back_behind_its_beginning_comes_forward_again(
    document: Document,
) -> None:
    before = history(document)
    trial = DocumentSnapshot(document)
    document.undo_stack.undo()
    trial.end()
    assert history(document) == before


def test_views_are_notified_once(document: Document) -> None:
    trial = DocumentSnapshot(document)
    document.change("x", noting("x"))
    tried, message = document.project, list[tuple[Project, Project]]()
    document.changed.connect(lambda before, after: message.append((before, after)))
    trial.end()
    ((before, after),) = message
    assert (before, after) == (tried, document.project)


def test_a_trial_without_changes_touches_nothing(document: Document) -> None:
    before = history(document)
    DocumentSnapshot(document).end()
    assert history(document) == before


def test_saving_during_a_trial_leaves_the_project_unsaved(document: Document) -> None:
    trial = DocumentSnapshot(document)
    document.change("x", noting("x"))
    document.mark_saved(Path("study.pgmz"), document.project)
    trial.end()
    assert not document.is_saved  # the file has what was taken back


def test_another_project_is_left_alone(document: Document) -> None:
    trial = DocumentSnapshot(document)
    other = Project()
    document.replace(other, None)
    assert trial.is_void
    trial.end()
    assert document.project is other
