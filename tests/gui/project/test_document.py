"""Every change goes through the document, can be undone, and leaves nothing half done."""

from __future__ import annotations

from functools import partial

import pytest

from pgmstudio.core.errors import CycleError
from pgmstudio.core.project import edits, model_edits
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.project.document import Document
from tests.gui.samples import sprinkler


@pytest.fixture
def document(qapp: object) -> Document:
    made = Document()
    made.change("Open", partial(edits.add_model, entry=ModelEntry("Sprinkler", sprinkler())))
    return made


def test_undo_brings_back_the_very_same_project(document: Document) -> None:
    before = document.project
    document.change(
        "Delete", partial(model_edits.remove_edge, model_id="m1", source="rain", target="wet")
    )
    after = document.project
    document.undo_stack.undo()
    assert document.project is before
    document.undo_stack.redo()
    assert document.project is after


def test_a_refused_edit_changes_nothing_and_adds_no_step(document: Document) -> None:
    before, steps = document.project, document.undo_stack.count()
    with pytest.raises(CycleError):
        document.change(
            "Add", partial(model_edits.add_edge, model_id="m1", source="wet", target="rain")
        )
    assert document.project is before
    assert document.undo_stack.count() == steps


def test_an_edit_that_changes_nothing_adds_no_step(document: Document) -> None:
    steps = document.undo_stack.count()
    document.change("Nothing", lambda project: project)
    assert document.undo_stack.count() == steps


def test_a_drag_is_one_step(document: Document) -> None:
    before, steps = document.project, document.undo_stack.count()
    for x in range(5):
        move = partial(
            model_edits.move_nodes, model_id="m1", picture="dag", points={"rain": (float(x), 0.0)}
        )
        document.change("Move rain", move, merge="move:rain")
    assert document.undo_stack.count() == steps + 1
    document.undo_stack.undo()
    assert document.project is before


def test_views_are_notified_before_and_after(document: Document) -> None:
    events: list[tuple[Project, Project]] = []
    document.changed.connect(lambda before, after: events.append((before, after)))
    before = document.project
    document.change("Rename", partial(edits.rename_model, model_id="m1", title="Garden"))
    assert events == [(before, document.project)]


def test_saving_makes_clean_and_a_change_dirty_again(document: Document, tmp_path: object) -> None:
    from pathlib import Path

    assert not document.is_saved
    document.mark_saved(Path("garden.pgmz"), document.project)
    assert document.is_saved
    document.change("Rename", partial(edits.rename_model, model_id="m1", title="Garden"))
    assert not document.is_saved
