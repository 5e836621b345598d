"""The list of the consensus: the typical states of every variable in each state of a target."""

from __future__ import annotations

from functools import partial

from pgmstudio.core.analysis.consensus import (
    CERTAIN,
    HIGH,
    ClassState,
    Consensus,
    consensus_table,
)
from pgmstudio.core.number_format import decimal
from pgmstudio.gui.evaluation.figure_card import TableMaker
from pgmstudio.gui.widgets.table import Column, Table


class ConsensusList(Table):
    """Two columns for every state of the target; `facts` says what its marks mean."""

    def __init__(self) -> None:
        super().__init__(
            "classifyConsensus",
            "The typical states of every variable, by state of the target",
            has_room_for_help=False,
        )
        self.facts = ""
        self._consensus: Consensus | None = None

    def show_consensus(self, consensus: Consensus | None) -> None:
        """None for a model that is too large."""
        self._consensus = consensus
        if consensus is None:
            self.show_rows([])
            self.facts = "The model is too large for a consensus."
            return
        self.show_columns(_columns(consensus))
        self.show_rows(consensus.variables)
        self.facts = (
            f"P ≥ {100 * HIGH:.0f} % given a state of {consensus.target}, "
            f"bold from {100 * CERTAIN:.0f} %."
        )

    @property
    def table(self) -> TableMaker | None:
        """The whole consensus for a file."""
        return None if self._consensus is None else partial(consensus_table, self._consensus)


def _columns(consensus: Consensus) -> list[Column]:
    """The variable; of every state of the target the consensus and its bits; the information."""

    def of_state(state: str, weight: float) -> tuple[Column, Column]:
        def cell(name: str) -> ClassState:
            return consensus.cells[state, name]

        def tip(name: str) -> str:
            one = cell(name)
            pairs = zip(one.variable.states, one.probabilities, strict=True)
            return "\n".join(
                [f"P({name} | {state}):", *(f"{value}: {p:.4f}" for value, p in pairs)]
            )

        return (
            Column(
                state,
                value=lambda name: cell(name).text,
                tip=f"{consensus.target} = {state}, P = {weight:.4f}: the state or states that "
                f"have a probability of at least {100 * HIGH:.0f} %.",
                cell_tip=tip,
                weight=lambda name: "semibold" if cell(name).is_certain else "regular",
            ),
            Column(
                "Bits",
                decimal,
                True,
                value=lambda name: cell(name).information_bits,
                tip=f"Information content in {state}: log2 r − H.",
                cell_tip=tip,
                explains="Information content",
            ),
        )

    pairs = zip(consensus.states, consensus.weights.tolist(), strict=True)
    return [
        Column("Variable", value=str),
        *(column for state, weight in pairs for column in of_state(state, weight)),
    ]
