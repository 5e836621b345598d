"""Where the runs of a plan or a study are made: processes of this computer, or a cluster."""

from __future__ import annotations

import argparse

from pgmstudio.cli.terminal.parser import CommandParser
from pgmstudio.core.experiments.plans.dask_executor import Cluster
from pgmstudio.core.experiments.plans.runner import Executor, ProcessExecutor


def add_executor_options(parser: CommandParser) -> None:
    """The options `--processes` and `--cluster`."""
    parser.add_jobs("--processes")
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="run on the workers of a Dask scheduler, tcp://HOST:PORT",
    )


def executor_of(args: argparse.Namespace) -> Executor:
    """The executor that was asked for."""
    if args.cluster is not None:
        return Cluster(args.cluster)
    return ProcessExecutor(args.jobs)
