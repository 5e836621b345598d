"""`pgmstudio query`: beliefs given evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.evidence import add_evidence_options, evidence_from, finding_json
from pgmstudio.cli.inputs import open_model
from pgmstudio.cli.output import bar, decimal, percent, print_json
from pgmstudio.cli.parsing import CommandParser, UsageError
from pgmstudio.cli.progress import ProgressLine
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.protocols import Belief, ExplainingSession, Finding, Observed, Scale
from pgmstudio.core.models.protocols import Model


def run(words: Sequence[str]) -> int:
    parser = CommandParser("query", "Beliefs of the variables of a model, given evidence.")
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_evidence_options(parser)
    parser.add_argument(
        "--of",
        metavar="V",
        nargs="+",
        action="extend",
        default=[],
        help="the variables asked for (default all)",
    )
    parser.add_argument("--mpe", action="store_true", help="the most probable explanation too")
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    model = open_model(args.model, ProgressLine(quiet=args.quiet)).model
    domain = model.domain
    findings = evidence_from(domain, args.given, args.excluded, args.soft)
    asked = list(dict.fromkeys(domain[name].name for name in args.of))
    found = answer(model, asked, findings, explain=args.mpe)
    if args.json:
        print_json(_told(model, findings, found))
        return 0
    for name, finding in findings.items():
        print(f"{name} {finding}")
    if findings:
        print(f"P(evidence) = {2.0**found.log2_evidence:.4g} ({decimal(found.log2_evidence)} bits)")
        print()
    shown = asked or [n for n in domain.names if not isinstance(findings.get(n), Observed)]
    _print_beliefs(domain, [found.beliefs[name] for name in shown])
    if found.most_probable is not None:
        print(f"\nMost probable explanation ({decimal(found.log2_most_probable)} bits)")
        for name, state in found.most_probable.items():
            print(f"  {name} = {state}")
    return 0


@dataclass(frozen=True, eq=False)
class QueryAnswer:
    """What was asked for."""

    beliefs: Mapping[str, Belief]
    log2_evidence: float
    most_probable: Mapping[str, str] | None = None
    log2_most_probable: float | None = None


def answer(
    model: Model, asked: Sequence[str], findings: Mapping[str, Finding], *, explain: bool
) -> QueryAnswer:
    """Beliefs of the variables asked for, of all when none is; and the most probable explanation.

    Asked for a few variables only, the parts of a network that cannot matter are left out.
    """
    from pgmstudio.core.inference.sessions import ask, open_session

    if asked and not explain:
        pruned = ask(model, asked, findings)
        return QueryAnswer(pruned.beliefs, pruned.log2_evidence)
    session = open_session(model)
    for name, finding in findings.items():
        session.set_evidence(name, finding)
    beliefs = {name: session.belief(name) for name in asked or model.domain.names}
    if not explain:
        return QueryAnswer(beliefs, session.log2_evidence())
    if not isinstance(session, ExplainingSession):
        raise UsageError(f"A {model.kind} has no most probable explanation; leave out --mpe.")
    return QueryAnswer(
        beliefs, session.log2_evidence(), session.most_probable(), session.log2_most_probable()
    )


def _told(model: Model, findings: Mapping[str, Finding], found: QueryAnswer) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": model.kind,
        "evidence": {name: finding_json(finding) for name, finding in findings.items()},
        "log2_evidence": found.log2_evidence,
        "beliefs": {
            name: dict(zip(model.domain[name].states, belief.values.tolist(), strict=True))
            for name, belief in found.beliefs.items()
        },
    }
    if found.most_probable is not None:
        told["most_probable"] = dict(found.most_probable)
        told["log2_most_probable"] = found.log2_most_probable
    return told


def _print_beliefs(domain: Domain, beliefs: Sequence[Belief]) -> None:
    states = [state for belief in beliefs for state in domain[belief.variable].states]
    width = max(map(len, states), default=0)
    for belief in beliefs:
        print(belief.variable)
        for state, value in zip(domain[belief.variable].states, belief.values, strict=True):
            text = percent(value) if belief.scale is Scale.PROBABILITY else decimal(value)
            print(f"  {state:<{width}}  {bar(value)} {text:>8}")
