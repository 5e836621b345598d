"""`--map`: the most probable states of some variables together."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.terminal.parser import CommandParser, number, whole_number
from pgmstudio.cli.terminal.tables import count_of, decimal, percent
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.languages.map_query import MapAnswer


def add_map_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--map",
        metavar="V,V",
        nargs="+",
        action="extend",
        default=[],
        help="the most probable states of these variables together, the others summed out",
    )
    parser.add_argument(
        "--best",
        type=whole_number(1),
        default=1,
        metavar="K",
        help="with --map, the K most probable combinations (default 1)",
    )
    parser.add_argument(
        "--seconds",
        type=number(0),
        default=60.0,
        metavar="S",
        help="with --map, stop searching after S seconds and keep the best found (default 60)",
    )


def most_probable_from(
    args: argparse.Namespace, model: Model, findings: Mapping[str, Finding]
) -> MapAnswer | None:
    """The answer to --map; None when it is not asked."""
    if not args.map:
        return None
    from pgmstudio.core.execution.events import StopSwitch
    from pgmstudio.core.languages.map_query import most_probable_together

    return most_probable_together(
        model,
        names_in(model.domain, args.map),
        findings,
        best=args.best,
        stop=StopSwitch(seconds=args.seconds),
    )


def names_in(domain: Domain, words: Sequence[str]) -> list[str]:
    """Variables from words, each a name or several with commas between."""
    names: list[str] = []
    for word in words:
        parts = [word] if word in domain else [part.strip() for part in word.split(",")]
        names += [domain[part].name for part in parts if part]
    return list(dict.fromkeys(names))


def map_json(found: MapAnswer, log2_evidence: float) -> dict[str, Any]:
    """`log2_probability` is given the evidence, `log2_joint_probability` together with it."""
    return {
        "is_exact": found.is_exact,
        "log2_bound": found.log2_bound,
        "best": [
            {
                "states": dict(one.states),
                "log2_probability": one.log2_probability,
                "log2_joint_probability": one.log2_probability + log2_evidence,
            }
            for one in found.best
        ],
    }


def map_words(found: MapAnswer) -> str:
    """Whether this is proved, or how good it is at least."""
    if found.is_exact:
        return "exact"
    share = math.floor(1000 * found.share_of_bound) / 10
    return f"best found so far; at least {share:g} % as probable as the best possible"


def both_probabilities(log2_given: float, log2_evidence: float | None) -> str:
    """A probability given the evidence and together with it; one number without evidence."""
    told = f"{percent(math.exp2(log2_given))} ({decimal(log2_given)} bits)"
    if log2_evidence is None:
        return told
    log2_joint = log2_given + log2_evidence
    return (
        f"given the evidence {told}, "
        f"together with the evidence {math.exp2(log2_joint):.4g} ({decimal(log2_joint)} bits)"
    )


def print_map(found: MapAnswer, log2_evidence: float | None) -> None:
    chosen = count_of(len(found.best[0].states), "variable")
    print(f"\nMost probable states of {chosen} together ({map_words(found)})")
    for one in found.best:
        print(f"  {both_probabilities(one.log2_probability, log2_evidence)}")
        for name, state in one.states.items():
            print(f"    {name} = {state}")
