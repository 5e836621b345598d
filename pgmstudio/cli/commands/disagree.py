"""`pgmstudio disagree`: the beliefs of several models given the same evidence."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.options.data import (
    open_models,
    refuse_without_probabilities,
    save_table,
)
from pgmstudio.cli.options.evidence import add_evidence_options, evidence_from_args, finding_json
from pgmstudio.cli.terminal.output import Block, Table, bar, decimal, percent
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.disagreement import (
    Disagreement,
    Measure,
    ModelAnswer,
    answer_of,
    disagreement_csv,
    disagreement_json,
    disagreements,
)
from pgmstudio.core.data.variables import Domain, Variable
from pgmstudio.core.inference.base import Finding, scaling_note
from pgmstudio.core.model import Model, ProbabilisticModel

_MEASURES: Mapping[str, Measure] = {"tv": "total variation", "kl": "relative entropy"}
_UNITS: Mapping[Measure, str] = {"total variation": "", "relative entropy": " bits"}


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "disagree",
        "Compute P(evidence) and the beliefs of several models given the same evidence; the\n"
        "variables on which they disagree most come first.",
    )
    parser.add_argument("models", metavar="MODEL", nargs="+", help="model files")
    add_evidence_options(parser)
    parser.add_argument(
        "--by",
        type=one_of(tuple(_MEASURES)),
        default="tv",
        metavar="tv|kl",
        help="measure: total variation ½Σ|p − q| (default), or relative entropy in bits",
    )
    parser.add_argument(
        "--most",
        type=whole_number(1),
        default=5,
        metavar="N",
        help="show the beliefs of this many variables (default 5)",
    )
    parser.add_argument(
        "-o", "--output", "--csv", metavar="FILE.csv", help="write all beliefs as a table"
    )
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> DisagreementReport:
    if len(args.models) < 2:
        raise UsageError("Two models are needed at least.")
    models = open_models(args.models, line)
    if not any(isinstance(model, ProbabilisticModel) for model in models.values()):
        first = next(iter(models.values()))
        refuse_without_probabilities(
            first, "Disagreement is a difference of probabilities", "Use pgmstudio query on each."
        )
    evidence = evidence_from_args(joint_domain(models), args)
    measure = _MEASURES[args.by]
    answers = [answer_of(name, model, evidence) for name, model in models.items()]
    variables = disagreements(answers, measure)
    if args.output is not None:
        save_table(args.output, disagreement_csv(answers, variables), quoted=args.quote_formulas)
    return DisagreementReport(evidence, answers, variables, measure, args.most)


def joint_domain(models: Mapping[str, Model]) -> Domain:
    """The union of the models' variables and of their states."""
    states: dict[str, dict[str, None]] = {}
    for model in models.values():
        for variable in model.domain:
            states.setdefault(variable.name, {}).update(dict.fromkeys(variable.states))
    return Domain(tuple(Variable(name, tuple(known)) for name, known in states.items()))


@dataclass(frozen=True, eq=False)
class DisagreementReport:
    """The answers of the models, and the variables by disagreement."""

    evidence: Mapping[str, Finding]
    answers: Sequence[ModelAnswer]
    variables: Sequence[Disagreement]
    measure: Measure
    max_variables: int
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        evidence = {name: finding_json(finding) for name, finding in self.evidence.items()}
        return {
            "evidence": evidence,
            **disagreement_json(self.answers, self.variables, self.measure),
        }

    def blocks(self) -> Iterator[Block]:
        for name, finding in self.evidence.items():
            yield f"{name} {finding}"
        rows = []
        for answer in self.answers:
            log2 = answer.log2_evidence
            probability = "" if log2 is None else f"{2.0**log2:.4g}"
            notes = "; ".join(filter(None, [*answer.left_out, answer.problem]))
            rows.append((answer.name, probability, decimal(log2), notes))
        yield Table(("Model", "P(evidence)", "Bits", ""), rows, "<>><")
        if note := scaling_note(self.evidence):
            yield note
        yield f"\nLargest disagreements by {self.measure}"
        for variable in self.variables[: self.max_variables]:
            yield from self._beliefs(variable)

    def _beliefs(self, variable: Disagreement) -> Iterator[str]:
        distance = variable.distances.get(self.measure)
        text = "nothing to compare"
        if distance is not None:
            first, second = distance.between
            text = f"{decimal(distance.value)}{_UNITS[self.measure]}, {first} and {second}"
        yield f"\n{variable.variable}: {text}"
        width = max(len(name) for name in [*variable.beliefs, ""])
        for index, state in enumerate(variable.states):
            yield f"  {state}"
            for name, values in variable.beliefs.items():
                value = values[index]
                shown = "-" if value is None else f"{bar(value)} {percent(value):>8}"
                yield f"    {name:<{width}}  {shown}"
        for name, reason in variable.lacking.items():
            yield f"    {name}: {reason}"
