"""Model ▸ Learn parameters: the tables of the model in view from data, through the run sheet."""

from __future__ import annotations

from pgmstudio.core.learning.em_params import EmParams
from pgmstudio.core.models.kinds import a_kind
from pgmstudio.core.models.protocols import DirectedModel
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.app.actions import ActionSpec
from pgmstudio.gui.app.learn_actions import open_learn_page
from pgmstudio.gui.app.shell import Shell
from pgmstudio.gui.workers.learning_run import RunRequest

LEARNER = "bn.em"


class ParameterDesk:
    """Which model and which of its nodes are meant, and why not."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @property
    def entry(self) -> ModelEntry | None:
        return self._shell.project.models.get(self._shell.bench.model_id or "")

    def why_not(self) -> str | None:
        entry = self.entry
        if entry is None:
            return "open a model first."
        if not isinstance(entry.model, DirectedModel):
            return f"{a_kind(entry.model.kind)} has no tables P(X | parents)."
        return None if self._shell.project.data else "import data first (Ctrl+I)."

    def why_not_selected(self) -> str | None:
        return self.why_not() or (
            None if self._shell.bench.selection.nodes else "select a node first."
        )

    def learn(self) -> None:
        """All tables of the model in view."""
        self._open(None)

    def learn_selected(self) -> None:
        """The tables of the selected nodes; the others stay."""
        nodes = self._shell.bench.selection.nodes
        self._open(", ".join(f'"{name}"' if "," in name else name for name in nodes))

    def _open(self, nodes: str | None) -> None:
        entry, data = self.entry, self._shell.project.data
        if entry is None or not isinstance(entry.model, DirectedModel) or not data:
            return
        data_id = entry.data_id if entry.data_id in data else next(iter(data))
        params = EmParams(start=entry.model, nodes=nodes)
        page = open_learn_page(self._shell, LEARNER)
        page.fill(RunRequest("", LEARNER, params, page.seed, str(data_id)))


def parameter_actions(shell: Shell) -> list[ActionSpec]:
    desk = ParameterDesk(shell)
    return [
        ActionSpec(
            "model.learn-parameters",
            "Learn parameters…",
            "Model",
            "Fit the tables of this graph to data, also with missing cells or hidden variables.",
            desk.learn,
            icon="table",
            why_not=desk.why_not,
            separator_before=True,
        ),
        ActionSpec(
            "model.learn-selected",
            "Learn parameters of the selection…",
            "Model",
            "Fit the tables of the selected nodes to data; the others stay as they are.",
            desk.learn_selected,
            why_not=desk.why_not_selected,
        ),
    ]
