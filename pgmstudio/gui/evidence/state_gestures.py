"""Gestures that set evidence, the same in every list of states."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolTip, QWidget

from pgmstudio.core.inference.belief_text import state_text
from pgmstudio.gui.beliefs.belief_service import BeliefService
from pgmstudio.gui.evidence.active_model import ActiveModel

Modifiers = Qt.KeyboardModifier
Key = Qt.Key
HOW = "Click sets evidence, Shift excludes, Ctrl allows several."


def use_state(
    live: BeliefService,
    variable: str,
    state: str,
    held: Modifiers,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> str | None:
    """Set or retract a state; Shift or Alt excludes it; Ctrl allows several.

    Returns the reason if the state is impossible and nothing was changed.
    """
    reason = live.why_impossible(variable, state, titles)
    if reason is not None:
        return reason
    if held & (Modifiers.ShiftModifier | Modifiers.AltModifier):
        live.exclude_state(variable, state)
    elif held & Modifiers.ControlModifier:
        live.toggle_one_of(variable, state)
    else:
        live.click_state(variable, state)
    return None


def show_tooltip_at(widget: QWidget, message: str | None, position: QPoint) -> None:
    """Show a message at a position of a widget, for as long as a toast."""
    if message:
        QToolTip.showText(widget.mapToGlobal(position), message, widget, widget.rect(), 6000)


def state_tip(
    live: BeliefService, variable: str, state: str, titles: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The tooltip of the bar of a state."""
    position = live.model.domain[variable].code(state)
    text = f"{titles.get(variable, variable)} = {state}"
    belief, prior = live.beliefs.get(variable), live.priors.get(variable)
    if belief is not None:
        text += f": {state_text(belief.tolist(), position, live.scale)}"
    if prior is not None and live.evidence:
        text += f", prior {state_text(prior.tolist(), position, live.scale)}"
    reason = live.why_impossible(variable, state, titles)
    return f"{text}\nNot now: {reason}" if reason else f"{text}\n{HOW}"


def tip_in(subject: ActiveModel | None, variable: str, state: str) -> str:
    """The tooltip of a state of the active model."""
    if subject is None:
        return state
    return state_tip(subject.live, variable, state, subject.entry.node_titles)


def use_in(
    subject: ActiveModel | None,
    variable: str,
    state: str,
    held: Modifiers,
    widget: QWidget,
    position: QPoint,
) -> None:
    """Set a state of the active model; a refusal is shown at the position in the widget."""
    if subject is not None:
        refusal = use_state(subject.live, variable, state, held, subject.entry.node_titles)
        show_tooltip_at(widget, refusal, position)
