"""`pgmstudio learn`: run one learner on one data file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgmstudio.cli.options.data import (
    add_data_options,
    add_large_table_options,
    check_ending,
    check_model_path,
    read_large_table,
    read_rows,
    read_rows_for_domain,
    read_together,
    save_model,
)
from pgmstudio.cli.options.learner import add_learner_arguments, learner_parser
from pgmstudio.cli.options.parameters import given_texts, params_from
from pgmstudio.cli.terminal.output import (
    Block,
    Fields,
    Table,
    count_of,
    decimal,
    percent,
    whole,
)
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import LearnOutcome, run_learner
from pgmstudio.cli.terminal.streams import STANDARD
from pgmstudio.core.analysis.model_comparison import likelihood_of
from pgmstudio.core.data.chunked import ChunkedData
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import Cancelled, DataError, TooLargeError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.io.data.spreadsheets import write_csv
from pgmstudio.core.io.models.files import ModelFile
from pgmstudio.core.io.run_artifacts import check_log_path, table_text, write_artifacts
from pgmstudio.core.languages.base import ComponentModel, NodeModel
from pgmstudio.core.languages.learn_task import LearnTask
from pgmstudio.core.languages.learners import learner_of
from pgmstudio.core.languages.registry import language_of, no_likelihood_reason
from pgmstudio.core.languages.run_checks import START_KEPT, broken_rules, knowledge_of
from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency, tally_of
from pgmstudio.core.learning.base import Learner, missing_data_note
from pgmstudio.core.learning.cost_estimates import forecast_passes
from pgmstudio.core.learning.graph_ranking import GraphRanking
from pgmstudio.core.model import Model, ProbabilisticModel, edge_text, edges_of, has_edges
from pgmstudio.core.number_format import measure_title

PER_ROW = "log2_likelihood_per_row"
MAX_EDGES = 60  # printed
MAX_COMPONENTS = 10
LINE_WIDTH = 100
MAX_GRAPHS = 10  # of a ranking, printed; --log writes all of them


def make_parser(argv: Sequence[str]) -> CommandParser:
    return learner_parser(argv, _build_parser)


def _build_parser(learner: Learner[Any] | None) -> CommandParser:
    if learner is None:
        parser = CommandParser("learn", "Run one learner on the rows of a file.")
        parser.epilog = (
            "pgmstudio learners lists the keys; pgmstudio learn KEY --help the parameters of one."
        )
    else:
        parser = CommandParser("learn", f"{learner.key}: {learner.title} ({learner.kind}).")
    add_learner_arguments(parser, learner, "tree.chow-liu")
    parser.add_argument("--valid", metavar="DATA", help="measure the model on these rows as well")
    parser.add_seed()
    parser.add_time_limit("the best model found")
    parser.add_argument("-o", "--output", metavar="MODEL", help="write the model to this file")
    parser.add_argument(
        "--log",
        metavar="FILE",
        help="write the search log as .csv or .json: every local optimum of restarts, every "
        "independence test, every step of K2, the ranking of all graphs",
    )
    parser.add_argument(
        "--edge-counts",
        metavar="FILE.csv",
        help="write how many trees or restarts of the run have each edge",
    )
    add_data_options(parser)
    add_large_table_options(parser)
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> LearnReport:
    learner = learner_of(args.key)
    params: Any = params_from(args, learner.params_type)
    if args.output is not None:
        check_model_path(args.output)
    if args.log is not None:
        check_log_path(args.log)
    check_ending(args.edge_counts, [".csv"], "edge counts")
    data, valid = _read(args, learner, line)
    knowledge = knowledge_of(params)
    if knowledge is not None:
        knowledge.check(data.domain.names)
    reason = learner.refuses(data)
    if reason is not None:
        raise DataError(reason)
    if isinstance(data, ChunkedData):
        line.message(str(forecast_passes(learner, params, data)))
    elif data.has_missing:
        line.message(missing_data_note(learner, data, params))
    task = LearnTask(learner.key, data, params, args.seed)
    outcome = run_learner(task, line, time_limit=args.time_limit)
    if outcome.model is None:
        message = f"Stopped after {outcome.seconds:.1f} s, before a first model was found"
        if outcome.was_interrupted:
            raise Cancelled(f"{message}.")
        raise UsageError(f"{message}; raise --time-limit.")
    if args.output is not None:  # first, so that no later error can lose the model
        provenance = task.provenance(
            outcome=outcome.outcome,
            seconds=outcome.seconds,
            measures=outcome.measures,
            trace=outcome.trace,
            file=Path(args.data).name,
            objects=given_texts(args),
        )
        _save(args.output, outcome.model, provenance, line)
    if args.log is not None:
        line.message(_save_log(args.log, outcome, quoted=args.quote_formulas))
    if args.edge_counts is not None:
        line.message(_save_edge_counts(args.edge_counts, outcome, quoted=args.quote_formulas))
    report = LearnReport.of(learner, task, outcome, valid, args.output)
    if knowledge is not None:
        line.message(knowledge_message(knowledge, outcome.model))
    line.message(outcome_message(outcome, report.log2_per_row))
    return report


def _read(
    args: argparse.Namespace, learner: Learner[Any], line: ProgressLine
) -> tuple[DataSet, DataSet | None]:
    large = read_large_table(args.data, args, line, learner)
    if large is not None:
        valid = None
        if args.valid is not None:
            valid = read_rows_for_domain(large.domain, args.valid, args, line)
        return large, valid
    if args.valid is None:
        return read_rows(args.data, args, line), None
    return read_together(args.data, args.valid, args, line)


def knowledge_message(knowledge: Knowledge, model: Model) -> str:
    """Whether the edges of a model obey the background knowledge; checked without the learner."""
    broken = broken_rules(model, knowledge)
    if broken is None:
        return "The rules about edges cannot be checked: the model has no directed edges."
    if broken:
        return "Rules are broken: " + " ".join(broken)
    return f"All {count_of(knowledge.rule_count(), 'rule')} about edges hold."


def outcome_message(outcome: LearnOutcome, bits_per_row: float | None) -> str:
    """The last line of a run."""
    score = "" if bits_per_row is None else f": {decimal(bits_per_row)} bits per row"
    if outcome.is_finished:
        return f"{outcome.summary}{score}."
    stopped = f"Stopped after {outcome.seconds:.1f} s."
    if outcome.is_start:
        return f"{stopped} {START_KEPT[:-1]}{score}."
    return f"{stopped} The best model so far was kept{score}."


@dataclass(frozen=True, eq=False)
class LearnReport:
    """The result of a run: the model, its sizes and likelihoods."""

    learner: Learner[Any]
    task: LearnTask
    outcome: LearnOutcome
    model: Model
    log2_per_row: float | None
    valid_log2_per_row: float | None
    has_valid: bool
    output: str | None

    @classmethod
    def of(
        cls,
        learner: Learner[Any],
        task: LearnTask,
        outcome: LearnOutcome,
        valid: DataSet | None,
        output: str | None,
    ) -> LearnReport:
        """Measure the model of a run."""
        model = outcome.model
        assert model is not None
        is_measured = isinstance(model, ProbabilisticModel)

        def per_row(rows: DataSet) -> float | None:
            known = outcome.measures.get(PER_ROW)
            if isinstance(rows, ChunkedData) and known is not None:
                return known  # without another pass
            # A given structure may have other columns than the data, and hidden variables.
            try:
                return likelihood_of(model, rows_over(rows, model.domain)).per_row
            except TooLargeError:  # a Markov network without its partition function
                return None

        return cls(
            learner=learner,
            task=task,
            outcome=outcome,
            model=model,
            log2_per_row=per_row(task.data) if is_measured else None,
            valid_log2_per_row=per_row(valid) if is_measured and valid is not None else None,
            has_valid=valid is not None,
            output=output,
        )

    @property
    def exit_code(self) -> int:
        return self.outcome.exit_code

    def as_dict(self) -> Mapping[str, Any]:
        document: dict[str, Any] = {
            "learner": self.learner.key,
            "kind": self.model.kind,
            "seed": self.task.seed,
            "seconds": self.outcome.seconds,
            "rows": self.task.data.row_count,
            "variables": len(self.task.data.domain),
            "outcome": self.outcome.outcome,
            "measures": self.outcome.measures,
            "representation_size": self.model.representation_size(),
            "effective_size": self.model.effective_size(),
            "log2_likelihood_per_row": self.log2_per_row,
        }
        if self.has_valid:
            document["valid_log2_likelihood_per_row"] = self.valid_log2_per_row
        knowledge = knowledge_of(self.task.params)
        if knowledge is not None:
            document["broken_rules"] = broken_rules(self.model, knowledge)
        if self.output is not None:
            document["model"] = self.output
        if has_edges(self.model):
            document["edges"] = [list(edge) for edge in edges_of(self.model)]
        return document

    def records(self) -> list[Mapping[str, Any]]:
        """One row: the measures of the run."""
        document = {name: value for name, value in self.as_dict().items() if name != "edges"}
        return [{**document, **document.pop("measures")}]

    def blocks(self) -> Iterator[Block]:
        data = self.task.data
        model = self.model
        pairs = [
            ("Learner", f"{self.learner.key}, {self.learner.title}"),
            ("Data", f"{count_of(data.row_count, 'row')}, {count_of(len(data.domain), 'column')}"),
            ("Model", f"{model.kind}, {count_of(len(model.domain), 'variable')}"),
        ]
        pairs += found_in(model)
        pairs += [
            (language_of(model).size_title, whole(model.representation_size())),
            ("Effective size", whole(model.effective_size())),
        ]
        has_likelihood = not no_likelihood_reason(model.kind)
        if has_likelihood:
            pairs.append(("Log-likelihood", f"{decimal(self.log2_per_row)} bits per row"))
        if self.has_valid and has_likelihood:
            pairs.append(("On validation rows", f"{decimal(self.valid_log2_per_row)} bits per row"))
        shown = {name for name, _ in pairs}
        pairs += [
            (title, whole(value) if float(value).is_integer() else decimal(value))
            for name, value in self.outcome.measures.items()
            if (title := measure_title(name)) not in shown and name != "log2_likelihood_per_row"
        ]
        pairs.append(("Time", f"{self.outcome.seconds:.2f} s, {self.outcome.outcome}"))
        if self.output is None:
            pairs.append(("Not saved", "-o MODEL.json keeps the model"))
        elif self.output != STANDARD:
            pairs.append(("Saved to", self.output))
        yield Fields(pairs)
        yield from edge_blocks(model)
        for artifact in self.outcome.artifacts.values():
            if isinstance(artifact, GraphRanking):
                yield from ranking_blocks(artifact)


def found_in(model: Model) -> list[tuple[str, str]]:
    """What a search has found: edges, components or classes with their weights, or nodes."""
    if has_edges(model):
        return [("Edges", whole(len(edges_of(model))))]
    if isinstance(model, ComponentModel):
        weights = sorted(model.weights.tolist(), reverse=True)
        shown = ", ".join(percent(weight) for weight in weights[:MAX_COMPONENTS])
        more = ", …" if len(weights) > MAX_COMPONENTS else ""
        return [(f"{model.component_title.capitalize()} weights", f"{shown}{more}")]
    if isinstance(model, NodeModel):
        return [("Nodes", whole(sum(model.node_counts)))]
    return []


def edge_blocks(model: Model) -> Iterator[Block]:
    """The edges of a model, several in a line."""
    texts = [edge_text(model, *edge) for edge in edges_of(model)[:MAX_EDGES]]
    if not texts:
        return
    yield ""
    width = max(map(len, texts)) + 3
    columns = max(1, LINE_WIDTH // width)
    rows = -(-len(texts) // columns)
    for row in range(rows):
        yield "".join(text.ljust(width) for text in texts[row::rows]).rstrip()
    more = len(edges_of(model)) - len(texts)
    if more > 0:
        yield f"… and {count_of(more, 'more edge')}; pgmstudio describe MODEL shows all of them."


def ranking_blocks(ranking: GraphRanking) -> Iterator[Block]:
    """The best graphs of a search over all of them."""

    def number(value: float) -> str:
        return whole(value) if value.is_integer() else decimal(value)

    listed = ranking.ranking[:MAX_GRAPHS]
    of = f"the {whole(len(listed))} best of " if len(listed) < ranking.graphs else ""
    data = f"the data have {number(ranking.total)} {ranking.unit}"
    yield f"\nRanking: {of}{whole(ranking.graphs)} graphs; {data}"
    rows = [
        [
            whole(rank),
            ranking.edge_text(one),
            number(one.total),
            number(one.additional),
            whole(one.cells),
        ]
        for rank, one in enumerate(listed, start=1)
    ]
    yield Table(["No.", "Graph", ranking.unit.capitalize(), "Additional", "Cells"], rows, "><>>>")


def _save(path: str, model: Model, provenance: Mapping[str, Any], line: ProgressLine) -> None:
    save_model(path, ModelFile(model, title=Path(path).stem, provenance=dict(provenance)), line)


def _save_log(path: str, outcome: LearnOutcome, *, quoted: bool) -> str:
    """Write the search log; returns a message."""
    if not outcome.artifacts:
        return f"This learner saves nothing but its model; {path} was not written."
    write_artifacts(path, outcome.artifacts, quoted=quoted)
    return f"The search log was saved to {path}."


def _save_edge_counts(path: str, outcome: LearnOutcome, *, quoted: bool) -> str:
    """Write how often each edge occurs in the run's artifacts; returns a message."""
    for artifact in outcome.artifacts.values():
        tally = tally_of(artifact)
        if tally is not None:
            table = table_text(artifact if isinstance(artifact, Adjacency) else tally)
            write_csv(path, table, quoted=quoted)
            return f"The edge counts were saved to {path}."
    return f"This learner keeps no edges of restarts; {path} was not written."
