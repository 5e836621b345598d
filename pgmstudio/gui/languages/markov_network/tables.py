"""The tables of a Markov network: it has potentials of cliques, no table of a variable."""

from __future__ import annotations

from pgmstudio.gui.languages.tables import TableSource


class MarkovTables(TableSource):
    """No conditional probability tables."""

    no_table_text = (
        "A Markov network has a potential for each maximal clique, no table of a variable. Convert "
        "it to a Bayesian network to see conditional probability tables."
    )
