"""The content of the nodes of a diagram: title, beliefs, evidence and marks of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.belief_query import Beliefs
from pgmstudio.core.drawing.diagram import GraphPicture, PictureNode
from pgmstudio.core.inference.base import Done, Finding, Scale, as_seen, weights_of
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.registry import language_of
from pgmstudio.core.model import HasDag
from pgmstudio.core.project.project import ModelEntry
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.canvas.node_view import NodeMode, NodeView

# Models with more variables open with names only: their bars could not be read together.
MAX_WITH_BARS = 24
# So do models with many layers; the height is in pixels, with a node and an arrow per layer.
MAX_HEIGHT_WITH_BARS = 1000
_HEAD, _ROW, _ARROW = 23, 17, 64


def usual_mode(entry: ModelEntry, of_language: NodeMode | None = None) -> NodeMode:
    """How nodes without a mode of their own are drawn: as their language has it, or by size."""
    if of_language is not None:
        return of_language
    if len(entry.model.domain) > MAX_WITH_BARS:
        return NodeMode.NAME
    if isinstance(entry.model, HasDag) and _height(entry.model) > MAX_HEIGHT_WITH_BARS:
        return NodeMode.NAME
    return NodeMode.PRIOR


def _height(model: HasDag) -> int:
    """The approximate height of its graph, drawn in layers of nodes with bars."""
    dag, low = model.dag, [0] * len(model.dag.names)
    for node in dag.topological_order:
        states = min(6, model.domain.variables[node].cardinality)
        above = max((low[parent] for parent in dag.parent_indices[node]), default=0)
        low[node] = above + _HEAD + _ROW * states + _ARROW
    return max(low, default=0)


def mode_of(entry: ModelEntry, node: str, usual: NodeMode) -> NodeMode:
    """The chosen mode of a node; a mode of a newer version counts as none."""
    chosen = entry.display_modes.get(node)
    try:
        return usual if chosen is None else NodeMode(chosen)
    except ValueError:
        return usual


def shared_mode(entry: ModelEntry, usual: NodeMode) -> NodeMode | None:
    """The mode of all nodes; None when they differ."""
    modes = {mode_of(entry, name, usual) for name in entry.model.domain.names}
    if len(modes) > 1:
        return None
    return modes.pop() if modes else usual


Values = NDArray[np.float64] | None


class Made(NamedTuple):
    """The content of a node and what it was made from; beliefs that did not move are the same
    arrays."""

    node: PictureNode
    values: tuple[Values, Values, Values]  # belief, prior, error
    given: tuple[Finding | None, str | None]  # the finding, the most probable state
    face: NodeView


@dataclass
class MadeFaces:
    """The nodes made last, as long as nothing differs but evidence and beliefs."""

    entry: ModelEntry | None = None
    common: tuple[object, ...] = ()
    by_node: dict[str, Made] = field(default_factory=dict)


@dataclass(frozen=True)
class NodeViewFactory:
    """Makes the content of nodes; `live` is None until the model has an inference session."""

    entry: ModelEntry
    live: BeliefService | None
    target: str | None
    usual_mode: NodeMode
    has_waited: bool = False  # so long that the beliefs shown are called stale
    waiting: frozenset[str] = frozenset()  # variables whose beliefs wait for a table
    blend: float = 1.0  # how far from the prior (0) to the beliefs given evidence (1)
    cut: float = 0.0  # α of the cut that is shown
    made: MadeFaces = field(default_factory=MadeFaces)  # before: not made again

    def faces(self, picture: GraphPicture) -> dict[str, NodeView]:
        live, is_stale = self.live, self._is_stale()
        evidence: Mapping[str, Finding] = {} if live is None else live.evidence
        error = None if live is None else live.error
        common = (self.target, self.usual_mode, self.waiting, self.blend, self.cut, error, is_stale)
        if self.made.entry is not self.entry or self.made.common != common:
            self.made.entry, self.made.common, self.made.by_node = self.entry, common, {}
        return {n.id: self._face(n, evidence, is_stale) for n in picture.nodes}

    @cached_property
    def _scale(self) -> Scale:
        return language_of(self.entry.model).scale

    @cached_property
    def _values(self) -> tuple[Beliefs, Beliefs, Beliefs, Mapping[str, str]]:
        """Beliefs, priors, errors and most probable states by variable."""
        live = self.live
        if live is None:
            return {}, {}, {}, {}
        return live.beliefs, live.priors, live.errors, live.most_probable

    def _is_stale(self) -> bool:
        """Beliefs that arrive at once are never shown as stale: a blink of grey would disturb."""
        live = self.live
        return live is not None and live.is_stale and (self.has_waited or not live.is_live)

    def _face(self, node: PictureNode, evidence: Mapping[str, Finding], is_stale: bool) -> NodeView:
        name, entry, live = node.variable, self.entry, self.live
        if name is None or name not in entry.model.domain:
            return self._hidden_face(node, is_stale)
        all_beliefs, all_priors, all_errors, all_explained = self._values
        beliefs, priors, errors = all_beliefs.get(name), all_priors.get(name), all_errors.get(name)
        values, given = (beliefs, priors, errors), (evidence.get(name), all_explained.get(name))
        made = self.made.by_node.get(node.id)
        is_same = made is not None and made.node is node and made.given == given
        if made is not None and is_same and all(map(is_, made.values, values)):
            return made.face
        finding, most_probable = given
        variable = entry.model.domain[name]
        mode = mode_of(entry, name, self.usual_mode)
        if live is not None and live.error is not None and mode is not NodeMode.DOT:
            mode = NodeMode.NAME
        if self.blend < 1 and beliefs is not None and priors is not None:
            beliefs = (1 - self.blend) * priors + self.blend * beliefs
        face = NodeView(
            title=entry.node_titles.get(name, name),
            mode=mode,
            states=variable.states,
            beliefs=_floats(beliefs, variable.cardinality),
            priors=_floats(priors, variable.cardinality),
            weights=()
            if finding is None
            else tuple(map(float, weights_of(variable, as_seen(finding)))),
            most_probable=most_probable,
            is_target=name == self.target,
            is_stale=is_stale or name in self.waiting,
            note=entry.node_notes.get(name, ""),
            is_done=isinstance(finding, Done),
            scale=self._scale,
            cut=self.cut,
            errors=_floats(errors, variable.cardinality),
        )
        self.made.by_node[node.id] = Made(node, values, given, face)
        return face

    def _hidden_face(self, node: PictureNode, is_stale: bool) -> NodeView:
        """A hidden root shows how probable each component is; anything else has its label."""
        model, name = self.entry.model, node.variable
        if not isinstance(model, ComponentModel) or name is None:
            return NodeView(node.label)
        priors = tuple(model.weights.tolist())
        fractions = () if self.live is None else self.live.component_posterior
        fractions = fractions if len(fractions) == len(priors) else ()
        return NodeView(
            title=self.entry.node_titles.get(name, name),
            mode=mode_of(self.entry, name, NodeMode.PRIOR),
            states=model.component_names,
            beliefs=blended(priors, fractions, self.blend),
            priors=priors,
            is_stale=is_stale,
        )


def blended(
    priors: tuple[float, ...], fractions: tuple[float, ...], blend: float
) -> tuple[float, ...]:
    """Weights between prior and posterior; empty while the posterior is not known."""
    if blend >= 1 or len(fractions) != len(priors):
        return fractions
    return tuple((1 - blend) * a + blend * b for a, b in zip(priors, fractions, strict=True))


def _floats(values: NDArray[np.float64] | None, count: int) -> tuple[float, ...]:
    """None where they are not known, or of a variable that has other states by now."""
    return () if values is None or len(values) != count else tuple(values.tolist())
