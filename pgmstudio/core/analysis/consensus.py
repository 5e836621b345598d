"""The consensus of every class: the most probable states of the other variables, given the class.

Meilă (1999, Fig. 7-10) reads the sequence of a splice junction from P(site | class) of a tree: a
base is printed where it has a high probability, a group of bases where they have it together, and
“–” where any base is possible. So it is here, for the states of any class variable of any model, or
for the components of a mixture.

The information content of a variable X in a class t is log2 r − H(X | t) bits, as in a sequence
logo; it is 0 for equal probabilities and log2 r for one certain state. What the class changes is
its divergence KL(P(X | t) ‖ P(X)); its mean over the classes is the mutual information I(T; X).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pgmstudio.core.analysis.tables import Cell
from pgmstudio.core.analysis.value_of_information import joints_with
from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Variable
from pgmstudio.core.errors import DataError
from pgmstudio.core.execution.events import NEVER, CancelToken
from pgmstudio.core.inference.base import Scale
from pgmstudio.core.languages.base import ComponentModel
from pgmstudio.core.languages.registry import a_kind, language_of
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model

# A state or group of states is the consensus from this probability on; from the second on it is
# nearly certain.
HIGH, CERTAIN = 0.8, 0.99
ANY = "–"


@dataclass(frozen=True, eq=False)
class ClassState:
    """P(X | class) of one variable in one class, with what is read from it."""

    variable: Variable
    probabilities: Floats
    divergence_bits: float  # KL(P(X | class) ‖ P(X))

    @property
    def code(self) -> int:
        """The most probable state; of equal ones the first."""
        return int(self.probabilities.argmax())

    @property
    def state(self) -> str:
        return self.variable.states[self.code]

    @property
    def probability(self) -> float:
        return float(self.probabilities[self.code])

    @property
    def information_bits(self) -> float:
        """log2 r − H(X | class)."""
        seen = self.probabilities[self.probabilities > 0]
        entropy = -float((seen * np.log2(seen)).sum())
        return max(0.0, math.log2(self.variable.cardinality) - entropy)

    @property
    def is_certain(self) -> bool:
        return self.probability >= CERTAIN

    @property
    def group(self) -> tuple[str, ...]:
        """The fewest states that have a high probability together, the most probable first; none
        if these are more than half of the states."""
        order = np.argsort(-self.probabilities, kind="stable")
        sums = np.cumsum(self.probabilities[order])
        needed = int(np.searchsorted(sums, HIGH)) + 1
        if needed > max(1, self.variable.cardinality // 2):
            return ()
        return tuple(self.variable.states[code] for code in order[:needed])

    @property
    def text(self) -> str:
        """The consensus: a state, a group of states, or “–”."""
        return "/".join(self.group) or ANY


@dataclass(frozen=True, eq=False)
class Consensus:
    """By class, in the order of its states: P(class), and every other variable."""

    target: str
    states: tuple[str, ...]
    weights: Floats
    variables: tuple[str, ...]
    cells: Mapping[tuple[str, str], ClassState]  # by class and variable

    def of_class(self, state: str) -> tuple[ClassState, ...]:
        """The variables of one class, in the order of the model."""
        return tuple(self.cells[state, name] for name in self.variables)

    def information_bits(self, variable: str) -> float:
        """I(T; X) = Σ_t P(t) KL(P(X | t) ‖ P(X))."""
        each = (self.cells[state, variable].divergence_bits for state in self.states)
        return float(sum(w * d for w, d in zip(self.weights, each, strict=True) if w > 0))


def consensus_of(model: Model, target: str | None = None, cancel: CancelToken = NEVER) -> Consensus:
    """The consensus of the states of a variable; without `target` that of the components of a
    mixture or of latent classes."""
    if language_of(model).scale is not Scale.PROBABILITY:
        raise DataError(f"{a_kind(model.kind, 'A')} has no probabilities of classes.")
    if target is not None:
        variable = model.domain[target]
        session = open_session(model)
        weights = np.asarray(session.belief(variable.name).values)
        joints = joints_with(session, model.domain, variable.name, cancel)
        with np.errstate(invalid="ignore", divide="ignore"):
            given = {name: joint / weights[:, None] for name, joint in joints.items()}
        return _consensus(model, variable.name, variable.states, weights, given)
    if not isinstance(model, ComponentModel):
        raise DataError(
            f"{a_kind(model.kind, 'A')} has no components; name the class variable as the target."
        )
    return _consensus(
        model,
        model.component_title,
        model.component_names,
        np.asarray(model.weights),
        model.component_marginals(),
    )


def _consensus(
    model: Model,
    target: str,
    states: Sequence[str],
    weights: Floats,
    given: Mapping[str, Floats],
) -> Consensus:
    """From P(X | class), classes × states; an impossible class has the margins."""
    cells: dict[tuple[str, str], ClassState] = {}
    possible = weights > 0
    for name, table in given.items():
        margin = weights[possible] @ table[possible]
        for state, row, is_possible in zip(states, table, possible, strict=True):
            row = row if is_possible else margin
            seen = row > 0
            bits = float((row[seen] * np.log2(row[seen] / margin[seen])).sum())
            cells[state, name] = ClassState(model.domain[name], row, max(0.0, bits))
    return Consensus(target, tuple(states), weights, tuple(given), cells)


def consensus_table(consensus: Consensus) -> list[list[Cell]]:
    """One line for each class and variable, to all digits."""
    head: list[Cell] = ["class", "class_probability", "variable", "consensus", "state"]
    head += ["probability", "information_bits", "divergence_bits"]
    lines: list[list[Cell]] = [head]
    for state, weight in zip(consensus.states, consensus.weights, strict=True):
        for one in consensus.of_class(state):
            fixed: list[Cell] = [state, float(weight), one.variable.name, one.text, one.state]
            lines.append([*fixed, one.probability, one.information_bits, one.divergence_bits])
    return lines
