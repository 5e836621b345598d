"""Faces for the nodes of a model's picture: what the project and the live beliefs say of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pgmstudio.core.inference.findings import weights_of
from pgmstudio.core.inference.protocols import Finding
from pgmstudio.core.pictures.picture import GraphPicture, PictureNode
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.document.live_beliefs import LiveBeliefs
from pgmstudio.gui.views.node_face import NodeFace, NodeMode

# Larger models open with names; their bars would be too far apart to be read together.
MOST_WITH_BARS = 24


def usual_mode(entry: ModelEntry) -> NodeMode:
    """How nodes are drawn that nobody chose a mode for."""
    return NodeMode.PRIOR if len(entry.model.domain) <= MOST_WITH_BARS else NodeMode.NAME


def mode_of(entry: ModelEntry, node: str) -> NodeMode:
    """The chosen mode of a node; one this version does not know counts as none."""
    chosen = entry.display_modes.get(node)
    try:
        return usual_mode(entry) if chosen is None else NodeMode(chosen)
    except ValueError:
        return usual_mode(entry)


def shared_mode(entry: ModelEntry) -> NodeMode | None:
    """The mode all nodes have; None when they differ."""
    modes = {mode_of(entry, name) for name in entry.model.domain.names}
    if len(modes) > 1:
        return None
    return modes.pop() if modes else usual_mode(entry)


@dataclass(frozen=True)
class FaceMaker:
    """Makes faces; `live` is None until the model has been asked for the first time."""

    entry: ModelEntry
    live: LiveBeliefs | None
    target: str | None
    has_waited: bool = False  # so long that the beliefs in view are called stale

    def faces(self, picture: GraphPicture) -> dict[str, NodeFace]:
        evidence: Mapping[str, Finding] = {} if self.live is None else self.live.evidence
        return {node.id: self._face(node, evidence) for node in picture.nodes}

    def _face(self, node: PictureNode, evidence: Mapping[str, Finding]) -> NodeFace:
        name, entry, live = node.variable, self.entry, self.live
        if name is None or name not in entry.model.domain:
            return NodeFace(node.label)
        variable = entry.model.domain[name]
        mode = mode_of(entry, name)
        if live is not None and live.error is not None and mode is not NodeMode.DOT:
            mode = NodeMode.NAME
        finding = evidence.get(name)
        beliefs = () if live is None else live.beliefs.get(name, ())
        priors = () if live is None else live.priors.get(name, ())
        return NodeFace(
            title=entry.node_titles.get(name, name),
            mode=mode,
            states=variable.states,
            beliefs=tuple(map(float, beliefs)) if len(beliefs) == variable.cardinality else (),
            priors=tuple(map(float, priors)) if len(priors) == variable.cardinality else (),
            weights=() if finding is None else tuple(map(float, weights_of(variable, finding))),
            most_probable=None if live is None else live.most_probable.get(name),
            is_target=name == self.target,
            # Beliefs that come at once are not called stale: a blink of grey would only disturb.
            is_stale=live is not None and live.is_stale and (self.has_waited or not live.is_live),
            note=entry.node_notes.get(name, ""),
        )
