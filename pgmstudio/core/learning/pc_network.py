"""The end of every learner by tests: what was found as notes, and a network with its tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.graphs.dag import Dag
from pgmstudio.core.learning.edge_rules import EdgeRules
from pgmstudio.core.learning.em_steps import refined
from pgmstudio.core.learning.fitting import fit_tables
from pgmstudio.core.learning.missing_cells import grouped_digits
from pgmstudio.core.learning.open_structure import OpenStructure
from pgmstudio.core.learning.pc_log import TestLog
from pgmstudio.core.learning.pc_orientation import Orientation, strongest_first
from pgmstudio.core.learning.pc_params import TestParams
from pgmstudio.core.learning.pc_skeleton import Skeleton, weakness
from pgmstudio.core.learning.protocols import Finished, Found, Kept, LearnEvent
from pgmstudio.core.running import CancelToken, Note, Progress
from pgmstudio.core.scores.family_scores import MAX_TABLE_CELLS

MOST_TOLD = 5


def network_events(
    data: DataSet,
    skeleton: Skeleton,
    orientation: Orientation,
    rules: EdgeRules,
    params: TestParams,
    *,
    rows: DataSet | None = None,
    open_: OpenStructure | None = None,
    rng: np.random.Generator,
    cancel: CancelToken,
) -> Iterator[LearnEvent]:
    """What the search found, then the fitted network as Found and Finished.

    `rows` are the data with their missing cells completed, where they were searched so.
    The log of tests is kept, and with `open_` what a person may still decide.
    """
    yield Kept(TestLog.of(skeleton, params.rule()))
    if open_ is not None:
        yield Kept(open_.trimmed())
    for sentence in sentences(skeleton, orientation):
        yield Note(sentence)
    dag, gone = with_small_tables(orientation.dag, data.domain.cardinalities, skeleton, rules)
    if gone:
        edges = _listed([f"{source} → {target}" for source, target in gone])
        limit = grouped_digits(MAX_TABLE_CELLS)
        yield Note(f"Tables would have more than {limit} cells; left out, as weakest: {edges}.")
    yield Progress(None, "Filling the tables")
    counted = data if rows is None else rows
    fitted = fit_tables(counted, dag, params.smoothing, rng=rng, observed=data, cancel=cancel)
    fitted = yield from refined(fitted, data, params.missing, cancel=cancel)
    measures = {
        "edges": float(len(dag.edges)),
        "directed_edges": float(len({*orientation.pdag.directed} & {*dag.edges})),
        "tests": float(len(skeleton.tests)),
        "conflicts": float(len(orientation.conflicts)),
        "smoothing": fitted.smoothing,
        **fitted.per_row(data),
    }
    yield Found(fitted.network, measures)
    yield Finished(fitted.network, measures)


def sentences(skeleton: Skeleton, orientation: Orientation) -> Iterator[str]:
    """The search in a few sentences: tests, weakest edge, free directions, conflicts."""
    edges = len(skeleton.pairs)
    told = f"{_count(len(skeleton.tests), 'test')}, {_count(edges, 'edge')}"
    if skeleton.weakest:
        weakest = max(skeleton.weakest.values(), key=weakness)
        given = f" given {', '.join(weakest.given)}" if weakest.given else ""
        p = f"{weakest.outcome.p_value:.3g}"
        told += f"; weakest kept edge {weakest.a} – {weakest.b}, p = {p}{given}"
    yield f"{told}."
    unreliable = sum(not test.outcome.reliable for test in skeleton.tests)
    if unreliable:
        tests = _count(unreliable, "test")
        yield f"{tests} had fewer than 5 rows for each degree of freedom and may err."
    if skeleton.left_out:
        yield f"{_count(skeleton.left_out, 'test')} of too large tables left out; the edges stay."
    free = len(orientation.pdag.undirected)
    if free:
        yield (
            f"{free} of {_count(edges, 'edge')} could point either way; "
            "the network has one of the possible directions."
        )
    if orientation.dropped:
        dropped = _listed([f"{source} → {target}" for source, target in orientation.dropped])
        yield f"The rules would make a cycle of the edges found; left out, as weakest: {dropped}."
    conflicts = orientation.conflicts
    for conflict in conflicts[:MOST_TOLD]:
        yield f"Tests disagree: {conflict}"
    if len(conflicts) > MOST_TOLD:
        yield f"Tests disagree on {len(conflicts) - MOST_TOLD} more v-structures."
    if not orientation.consistent:
        yield "No network has exactly these v-structures; one with few more is taken."


def _count(number: int, word: str) -> str:
    return f"{grouped_digits(number)} {word}{'' if number == 1 else 's'}"


def _listed(items: list[str]) -> str:
    more = f" and {len(items) - MOST_TOLD} more" if len(items) > MOST_TOLD else ""
    return ", ".join(items[:MOST_TOLD]) + more


def with_small_tables(
    dag: Dag, cards: tuple[int, ...], skeleton: Skeleton, rules: EdgeRules
) -> tuple[Dag, list[tuple[str, str]]]:
    """The graph without the weakest edges into columns whose tables would be too large."""
    kept, gone = [], []
    for child, parents in enumerate(dag.parent_indices):
        left = list(parents)
        free = [(p, child) for p in parents if not rules.required[p, child]]
        weakest_last = strongest_first(skeleton, free)
        while weakest_last and math.prod(cards[v] for v in (*left, child)) > MAX_TABLE_CELLS:
            parent, _ = weakest_last.pop()
            left.remove(parent)
            gone.append((dag.names[parent], dag.names[child]))
        kept.append(tuple(left))
    return Dag(dag.names, tuple(kept)), gone
