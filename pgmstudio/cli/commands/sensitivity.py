"""`pgmstudio sensitivity`: what a belief depends on."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.options.data import (
    open_model,
    refuse_without_probabilities,
    save_table,
)
from pgmstudio.cli.options.evidence import (
    add_evidence_options,
    evidence_from_args,
    evidence_notes,
    finding_json,
    notes_json,
    split_at_variable,
)
from pgmstudio.cli.terminal.output import Block, Table, count_of, decimal, percent
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.analysis.evidence_impact import trace_findings
from pgmstudio.core.analysis.sensitivity import Span, sensitivity_of
from pgmstudio.core.analysis.tables import swing_table, table_text, trace_table, worth_table
from pgmstudio.core.analysis.value_of_information import value_of_evidence
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.sessions import open_session
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.analysis.evidence_impact import FindingTrace
    from pgmstudio.core.analysis.sensitivity import ParameterSensitivity
    from pgmstudio.core.analysis.tables import Cell
    from pgmstudio.core.analysis.value_of_information import ValueOfEvidence

SPANS = ("tenth", "whole")


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser(
        "sensitivity",
        "Show what the belief in one state depends on: the value of information of each variable,\n"
        "the impact of each finding, and the CPT entries that change it most.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument(
        "--target", metavar="V=s", required=True, help="the state; V alone: its first state"
    )
    add_evidence_options(parser)
    parser.add_argument(
        "--span",
        type=one_of(SPANS),
        default="tenth",
        metavar="HOW",
        help="vary CPT entries by a tenth (±10 %%, the default) or over the whole range (0 to 1)",
    )
    parser.add_argument(
        "--most",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="number of lines in each list (default 10)",
    )
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="write all CPT entries")
    parser.add_quote_formulas()
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> SensitivityReport:
    model = open_model(args.model, line).model
    refuse_without_probabilities(
        model, "Sensitivity is the change of a probability", "Use pgmstudio query."
    )
    findings = evidence_from_args(model.domain, args)
    name, state = target_from(model.domain, args.target)
    value, traces = evidence_analysis(model, findings, name)
    swings = table_analysis(model, findings, name, state, args.span)
    if args.output is not None:
        if swings is None:
            raise UsageError(f"{a_kind(model.kind, 'A')} has no tables to vary; leave out -o.")
        save_table(args.output, table_text(swing_table(swings)), quoted=args.quote_formulas)
        entries = count_of(len(swings), "table entry", "table entries")
        line.message(f"Wrote {entries} to {args.output}.")
    return SensitivityReport(
        model=model,
        findings=findings,
        state=state,
        value=value,
        traces=traces,
        swings=swings,
        max_lines=args.most,
    )


def target_from(domain: Domain, text: str) -> tuple[str, str]:
    """`V=s`, or `V` for its first state."""
    if text in domain:
        return text, domain[text].states[0]
    if "=" not in text:
        return domain[text].name, ""  # raises, with the nearest name
    variable, state = split_at_variable(domain, text, "--target V=s")
    return variable.name, variable.states[variable.code(state)]


def evidence_analysis(
    model: Model, findings: Mapping[str, Finding], target: str
) -> tuple[ValueOfEvidence, dict[str, FindingTrace]]:
    """The value of information of each variable, and the impact of each finding."""
    session = open_session(model)
    for name, finding in findings.items():
        session.set_evidence(name, finding)
    value = value_of_evidence(session, model.domain, target)
    return value, trace_findings(session, model.domain, target)


def table_analysis(
    model: Model, findings: Mapping[str, Finding], target: str, state: str, span: str
) -> list[ParameterSensitivity] | None:
    """The table entries that matter, the widest range first; None for models without tables."""
    network = as_network(model)
    if network is None:
        return None
    sensitivity = sensitivity_of(network, findings, target, state)
    return sensitivity.swings(Span.WHOLE if span == "whole" else Span.TENTH)


@dataclass(frozen=True, eq=False)
class SensitivityReport:
    """What the belief in `state` of a target depends on."""

    model: Model
    findings: Mapping[str, Finding]
    state: str
    value: ValueOfEvidence
    traces: Mapping[str, FindingTrace]
    swings: Sequence[ParameterSensitivity] | None
    max_lines: int
    exit_code: int = 0

    @property
    def _code(self) -> int:
        return self.model.domain[self.value.target].code(self.state)

    @property
    def _belief(self) -> float:
        return float(self.value.belief[self._code])

    def as_dict(self) -> Mapping[str, Any]:
        value_of_information = worth_table(self.value, self._code)
        impacts = trace_table(self.traces, self._code, self._belief)
        entries = swing_table(self.swings or ())
        return {
            "kind": self.model.kind,
            "target": self.value.target,
            "state": self.state,
            "evidence": {name: finding_json(finding) for name, finding in self.findings.items()},
            **notes_json(self.model, self.findings),
            "belief": self._belief,
            "entropy": self.value.entropy,
            "ask_next": _row_objects(value_of_information, self.max_lines),
            "findings": _row_objects(impacts),
            "table_entries": _row_objects(entries, self.max_lines),
        }

    def blocks(self) -> Iterator[Block]:
        given = f" given {count_of(len(self.findings), 'finding')}" if self.findings else ""
        yield f"P({self.value.target} = {self.state}){given}: {percent(self._belief)}"
        yield from evidence_notes(self.model, self.findings)
        entropy = decimal(self.value.entropy)
        yield f"\nValue of information (entropy of {self.value.target}: {entropy} bits)"
        yield self._value_table()
        if self.traces:
            yield "\nEvidence impact"
            yield self._impact_table()
        if self.swings:
            yield "\nCPT entries that change it most"
            yield self._entry_table(self.swings)
        elif self.swings is None:
            kind = a_kind(self.model.kind, "A")
            yield f"\n{kind} has no conditional probability tables whose entries could be varied."

    def _value_table(self) -> Table:
        rows = []
        for worth in self.value.worths[: self.max_lines]:
            (low_state, low), (high_state, high) = worth.extremes(self._code)
            rows.append(
                [
                    worth.variable,
                    decimal(worth.bits, 4),
                    percent(self.value.entropy_fraction(worth)),
                    f"{percent(low)} ({low_state})",
                    f"{percent(high)} ({high_state})",
                ]
            )
        bounds = (f"Lowest P({self.state})", f"Highest P({self.state})")
        return Table(["Variable", "Bits", "Of entropy", *bounds], rows, "<>>>>")

    def _impact_table(self) -> Table:
        rows = []
        for trace in self.traces.values():
            belief = trace.target_belief
            rows.append(
                [
                    f"{trace.variable} {trace.finding}",
                    "-" if belief is None else percent(float(belief[self._code])),
                    decimal(trace.normalised_likelihood, 3),
                    decimal(trace.conflict_bits, 2),
                ]
            )
        header = ["Finding", "Belief without", "P(f | rest) / P(f)", "Conflict, bits"]
        return Table(header, rows, "<>>>")

    def _entry_table(self, swings: Sequence[ParameterSensitivity]) -> Table:
        rows = [
            [
                swing.label,
                f"{swing.value:.4g}",
                f"{percent(swing.belief_at_low)} … {percent(swing.belief_at_high)}",
                decimal(swing.derivative, 4),
            ]
            for swing in swings[: self.max_lines]
        ]
        return Table(["CPT entry", "Value", "Belief, low … high", "Derivative"], rows, "<>>>")


def _row_objects(table: list[list[Cell]], count: int | None = None) -> list[dict[str, Cell]]:
    """The first rows of a table as objects by the names in its header."""
    header = [str(cell) for cell in table[0]]
    return [dict(zip(header, row, strict=True)) for row in table[1:][:count]]
