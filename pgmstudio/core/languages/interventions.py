"""Interventions do(X = x) among the findings of any language, and which languages have them.

A tree is read as the network it is stored as, with every edge away from its root. Mixtures, latent
class models and decision graphs have no edges that could be read as cause and effect.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.inference.base import NO_INTERVENTION, Done, Finding, Observed
from pgmstudio.core.languages.registry import LANGUAGES
from pgmstudio.core.model import Model

Floats = NDArray[np.float64]


def done_states(evidence: Mapping[str, Finding]) -> dict[str, str]:
    """The intervened variables and their states."""
    return {name: f.state for name, f in evidence.items() if isinstance(f, Done)}


def doings_first(evidence: Mapping[str, Finding]) -> dict[str, Finding]:
    """The same evidence to be set one by one: what is seen may be possible only after what was
    done."""
    return dict(sorted(evidence.items(), key=lambda one: not isinstance(one[1], Done)))


def as_seen(finding: Finding) -> Finding:
    """The same finding where an intervention has been made already: its state is certain."""
    return Observed(finding.state) if isinstance(finding, Done) else finding


def no_intervention_reason(model: Model) -> str:
    """Why do() has no meaning in this model, as text; empty if it has one."""
    row = LANGUAGES.get(model.kind)
    return "" if row is not None and row.has_interventions else NO_INTERVENTION


def direction_note(model: Model, evidence: Mapping[str, Finding]) -> str:
    """What has to be known about answers after do() in this language; empty without do()."""
    row = LANGUAGES.get(model.kind)
    return row.intervention_note if row is not None and done_states(evidence) else ""
