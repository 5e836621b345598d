"""`pgmstudio possibility`: degrees of possibility of tuples, and the relation of an α-cut."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import add_data_options, open_model, read_rows
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    listed_names,
    number,
    whole_number,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.possibility import DRAWN, MAX_CLOSURE, PossibilityDistribution
from pgmstudio.core.data.tuple_degrees import TupleDegrees
from pgmstudio.core.io.models.files import is_model_path
from pgmstudio.core.languages.base import PossibilisticModel
from pgmstudio.core.languages.registry import a_kind


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "possibility",
        "List the tuples that the rows of a data file, or a possibilistic network, make possible,"
        "\nthe most possible first. With --alpha, the α-cut: the relation of the tuples of at least"
        "\nthat degree.",
    )
    parser.add_argument("source", metavar="DATA|MODEL", help="data file or possibilistic network")
    parser.add_argument(
        "--alpha",
        type=number(0, 1, low_open=True),
        metavar="DEGREE",
        help="list the tuples of at least this degree",
    )
    parser.add_argument(
        "--of",
        metavar="COLUMNS",
        help="the largest degrees of these columns, separated by commas, instead of whole tuples",
    )
    parser.add_argument(
        "--rescaled", action="store_true", help="divide all degrees by the largest, of data"
    )
    parser.add_argument(
        "--max-closure",
        type=whole_number(1),
        default=MAX_CLOSURE,
        metavar="N",
        help="intersections of imprecise rows; with more, degrees are approximate "
        f"(default {MAX_CLOSURE})",
    )
    parser.add_argument(
        "--most",
        type=whole_number(1),
        default=20,
        metavar="N",
        help="number of tuples to list (default 20)",
    )
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> PossibilityReport:
    is_exact = True
    if is_model_path(args.source):
        model = open_model(args.source, line).model
        if not isinstance(model, PossibilisticModel):
            raise UsageError(f"{a_kind(model.kind, 'A')} has no degrees of possibility.")
        tuples = model.tuple_degrees()
    else:
        data = read_rows(args.source, args, line)
        distribution = PossibilityDistribution.of(
            data, rescaled=args.rescaled, max_closure=args.max_closure
        )
        is_exact = distribution.is_exact
        tuples = TupleDegrees.of(distribution)
    if not is_exact:
        line.message(
            f"Approximate: the imprecise rows have more than {args.max_closure} intersections, of "
            f"which {DRAWN} were drawn at random. No degree is too large, but some may be too "
            "small. Option: --max-closure N."
        )
    if args.of is not None:
        tuples = tuples.projected(listed_names(args.of, tuples.domain.names))
    return PossibilityReport(tuples, args.alpha, is_exact, args.most)


@dataclass(frozen=True, eq=False)
class PossibilityReport:
    """Tuples with their degrees, those of the α-cut if there is one."""

    tuples: TupleDegrees
    alpha: float | None
    is_exact: bool
    max_lines: int
    exit_code: int = 0

    @property
    def _count(self) -> int:
        return len(self.tuples) if self.alpha is None else self.tuples.count(self.alpha)

    def _lines(self) -> Iterator[tuple[list[str], float]]:
        shown = min(self._count, self.max_lines)
        domain = self.tuples.domain
        for index in range(shown):
            codes = self.tuples.tuples[:, index].tolist()
            states = [v.states[code] for v, code in zip(domain, codes, strict=True)]
            yield states, float(self.tuples.degrees[index])

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "columns": list(self.tuples.domain.names),
            "possible": len(self.tuples),
            "alpha": self.alpha,
            "tuples": self._count,
            "largest_degree": self.tuples.top,
            "exact": self.is_exact,
            "degrees": [{"states": states, "degree": degree} for states, degree in self._lines()],
        }

    def blocks(self) -> Iterator[Block]:
        text = f"{count_of(len(self.tuples), 'tuple')} possible, largest degree "
        text += decimal(self.tuples.top)
        if self.alpha is not None:
            text += f"; {count_of(self._count, 'tuple')} of at least {self.alpha:g}"
        yield f"{text}{'' if self.is_exact else ' (approximate)'}\n"
        rows = [[*states, decimal(degree)] for states, degree in self._lines()]
        names = self.tuples.domain.names
        yield Table([*names, "Degree"], rows, "<" * len(names) + ">")
        if self._count > self.max_lines:
            yield f"… and {count_of(self._count - self.max_lines, 'more tuple')}"
