"""`pgmstudio query`: beliefs given evidence."""

from __future__ import annotations

import argparse
import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pgmstudio.cli.options.data import open_model
from pgmstudio.cli.options.evidence import (
    add_evidence_file_options,
    add_evidence_options,
    evidence_from_args,
    evidence_notes,
    finding_json,
    notes_json,
    observed_states,
    read_evidence_file,
    save_evidence,
)
from pgmstudio.cli.terminal.output import Block, Result, bar, count_of, decimal, percent
from pgmstudio.cli.terminal.parser import (
    CommandParser,
    UsageError,
    listed_names,
    number,
    whole_number,
)
from pgmstudio.cli.terminal.progress import ProgressLine
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import TooLargeError, UnknownNameError
from pgmstudio.core.execution.events import Progress, StopSwitch
from pgmstudio.core.graphs.separation import Separation, Trail, separation_of
from pgmstudio.core.inference.base import (
    Belief,
    Done,
    Finding,
    Observed,
    Scale,
)
from pgmstudio.core.inference.information_measures import conditional_information_bits
from pgmstudio.core.inference.junction_tree.cost import APPROXIMATE
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.degree_session import degrees_of
from pgmstudio.core.languages.registry import a_kind, language_of
from pgmstudio.core.languages.sessions import (
    Accuracy,
    QueryAnswer,
    answer_query,
    approximate_answer,
    most_probable_together,
)
from pgmstudio.core.model import Model

if TYPE_CHECKING:
    from pgmstudio.core.inference.map_search import MapAnswer


MAP_SECONDS = 60.0


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
    parser.add_argument(
        "--approximate",
        action="store_true",
        help="estimate the beliefs with errors (95 %% intervals), for networks too large for exact "
        "inference",
    )
    parser.add_argument(
        "--error",
        type=number(0),
        metavar="E",
        help="with --approximate: stop when no error is above E (default: 0.01)",
    )
    parser.add_argument(
        "--time-limit",
        type=number(0),
        metavar="S",
        help="stop after S seconds: with --approximate (default: 10), or with --map, which then "
        f"returns the best found (default: {MAP_SECONDS:g})",
    )
    parser.add_argument(
        "--seed", type=whole_number(0), metavar="N", help="with --approximate: random seed"
    )
    add_map_options(parser)
    return parser


def _followed(estimates: Generator[Progress, None, QueryAnswer], line: ProgressLine) -> QueryAnswer:
    while True:
        try:
            line.show(next(estimates))
        except StopIteration as end:
            answer: QueryAnswer = end.value
            return answer


def accuracy_from(args: argparse.Namespace) -> Accuracy | None:
    """How good estimates have to be; None for exact inference."""
    limit = args.time_limit if args.approximate or not args.map else None
    given = {"error": args.error, "seconds": limit, "seed": args.seed}
    chosen = {name: value for name, value in given.items() if value is not None}
    if not args.approximate:
        if chosen:
            raise UsageError(
                "--error and --seed go with --approximate, --time-limit also with --map."
            )
        return None
    if args.map:
        raise UsageError("--map needs exact inference; --approximate has --mpe.")
    return Accuracy(**chosen)


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
    names = names_in(domain, args.of)
    accuracy = accuracy_from(args)
    if accuracy is not None:
        estimates = approximate_answer(model, names, findings, accuracy, explain=args.mpe)
        return QueryReport(model, findings, names, _followed(estimates, line), None)
    try:
        answer = answer_query(model, names, findings, explain=args.mpe)
    except TooLargeError as error:
        option = " Option: --approximate." if APPROXIMATE in str(error) else ""
        raise TooLargeError(f"{error}{option}") from None
    return QueryReport(
        model=model,
        findings=findings,
        names=names,
        answer=answer,
        map_answer=most_probable_from(args, model, findings),
    )


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
                name: dict(zip(domain[name].states, values, strict=True))
                for name, values in self._values().items()
            },
        }
        if language_of(self.model).scale is Scale.POSSIBILITY:
            document["necessity"] = {
                name: dict(
                    zip(
                        domain[name].states,
                        degrees_of(belief.values, answer.log2_evidence).necessity.tolist(),
                        strict=True,
                    )
                )
                for name, belief in answer.beliefs.items()
            }
        if answer.sweeps:
            document["approximate"] = {
                "sweeps": answer.sweeps,
                "log2_evidence_error": answer.log2_evidence_error,
                "errors": {
                    name: dict(zip(domain[name].states, belief.errors.tolist(), strict=True))
                    for name, belief in answer.beliefs.items()
                    if belief.errors is not None
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

    def records(self) -> Iterator[Mapping[str, Any]]:
        """A row for every state."""
        for name, values in self._values().items():
            for state, value in zip(self.model.domain[name].states, values, strict=True):
                yield {"variable": name, "state": state, "belief": value}

    def _values(self) -> dict[str, list[float]]:
        """Beliefs by variable; degrees as they are, not scaled to a largest of 1."""
        answer = self.answer
        if language_of(self.model).scale is not Scale.POSSIBILITY:
            return {name: belief.values.tolist() for name, belief in answer.beliefs.items()}
        return {
            name: degrees_of(belief.values, answer.log2_evidence).possibility.tolist()
            for name, belief in answer.beliefs.items()
        }

    def blocks(self) -> Iterator[Block]:
        answer = self.answer
        log2_evidence = answer.log2_evidence if self.findings else None
        for name, finding in self.findings.items():
            yield f"{name} {finding}"
        if log2_evidence is not None:
            yield self._evidence_text(log2_evidence)
            yield from evidence_notes(self.model, self.findings)
            yield ""
        yield from self._beliefs()
        if answer.most_probable is not None and answer.log2_given_evidence is not None:
            quality = "exact"
            if answer.log2_bound is not None:
                bound = decimal(answer.log2_bound)
                quality = f"best found; none is above {bound} bits with the evidence"
            if language_of(self.model).scale is Scale.PROBABILITY:
                yield f"\nMost probable explanation ({quality})"
                yield f"  {both_probabilities(answer.log2_given_evidence, log2_evidence)}"
            else:
                yield f"\nA most possible tuple, of degree {2.0**answer.log2_evidence:.4g}"
            for name, state in answer.most_probable.items():
                yield f"    {name} = {state}"
        if self.map_answer is not None:
            if language_of(self.model).scale is Scale.PROBABILITY:
                yield from map_blocks(self.map_answer, log2_evidence)
            else:
                yield from degree_blocks(self.map_answer, answer.log2_evidence)

    def _evidence_text(self, log2_evidence: float) -> str:
        degree = f"{2.0**log2_evidence:.4g}"
        match language_of(self.model).scale:
            case Scale.RELATION:
                return "The evidence is possible."
            case Scale.POSSIBILITY:
                return f"Possibility of the evidence = {degree}"
            case Scale.PROBABILITY:
                error = self.answer.log2_evidence_error
                bits = decimal(log2_evidence) + (f" ± {decimal(error)}" if error else "")
                return f"P(evidence) = {degree} ({bits} bits)"

    def _value_texts(self, belief: Belief) -> list[str]:
        match belief.scale:
            case Scale.RELATION:
                return ["possible" if value > 0 else "-" for value in belief.values]
            case Scale.POSSIBILITY:
                degrees = degrees_of(belief.values, self.answer.log2_evidence)
                pairs = zip(degrees.possibility, degrees.necessity, strict=True)
                return [f"Π {decimal(one)}  N {decimal(other)}" for one, other in pairs]
            case Scale.PROBABILITY if belief.errors is not None:
                pairs = zip(belief.values, belief.errors, strict=True)
                return [f"{percent(value)} ± {percent(error)}" for value, error in pairs]
            case Scale.PROBABILITY:
                return list(map(percent, belief.values))

    def _beliefs(self) -> Iterator[str]:
        domain = self.model.domain
        known = [n for n, f in self.findings.items() if isinstance(f, Observed | Done)]
        names = self.names or [name for name in domain.names if name not in known]
        width = max((len(state) for name in names for state in domain[name].states), default=0)
        for name in names:
            belief = self.answer.beliefs[name]
            yield name
            texts = self._value_texts(belief)
            for state, value, text in zip(domain[name].states, belief.values, texts, strict=True):
                yield f"  {state:<{width}}  {bar(value)} {text:>8}"


MIN_BITS = 1e-12  # less is rounding


def query_separation(model: Model, text: str, *, check: bool) -> SeparationReport:
    """Whether a directed graph separates two variables."""
    network = as_network(model)
    if network is None:
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no directed edges to separate its variables along; "
            "--independent needs a Bayesian network, a labelled DAG, a Markov network or a tree."
        )
    one, other, given = separation_names(model.domain, text)
    result = separation_of(network.dag, one, other, given)
    bits = information_bits(network, [one, other, *given]) if check else None
    return SeparationReport(model.kind, result, bits)


@dataclass(frozen=True, eq=False)
class SeparationReport:
    """A separation with its witness: an active trail, or what blocks each trail."""

    kind: str
    result: Separation
    bits: float | None
    exit_code: int = 0

    def as_dict(self) -> Mapping[str, Any]:
        result = self.result
        document = {
            "kind": self.kind,
            "independent": result.is_separated,
            "sentence": result.sentence,
            **_trails_json(result),
        }
        return document if self.bits is None else {**document, "information_bits": self.bits}

    def blocks(self) -> Iterator[Block]:
        result = self.result
        yield f"{result.sentence}."
        yield from _trail_lines(result.active, result.blocked)
        if result.has_more:
            yield "  … and more trails"
        yield from _information_lines(result.one, result.other, result.given, self.bits)


def query_in_context(
    model: Model, text: str, context: Sequence[str], *, check: bool
) -> ContextReport:
    """Whether a model with contexts implies the independence of two variables, also in one."""
    contexts = language_of(model).contexts
    assert contexts is not None
    one, other, given = separation_names(model.domain, text)
    where = observed_states(model.domain, context)
    result = contexts.separation.load()(model, [one], [other], given, where)
    trails = result.trails(one, other, (*given, *where))
    bits = contexts.information.load()(model, [one, other, *given], where) if check else None
    return ContextReport(model.kind, result, trails, given, where, bits)


class ContextSeparation(Protocol):
    """What a language answers: whether the independence is implied, and by what."""

    @property
    def holds(self) -> bool: ...

    @property
    def vanished(self) -> tuple[tuple[str, str], ...]: ...

    @property
    def cases(self) -> tuple[str, ...]: ...

    def edge_text(self, edge: tuple[str, str]) -> str: ...


@dataclass(frozen=True, eq=False)
class ContextReport:
    """A separation in a context; “not implied” does not mean “dependent”."""

    kind: str
    result: ContextSeparation
    trails: Separation
    given: tuple[str, ...]
    context: Mapping[str, str]
    bits: float | None
    exit_code: int = 0

    @property
    def statement(self) -> str:
        given = f" given {', '.join(self.given)}" if self.given else ""
        context = ", ".join(f"{name} = {state}" for name, state in self.context.items())
        where = f", where {context}" if context else ""
        negation = "" if self.result.holds else ": not implied"
        return f"{self.trails.one} ⟂ {self.trails.other}{given}{where}{negation}"

    def as_dict(self) -> Mapping[str, Any]:
        document = {
            "kind": self.kind,
            "independent": self.result.holds,
            "sentence": self.statement,
            **_trails_json(self.trails),
            "given": list(self.given),
            "context": dict(self.context),
            "vanished_edges": [list(edge) for edge in self.result.vanished],
            "cases": list(self.result.cases),
        }
        return document if self.bits is None else {**document, "information_bits": self.bits}

    def blocks(self) -> Iterator[Block]:
        result = self.result
        yield f"{self.statement}."
        for edge in result.vanished:
            yield f"  vanished {result.edge_text(edge)}"
        if result.cases:
            yield f"  in every state of {' and '.join(result.cases)} separately"
        yield from _trail_lines(() if result.cases else self.trails.active, self.trails.blocked)
        if not result.holds:
            yield "  It may still hold: the search is sound, not complete."
        yield from _information_lines(self.trails.one, self.trails.other, self.given, self.bits)


def _trail_lines(active: Sequence[Trail], blocked: Sequence[Trail]) -> Iterator[str]:
    for trail in active:
        yield f"  active   {trail}"
    for trail in blocked:
        yield f"  blocked  {trail}  ({'; '.join(map(str, trail.blocks))})"


def _information_lines(
    one: str, other: str, given: Sequence[str], bits: float | None
) -> Iterator[str]:
    if bits is not None:
        value = f"{bits:.4g}" if bits >= MIN_BITS else "0"
        yield f"I({one};{other}{'|' + ','.join(given) if given else ''}) = {value} bits"


def _trails_json(result: Separation) -> dict[str, Any]:
    return {
        "variables": [result.one, result.other],
        "given": list(result.given),
        "active_trail": None if result.is_separated else str(result.active[0]),
        "active_trails": [str(trail) for trail in result.active],
        "blocked_trails": [
            {
                "trail": str(trail),
                "blocked_by": [
                    {"variable": b.node, "meeting": b.meeting.value} for b in trail.blocks
                ],
            }
            for trail in result.blocked
        ],
        "more_trails": result.has_more,
        "irrelevant_to_first": sorted(result.irrelevant),
    }


def separation_names(domain: Domain, text: str) -> tuple[str, str, tuple[str, ...]]:
    """Parse `A,B` or `A,B:Z,…`; known names are matched, as names may contain “,” and “:”."""
    pair, known = _split(domain, text, ":")
    names = _split_names(domain, pair)
    if len(names) != 2:
        raise UsageError(f"{text!r} is not of the form --independent A,B or A,B:Z,….")
    return names[0], names[1], tuple(_split_names(domain, known)) if known else ()


def _split(domain: Domain, text: str, separator: str) -> tuple[str, str]:
    """Split at the first separator that has two known names before it, otherwise at the first."""
    positions = [index for index, character in enumerate(text) if character == separator]
    for position in positions:
        try:
            if len(_split_names(domain, text[:position])) == 2:
                return text[:position], text[position + 1 :]
        except UnknownNameError:
            continue
    try:
        _split_names(domain, text)
    except UnknownNameError:
        if positions:
            return text[: positions[0]], text[positions[0] + 1 :]
    return text, ""


def _split_names(domain: Domain, text: str) -> list[str]:
    """Names separated by commas, the longest known one first."""
    names: list[str] = []
    rest = text
    while rest:
        ends = [*(index for index, character in enumerate(rest) if character == ","), len(rest)]
        end = next((end for end in reversed(ends) if rest[:end].strip() in domain), None)
        if end is None:
            raise UnknownNameError("variable", rest.split(",")[0].strip(), domain.names)
        names.append(rest[:end].strip())
        rest = rest[end + 1 :]
    return names


def information_bits(network: BayesianNetwork, names: list[str]) -> float:
    """I(A;B|Z) in the model's distribution; TooLargeError if the joint table is too large."""
    indices = [network.domain.index(name) for name in names]
    return conditional_information_bits(joint_of(network, indices, {}))


def add_map_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--map",
        metavar="V,V",
        nargs="+",
        action="extend",
        default=[],
        help="find the most probable joint states of these variables, the others summed out",
    )
    parser.add_argument(
        "--best",
        type=whole_number(1),
        default=1,
        metavar="K",
        help="with --map, find the K most probable combinations (default 1)",
    )
    parser.add_argument(
        "--seconds", type=number(0), metavar="S", help="with --map: the same as --time-limit"
    )


def _map_seconds(args: argparse.Namespace) -> float:
    given = (args.time_limit, args.seconds, MAP_SECONDS)
    return next(seconds for seconds in given if seconds is not None)


def most_probable_from(
    args: argparse.Namespace, model: Model, findings: Mapping[str, Finding]
) -> MapAnswer | None:
    """The answer to --map; None without that option."""
    if not args.map:
        return None
    return most_probable_together(
        model,
        names_in(model.domain, args.map),
        findings,
        best=args.best,
        stop=StopSwitch(seconds=_map_seconds(args)),
    )


def names_in(domain: Domain, texts: Sequence[str]) -> list[str]:
    """Variables from texts, each one name or several names separated by commas or blanks."""
    names = listed_names(texts, domain.names)
    return list(dict.fromkeys(domain[name].name for name in names))


def map_json(answer: MapAnswer, log2_evidence: float) -> dict[str, Any]:
    """`log2_probability` is given the evidence, `log2_joint_probability` together with it."""
    return {
        "is_exact": answer.is_exact,
        "log2_bound": answer.log2_bound,
        "best": [
            {
                "states": dict(one.states),
                "log2_probability": one.log2_probability,
                "log2_joint_probability": one.log2_probability + log2_evidence,
            }
            for one in answer.best
        ],
    }


def _quality(answer: MapAnswer) -> str:
    """Whether the answer is exact, or a bound on how good it is."""
    if answer.is_exact:
        return "exact"
    bound = math.floor(1000 * answer.fraction_of_bound) / 10
    return f"best found so far; at least {bound:g} % as probable as the best possible"


def both_probabilities(log2_given: float, log2_evidence: float | None) -> str:
    """A probability given the evidence and together with it; one number without evidence."""
    given = f"{percent(math.exp2(log2_given))} ({decimal(log2_given)} bits)"
    if log2_evidence is None:
        return given
    log2_joint = log2_given + log2_evidence
    return (
        f"given the evidence {given}, "
        f"together with the evidence {math.exp2(log2_joint):.4g} ({decimal(log2_joint)} bits)"
    )


def map_blocks(answer: MapAnswer, log2_evidence: float | None) -> Iterator[Block]:
    variables = count_of(len(answer.best[0].states), "variable")
    yield f"\nMost probable joint states of {variables} ({_quality(answer)})"
    for one in answer.best:
        yield f"  {both_probabilities(one.log2_probability, log2_evidence)}"
        for name, state in one.states.items():
            yield f"    {name} = {state}"


def degree_blocks(answer: MapAnswer, log2_evidence: float) -> Iterator[Block]:
    """The same where numbers are degrees of possibility."""
    yield f"\nMost possible joint states of {count_of(len(answer.best[0].states), 'variable')}"
    for one in answer.best:
        yield f"  degree {math.exp2(one.log2_probability + log2_evidence):.4g}"
        for name, state in one.states.items():
            yield f"    {name} = {state}"
