"""SPLICE: DNA junctions classified by trees and mixtures of trees (Meilă 1999, §7.3.4–5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.execution.events import Note
from pgmstudio.core.experiments.generators.textbook import NoiseParams, with_noise
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.languages.tree_mixture.learning.params import MixtureParams
from pgmstudio.core.params import param
from pgmstudio.studies.measures import drawn_parts, percent_correct, undirected
from pgmstudio.studies.recipe import (
    Measured,
    RecipeContext,
    RecipeEvent,
    Source,
    load_recipe,
    trials_param,
)

CLASS = "junction"
SPLICE_FILE = Source("splice", "seeds/splice.csv")
BASES = ("A", "C", "G", "T")
# Instead of no smoothing at all: a pair of bases that no row has would make every class impossible.
NEXT_TO_NONE = 1e-6


def clean_rows(data: DataSet) -> DataSet:
    """The class first and the 60 sites, without the rows that have an ambiguous base."""
    sites = [name for name in data.domain.names if name != CLASS]
    is_clean = np.ones(data.row_count, dtype=bool)
    columns = [data.column(CLASS)]
    for name in sites:
        states = data.domain[name].states
        codes = np.array([BASES.index(s) if s in BASES else len(BASES) for s in states])
        column = codes[data.column(name)]
        is_clean &= column < len(BASES)
        columns.append(column)
    variables = (data.domain[CLASS], *(Variable(name, BASES) for name in sites))
    return DataSet(Domain(variables), np.stack(columns)[:, is_clean].astype(np.uint8))


def site_number(name: str) -> int:
    """1 to 60."""
    return int(name.removeprefix("site_"))


def class_neighbours(tree: Tree) -> list[str]:
    """The variables adjacent to the class."""
    return sorted({name for edge in tree.edges if CLASS in edge for name in edge} - {CLASS})


def chain_fraction(tree: Tree) -> float:
    """The fraction of edges between sites that join neighbours i and i + 1."""
    pairs = [
        sorted(site_number(name) for name in edge)
        for edge in undirected(tree.edges)
        if CLASS not in edge
    ]
    return sum(high - low == 1 for low, high in pairs) / max(1, len(pairs))


def near_fraction(tree: Tree, low: int = 15, high: int = 40) -> float:
    """The fraction of the class's neighbours within these sites."""
    sites = [site_number(name) for name in class_neighbours(tree)]
    return sum(low <= site <= high for site in sites) / max(1, len(sites))


def base_given_class(rows: DataSet, site: int, junction: str) -> NDArray[np.float64]:
    """The frequencies of A, C, G and T at a site, given the kind of junction."""
    of = rows.column(CLASS) == rows.domain[CLASS].code(junction)
    counts = np.bincount(rows.column(f"site_{site}")[of], minlength=len(BASES))
    return np.asarray(counts / max(1, counts.sum()))


def consensus(rows: DataSet, site: int, junction: str, fraction: float = 0.8) -> str:
    """The fewest bases with more than this fraction together; “-” for more than two."""
    frequencies = base_given_class(rows, site, junction)
    order = np.argsort(-frequencies, kind="stable")
    needed = int(np.searchsorted(np.cumsum(frequencies[order]), fraction, side="right")) + 1
    return "-" if needed > 2 else "".join(BASES[i] for i in order[:needed])


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


def run_splice(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SpliceRecipe = context.params
    data = clean_rows(context.sources[SPLICE_FILE.name])
    if context.has_first_trial:
        yield Note(f"{data.row_count} rows without an ambiguous base.")
        for junction, sites in (("EI", range(28, 37)), ("IE", range(15, 32))):
            read = " ".join(f"{site}:{consensus(data, site, junction)}" for site in sites)
            yield Note(f"{junction} reads {read}")
    context.expect_models(2 * params.trials)
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        rows, test = drawn_parts(data, (params.rows, params.test_rows), rng)
        message = f"split {trial + 1} of {params.trials}"
        tree = yield from context.learn_model(
            Tree,
            f"{message}, one tree",
            "tree.chow-liu",
            rows,
            rng,
            smoothing=max(params.smoothing, NEXT_TO_NONE),
        )
        near = sorted(site_number(name) for name in class_neighbours(tree))
        yield Note(
            f"Split {trial + 1}: next to the class are the sites {', '.join(map(str, near))}."
        )
        fewer, valid = drawn_parts(rows, (params.rows - params.valid_rows, params.valid_rows), rng)
        mixture = yield from context.learn_mixture(
            f"{message}, {params.trees} trees",
            fewer,
            valid,
            rng,
            MixtureParams(components=(params.trees,), smoothing=params.mixture_smoothing),
        )
        values = {
            "tree": percent_correct(tree, test, CLASS),
            "mixture": percent_correct(mixture, test, CLASS),
            "near": near_fraction(tree),
            "neighbours": float(len(class_neighbours(tree))),
            "chain": chain_fraction(tree),
        }
        for junction, site, base in READ:
            fraction = base_given_class(rows, site, junction)[BASES.index(base)]
            values[f"{junction}{site}"] = float(fraction)
        yield Measured(trial, values, tree, rows)


SPLICE = load_recipe("splice", SpliceRecipe, run_splice, sources=(SPLICE_FILE,))


LEARNERS: dict[str, tuple[str, str, dict[str, object]]] = {
    "tree": ("Tree", "tree.chow-liu", {}),
    "naive": ("Naive Bayes", "bn.naive-bayes", {"class": CLASS}),
    "tan": ("TAN", "bn.tan", {"class": CLASS}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpliceSmallRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: tuple[int, ...] = param(
        (100, 200, 400), title="Rows", low=10, help="Rows to learn from, one after the other."
    )
    test_rows: int = param(1500, title="Test rows", low=10, help="Rows to classify.")
    smoothing: float = param(0.1, title="Smoothing α", low=0, help="Pseudo-count of every cell.")


def run_splice_small(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SpliceSmallRecipe = context.params
    data = clean_rows(context.sources[SPLICE_FILE.name])
    context.expect_models(params.trials * len(params.rows) * len(LEARNERS))
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        largest = max(params.rows)
        all_rows, test = drawn_parts(data, (largest, params.test_rows), rng)
        order = rng.permutation(largest)
        for count in params.rows:
            rows = all_rows.take_rows(order[:count])  # the small sets lie within the large ones
            for name, (title, key, given) in LEARNERS.items():
                model = yield from context.learn(
                    f"split {trial + 1} of {params.trials}, {count} rows, {title}",
                    key,
                    rows,
                    rng,
                    smoothing=max(params.smoothing, NEXT_TO_NONE),
                    **given,
                )
                values = {f"{name}_{count}": 100 - percent_correct(model, test, CLASS)}
                yield Measured(trial, values, model, rows, f"{title}, {count} rows")


SPLICE_SMALL = load_recipe(
    "splice-small", SpliceSmallRecipe, run_splice_small, sources=(SPLICE_FILE,)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpliceNoiseRecipe:
    """The settings of the experiment."""

    trials: int = trials_param(20)
    rows: int = param(2000, title="Rows", low=10, help="Rows to learn from.")
    test_rows: int = param(1175, title="Test rows", low=10, help="Rows to classify.")
    noise: int = param(60, title="Noise columns", low=1, high=1000, help="With 4 states each.")
    edge_penalty: float = param(
        0.1, title="Edge penalty β", low=0, help="Minimum gain of an edge in nats."
    )


def run_splice_noise(context: RecipeContext) -> Iterator[RecipeEvent]:
    params: SpliceNoiseRecipe = context.params
    data = clean_rows(context.sources[SPLICE_FILE.name])
    sites = frozenset(data.domain.names)
    context.expect_models(2 * params.trials)
    for trial in context.trial_numbers:
        rng = context.rng(trial)
        wide = with_noise(data, NoiseParams(variables=params.noise), rng)
        rows, test = drawn_parts(wide, (params.rows, params.test_rows), rng)
        message = f"split {trial + 1} of {params.trials}"
        trees = []
        for columns in (data.domain.names, wide.domain.names):
            tree = yield from context.learn_model(
                Tree,
                f"{message}, {len(columns)} columns",
                "tree.chow-liu",
                rows.select_columns(columns),
                rng,
                edge_penalty=params.edge_penalty,
                smoothing=NEXT_TO_NONE,
            )
            trees.append(tree)
        plain, noisy = trees
        before = undirected(plain.edges)
        after = {edge for edge in undirected(noisy.edges) if edge <= sites}
        yield Measured(
            trial,
            {
                "noisy": percent_correct(noisy, test, CLASS),
                "plain": percent_correct(plain, test, CLASS),
                "same": len(before & after) / max(1, len(before)),
                "noise": float(sum(name not in sites for name in class_neighbours(noisy))),
            },
            noisy,
            rows,
        )


SPLICE_NOISE = load_recipe(
    "splice-noise", SpliceNoiseRecipe, run_splice_noise, sources=(SPLICE_FILE,)
)
