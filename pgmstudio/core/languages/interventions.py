"""Which languages have interventions do(X = x), and what they mean there.

A tree is read as the network it is stored as, with every edge away from its root. Mixtures, latent
class models and decision graphs have no edges that could be read as cause and effect.
"""

from __future__ import annotations

from collections.abc import Mapping

from pgmstudio.core.inference.base import NO_INTERVENTION, Finding, done_states
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.model import Model


def no_intervention_reason(model: Model) -> str:
    """Why do() has no meaning in this model, as text; empty if it has one."""
    row = LANGUAGES.get(model.kind)
    return "" if row is not None and row.has_interventions else NO_INTERVENTION


def direction_note(model: Model, evidence: Mapping[str, Finding]) -> str:
    """What has to be known about answers after do() in this language; empty without do()."""
    row = LANGUAGES.get(model.kind)
    return row.intervention_note if row is not None and done_states(evidence) else ""
