"""The tables of a Markov network: potentials of its cliques, no table of a variable."""

from __future__ import annotations

from pgmstudio.gui.languages.tables import TableSource


class MarkovTables(TableSource):
    """No conditional probability tables."""

    no_table_text = (
        "Select a variable or an edge to see and edit the potentials of its cliques. A Markov "
        "network has no conditional probability tables; convert it to a Bayesian network for them."
    )
