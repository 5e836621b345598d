"""The document: the open project, its file and its undo history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack
from shiboken6 import isValid

from pgmstudio.core.io.atomic import Stamp, file_stamp
from pgmstudio.core.project.edits import Edit, Step
from pgmstudio.core.project.project import Project


class Document(QObject):
    """A project, its file and its history. Views compare `before` and `after` by identity."""

    changed = Signal(object, object)  # before, after: two Projects
    replaced = Signal()  # another project is open: what belonged to the last one ends; comes first
    file_changed = Signal()  # path or saved state

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project = Project()
        self._path: Path | None = None
        self._stamp: Stamp | None = None  # of the file, as this window read or wrote it
        self._is_quiet = False
        self.opened = 0  # how many projects were opened; a history belongs to one of them
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self.file_changed)

    @property
    def project(self) -> Project:
        return self._project

    @property
    def path(self) -> Path | None:
        return self._path

    @property
    def is_saved(self) -> bool:
        return self.undo_stack.isClean()

    @property
    def stamp(self) -> Stamp | None:
        return self._stamp

    @property
    def is_file_changed(self) -> bool:
        """Whether another program has written the file since this window read or wrote it."""
        if self._path is None or self._stamp is None:
            return False
        return file_stamp(self._path) not in (None, self._stamp)

    def change(self, text: str, edit: Edit, *, merge: str = "") -> None:
        """Apply `edit` as one undoable step. When it raises, nothing has changed.

        Steps with the same `merge` text that follow each other become one ("move:…" of a drag).
        """
        after = edit(self._project)
        if after is not self._project:
            self.undo_stack.push(UndoStep(self, Step(text, self._project, after, (edit,)), merge))

    def steps(self) -> tuple[Step, ...]:
        """What was done since the project was opened, without what was undone."""
        done = (self.undo_stack.command(index) for index in range(self.undo_stack.index()))
        return tuple(command.step for command in done if isinstance(command, UndoStep))

    def replace(
        self, project: Project, path: Path | None, *, saved: bool = True, stamp: Stamp | None = None
    ) -> None:
        """Open another project; its history begins here. `stamp` is that of the file when it was
        read."""
        before = self._project
        self.opened += 1
        self.undo_stack.clear()
        if not saved:
            self.undo_stack.resetClean()
        self._path, self._stamp = path, stamp
        self._project = project
        self.replaced.emit()
        self.changed.emit(before, project)
        self.file_changed.emit()

    def mark_saved(self, path: Path, project: Project, *, whole: bool = True) -> None:
        """The file holds `project`, or only a part of it; a run may have brought something new
        while it was written."""
        self._path, self._stamp = path, file_stamp(path)
        if whole and project is self._project:
            self.undo_stack.setClean()
        else:
            self.undo_stack.resetClean()
        self.file_changed.emit()

    def show(self, project: Project) -> None:
        """Make `project` the present one; the undo command's way to swap."""
        before, self._project = self._project, project
        if before is not project and not self._is_quiet:
            self.changed.emit(before, project)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Combine many steps into one `changed` signal, from the first project to the last."""
        before, self._is_quiet = self._project, True
        try:
            yield
        finally:
            self._is_quiet = False
        if self._project is not before:
            self.changed.emit(before, self._project)


class UndoStep(QUndoCommand):
    """One change: the project before and after it."""

    def __init__(self, document: Document, step: Step, merge: str) -> None:
        super().__init__(step.text)
        self._document = document
        self.step = step
        self._merge = merge

    def again(self) -> UndoStep:
        """The same change as a step of its own, which nothing merges with."""
        return UndoStep(self._document, self.step, "")

    def redo(self) -> None:
        self._document.show(self.step.after)

    def undo(self) -> None:
        self._document.show(self.step.before)

    def id(self) -> int:
        return hash(self._merge) & 0x3FFFFFFF if self._merge else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, UndoStep) or other._merge != self._merge:
            return False
        more = other.step
        self.step = replace(self.step, after=more.after, edits=(*self.step.edits, *more.edits))
        return True


UNSAVED = -1  # Qt's clean index when no step is saved


class DocumentSnapshot:
    """Begins when it is made; `end` takes back every change since, as if it had not been."""

    def __init__(self, document: Document) -> None:
        stack = document.undo_stack
        self._document = document
        self._opened = document.opened
        self._project = document.project
        self._index, self._clean = stack.index(), stack.cleanIndex()
        # A change forgets what could have been redone: of every step there is a second one.
        self._steps = _steps(stack, 0)
        self._spare = [step.again() for step in self._steps]

    @property
    def is_void(self) -> bool:
        """Another project was opened since: there is nothing to go back to."""
        return self._document.opened != self._opened

    def end(self) -> None:
        """The project, what can be undone and redone, and what counts as saved, as before."""
        if self.is_void:
            return
        stack = self._document.undo_stack
        valid_count = len(list(takewhile(isValid, self._steps)))
        clean = self._clean_after(stack, valid_count)
        with self._document.quietly():  # views must not follow every step there and back
            for step in _steps(stack, valid_count):
                step.setObsolete(True)  # an obsolete step goes when it is undone or redone
            while stack.index() < stack.count():
                stack.redo()
            while stack.index() > valid_count:
                stack.undo()
            for spare in self._spare[valid_count:]:
                stack.push(spare)
            if clean == UNSAVED:
                stack.resetClean()
            elif stack.cleanIndex() != clean:
                stack.setIndex(clean)
                stack.setClean()
            stack.setIndex(self._index)
            self._document.show(self._project)

    def _clean_after(self, stack: QUndoStack, valid_count: int) -> int:
        """The step that counts as saved; none when the file has something that goes now."""
        now = stack.cleanIndex()
        if now in (self._clean, UNSAVED):
            return self._clean
        return now if now <= valid_count else UNSAVED


def _steps(stack: QUndoStack, begin: int) -> list[UndoStep]:
    steps = [stack.command(location) for location in range(begin, stack.count())]
    return [step for step in steps if isinstance(step, UndoStep)]
