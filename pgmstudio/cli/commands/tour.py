"""`pgmstudio tour`: an example of a session with a sample network, saved as numbered files.

Evidence in a known network, rows drawn from it, two models learned from the rows and compared with
the network.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pgmstudio.cli.terminal.output import Block, decimal, percent, whole
from pgmstudio.cli.terminal.parser import CommandParser, folder
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import run_learner
from pgmstudio.core.analysis.model_comparison import likelihood_of
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.errors import Cancelled
from pgmstudio.core.inference.base import Finding, Likelihood, Observed, scaling_note
from pgmstudio.core.io.atomic import make_folder, replace_file
from pgmstudio.core.io.models.files import ModelFile, read_model, write_model
from pgmstudio.core.languages.bayesian_network.conversions import through_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model
from pgmstudio.core.reports.model_svg import drawing_of
from pgmstudio.core.resources import folder_of

SAMPLE = "asia.json"
TRAINING_ROWS, TEST_ROWS = 5_000, 5_000
TARGET = "lung"
EVIDENCE: dict[str, Finding] = {
    "smoke": Observed("yes"),
    "xray": Observed("yes"),
    "dysp": Likelihood((("yes", 4.0), ("no", 1.0))),
}
LEARNERS = ("bn.hill-climb", "tree.chow-liu")


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "tour", "Work through the sample “Asia”: evidence, learning, drawings, a report."
    )
    parser.add_argument(
        "-o",
        "--output",
        "--out",
        type=folder,
        default="tour",
        metavar="FOLDER",
        help="folder for the files",
    )
    parser.add_seed()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> TourFiles:
    files = take_tour(Path(args.output), seed=args.seed, line=line)
    line.message(f"The tour is in {args.output}; start with {files[-1]}.")
    return TourFiles(args.output, files)


@dataclass(frozen=True, eq=False)
class TourFiles:
    """The files of a tour."""

    folder: str
    files: Sequence[Path]
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        return {"folder": self.folder, "files": [file.name for file in self.files]}

    def blocks(self) -> Iterator[Block]:
        yield from map(str, self.files)


@dataclass(frozen=True, eq=False)
class _Measured:
    name: str
    model: Model
    test_bits_per_row: float


def take_tour(folder: Path, *, seed: int, line: ProgressLine) -> list[Path]:
    """Write the file of every step into `folder`, the report last."""
    from pgmstudio.core.io.data.reader import write_data

    make_folder(folder)
    files: list[Path] = []

    def next_file(name: str) -> Path:
        files.append(folder / f"{len(files) + 1:02d}-{name}")
        return files[-1]

    truth = read_model(folder_of("sample_data") / SAMPLE)
    network = through_network(truth.model)
    replace_file(next_file("network.svg"), drawing_of(truth).encode())
    replace_file(
        next_file("beliefs.svg"), drawing_of(truth, findings=EVIDENCE, with_beliefs=True).encode()
    )
    training, test = _rows(network, seed)
    write_data(next_file("rows.csv"), training)
    measured = [_Measured("the network itself", network, likelihood_of(network, test).per_row)]
    for key in LEARNERS:
        model = _learn(key, training, seed, line)
        learned = ModelFile(model, title=learner_of(key).title)
        write_model(next_file(f"{key}.json"), learned)
        replace_file(next_file(f"{key}.svg"), drawing_of(learned).encode())
        measured.append(_Measured(key, model, likelihood_of(model, test).per_row))
    report = folder / "report.md"
    replace_file(report, _report(network, measured, files).encode())
    return [*files, report]


def _rows(network: BayesianNetwork, seed: int) -> tuple[DataSet, DataSet]:
    for_training, for_test = np.random.default_rng(seed).spawn(2)
    return network.sample(TRAINING_ROWS, for_training), network.sample(TEST_ROWS, for_test)


def _learn(key: str, rows: DataSet, seed: int, line: ProgressLine) -> Model:
    task = LearnTask(key, rows, learner_of(key).params_type(), seed)
    outcome = run_learner(task, line)
    if not outcome.is_finished or outcome.model is None:
        raise Cancelled
    return outcome.model


def _report(network: BayesianNetwork, measured: Sequence[_Measured], files: list[Path]) -> str:
    session = open_session(network)
    states = network.domain[TARGET].states
    prior = session.belief(TARGET).values.tolist()
    for name, finding in EVIDENCE.items():
        session.set_evidence(name, finding)
    posterior = session.belief(TARGET).values.tolist()
    evidence = ", ".join(f"{name} {finding}" for name, finding in EVIDENCE.items())
    lines = [
        "# A tour of PGM Studio",
        "",
        "The sample “Asia” is a network of eight variables about chest complaints (Lauritzen and",
        "Spiegelhalter 1988).",
        "",
        f"![The network]({files[0].name})",
        "",
        "## Evidence",
        "",
        f"Evidence: {evidence}. Its probability is {2 ** session.log2_evidence():.4g}.",
        scaling_note(EVIDENCE),
        "",
        f"| {TARGET} | before | after |",
        "|---|---:|---:|",
        *(
            f"| {state} | {percent(before)} | {percent(after)} |"
            for state, before, after in zip(states, prior, posterior, strict=True)
        ),
        "",
        f"![Beliefs given the evidence]({files[1].name})",
        "",
        "## Learning from samples",
        "",
        f"{whole(TRAINING_ROWS)} rows were drawn from the network ({files[2].name}) and models "
        f"learned from them; {whole(TEST_ROWS)} other rows are the test data.",
        "",
        "| model | kind | free parameters | effective size | test bits per row |",
        "|---|---|---:|---:|---:|",
        *(
            f"| {m.name} | {m.model.kind} | {whole(m.model.representation_size())} "
            f"| {whole(m.model.effective_size())} | {decimal(m.test_bits_per_row)} |"
            for m in measured
        ),
        "",
        *(f"![{file.stem}]({file.name})\n" for file in files[3:] if file.suffix == ".svg"),
        "The numbers: " + ", ".join(f"[{f.name}]({f.name})" for f in files if f.suffix != ".svg"),
        "",
    ]
    return "\n".join(lines)
