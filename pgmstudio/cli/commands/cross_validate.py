"""`pgmstudio cross-validate`: learners compared on rows they have not learned from."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import add_data_options, check_ending, read_rows, save_content
from pgmstudio.cli.options.learner import is_learner
from pgmstudio.cli.terminal.output import Block, Table, count_of, csv_text, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, listed, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import RunEnd, run_task
from pgmstudio.core.analysis.model_comparison import ComparedModel, Comparison
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.experiments.cross_validation import (
    DEFAULT_FOLDS,
    CrossValidation,
    CrossValidationPlan,
)
from pgmstudio.core.json_documents import exported_json

HEADER = (
    *("Learner", "Bits per row", "±", "To the best", "95 % interval"),
    *("Parameters", "Effective size", "s", ""),
)


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "cross-validate",
        "Divide the rows into folds, learn without one fold after another, and measure the models\n"
        "on it. All learners have the same folds; their differences are paired over rows, with\n"
        "intervals that allow for the common training rows of the folds.",
    )
    parser.add_argument("data", metavar="DATA", help="data file")
    parser.add_argument(
        "--learners",
        required=True,
        metavar="KEY,KEY…",
        help="keys of learners, which run with their defaults; see pgmstudio learners",
    )
    parser.take_words("--learners", is_learner)
    parser.add_argument(
        "-k",
        "--folds",
        type=whole_number(2),
        default=DEFAULT_FOLDS,
        metavar="K",
        help=f"number of folds (default {DEFAULT_FOLDS})",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT.csv", help="write the table as .csv or .json"
    )
    parser.add_jobs()
    parser.add_time_limit("the folds that are complete")
    parser.add_seed()
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> CrossValidationReport:
    check_ending(args.output, [".csv", ".json"], "tables")
    data = read_rows(args.data, args, line)
    plan = CrossValidationPlan.of(
        listed(args.learners), data, folds=args.folds, seed=args.seed, processes=args.jobs
    )
    result = CrossValidation(plan)
    end = run_task(plan, result.take, line, time_limit=args.time_limit)
    comparison = result.comparison()
    if comparison is None:
        message = f"Stopped after {end.seconds:.1f} s, before a fold was complete"
        if end.was_interrupted:
            raise Cancelled(f"{message}.")
        if end.is_finished:
            raise UsageError("No learner found a model in all folds. " + " ".join(result.notes[:3]))
        raise UsageError(f"{message}; raise --time-limit.")
    report = CrossValidationReport(args.data, result, comparison, end)
    if args.output is not None:
        as_json = str(args.output).lower().endswith(".json")
        text = exported_json(report.as_dict()) if as_json else csv_text(report.records())
        save_content(args.output, text.encode())
    line.message(f"{end.summary} with {count_of(len(result.folds), 'fold')}.")
    return report


@dataclass(frozen=True, eq=False)
class CrossValidationReport:
    """The learners on all rows of the folds that are complete."""

    data_path: str
    result: CrossValidation
    comparison: Comparison
    end: RunEnd

    @property
    def exit_code(self) -> int:
        return self.end.exit_code

    def records(self) -> list[Mapping[str, Any]]:
        """A row for every learner."""
        result = self.result
        models: list[Mapping[str, Any]] = []
        for model in self.comparison.models:
            entries = {name: value for name, value in model.as_dict().items() if name != "name"}
            models.append(
                {
                    "learner": model.name,
                    **entries,
                    "fold_log2_likelihood_per_row": result.fold_bits(model.name),
                    "seconds": result.seconds(model.name),
                }
            )
        return models

    def as_dict(self) -> Mapping[str, Any]:
        plan = self.result.plan
        return {
            "data": self.data_path,
            "rows": self.comparison.as_dict()["rows"],
            "seed": plan.seed,
            "folds": plan.folds,
            "complete_folds": len(self.result.folds),
            "outcome": self.end.outcome,
            "seconds": self.end.seconds,
            "best": self.comparison.best,
            "learners": self.records(),
            "notes": self.result.notes,
        }

    def blocks(self) -> Iterator[Block]:
        folds, asked = len(self.result.folds), self.result.plan.folds
        of = "" if folds == asked else f" of {asked}"
        yield (
            f"{count_of(self.comparison.rows, 'row')} of {self.data_path} in {folds}{of} folds; "
            "bits per row, higher is better\n"
        )
        best_first = sorted(
            self.comparison.models, key=lambda model: -model.log2_likelihood_per_row
        )
        yield Table(HEADER, [self._row(model) for model in best_first], "<>>>>>>><")
        if any(model.zero_probability_rows for model in best_first):
            yield "\n-inf: some rows have probability 0; smooth the tables to avoid it."

    def _row(self, model: ComparedModel) -> tuple[str, ...]:
        is_best = model.verdict == "best"
        low, high = model.interval or (None, None)
        return (
            model.name,
            decimal(model.log2_likelihood_per_row),
            decimal(model.standard_error),
            "" if is_best else decimal(model.difference),
            "" if is_best or low is None else f"{decimal(low)} to {decimal(high)}",
            whole(round(model.representation_size)),
            whole(round(model.effective_size)),
            decimal(self.result.seconds(model.name), 1),
            model.verdict,
        )
