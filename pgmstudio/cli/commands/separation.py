"""`pgmstudio query --independent`: separation of two variables in a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pgmstudio.cli.options.evidence import observed_states
from pgmstudio.cli.terminal.output import Block
from pgmstudio.cli.terminal.parser import UsageError
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.separation import Separation, Trail, separation_of
from pgmstudio.core.inference.junction_tree.query import joint_of
from pgmstudio.core.languages.bayesian_network.conversions import as_network
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.registry import a_kind, language_of
from pgmstudio.core.model import Model

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
    from pgmstudio.core.inference.information_measures import conditional_information_bits

    indices = [network.domain.index(name) for name in names]
    return conditional_information_bits(joint_of(network, indices, {}))
