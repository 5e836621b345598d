"""The option `--map`: the most probable joint states of some variables."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.terminal.output import Block, count_of, decimal, percent
from pgmstudio.cli.terminal.parser import CommandParser, number, whole_number
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.execution.events import StopSwitch
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.inference.map_search import MapAnswer


def add_map_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--map",
        metavar="V,V",
        nargs="+",
        action="extend",
        default=[],
        help="find the most probable joint states of these variables, the others summed out",
    )
    parser.add_argument(
        "--best",
        type=whole_number(1),
        default=1,
        metavar="K",
        help="with --map, find the K most probable combinations (default 1)",
    )
    parser.add_argument(
        "--seconds",
        type=number(0),
        default=60.0,
        metavar="S",
        help="with --map, stop the search after S seconds and use the best found (default 60)",
    )


def most_probable_from(
    args: argparse.Namespace, model: Model, findings: Mapping[str, Finding]
) -> MapAnswer | None:
    """The answer to --map; None without that option."""
    if not args.map:
        return None
    from pgmstudio.core.languages.sessions import most_probable_together

    return most_probable_together(
        model,
        names_in(model.domain, args.map),
        findings,
        best=args.best,
        stop=StopSwitch(seconds=args.seconds),
    )


def names_in(domain: Domain, texts: Sequence[str]) -> list[str]:
    """Variables from texts, each one name or several names separated by commas."""
    names: list[str] = []
    for text in texts:
        parts = [text] if text in domain else [part.strip() for part in text.split(",")]
        names += [domain[part].name for part in parts if part]
    return list(dict.fromkeys(names))


def map_json(answer: MapAnswer, log2_evidence: float) -> dict[str, Any]:
    """`log2_probability` is given the evidence, `log2_joint_probability` together with it."""
    return {
        "is_exact": answer.is_exact,
        "log2_bound": answer.log2_bound,
        "best": [
            {
                "states": dict(one.states),
                "log2_probability": one.log2_probability,
                "log2_joint_probability": one.log2_probability + log2_evidence,
            }
            for one in answer.best
        ],
    }


def _quality(answer: MapAnswer) -> str:
    """Whether the answer is exact, or a bound on how good it is."""
    if answer.is_exact:
        return "exact"
    bound = math.floor(1000 * answer.fraction_of_bound) / 10
    return f"best found so far; at least {bound:g} % as probable as the best possible"


def both_probabilities(log2_given: float, log2_evidence: float | None) -> str:
    """A probability given the evidence and together with it; one number without evidence."""
    given = f"{percent(math.exp2(log2_given))} ({decimal(log2_given)} bits)"
    if log2_evidence is None:
        return given
    log2_joint = log2_given + log2_evidence
    return (
        f"given the evidence {given}, "
        f"together with the evidence {math.exp2(log2_joint):.4g} ({decimal(log2_joint)} bits)"
    )


def map_blocks(answer: MapAnswer, log2_evidence: float | None) -> Iterator[Block]:
    variables = count_of(len(answer.best[0].states), "variable")
    yield f"\nMost probable joint states of {variables} ({_quality(answer)})"
    for one in answer.best:
        yield f"  {both_probabilities(one.log2_probability, log2_evidence)}"
        for name, state in one.states.items():
            yield f"    {name} = {state}"
