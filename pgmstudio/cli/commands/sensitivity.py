"""`pgmstudio sensitivity`: what a belief depends on: evidence, questions to ask, table entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.options.evidence import (
    add_evidence_options,
    evidence_from,
    evidence_notes,
    finding_json,
    notes_json,
)
from pgmstudio.cli.terminal.parser import CommandParser, UsageError, one_of, whole_number
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import count_of, decimal, percent, print_json, print_table
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import Finding
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.analysis.evidence_impact import FindingTrace
    from pgmstudio.core.analysis.sensitivity import ParameterSensitivity
    from pgmstudio.core.analysis.value_of_information import ValueOfEvidence

SPANS = ("tenth", "whole")


def run(words: Sequence[str]) -> int:
    parser = CommandParser(
        "sensitivity",
        "What the belief in one state depends on: which variable to ask next, what each finding\n"
        "does, and which numbers of the tables move it most.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument(
        "--target", metavar="V=s", required=True, help="the state asked about; V alone: its first"
    )
    add_evidence_options(parser)
    parser.add_argument(
        "--span",
        type=one_of(SPANS),
        default="tenth",
        metavar="HOW",
        help="how table entries are varied: tenth (±10 %%, the default) or whole (0 to 1)",
    )
    parser.add_argument(
        "--most", type=whole_number(1), default=10, metavar="N", help="lines of each list (10)"
    )
    parser.add_argument("-o", "--output", metavar="OUT.csv", help="all table entries as a file")
    parser.add_quote_formulas()
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    model = open_model(args.model, line).model
    findings = evidence_from_args(model.domain, args)
    name, state = target_from(model.domain, args.target)
    value, traces = about_evidence(model, findings, name)
    swings = about_tables(model, findings, name, state, args.span)
    code = model.domain[name].code(state)
    if args.output is not None:
        from pgmstudio.core.analysis.tables import swing_table, table_text
        from pgmstudio.core.io.data.spreadsheets import write_csv

        if swings is None:
            raise UsageError(f"{a_kind(model.kind, 'A')} has no tables to vary; leave out -o.")
        write_csv(args.output, table_text(swing_table(swings)), quoted=args.quote_formulas)
        line.say(f"Wrote {count_of(len(swings), 'table entry', 'table entries')} to {args.output}.")
    if args.json:
        print_json(_told(model, findings, name, state, value, traces, swings, args.most))
        return 0
    given = f" given {count_of(len(findings), 'finding')}" if findings else ""
    print(f"P({name} = {state}){given}: {percent(float(value.belief[code]))}")
    for note in evidence_notes(model, findings):
        print(note)
    _print_worths(value, code, state, args.most)
    _print_traces(traces, code)
    _print_swings(swings, args.most)
    return 0


def evidence_from_args(domain: Domain, args: Any) -> dict[str, Finding]:
    return evidence_from(domain, args.given, args.excluded, args.soft, args.done)


def target_from(domain: Domain, text: str) -> tuple[str, str]:
    """`V=s`, or `V` for its first state."""
    if text in domain:
        return text, domain[text].states[0]
    from pgmstudio.cli.options.evidence import split_at_variable

    if "=" not in text:
        return domain[text].name, ""  # says which names there are
    variable, state = split_at_variable(domain, text, "--target V=s")
    return variable.name, variable.states[variable.code(state)]


def about_evidence(
    model: Model, findings: Mapping[str, Finding], target: str
) -> tuple[ValueOfEvidence, dict[str, FindingTrace]]:
    """What could be asked, and what each finding does."""
    from pgmstudio.core.analysis.evidence_impact import trace_findings
    from pgmstudio.core.analysis.value_of_information import value_of_evidence
    from pgmstudio.core.languages.sessions import open_session

    session = open_session(model)
    for name, finding in findings.items():
        session.set_evidence(name, finding)
    value = value_of_evidence(session, model.domain, target)
    return value, trace_findings(session, model.domain, target)


def about_tables(
    model: Model, findings: Mapping[str, Finding], target: str, state: str, span: str
) -> list[ParameterSensitivity] | None:
    """Every entry that matters, the widest swing first; None for models without tables."""
    from pgmstudio.core.analysis.sensitivity import Span, sensitivity_of
    from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
    from pgmstudio.core.languages.tree.model import Tree

    network = model.as_bayesian_network if isinstance(model, Tree) else model
    if not isinstance(network, BayesianNetwork):
        return None
    found = sensitivity_of(network, findings, target, state)
    return found.swings(Span.WHOLE if span == "whole" else Span.TENTH)


def _told(
    model: Model,
    findings: Mapping[str, Finding],
    name: str,
    state: str,
    value: ValueOfEvidence,
    traces: Mapping[str, FindingTrace],
    swings: Sequence[ParameterSensitivity] | None,
    most: int,
) -> dict[str, Any]:
    from pgmstudio.core.analysis.tables import (
        Cell,
        swing_table,
        trace_table,
        worth_table,
    )

    def objects(rows: list[list[Cell]], most: int | None = None) -> list[dict[str, Cell]]:
        head = [str(cell) for cell in rows[0]]
        return [dict(zip(head, row, strict=True)) for row in rows[1:][:most]]

    code = model.domain[name].code(state)
    belief = float(value.belief[code])
    return {
        "kind": model.kind,
        "target": name,
        "state": state,
        "evidence": {n: finding_json(finding) for n, finding in findings.items()},
        **notes_json(model, findings),
        "belief": belief,
        "entropy": value.entropy,
        "ask_next": objects(worth_table(value, code), most),
        "findings": objects(trace_table(traces, code, belief)),
        "table_entries": objects(swing_table(swings or ()), most),
    }


def _print_worths(value: ValueOfEvidence, code: int, state: str, most: int) -> None:
    print(f"\nAsk next (entropy of {value.target}: {decimal(value.entropy)} bits)")
    rows = []
    for worth in value.worths[:most]:
        (low_state, low), (high_state, high) = worth.extremes(code)
        rows.append(
            [
                worth.variable,
                decimal(worth.bits, 4),
                percent(value.share(worth)),
                f"{percent(low)} ({low_state})",
                f"{percent(high)} ({high_state})",
            ]
        )
    print_table(["Variable", "Bits", "Share", f"Least {state}", f"Most {state}"], rows, "<>>>>")


def _print_traces(traces: Mapping[str, FindingTrace], code: int) -> None:
    if not traces:
        return
    print("\nWhat each finding does")
    rows = []
    for trace in traces.values():
        without = "–" if trace.target_belief is None else percent(float(trace.target_belief[code]))
        rows.append(
            [
                f"{trace.variable} {trace.finding}",
                without,
                decimal(trace.normalised_likelihood, 3),
                decimal(trace.conflict_bits, 2),
            ]
        )
    print_table(["Finding", "Belief without", "P(f | rest) / P(f)", "Conflict, bits"], rows, "<>>>")


def _print_swings(swings: Sequence[ParameterSensitivity] | None, most: int) -> None:
    if not swings:
        return
    print("\nNumbers of the tables that move it most")
    rows = [
        [
            swing.words,
            f"{swing.value:.4g}",
            f"{percent(swing.belief_at_low)} … {percent(swing.belief_at_high)}",
            decimal(swing.derivative, 4),
        ]
        for swing in swings[:most]
    ]
    print_table(["Table entry", "Value", "Belief, low … high", "Derivative"], rows, "<>>>")
