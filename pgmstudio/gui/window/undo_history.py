"""Undo and redo of the window: the steps of the project and, between them, those of evidence.

Evidence is not part of the project. Its steps are stored here, each with the project it was set in,
so they are undone in order and affect neither the undo stack nor the file nor the saved state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from pgmstudio.core.analysis.belief_query import Standing
from pgmstudio.core.inference.base import Likelihood
from pgmstudio.core.inference.findings import finding_text
from pgmstudio.core.model import Model
from pgmstudio.core.project.project import Project
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.evidence.cpt_edit_session import cpt_edit_session
from pgmstudio.gui.navigation import open_model_page

if TYPE_CHECKING:
    from pgmstudio.gui.context import AppContext

NOTHING = Standing()


@dataclass(frozen=True, eq=False, slots=True)
class EvidenceStep:
    """The evidence of one model before and after a step, in a state of the project."""

    project: Project
    model_id: str
    before: Standing
    after: Standing


class UndoHistory(QObject):
    """One per window; the newest step is undone first, whether project change or evidence."""

    def __init__(self, app: AppContext) -> None:
        super().__init__(app.window)
        self._app, self._workspace = app, app.workspace
        self._stack = app.document.undo_stack
        self._known: dict[str, tuple[BeliefService, Model, Standing]] = {}
        self._past: list[EvidenceStep] = []
        self._future: list[EvidenceStep] = []
        self._is_going = False
        self._closed = ""  # the model that went out of view with the step taken back last
        self._typed_at: tuple[int, int] | None = None  # steps done when a number was typed last
        self._work = cpt_edit_session(app)
        self._work.typed.connect(self._on_typed)
        self._workspace.beliefs_changed.connect(self._on_beliefs)
        app.document.replaced.connect(self._on_replaced)

    def _on_replaced(self) -> None:
        """Another project, another history."""
        self._known.clear()
        self._past.clear()
        self._future.clear()
        self._closed, self._typed_at = "", None
        self._work.wait_for(None)

    # -- going back and forth

    @property
    def can_undo(self) -> bool:
        return self._is_typing or self._next_back() is not None or self._stack.canUndo()

    @property
    def can_redo(self) -> bool:
        return self._next_forth() is not None or self._stack.canRedo()

    @property
    def undo_text(self) -> str:
        """`Undo rename Pollution`, `Undo evidence smoke = yes`, or just `Undo`."""
        if self._is_typing and (waiting := self._work.waiting) is not None:
            return f"Undo the number typed into the table of {waiting.title}"
        step = self._next_back()
        return _with_verb("Undo", self._stack.undoText() if step is None else step_text(step))

    @property
    def redo_text(self) -> str:
        step = self._next_forth()
        return _with_verb("Redo", self._stack.redoText() if step is None else step_text(step))

    def undo(self) -> None:
        """Take back what was done last: evidence, a change of the project, or a number typed
        into a table that does not sum to 1 yet."""
        if self._is_typing:
            self._work.take_back()
            return
        step = self._next_back()
        if step is not None:
            del self._past[self._past.index(step) :]
            self._future.append(step)
            self._restore(step, step.before, "taken back")
            return
        text, in_view = self._stack.undoText(), self._workspace.model_id
        self._stack.undo()
        if in_view is not None and in_view not in self._app.project.models:
            self._closed = in_view
            self._app.notify(f"Undone: {text}. Ctrl+Y redoes it.")

    def redo(self) -> None:
        """Do again what was taken back last."""
        step = self._next_forth()
        if step is None:
            self._stack.redo()
            if self._closed in self._app.project.models:
                open_model_page(self._app, self._closed)
                self._closed = ""
            return
        del self._future[self._future.index(step) :]
        self._past.append(step)
        self._restore(step, step.after, "set again")

    @property
    def _is_typing(self) -> bool:
        """Whether nothing was done since a number was typed that waits for its column's sum."""
        return self._work.waiting is not None and self._typed_at == self._done

    @property
    def _done(self) -> tuple[int, int]:
        return self._stack.index(), len(self._past)

    def _on_typed(self) -> None:
        self._typed_at = self._done

    def _next_back(self) -> EvidenceStep | None:
        return self._newest(self._past, lambda step: step.before)

    def _next_forth(self) -> EvidenceStep | None:
        return self._newest(self._future, lambda step: step.after)

    def _newest(
        self, steps: list[EvidenceStep], goal: Callable[[EvidenceStep], Standing]
    ) -> EvidenceStep | None:
        """The newest step in the project as it is that would change anything."""
        project = self._app.project
        for step in reversed(steps):
            if step.project is project:
                live = self._workspace.beliefs(step.model_id)
                if live.error is None and live.standing != goal(step):
                    return step
        return None

    def _restore(self, step: EvidenceStep, goal: Standing, what: str) -> None:
        self._is_going = True
        try:
            self._workspace.beliefs(step.model_id).restore(goal)
        finally:
            self._is_going = False
        if step.model_id != self._workspace.model_id:
            title = self._app.project.models[step.model_id].title
            words = step_text(step)
            self._app.notify(f"{title}: {words} {what}.")

    # -- recording

    def _on_beliefs(self, model_id: str) -> None:
        if model_id not in self._app.project.models:
            return
        live = self._workspace.beliefs(model_id)
        now = live.standing
        known, model, before = self._known.get(model_id, (live, live.model, NOTHING))
        if known is not live:
            model, before = live.model, NOTHING
        self._known[model_id] = live, live.model, now
        # What another version of the model no longer knows was not taken back by anybody.
        if now != before and model is live.model and not self._is_going:
            self._note(EvidenceStep(self._app.project, model_id, before, now), live)

    def _note(self, step: EvidenceStep, live: BeliefService) -> None:
        self._future.clear()
        newest = self._past[-1] if self._past else None
        if newest is not None and newest.after == step.before and _is_one(newest, step):
            if live.refusal is not None and newest.before == step.after:
                self._past.pop()  # the model refused it: nothing was done
                return
            if _is_drag(step):
                self._past.pop()
                step = EvidenceStep(step.project, step.model_id, newest.before, step.after)
        self._past.append(step)


def step_text(step: EvidenceStep) -> str:
    """`evidence smoke = yes`, `evidence of 3 variables`."""
    before, after = dict(step.before.findings), dict(step.after.findings)
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    names = names or sorted(step.before.off ^ step.after.off)
    if len(names) != 1:
        return f"evidence of {len(names)} variables"
    finding = after.get(names[0]) or before[names[0]]
    return f"evidence {names[0]} {finding_text(finding)}"


def _is_one(newest: EvidenceStep, step: EvidenceStep) -> bool:
    return newest.project is step.project and newest.model_id == step.model_id


def _is_drag(step: EvidenceStep) -> bool:
    """Nothing but the weights of one likelihood differ."""
    before, after = dict(step.before.findings), dict(step.after.findings)
    if list(before) != list(after) or step.before.off != step.after.off:
        return False
    pairs = [(before[name], after[name]) for name in before if before[name] != after[name]]
    return len(pairs) == 1 and all(isinstance(finding, Likelihood) for finding in pairs[0])


def _with_verb(verb: str, text: str) -> str:
    """A verb before a step; its own begins with a small letter, unless it is an abbreviation."""
    if text[1:2].islower():
        text = text[:1].lower() + text[1:]
    return f"{verb} {text}".strip()
