"""`pgmstudio curve`: size against likelihood for many models, the SL-curves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.cli.options.data import add_data_options, read_rows, read_together
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import follow
from pgmstudio.cli.terminal.tables import (
    count_of,
    decimal,
    exported_json,
    print_json,
    print_table,
    whole,
)
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.execution.events import CancelToken, Note, Progress
from pgmstudio.core.experiments.sl_curves.curve import CurvePlan, sl_curve
from pgmstudio.core.experiments.sl_curves.points import CurvePoint
from pgmstudio.core.experiments.sl_curves.selection import best_on_test, pareto_front
from pgmstudio.core.io.atomic import make_folder, replace_file
from pgmstudio.core.languages.learners import learner_of


def run(words: Sequence[str]) -> int:
    args = _parser().parse(words)
    keys = [key.strip() for key in args.learners.split(",") if key.strip()]
    for key in keys:
        learner_of(key)
    plan = CurvePlan.of(
        keys,
        lambdas=_lambdas(args.lambdas),
        seeds=(args.seed,),
        test_share=args.test_share,
    )
    line = ProgressLine(quiet=args.quiet)
    data, test = _read(args, line)
    points: list[CurvePoint] = []

    def curve(cancel: CancelToken) -> Iterator[Progress | Note | CurvePoint]:
        return sl_curve(plan, data, test, rng=np.random.default_rng(args.seed), cancel=cancel)

    def take(event: object) -> None:
        if isinstance(event, CurvePoint):
            points.append(event)

    end = follow(curve, take, line, time_limit=args.time_limit)
    told = {"data": args.data, "points": _told(points, args.models)}
    if args.output is not None:
        replace_file(args.output, exported_json(told).encode())
    kept = f"; they are in {args.output}" if args.output else ""
    learned = count_of(len(points), "model")
    line.say(f"{end.words} with {learned}{kept}.")
    if args.json:
        print_json(told)
    else:
        _print(points)
    return end.code


def _parser() -> CommandParser:
    parser = CommandParser(
        "curve", "Learns many models and sets their size against their likelihood: SL-curves."
    )
    parser.add_argument("data", metavar="DATA", help="rows to learn from")
    parser.add_argument(
        "--learners", required=True, metavar="KEY,KEY…", help="see pgmstudio learners"
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
        help="without --test, the share of rows put aside at random (default 0.1)",
    )
    parser.add_argument("-o", "--output", metavar="OUT.json", help="where the points go")
    parser.add_argument("--models", metavar="FOLDER", help="keep every model here")
    parser.add_time_limit("the points found")
    parser.add_seed()
    add_data_options(parser)
    parser.add_json()
    parser.add_quiet()
    return parser


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


def _told(points: Sequence[CurvePoint], folder: str | None) -> list[dict[str, Any]]:
    """The points as plain values; with a folder, their models are written there."""
    told = [point.as_dict() for point in points]
    if folder is not None:
        from pgmstudio.core.io.models.files import ModelFile, write_model

        make_folder(folder)
        for place, (point, entry) in enumerate(zip(points, told, strict=True), start=1):
            target = Path(folder) / f"{place:03d}-{point.learner}.json"
            assert point.model is not None
            write_model(target, ModelFile(point.model, title=target.stem))
            entry["model"] = str(target)
    return told


def _print(points: Sequence[CurvePoint]) -> None:
    """All points from small to large; ● on the front that no other dominates, ★ the best."""
    front = {id(point) for point in pareto_front(points)}
    best = best_on_test(points)
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
        for point in sorted(points, key=lambda point: (point.learner, point.effective_size))
    ]
    head = ("Learner", "", "λ", "Effective size", "Parameters", "Train bits", "Test bits", "s")
    print_table(head, rows, "<<>>>>>>")
    if best is not None:
        print("★ most bits per test row   ● no other model is both smaller and more likely")
