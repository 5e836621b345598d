"""`pgmstudio curve`: SL-curves, the size and likelihood of many models."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.cli.options.data import add_data_options, read_rows, read_together
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_task
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.experiments.sl_curves.curve import CurvePlan, sl_curve
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import best_on_test, pareto_front
from pgmstudio.core.io.atomic import make_folder, replace_file
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.registry import no_likelihood_reason

BEST_LEGEND = "★ highest test likelihood   ● no other model is both smaller and more likely"


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "curve", "Learn many models and compare their size and likelihood: SL-curves."
    )
    parser.add_argument("data", metavar="DATA", help="rows to learn from")
    parser.add_argument(
        "--learners",
        required=True,
        metavar="KEY,KEY…",
        help="keys of learners; see pgmstudio learners",
    )
    parser.add_argument(
        "--lambdas",
        metavar="X,X…",
        help="penalties between 0 and 1 for learners that have one (default 20 values)",
    )
    parser.add_argument("--test", metavar="DATA", help="rows to test on")
    parser.add_argument(
        "--test-share",
        type=number(0, 1, low_open=True),
        default=0.1,
        metavar="X",
        help="without --test, hold out this fraction of the rows at random (default 0.1)",
    )
    parser.add_argument("-o", "--output", metavar="OUT.json", help="write the points to this file")
    parser.add_argument("--models", metavar="FOLDER", help="write every model to this folder")
    parser.add_time_limit("the points found")
    parser.add_seed()
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> CurveReport:
    keys = [key.strip() for key in args.learners.split(",") if key.strip()]
    for key in keys:
        if reason := no_likelihood_reason(learner_of(key).kind):
            raise UsageError(f"{key} learns no model with an SL-curve: {reason}")
    plan = CurvePlan.of(
        keys, lambdas=_lambdas(args.lambdas), seeds=(args.seed,), test_share=args.test_share
    )
    data, test = _read(args, line)
    points: list[CurvePoint] = []

    def curve(cancel: CancelToken) -> Iterator[Progress | Note | CurvePoint]:
        return sl_curve(plan, data, test, rng=np.random.default_rng(args.seed), cancel=cancel)

    def take(event: Progress | Note | CurvePoint) -> None:
        if isinstance(event, CurvePoint):
            points.append(event)

    end = run_task(curve, take, line, time_limit=args.time_limit)
    files = [] if args.models is None else _write_models(points, args.models)
    report = CurveReport(args.data, points, files, end.exit_code)
    if args.output is not None:
        replace_file(args.output, exported_json(report.as_dict()).encode())
    where = f"; they are in {args.output}" if args.output else ""
    line.message(f"{end.summary} with {count_of(len(points), 'model')}{where}.")
    return report


def _lambdas(text: str | None) -> tuple[float, ...]:
    values = []
    for part in (text or "").split(","):
        if part.strip():
            try:
                values.append(float(part))
            except ValueError:
                raise UsageError(f"--lambdas: {part.strip()!r} is not a number.") from None
    return tuple(values)


def _read(args: argparse.Namespace, line: ProgressLine) -> tuple[DataSet, DataSet | None]:
    if args.test is None:
        return read_rows(args.data, args, line), None
    return read_together(args.data, args.test, args, line)


def _write_models(points: Sequence[CurvePoint], folder: str) -> list[str]:
    """Write the model of each point; returns the paths."""
    make_folder(folder)
    paths = []
    for index, point in enumerate(points, start=1):
        target = Path(folder) / f"{index:03d}-{point.learner}.json"
        assert point.model is not None
        write_model(target, ModelFile(point.model, title=target.stem))
        paths.append(str(target))
    return paths


@dataclass(frozen=True, eq=False)
class CurveReport:
    """The points of all curves; `files` are their models, if they were written."""

    data_path: str
    points: Sequence[CurvePoint]
    files: Sequence[str]
    exit_code: int

    def as_dict(self) -> Mapping[str, Any]:
        points = [point.as_dict() for point in self.points]
        for point, file in zip(points, self.files, strict=False):
            point["model"] = file
        return {"data": self.data_path, "points": points}

    def blocks(self) -> Iterator[Block]:
        """All points from small to large; ● on the Pareto front, ★ the best."""
        front = {id(point) for point in pareto_front(self.points)}
        best = best_on_test(self.points)
        rows = [
            (
                point.learner,
                "★" if point is best else "●" if id(point) in front else "",
                decimal(point.lambda_),
                whole(point.effective_size),
                whole(point.representation_size),
                decimal(point.train_log2_likelihood_per_row),
                decimal(point.test_log2_likelihood_per_row),
                f"{point.seconds:.2f}",
            )
            for point in sorted(
                self.points, key=lambda point: (point.learner, point.effective_size)
            )
        ]
        header = (
            "Learner",
            "",
            "λ",
            "Effective size",
            "Parameters",
            "Train bits",
            "Test bits",
            "s",
        )
        yield Table(header, rows, "<<>>>>>>")
        if best is not None:
            yield BEST_LEGEND
