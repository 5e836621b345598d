"""`pgmstudio sweep`: an experiment from a plan, saved point by point in a folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.commands.curve import BEST_LEGEND
from pgmstudio.cli.options.data import check_ending
from pgmstudio.cli.options.executors import add_executor_options, executor_of
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal
from pgmstudio.cli.terminal.parser import CommandParser, folder, number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import RunEnd, run_task
from pgmstudio.core.analysis.query_benchmark import QueryPlan, random_queries
from pgmstudio.core.drawing.svg.sl_plot import curve_svg
from pgmstudio.core.errors import FileError, ParameterError, RunFailedError
from pgmstudio.core.experiments.plans.run_task import RunProblem
from pgmstudio.core.experiments.plans.runner import (
    ceiling_of,
    checked_runs,
    truth_of,
)
from pgmstudio.core.experiments.sl_curves.curve import curve_plot
from pgmstudio.core.experiments.sl_curves.points import curves_of, measured_texts, points_csv
from pgmstudio.core.experiments.sl_curves.selection import (
    best_on_test,
    chosen_of,
    pareto_front,
    timing_fits,
    with_distances,
)
from pgmstudio.core.io.atomic import replace_file
from pgmstudio.core.io.data.spreadsheets import write_csv

if TYPE_CHECKING:
    from pgmstudio.core.analysis.query_benchmark import LineFit
    from pgmstudio.core.experiments.plans.expansion import PlanRows
    from pgmstudio.core.experiments.plans.plan import Plan
    from pgmstudio.core.experiments.sl_curves.points import CurvePoint
    from pgmstudio.core.io.experiments import PointFolder

HEADER = (
    *("Curve", "", "λ", "Seed", "Effective size", "Parameters", "Train bits", "Test bits", "±"),
    *("Learning s", "Update ms", "Query bits", "Distance"),
)


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "sweep",
        "Learn and measure all models of a plan (a .toml or .json file) and save every point.\n"
        "--resume continues a sweep that was stopped or killed, or whose plan has\n"
        "grown; points in the folder are not computed again.",
    )
    parser.add_argument("plan", metavar="PLAN", help="plan file (.toml or .json)")
    parser.add_argument(
        "-o",
        "--output",
        "--out",
        type=folder,
        metavar="FOLDER",
        help="folder of the points (default PLAN.points)",
    )
    parser.add_argument(
        "--resume", action="store_true", help="continue with the points in the folder"
    )
    add_executor_options(parser)
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the curves")
    parser.add_argument(
        "--linear", action="store_true", help="use a linear axis for sizes, not a logarithmic one"
    )
    parser.add_argument(
        "--lambda",
        dest="lambda_",
        type=number(0, 0.999999, low_open=True),
        metavar="X",
        help="draw the line of equal score for this λ",
    )
    parser.add_argument(
        "--against-best",
        action="store_true",
        help="measure the distance of every model's beliefs to those of the best one, in bits",
    )
    parser.add_argument("--csv", metavar="FILE.csv", help="write the points as a table")
    parser.add_time_limit("the points found")
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> SweepReport:
    from pgmstudio.core.io.experiments import PointFolder, SavedPlanTask, read_plan, read_plan_rows

    check_ending(args.plot, [".svg"], "plots")
    plan = read_plan(args.plan)
    if plan.data is None:
        raise FileError(args.plan, "names no data. Add a group “data” with the entry “file”.")
    folder = PointFolder(args.output or Path(args.plan).with_suffix(".points"))
    if folder.points and not args.resume:
        count = count_of(len(folder.points), "point")
        raise FileError(
            folder.folder,
            f"holds {count} already. Add --resume to continue with them, or choose another folder.",
        )
    rows = read_plan_rows(plan.data)
    try:
        keys = checked_runs(plan, rows)
    except ParameterError as error:  # a parameter in the plan, not an option of this command
        raise FileError(args.plan, f"{error}.") from error
    old_count = len(folder.points_of(keys))
    end = run_task(
        SavedPlanTask(folder.folder, plan, rows, executor_of(args)),
        lambda event: None,  # points are read from the folder
        line,
        time_limit=args.time_limit,
        shows_note=lambda note: isinstance(note, RunProblem),
        yields_after_stop=True,
    )
    folder = PointFolder(folder.folder)
    points: Sequence[CurvePoint] = folder.points_of(keys)
    if end.is_finished and not points:
        raise RunFailedError(" ".join(["No run of the plan gave a model.", *end.notes[:1]]))
    new_count = len(points) - old_count
    line.message(
        f"{end.summary} with {count_of(len(points), 'point')}, "
        f"{new_count} of them new; they are in {folder.folder}."
    )
    if args.against_best and points:
        points = _against_best(points, plan, rows, folder)
    _write(points, plan, rows, args)
    return SweepReport(args.plan, rows.fingerprint, str(folder.folder), end, new_count, points)


def _against_best(
    points: Sequence[CurvePoint], plan: Plan, rows: PlanRows, folder: PointFolder
) -> list[CurvePoint]:
    """The points with their distance to the model that is best on the test rows."""
    best = best_on_test(points)
    assert best is not None
    query_plan = plan.queries or QueryPlan(targets=0, given=min(3, len(rows.test.domain) - 1))
    queries = random_queries(rows.test, query_plan)
    return with_distances(points, folder.model, folder.model(best), queries, query_plan.timed)


def _write(
    points: Sequence[CurvePoint], plan: Plan, rows: PlanRows, args: argparse.Namespace
) -> None:
    """Write the table and the plot to the requested files."""
    if args.csv is not None:
        write_csv(args.csv, points_csv(points), quoted=args.quote_formulas)
    if args.plot is not None:
        plot = curve_plot(
            points,
            title=plan.title,
            ceiling=ceiling_of(rows),
            lambda_=args.lambda_,
            truth=truth_of(rows),
            is_log=not args.linear,
        )
        replace_file(args.plot, curve_svg(plot).encode())


@dataclass(frozen=True, eq=False)
class SweepReport:
    """The points of a plan, old and new."""

    plan_path: str
    data_fingerprint: str
    folder: str
    end: RunEnd
    new_count: int
    points: Sequence[CurvePoint]

    @property
    def exit_code(self) -> int:
        return self.end.exit_code

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "plan": self.plan_path,
            "data": self.data_fingerprint,
            "folder": self.folder,
            "outcome": self.end.outcome,
            "seconds": self.end.seconds,
            "new_points": self.new_count,
            "points": [point.as_dict() for point in self.points],
            "notes": self.end.notes,
        }

    def blocks(self) -> Iterator[Block]:
        """All points by curve from small to large, with the criteria that choose them."""
        front = {id(point) for point in pareto_front(self.points)}
        best = best_on_test(self.points)
        rows = []
        for name, curve in curves_of(self.points).items():
            chosen = chosen_of(curve)
            for point in curve:
                marks = ["★"] if point is best else ["●"] if id(point) in front else []
                marks += [] if chosen is None else chosen.labels(point)
                update = point.inference_seconds
                rows.append(
                    (
                        name,
                        " ".join(marks),
                        decimal(point.lambda_),
                        str(point.seed),
                        *measured_texts(point),
                        f"{point.seconds:.2f}",
                        decimal(None if update is None else 1000 * update),
                        decimal(point.query_log2),
                        decimal(point.query_distance),
                    )
                )
        yield Table(HEADER, rows, "<<>>>>>>>>>>>")
        if best is not None:
            yield BEST_LEGEND
            yield "BIC, AIC: the model of its curve that this criterion selects"
        for family, fit in timing_fits(self.points).items():
            yield f"{family}: {_timing(fit)} (R² {fit.r_squared:.2f})"


def _timing(fit: LineFit) -> str:
    if not fit.is_clear:
        return "these sizes do not show how the time of an update grows"
    error = "" if fit.slope_error is None else f" ± {1e9 * fit.slope_error:.2f}"
    return f"an update takes {1e9 * fit.slope:.2f}{error} ns for each unit of size"
