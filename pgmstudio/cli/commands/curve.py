"""`pgmstudio curve`: SL-curves, the size and likelihood of many models."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import (
    dataclass,
    replace,
)
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.cli.options.data import (
    add_data_options,
    check_ending,
    read_rows,
    read_together,
    save_content,
    save_picture,
    save_table,
)
from pgmstudio.cli.options.learner import is_learner
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, whole
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    is_number,
    listed,
    number,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_task
from pgmstudio.cli.terminal.streams import spoken
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.drawing.svg.sl_plot import curve_svg
from pgmstudio.core.execution.events import CancelToken
from pgmstudio.core.experiments.plans.expansion import PlanRows
from pgmstudio.core.experiments.plans.plan import Plan
from pgmstudio.core.experiments.plans.run_task import PointEvent, RunProblem
from pgmstudio.core.experiments.plans.runner import ceiling_of, checked_runs, run_plan
from pgmstudio.core.experiments.sl_curves.curve import (
    SIZE_TITLES,
    CurvePlan,
    curve_plot,
    curve_rows,
)
from pgmstudio.core.experiments.sl_curves.parallel import FairExecutor
from pgmstudio.core.experiments.sl_curves.points import (
    CurvePoint,
    SizeName,
    points_csv,
)
from pgmstudio.core.experiments.sl_curves.selection import best_on_test, pareto_front
from pgmstudio.core.io.atomic import make_folder
from pgmstudio.core.io.models.files import ModelFile, write_model
from pgmstudio.core.json_documents import exported_json
from pgmstudio.core.languages.learners import alias_settings, learner_of
from pgmstudio.core.languages.registry import no_likelihood_reason
from pgmstudio.core.reports.pictures import PICTURE_ENDINGS

SIZE_OPTIONS: dict[str, SizeName] = {
    "effective": "effective_size",
    "printed": "size_as_printed",
    "definition": "size_by_definition",
    "parameters": "representation_size",
}
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
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT.json",
        help="write the points (.json, .csv) or draw them (.svg, .png, .pdf), by the ending",
    )
    parser.add_argument(
        "--size",
        choices=tuple(SIZE_OPTIONS),
        default="effective",
        help="size of the curves and of the front: effective (default); printed and definition "
        "count latent classes as the tables and eq. 3.59 of Nielsen (2007); parameters",
    )
    parser.add_argument("--models", metavar="FOLDER", help="write every model to this folder")
    parser.add_jobs()
    parser.add_time_limit("the points found; the learners share them equally")
    parser.take_words("--learners", is_learner)
    parser.take_words("--lambdas", is_number)
    parser.add_seed()
    add_data_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> CurveReport:
    names = listed(args.learners)
    keys = list(dict.fromkeys(n if alias_settings(n) else learner_of(n).key for n in names))
    for learner in map(learner_of, keys):
        if reason := no_likelihood_reason(learner.kind):
            raise UsageError(f"{learner.key} learns no model with an SL-curve: {reason}")
    if args.output is not None and Path(args.output).suffix:
        check_ending(args.output, [*PICTURE_ENDINGS, ".csv", ".json"], "curves")
    curve = CurvePlan.of(
        keys, lambdas=_lambdas(args.lambdas), seeds=(args.seed,), test_share=args.test_share
    )
    rows = curve_rows(curve, *_read(args, line), np.random.default_rng(args.seed))
    plan = Plan(curve.learners, curve.lambdas, curve.seeds)
    order = {key: index for index, key in enumerate(checked_runs(plan, rows))}
    executor = FairExecutor(args.jobs, args.time_limit)
    points: list[CurvePoint] = []

    def events(cancel: CancelToken) -> Iterator[PointEvent]:
        return run_plan(plan, rows, cancel=cancel, executor=executor)

    def take(event: PointEvent) -> None:
        if isinstance(event, CurvePoint):
            points.append(event)

    end = run_task(
        events,
        take,
        line,
        shows_note=lambda note: isinstance(note, RunProblem),
    )
    points.sort(key=lambda point: (order[point.key.rpartition("-")[0]], point.key))
    points = [replace(point, key="") for point in points]  # keys are for folders of points
    files = [] if args.models is None else _write_models(points, args.models)
    size = SIZE_OPTIONS[args.size]
    report = CurveReport(args.data, points, files, end.exit_code, size)
    if args.output is not None:
        _write_curves(args.output, report, rows)
    where = f"; they are in {spoken(args.output)}" if args.output else ""
    line.message(f"{end.summary} with {count_of(len(points), 'model')}{where}.")
    return report


def _write_curves(path: str, report: CurveReport, rows: PlanRows) -> None:
    """Write points as JSON or as a table, or draw them, by the ending of the file."""
    ending = Path(path).suffix.lower()
    if ending == ".csv":
        save_table(path, points_csv(report.points), quoted=False)
    elif ending in PICTURE_ENDINGS:
        plot = curve_plot(
            report.points,
            title=Path(report.data_path).stem,
            size=report.size,
            ceiling=ceiling_of(rows),
        )
        save_picture(path, curve_svg(plot))
    else:
        save_content(path, exported_json(report.as_dict()).encode())


def _lambdas(text: str | None) -> tuple[float, ...]:
    values = []
    for part in listed(text):
        try:
            values.append(float(part))
        except ValueError:
            raise UsageError(f"--lambdas: {part!r} is not a number.") from None
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
    size: SizeName = "effective_size"

    def as_dict(self) -> Mapping[str, Any]:
        points = [point.as_dict() for point in self.points]
        for point, file in zip(points, self.files, strict=False):
            point["model"] = file
        return {"data": self.data_path, "points": points}

    def blocks(self) -> Iterator[Block]:
        """All points from small to large; ● on the Pareto front, ★ the best."""
        front = {id(point) for point in pareto_front(self.points, self.size)}
        best = best_on_test(self.points)
        shown: SizeName = self.size
        if shown == "representation_size":  # it has a column of its own
            shown = "effective_size"
        rows = [
            (
                point.series,
                "★" if point is best else "●" if id(point) in front else "",
                decimal(point.lambda_),
                whole(getattr(point, shown)),
                whole(point.representation_size),
                decimal(point.train_log2_likelihood_per_row),
                decimal(point.test_log2_likelihood_per_row),
                f"{point.seconds:.2f}",
            )
            for point in sorted(
                self.points, key=lambda point: (point.learner, getattr(point, self.size))
            )
        ]
        header = (
            "Learner",
            "",
            "λ",
            SIZE_TITLES[shown],
            "Parameters",
            "Train bits",
            "Test bits",
            "s",
        )
        yield Table(header, rows, "<<>>>>>>")
        if best is not None:
            yield BEST_LEGEND
