"""The actions of Bayesian networks: the graph of stated independences."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.languages.base import BAYESIAN_NETWORK
from pgmstudio.core.languages.registry import kind_title
from pgmstudio.gui.context import AppContext
from pgmstudio.gui.navigation import open_independences
from pgmstudio.gui.widgets.actions import ActionSpec


def independence_actions(app: AppContext) -> list[ActionSpec]:
    return [
        ActionSpec(
            "learn.independences",
            "PC from given independences…",
            f"Learn/With/{kind_title(BAYESIAN_NETWORK)}",
            "Type independences instead of data, and walk through the steps of PC.",
            partial(open_independences, app),
            icon="test-tube",
        )
    ]
