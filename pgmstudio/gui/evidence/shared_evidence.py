"""Shared evidence: findings entered in one model are set in all linked models."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from pgmstudio.core.analysis.disagreement import ModelAnswer, taken_by
from pgmstudio.core.inference.base import Finding, Scale
from pgmstudio.core.inference.findings import after_click
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.core.project.project import ModelEntry, Project
from pgmstudio.gui.context import AppContext

MAX_MODELS = 8  # more bars of one state cannot be distinguished


def askable(project: Project) -> dict[str, ModelEntry]:
    """The models whose beliefs are probabilities."""
    return {
        key: entry
        for key, entry in project.models.items()
        if isinstance(entry.model, ProbabilisticModel)
    }


class EvidenceLink(QObject):
    """Keeps the evidence of its models equal, as far as they have the variables and states.

    The model that was changed last leads: the others take over its findings and retractions.
    Findings on variables that the leader does not have stay.
    """

    changed = Signal()  # beliefs or evidence of one of the models

    def __init__(self, app: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._ids: tuple[str, ...] = ()
        self._evidence: dict[str, Finding] = {}
        self._refused: dict[str, frozenset[str]] = {}  # by model
        self._is_passing_on = False
        app.workspace.beliefs_changed.connect(self._on_beliefs)

    @property
    def model_ids(self) -> tuple[str, ...]:
        return self._ids

    @property
    def evidence(self) -> Mapping[str, Finding]:
        """The shared evidence, in the order of entry."""
        return dict(self._evidence)

    def join(self, model_ids: tuple[str, ...], leader: str | None) -> None:
        """Link these models; they take over the leader's evidence, or the shared evidence so
        far."""
        self._ids = model_ids
        if leader in model_ids and leader is not None:
            self._follow(leader)
        self._pass_on(None)
        self.changed.emit()

    def leave(self) -> None:
        """Unlink all models; every model keeps its evidence."""
        self._ids = ()

    # -- evidence in all models

    def click_state(self, variable: str, state: str) -> None:
        """Set hard evidence in all models; the state that is set is retracted."""
        finding = after_click(self._evidence.get(variable), state)
        if finding is None:
            self.retract(variable)
        else:
            self._evidence[variable] = finding
            self._pass_on(None)
            self.changed.emit()

    def retract(self, variable: str) -> None:
        if self._evidence.pop(variable, None) is not None:
            self._pass_on(None)
            self.changed.emit()

    def clear(self) -> None:
        self._evidence.clear()
        self._pass_on(None)
        self.changed.emit()

    # -- synchronisation

    def _on_beliefs(self, model_id: str) -> None:
        if model_id not in self._ids:
            return
        if not self._is_passing_on and self._follow(model_id):
            self._pass_on(model_id)
        self.changed.emit()

    def _follow(self, leader: str) -> bool:
        """Take over the evidence of a model; True if it changed."""
        live = self._app.workspace.beliefs(leader)
        domain, now = live.model.domain, dict(live.evidence)
        # Findings that it lacks or refused are not in its evidence, but were not retracted either.
        offered, _ = taken_by(domain, self._evidence)
        if live.refusal is not None:
            self._refused[leader] = frozenset(name for name in offered if name not in now)
        refused = self._refused.get(leader, frozenset())
        expected = {name: finding for name, finding in offered.items() if name not in refused}
        if now == expected or live.error is not None:
            return False
        others = {name: f for name, f in self._evidence.items() if name not in expected}
        ordered = {name: now[name] for name in expected if name in now}
        self._evidence = {**others, **ordered, **now}
        return True

    def _pass_on(self, leader: str | None) -> None:
        self._is_passing_on = True
        try:
            for model_id in self._ids:
                if model_id == leader or model_id not in self._app.project.models:
                    continue
                live = self._app.workspace.beliefs(model_id)
                wanted, _ = taken_by(live.model.domain, self._evidence)
                if dict(live.evidence) != wanted:
                    self._refused.pop(model_id, None)
                    live.set_all(wanted)
                    if live.refusal is not None:
                        left = [name for name in wanted if name not in live.evidence]
                        self._refused[model_id] = frozenset(left)
        finally:
            self._is_passing_on = False

    # -- beliefs

    def answers(self) -> list[ModelAnswer]:
        """The newest beliefs of every model, under unique titles."""
        names = titles_of(self._app.project, self._ids)
        return [self._answer(model_id, names[model_id]) for model_id in names]

    @property
    def is_waiting(self) -> bool:
        """Whether a model still computes its beliefs."""
        models = self._app.project.models
        return any(self._app.workspace.beliefs(key).is_stale for key in self._ids if key in models)

    def _answer(self, model_id: str, name: str) -> ModelAnswer:
        live = self._app.workspace.beliefs(model_id)
        domain = live.model.domain
        taken, left_out = taken_by(domain, self._evidence)
        if live.error is not None:
            return ModelAnswer(name, domain, {}, None, left_out, str(live.error))
        refused = [f"{n} {f} is refused" for n, f in taken.items() if live.evidence.get(n) != f]
        if refused and live.refusal is not None:
            refused = [str(live.refusal.error)]
        if live.scale is not Scale.PROBABILITY:
            return ModelAnswer(name, domain, {}, None, left_out, "it has no probabilities")
        problems = (*left_out, *refused)
        return ModelAnswer(name, domain, live.beliefs, live.log2_evidence, problems)


def titles_of(project: Project, model_ids: tuple[str, ...]) -> dict[str, str]:
    """Titles by id; where two are the same the id follows."""
    there = [key for key in model_ids if key in project.models]
    titles = [project.models[key].title for key in there]
    return {
        key: f"{title} ({key})" if titles.count(title) > 1 else title
        for key, title in zip(there, titles, strict=True)
    }
