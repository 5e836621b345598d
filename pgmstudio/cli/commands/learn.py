"""`pgmstudio learn`: one learner on one data file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio import __version__
from pgmstudio.cli.commands.evaluate import likelihood_of
from pgmstudio.cli.options.data import (
    add_data_options,
    check_model_target,
    read_rows,
    read_together,
)
from pgmstudio.cli.options.parameters import add_param_options, given_texts, params_from
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.run import LearnOutcome, run_learner
from pgmstudio.cli.terminal.tables import count_of, decimal, plain, print_json, print_pairs, whole
from pgmstudio.core.data.dataset import DataSet
from pgmstudio.core.data.transforms import rows_over
from pgmstudio.core.errors import DataError
from pgmstudio.core.graphs.background_knowledge import Knowledge
from pgmstudio.core.languages.edge_constraints import broken_rules
from pgmstudio.core.languages.learners import LearnTask, all_learners, learner_of
from pgmstudio.core.languages.run_checks import START_KEPT
from pgmstudio.core.learning.base import Learner
from pgmstudio.core.learning.params import missing_data_note
from pgmstudio.core.model import DirectedModel, Model, ProbabilisticModel
from pgmstudio.core.params import ParamKind, params_to_dict, specs_of


def run(words: Sequence[str]) -> int:
    learner, args = learner_and_words(words, _parser)
    params: Any = params_from(args, learner.params_type)
    if args.output is not None:
        check_model_target(args.output)
    if args.log is not None:
        from pgmstudio.core.io.run_artifacts import check_log_path

        check_log_path(args.log)
    if args.edge_counts is not None and not args.edge_counts.lower().endswith(".csv"):
        raise UsageError(f"{args.edge_counts} does not end in .csv, the only form of these counts.")
    line = ProgressLine(quiet=args.quiet)
    data, valid = _read(args, line)
    for rules in knowledge_in(params):
        rules.check(data.domain.names)
    refusal = learner.refuses(data)
    if refusal is not None:
        raise DataError(refusal)
    if data.has_missing:
        line.say(missing_data_note(learner, data, params))
    task = LearnTask(learner.key, data, params, args.seed)
    done = run_learner(task, line, time_limit=args.time_limit)
    if done.model is None:
        when = f"Stopped after {done.seconds:.1f} s, before a first model was found"
        if done.was_interrupted:
            line.say(f"{when}.")
            return 130
        raise UsageError(f"{when}; give it more time.")
    if args.output is not None:  # first, so that nothing that follows can lose it
        _save(args, task, done, done.model, line)
    if args.log is not None:
        line.say(_save_log(args.log, done, quoted=args.quote_formulas))
    if args.edge_counts is not None:
        line.say(_save_edge_counts(args.edge_counts, done, quoted=args.quote_formulas))
    report = LearnReport.of(learner, task, done, valid)
    for rules in knowledge_in(params):
        line.say(rules_check(rules, done.model))
    line.say(outcome_sentence(done, report.log2_per_row))
    if args.json:
        print_json(report.as_json(args.output))
    else:
        report.print(args.output)
    return 130 if done.was_interrupted else 0


def learner_and_words(
    words: Sequence[str], parser_of: Callable[[Learner[Any] | None], CommandParser]
) -> tuple[Learner[Any], argparse.Namespace]:
    """The learner that the words name, and what they say to the parser with its parameters."""
    known = all_learners()
    key = next((word for word in words if word in known), None)
    parser = parser_of(None if key is None else known[key])
    if key is None:
        args, _ = parser.parse_known_args(list(words))
        learner_of(args.key)  # says which is nearest
        raise UsageError("Missing: KEY. pgmstudio learners lists them.")
    return known[key], parser.parse(words)


def _parser(learner: Learner[Any] | None) -> CommandParser:
    if learner is None:
        parser = CommandParser("learn", "Runs one learner on the rows of a file.")
        parser.epilog = (
            "pgmstudio learners lists the keys; pgmstudio learn KEY --help the parameters of one."
        )
    else:
        told = f"{learner.key}: {learner.title} ({learner.kind})."
        parser = CommandParser("learn", told)
    parser.add_argument("key", metavar="KEY", help="which learner, such as tree.chow-liu")
    parser.add_argument("data", metavar="DATA", help="a data file")
    if learner is not None:
        add_param_options(parser, learner.params_type, f"parameters of {learner.key}")
    parser.add_argument("--valid", metavar="DATA", help="rows to measure the model on afterwards")
    parser.add_seed()
    parser.add_time_limit("the best model found")
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the model goes")
    parser.add_argument(
        "--log",
        metavar="FILE",
        help="what the run saw on the way, as .csv or .json: every local optimum of restarts, "
        "every independence test, every step of K2",
    )
    parser.add_argument(
        "--edge-counts",
        metavar="FILE.csv",
        help="how many trees or restarts of the run have each edge",
    )
    add_data_options(parser)
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    return parser


def _read(args: argparse.Namespace, line: ProgressLine) -> tuple[DataSet, DataSet | None]:
    if args.valid is None:
        return read_rows(args.data, args, line), None
    return read_together(args.data, args.valid, args, line)


def knowledge_in(params: Any) -> list[Knowledge]:
    """The rules about edges among the parameters of a run."""
    values = [getattr(params, spec.name) for spec in specs_of(type(params))]
    return [value for value in values if isinstance(value, Knowledge) and not value.is_empty]


def rules_check(rules: Knowledge, model: Model) -> str:
    """Whether the edges of a model keep the rules, computed without the learner."""
    broken = broken_rules(model, rules)
    if broken is None:
        return "The rules about edges cannot be checked: the model has no directed edges."
    if broken:
        return "Rules are broken: " + " ".join(broken)
    return f"All {count_of(rules.rule_count(), 'rule')} about edges hold."


def outcome_sentence(done: LearnOutcome, bits_per_row: float | None) -> str:
    """The last line of a run."""
    score = "" if bits_per_row is None else f": {decimal(bits_per_row)} bits per row"
    if done.is_finished:
        return f"Finished after {done.seconds:.1f} s{score}."
    if done.is_start:
        return f"Stopped after {done.seconds:.1f} s. {START_KEPT[:-1]}{score}."
    return f"Stopped after {done.seconds:.1f} s. The best model so far was kept{score}."


@dataclass(frozen=True, eq=False)
class LearnReport:
    """What is told of a run, to a person or to a program."""

    learner: Learner[Any]
    task: LearnTask
    done: LearnOutcome
    model: Model
    log2_per_row: float | None
    valid_log2_per_row: float | None
    has_valid: bool

    @classmethod
    def of(
        cls, learner: Learner[Any], task: LearnTask, done: LearnOutcome, valid: DataSet | None
    ) -> LearnReport:
        """Measure the model that a run left behind."""
        model = done.model
        assert model is not None
        measured = isinstance(model, ProbabilisticModel)

        def per_row(rows: DataSet) -> float:
            # A given structure may have other columns than the data, and hidden variables.
            return likelihood_of(model, rows_over(rows, model.domain)).per_row

        return cls(
            learner=learner,
            task=task,
            done=done,
            model=model,
            log2_per_row=per_row(task.data) if measured else None,
            valid_log2_per_row=per_row(valid) if measured and valid is not None else None,
            has_valid=valid is not None,
        )

    def as_json(self, output: str | None) -> dict[str, Any]:
        report: dict[str, Any] = {
            "learner": self.learner.key,
            "kind": self.model.kind,
            "seed": self.task.seed,
            "seconds": self.done.seconds,
            "rows": self.task.data.row_count,
            "variables": len(self.task.data.domain),
            "outcome": self.done.outcome,
            "measures": self.done.measures,
            "representation_size": self.model.representation_size(),
            "effective_size": self.model.effective_size(),
            "log2_likelihood_per_row": self.log2_per_row,
        }
        if self.has_valid:
            report["valid_log2_likelihood_per_row"] = self.valid_log2_per_row
        for rules in knowledge_in(self.task.params):
            report["broken_rules"] = broken_rules(self.model, rules)
        if output is not None:
            report["model"] = output
        return report

    def print(self, output: str | None) -> None:
        data, model = self.task.data, self.model
        pairs = [
            ("Learner", f"{self.learner.key}, {self.learner.title}"),
            ("Data", f"{count_of(data.row_count, 'row')}, {count_of(len(data.domain), 'column')}"),
            ("Model", f"{model.kind}, {count_of(len(model.domain), 'variable')}"),
        ]
        if isinstance(model, DirectedModel):
            pairs.append(("Edges", whole(len(model.edges))))
        pairs += [
            ("Free parameters", whole(model.representation_size())),
            ("Effective size", whole(model.effective_size())),
            ("Log-likelihood", f"{decimal(self.log2_per_row)} bits per row"),
        ]
        if self.has_valid:
            pairs.append(("On validation rows", f"{decimal(self.valid_log2_per_row)} bits per row"))
        shown = {name for name, _ in pairs}
        pairs += [
            (title, whole(value) if float(value).is_integer() else decimal(value))
            for name, value in self.done.measures.items()
            if (title := name.replace("_", " ").capitalize()) not in shown
            and name != "log2_likelihood_per_row"
        ]
        pairs.append(("Time", f"{self.done.seconds:.2f} s, {self.done.outcome}"))
        if output is not None:
            pairs.append(("Saved to", output))
        print_pairs(pairs)


def provenance_of(
    task: LearnTask, done: LearnOutcome, data_file: str, objects: Mapping[str, str]
) -> dict[str, Any]:
    """Enough to run it again and to see that the same comes out.

    `objects` has the files of parameters that are no plain values.
    """
    is_object = {s.name: s.kind is ParamKind.OBJECT for s in specs_of(type(task.params))}
    told: dict[str, Any] = plain(
        {
            "program": f"PGM Studio {__version__}",
            "learner": task.learner_key,
            "parameters": {
                name: objects.get(name) if is_object[name] else value
                for name, value in params_to_dict(task.params).items()
            },
            "seed": task.seed,
            "data": {
                "file": data_file,
                "fingerprint": task.data.fingerprint,
                "rows": task.data.row_count,
                "variables": len(task.data.domain),
            },
            "outcome": done.outcome,
            "seconds": done.seconds,
            "measures": done.measures,
            "trace": done.trace,
        }
    )
    return told


def _save_log(path: str, done: LearnOutcome, *, quoted: bool) -> str:
    """Write what the run saw on the way, and say so."""
    from pgmstudio.core.io.run_artifacts import write_kept

    if not done.kept:
        return f"This learner keeps nothing beside its model; {path} was not written."
    write_kept(path, done.kept, quoted=quoted)
    return f"What the run saw on the way was saved to {path}."


def _save_edge_counts(path: str, done: LearnOutcome, *, quoted: bool) -> str:
    """Write how often edges occur in what the run kept, and say so."""
    from pgmstudio.core.io.data.spreadsheets import write_csv
    from pgmstudio.core.io.run_artifacts import table_text
    from pgmstudio.core.languages.tree_mixture.learning.edge_counts import Adjacency, tally_of

    for kept in done.kept.values():
        tally = tally_of(kept)
        if tally is not None:
            table = table_text(kept if isinstance(kept, Adjacency) else tally)
            write_csv(path, table, quoted=quoted)
            return f"How often edges occur was saved to {path}."
    return f"This learner keeps no edges of restarts; {path} was not written."


def _save(
    args: argparse.Namespace,
    task: LearnTask,
    done: LearnOutcome,
    model: Model,
    line: ProgressLine,
) -> None:
    from pathlib import Path

    from pgmstudio.core.io.models.files import ModelFile, write_model

    told = provenance_of(task, done, Path(args.data).name, given_texts(args))
    file = ModelFile(model, title=Path(args.output).stem, provenance=told)
    for sentence in write_model(args.output, file):
        line.say(sentence)
