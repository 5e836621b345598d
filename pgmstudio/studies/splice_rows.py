"""SPLICE: the rows, and what a tree over them says of the junction (Meilă 1999, §7.3.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.analysis.classification import classify
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import ProbabilisticModel
from pgmstudio.studies.measures import undirected
from pgmstudio.studies.recipe import Source

CLASS = "junction"
SPLICE_FILE = Source("splice", "seeds/splice.csv")
BASES = ("A", "C", "G", "T")
# Instead of no smoothing at all: a pair of bases that no row has would make every class impossible.
NEXT_TO_NONE = 1e-6


def clean_rows(data: DataSet) -> DataSet:
    """The class first and the 60 sites, without the rows that have an ambiguous base."""
    sites = [name for name in data.domain.names if name != CLASS]
    keep = np.ones(data.row_count, dtype=bool)
    columns = [data.column(CLASS)]
    for name in sites:
        states = data.domain[name].states
        codes = np.array([BASES.index(s) if s in BASES else len(BASES) for s in states])
        column = codes[data.column(name)]
        keep &= column < len(BASES)
        columns.append(column)
    variables = (data.domain[CLASS], *(Variable(name, BASES) for name in sites))
    return DataSet(Domain(variables), np.stack(columns)[:, keep].astype(np.uint8))


def percent_right(model: ProbabilisticModel, test: DataSet) -> float:
    """The percentage of junctions told right."""
    return 100 * classify(model, test, CLASS).accuracy.value


def site_number(name: str) -> int:
    """1 to 60."""
    return int(name.removeprefix("site_"))


def class_neighbours(tree: Tree) -> list[str]:
    """The variables that the class is joined to."""
    return sorted({name for edge in tree.edges if CLASS in edge for name in edge} - {CLASS})


def chain_share(tree: Tree) -> float:
    """Of the edges between sites, how many join neighbours i and i + 1."""
    pairs = [
        sorted(site_number(name) for name in edge)
        for edge in undirected(tree.edges)
        if CLASS not in edge
    ]
    return sum(high - low == 1 for low, high in pairs) / max(1, len(pairs))


def near_share(tree: Tree, low: int = 15, high: int = 40) -> float:
    """Of the class's neighbours, how many lie within these sites."""
    places = [site_number(name) for name in class_neighbours(tree)]
    return sum(low <= place <= high for place in places) / max(1, len(places))


def base_given_class(rows: DataSet, site: int, junction: str) -> NDArray[np.float64]:
    """The frequencies of A, C, G and T at a site, given the kind of junction."""
    of = rows.column(CLASS) == rows.domain[CLASS].code(junction)
    counts = np.bincount(rows.column(f"site_{site}")[of], minlength=len(BASES))
    return np.asarray(counts / max(1, counts.sum()))


def consensus(rows: DataSet, site: int, junction: str, share: float = 0.8) -> str:
    """The fewest bases that together have more than that share; “-” when any will do."""
    found = base_given_class(rows, site, junction)
    order = np.argsort(-found, kind="stable")
    needed = int(np.searchsorted(np.cumsum(found[order]), share, side="right")) + 1
    return "-" if needed > 2 else "".join(BASES[i] for i in order[:needed])
