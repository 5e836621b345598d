"""`pgmstudio query`: beliefs given evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgmstudio.cli.commands.separation import tell_in_context, tell_separation
from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.options.evidence import (
    add_evidence_options,
    evidence_from,
    evidence_notes,
    finding_json,
    notes_json,
)
from pgmstudio.cli.options.evidence_files import (
    add_evidence_file_options,
    evidence_in,
    save_evidence,
)
from pgmstudio.cli.options.map import (
    add_map_options,
    both_probabilities,
    map_json,
    most_probable_from,
    print_map,
)
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.cli.terminal.tables import bar, decimal, percent, print_json
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.inference.base import (
    Belief,
    Done,
    ExplainingSession,
    Finding,
    Observed,
    Scale,
)
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.model import Model


def run(words: Sequence[str]) -> int:
    parser = CommandParser("query", "Beliefs of the variables of a model, given evidence.")
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_evidence_options(parser)
    add_evidence_file_options(parser)
    parser.add_argument(
        "--of",
        "--target",
        dest="of",
        metavar="V",
        nargs="+",
        action="extend",
        default=[],
        help="the variables asked for (default all)",
    )
    parser.add_argument(
        "--independent",
        metavar="A,B[:Z,…]",
        help="whether the graph separates A and B when Z is known, and by which trails",
    )
    parser.add_argument(
        "--context",
        metavar="V=state",
        nargs="+",
        action="extend",
        default=[],
        help="with --independent, in a labelled graph: where these variables have these states",
    )
    parser.add_argument(
        "--check", action="store_true", help="with --independent: I(A;B|Z) of the model in bits"
    )
    parser.add_argument("--mpe", action="store_true", help="the most probable explanation too")
    add_map_options(parser)
    parser.add_json()
    parser.add_quiet()
    args = parser.parse(words)
    line = ProgressLine(quiet=args.quiet)
    model = open_model(args.model, line).model
    domain = model.domain
    if args.independent is not None:
        if isinstance(model, LabelledDag):
            return tell_in_context(
                model, args.independent, args.context, check=args.check, as_json=args.json
            )
        if args.context:
            raise UsageError(f"--context needs a labelled graph, and this is {a_kind(model.kind)}.")
        return tell_separation(model, args.independent, check=args.check, as_json=args.json)
    if args.context:
        raise UsageError("--context goes with --independent; evidence is told with --given.")
    findings: dict[str, Finding] = {
        **evidence_in(args.evidence, domain),
        **evidence_from(domain, args.given, args.excluded, args.soft, args.done),
    }
    save_evidence(args.save_evidence, domain, findings, line)
    asked = list(dict.fromkeys(domain[name].name for name in args.of))
    found = answer(model, asked, findings, explain=args.mpe)
    together = most_probable_from(args, model, findings)
    if args.json:
        told = _told(model, findings, found)
        if together is not None:
            told["map"] = map_json(together, found.log2_evidence)
        print_json(told)
        return 0
    log2_evidence = found.log2_evidence if findings else None
    for name, finding in findings.items():
        print(f"{name} {finding}")
    if findings:
        print(f"P(evidence) = {2.0**found.log2_evidence:.4g} ({decimal(found.log2_evidence)} bits)")
        for note in evidence_notes(model, findings):
            print(note)
        print()
    shown = asked or [n for n in domain.names if not isinstance(findings.get(n), Observed | Done)]
    _print_beliefs(domain, [found.beliefs[name] for name in shown])
    if found.most_probable is not None and found.log2_given_evidence is not None:
        bound = "exact"
        if found.log2_bound is not None:
            bound = f"best found; none is above {decimal(found.log2_bound)} bits with the evidence"
        print(f"\nMost probable explanation ({bound})")
        print(f"  {both_probabilities(found.log2_given_evidence, log2_evidence)}")
        for name, state in found.most_probable.items():
            print(f"    {name} = {state}")
    if together is not None:
        print_map(together, log2_evidence)
    return 0


@dataclass(frozen=True, eq=False)
class QueryAnswer:
    """What was asked for."""

    beliefs: Mapping[str, Belief]
    log2_evidence: float
    most_probable: Mapping[str, str] | None = None
    log2_most_probable: float | None = None  # together with the evidence
    log2_bound: float | None = None  # of a mixture whose explanation may not be the best one

    @property
    def log2_given_evidence(self) -> float | None:
        """log2 of the most probable explanation given the evidence."""
        joint = self.log2_most_probable
        return None if joint is None else joint - self.log2_evidence


def answer(
    model: Model, asked: Sequence[str], findings: Mapping[str, Finding], *, explain: bool
) -> QueryAnswer:
    """Beliefs of the variables asked for, of all when none is; and the most probable explanation.

    Asked for a few variables only, the parts of a network that cannot matter are left out.
    """
    from pgmstudio.core.languages.sessions import ask, open_session
    from pgmstudio.core.languages.tree_mixture.session import MixtureSession

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
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no most probable explanation; leave out --mpe."
        )
    explained, log2 = session.most_probable(), session.log2_most_probable()
    bound = None
    if isinstance(session, MixtureSession) and not session.is_most_probable_exact:
        bound = session.log2_most_probable_bound()
    return QueryAnswer(beliefs, session.log2_evidence(), explained, log2, bound)


def _told(model: Model, findings: Mapping[str, Finding], found: QueryAnswer) -> dict[str, Any]:
    told: dict[str, Any] = {
        "kind": model.kind,
        "evidence": {name: finding_json(finding) for name, finding in findings.items()},
        "log2_evidence": found.log2_evidence,
        **notes_json(model, findings),
        "beliefs": {
            name: dict(zip(model.domain[name].states, belief.values.tolist(), strict=True))
            for name, belief in found.beliefs.items()
        },
    }
    if found.most_probable is not None:
        told["most_probable"] = dict(found.most_probable)
        told["log2_most_probable"] = found.log2_most_probable
        told["log2_most_probable_given_evidence"] = found.log2_given_evidence
        if found.log2_bound is not None:
            told["log2_most_probable_bound"] = found.log2_bound
    return told


def _print_beliefs(domain: Domain, beliefs: Sequence[Belief]) -> None:
    states = [state for belief in beliefs for state in domain[belief.variable].states]
    width = max(map(len, states), default=0)
    for belief in beliefs:
        print(belief.variable)
        for state, value in zip(domain[belief.variable].states, belief.values, strict=True):
            text = percent(value) if belief.scale is Scale.PROBABILITY else decimal(value)
            print(f"  {state:<{width}}  {bar(value)} {text:>8}")
