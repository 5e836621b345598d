"""`pgmstudio associations`: tests against a target column, or a measure of all pairs of columns."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from pgmstudio.cli.options.data import add_data_options, read_rows
from pgmstudio.cli.terminal.output import Block, Fields, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    listed_names,
    number,
    one_of,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.associations import Associations as MeasuredPairs
from pgmstudio.core.analysis.associations import (
    PairDetail,
    PairValue,
    associations,
    pair_detail,
)
from pgmstudio.core.analysis.feature_selection import (
    ALPHA,
    CORRECTIONS,
    TargetTest,
    p_value_text,
    significant_columns,
    target_tests,
)
from pgmstudio.core.number_format import general
from pgmstudio.core.scores.association_measures import MEASURES

TESTS = ("g2", "chi2")


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "associations",
        "Test the independence of each column and the column of --target: p-value and mutual\n"
        "information in bits, the strongest association first. With --measure: the measure of all\n"
        "pairs of columns, or of those with --target.",
    )
    parser.add_argument("data", metavar="DATA", help="data file")
    parser.add_argument(
        "--test", type=one_of(TESTS), default="g2", metavar="WHICH", help="g2 (default) or chi2"
    )
    parser.add_argument(
        "--alpha",
        type=number(0.0, 1.0, low_open=True),
        default=ALPHA,
        metavar="P",
        help=f"significance level: select columns with a smaller p-value (default {ALPHA})",
    )
    parser.add_argument(
        "--correct",
        type=one_of(CORRECTIONS),
        default="none",
        metavar="HOW",
        help="correct for the number of tests: none (default), bonferroni or holm",
    )
    parser.add_argument(
        "--measure",
        type=one_of(tuple(MEASURES)),
        metavar="KEY",
        help="measure of all pairs: " + ", ".join(MEASURES),
    )
    parser.add_argument(
        "--given",
        metavar="COLUMN,…",
        default="",
        help="condition of a conditional measure (hartley_cond, cond_info_gain, spec_cond)",
    )
    parser.add_argument(
        "--details",
        action="store_true",
        help="list the numbers in the formula of every pair; of a conditional measure, the gain "
        "in each state of the condition",
    )
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Associations | MeasureReport:
    if args.measure is not None:
        data = read_rows(args.data, args, line)
        given = listed_names(args.given, data.domain.names)
        if args.target is not None:
            data.domain.index(args.target)
        result = associations(data, args.measure, given)
        report = MeasureReport(result, args.target, data.row_count)
        if args.details:
            details = [pair_detail(data, result, p.parent, p.child) for p in report.pairs()]
            report = replace(report, details=details)
        return report
    if args.given or args.details:
        raise UsageError("--given and --details go with --measure.")
    if args.target is None:
        raise UsageError("Missing: --target COLUMN. See pgmstudio associations --help.")
    data = read_rows(args.data, args, line)
    tests = target_tests(data, args.target, test=args.test, correction=args.correct)
    return Associations(
        tests=tests,
        selected=frozenset(significant_columns(tests, args.alpha)),
        target=args.target,
        row_count=data.row_count,
        test=args.test,
        alpha=args.alpha,
        correction=args.correct,
    )


@dataclass(frozen=True, eq=False)
class Associations:
    """The test of each column against the target."""

    tests: Sequence[TargetTest]
    selected: frozenset[str]
    target: str
    row_count: int
    test: str
    alpha: float
    correction: str
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        columns = [
            {
                "name": row.column,
                "p_value": None if row.outcome is None else row.p_value,
                "corrected_p_value": None if row.outcome is None else row.corrected,
                "information_bits": None if row.outcome is None else row.bits,
                "statistic": None if row.outcome is None else row.outcome.statistic,
                "degrees": None if row.outcome is None else row.outcome.freedom,
                "reliable": row.outcome is not None and row.outcome.reliable,
                "kept": row.column in self.selected,
            }
            for row in self.tests
        ]
        return {
            "target": self.target,
            "rows": self.row_count,
            "test": self.test,
            "alpha": self.alpha,
            "correction": self.correction,
            "columns": columns,
        }

    def blocks(self) -> Iterator[Block]:
        header = ["Column", "p", "bits", self.test, "degrees", ""]
        is_corrected = self.correction != "none"
        if is_corrected:
            header.insert(2, f"p, {self.correction}")
        rows = []
        for row in self.tests:
            numbers = ["-"] * (len(header) - 2)
            if row.outcome is not None:
                numbers = [
                    p_value_text(row.p_value),
                    *([p_value_text(row.corrected)] if is_corrected else []),
                    decimal(row.bits),
                    decimal(row.outcome.statistic, 1),
                    whole(row.outcome.freedom),
                ]
            rows.append([row.column, *numbers, self._note(row)])
        yield Table(header, rows, "<" + ">" * (len(header) - 2) + "<")
        selected = f"{whole(len(self.selected))} of {count_of(len(self.tests), 'column')}"
        yield f"\n{selected} with p < {self.alpha:g} against {self.target}."

    def _note(self, row: TargetTest) -> str:
        if row.outcome is None:
            return "too many states to test"
        notes = [] if row.outcome.reliable else ["few rows for a test"]
        if row.column not in self.selected:
            notes.append("no association found")
        return "; ".join(notes)


@dataclass(frozen=True, eq=False)
class MeasureReport:
    """A measure of all pairs, or of those with the target."""

    result: MeasuredPairs
    target: str | None
    row_count: int
    details: Sequence[PairDetail] = ()  # of every pair, where they are asked for
    exit_code: int = 0

    def pairs(self) -> list[PairValue]:
        """The strongest first."""
        pairs = self.result.pairs()
        return [p for p in pairs if self.target is None or self.target in (p.parent, p.child)]

    def as_dict(self) -> Mapping[str, Any]:
        measure = self.result.measure
        return {
            "measure": measure.key,
            "title": measure.title,
            "setting": measure.setting.value,
            "formula": measure.formula,
            "larger_is_stronger": measure.larger_is_stronger,
            "symmetric": measure.symmetric,
            "reference": measure.reference,
            "given": list(self.result.given),
            "rows": self.row_count,
            "exact": self.result.is_exact,
            "pairs": [
                {"parent": pair.parent, "child": pair.child, "value": pair.value}
                | ({"numbers": detail.numbers} if detail is not None else {})
                for pair, detail in zip_longest(self.pairs(), self.details)
            ],
        }

    def blocks(self) -> Iterator[Block]:
        measure = self.result.measure
        given = f" given {', '.join(self.result.given)}" if self.result.given else ""
        yield f"{measure.title}{given}: {measure.formula}"
        kind = "symmetric" if measure.symmetric else "of a child given its parent"
        yield f"{measure.setting.value}, {measure.direction}, {kind}; {measure.reference}\n"
        arrow = " – " if measure.symmetric else " → "
        pairs = self.pairs()
        rows = [[arrow.join((p.parent, p.child)), decimal(p.value, 6)] for p in pairs]
        yield Table(["Pair", measure.key], rows, "<>")
        for pair, detail in zip(pairs, self.details, strict=False):
            yield f"\nA = {pair.parent}, C = {pair.child}"
            numbers = [(f"  {name}", general(value, 6)) for name, value in detail.numbers.items()]
            if detail.terms:
                arithmetic = [
                    text.replace("₂", "2").replace("−", "-") for text in detail.terms.values()
                ]
                rows = [[*one, text] for one, text in zip(numbers, arithmetic, strict=True)]
                yield Table(["  Slice", "Gain", ""], rows, "<><")
            else:
                yield Fields([(name, value) for name, value in numbers])
        if not self.result.is_exact:
            yield "\nDegrees are approximate: the rows have too many intersections."
