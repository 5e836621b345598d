"""`pgmstudio query`: beliefs given evidence."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pgmstudio.cli.commands.separation import query_in_context, query_separation
from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.options.evidence import (
    add_evidence_file_options,
    add_evidence_options,
    evidence_from_args,
    evidence_notes,
    finding_json,
    notes_json,
    read_evidence_file,
    save_evidence,
)
from pgmstudio.cli.options.map import (
    add_map_options,
    both_probabilities,
    map_blocks,
    map_json,
    most_probable_from,
)
from pgmstudio.cli.terminal.output import Block, Result, bar, decimal, percent
from pgmstudio.cli.terminal.parser import CommandParser, UsageError
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.inference.base import (
    Belief,
    BoundedSession,
    Done,
    ExplainingSession,
    Finding,
    Observed,
    Scale,
)
from pgmstudio.core.languages.registry import a_kind, language_of
from pgmstudio.core.languages.sessions import ask, open_session
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.inference.map_search import MapAnswer


def make_parser(argv: Sequence[str]) -> CommandParser:
    parser = CommandParser("query", "Compute the beliefs of a model's variables, given evidence.")
    parser.add_argument("model", metavar="MODEL", help="model file")
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
        help="compute the beliefs of these variables only (default: all)",
    )
    parser.add_argument(
        "--independent",
        metavar="A,B[:Z,…]",
        help="show whether the graph separates A and B given Z, and by which trails",
    )
    parser.add_argument(
        "--context",
        metavar="V=state",
        nargs="+",
        action="extend",
        default=[],
        help="with --independent, in a labelled DAG or Markov network: "
        "where these variables have these states",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="with --independent: compute I(A;B|Z) of the model in bits",
    )
    parser.add_argument(
        "--mpe", action="store_true", help="find the most probable explanation as well"
    )
    add_map_options(parser)
    return parser


def run(args: argparse.Namespace, line: ProgressLine) -> Result:
    model = open_model(args.model, line).model
    domain = model.domain
    if args.independent is not None:
        if language_of(model).contexts is not None:
            return query_in_context(model, args.independent, args.context, check=args.check)
        if args.context:
            raise UsageError(
                f"--context needs a labelled DAG or a Markov network; this is {a_kind(model.kind)}."
            )
        return query_separation(model, args.independent, check=args.check)
    if args.context:
        raise UsageError("--context goes with --independent; give evidence with --given.")
    findings: dict[str, Finding] = {
        **read_evidence_file(args.evidence, domain),
        **evidence_from_args(domain, args),
    }
    save_evidence(args.save_evidence, domain, findings, line)
    names = list(dict.fromkeys(domain[name].name for name in args.of))
    return QueryReport(
        model=model,
        findings=findings,
        names=names,
        answer=answer_query(model, names, findings, explain=args.mpe),
        map_answer=most_probable_from(args, model, findings),
    )


@dataclass(frozen=True, eq=False)
class QueryAnswer:
    """Beliefs, the probability of the evidence and the most probable explanation."""

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


def answer_query(
    model: Model, names: Sequence[str], findings: Mapping[str, Finding], *, explain: bool
) -> QueryAnswer:
    """Beliefs of these variables, of all without names; and the most probable explanation.

    For a few variables, the parts of a network that cannot matter are pruned.
    """
    if names and not explain:
        pruned = ask(model, names, findings)
        return QueryAnswer(pruned.beliefs, pruned.log2_evidence)
    session = open_session(model)
    for name, finding in findings.items():
        session.set_evidence(name, finding)
    beliefs = {name: session.belief(name) for name in names or model.domain.names}
    if not explain:
        return QueryAnswer(beliefs, session.log2_evidence())
    if not isinstance(session, ExplainingSession):
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no most probable explanation; leave out --mpe."
        )
    explanation, log2 = session.most_probable(), session.log2_most_probable()
    bound = None
    if isinstance(session, BoundedSession) and not session.is_most_probable_exact:
        bound = session.log2_most_probable_bound()
    return QueryAnswer(beliefs, session.log2_evidence(), explanation, log2, bound)


@dataclass(frozen=True, eq=False)
class QueryReport:
    """The answer to a query, with its evidence."""

    model: Model
    findings: Mapping[str, Finding]
    names: Sequence[str]
    answer: QueryAnswer
    map_answer: MapAnswer | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        answer = self.answer
        domain = self.model.domain
        document: dict[str, Any] = {
            "kind": self.model.kind,
            "evidence": {name: finding_json(finding) for name, finding in self.findings.items()},
            "log2_evidence": answer.log2_evidence,
            **notes_json(self.model, self.findings),
            "beliefs": {
                name: dict(zip(domain[name].states, belief.values.tolist(), strict=True))
                for name, belief in answer.beliefs.items()
            },
        }
        if answer.most_probable is not None:
            document["most_probable"] = dict(answer.most_probable)
            document["log2_most_probable"] = answer.log2_most_probable
            document["log2_most_probable_given_evidence"] = answer.log2_given_evidence
            if answer.log2_bound is not None:
                document["log2_most_probable_bound"] = answer.log2_bound
        if self.map_answer is not None:
            document["map"] = map_json(self.map_answer, answer.log2_evidence)
        return document

    def blocks(self) -> Iterator[Block]:
        answer = self.answer
        log2_evidence = answer.log2_evidence if self.findings else None
        for name, finding in self.findings.items():
            yield f"{name} {finding}"
        if log2_evidence is not None:
            yield f"P(evidence) = {2.0**log2_evidence:.4g} ({decimal(log2_evidence)} bits)"
            yield from evidence_notes(self.model, self.findings)
            yield ""
        yield from self._beliefs()
        if answer.most_probable is not None and answer.log2_given_evidence is not None:
            quality = "exact"
            if answer.log2_bound is not None:
                bound = decimal(answer.log2_bound)
                quality = f"best found; none is above {bound} bits with the evidence"
            yield f"\nMost probable explanation ({quality})"
            yield f"  {both_probabilities(answer.log2_given_evidence, log2_evidence)}"
            for name, state in answer.most_probable.items():
                yield f"    {name} = {state}"
        if self.map_answer is not None:
            yield from map_blocks(self.map_answer, log2_evidence)

    def _beliefs(self) -> Iterator[str]:
        domain = self.model.domain
        known = [n for n, f in self.findings.items() if isinstance(f, Observed | Done)]
        names = self.names or [name for name in domain.names if name not in known]
        width = max((len(state) for name in names for state in domain[name].states), default=0)
        for name in names:
            belief = self.answer.beliefs[name]
            yield name
            for state, value in zip(domain[name].states, belief.values, strict=True):
                text = percent(value) if belief.scale is Scale.PROBABILITY else decimal(value)
                yield f"  {state:<{width}}  {bar(value)} {text:>8}"
