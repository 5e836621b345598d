"""`pgmstudio query --independent`: what a graph says about two variables when others are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pgmstudio.cli.options.evidence import evidence_from
from pgmstudio.cli.terminal.parser import UsageError
from pgmstudio.cli.terminal.tables import print_json
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import UnknownNameError
from pgmstudio.core.graphs.separation import Separation, Trail, separation_of
from pgmstudio.core.inference.base import Observed
from pgmstudio.core.languages.bayesian_network.model import BayesianNetwork
from pgmstudio.core.languages.ldag.model import LabelledDag
from pgmstudio.core.languages.registry import a_kind
from pgmstudio.core.languages.tree.model import Tree
from pgmstudio.core.model import Model


def tell_separation(model: Model, text: str, *, check: bool, as_json: bool) -> int:
    """The sentence and its witness: an active trail, or what blocks each trail."""
    if isinstance(model, Tree):
        network = model.as_bayesian_network
    elif isinstance(model, BayesianNetwork):
        network = model
    else:
        raise UsageError(
            f"{a_kind(model.kind, 'A')} has no directed edges to separate its variables along; "
            "--independent needs a Bayesian network, a labelled graph or a tree."
        )
    one, other, given = separation_names(model.domain, text)
    found = separation_of(network.dag, one, other, given)
    bits = information_bits(network, [one, other, *given]) if check else None
    if as_json:
        told = {
            "kind": model.kind,
            "independent": found.is_separated,
            "sentence": found.sentence,
            **_trails_json(found),
        }
        if check:
            told["information_bits"] = bits
        print_json(told)
        return 0
    print(f"{found.sentence}.")
    _tell_trails(found.active, found.blocked)
    if found.has_more:
        print("  … and more trails")
    _tell_bits(one, other, given, bits)
    return 0


def _tell_trails(active: Sequence[Trail], blocked: Sequence[Trail]) -> None:
    for trail in active:
        print(f"  active   {trail}")
    for trail in blocked:
        print(f"  blocked  {trail}  ({'; '.join(map(str, trail.blocks))})")


def _tell_bits(one: str, other: str, given: Sequence[str], bits: float | None) -> None:
    if bits is not None:
        print(f"I({one};{other}{'|' + ','.join(given) if given else ''}) = {told_bits(bits)} bits")


def _trails_json(found: Separation) -> dict[str, Any]:
    return {
        "variables": [found.one, found.other],
        "given": list(found.given),
        "active_trail": None if found.is_separated else str(found.active[0]),
        "active_trails": [str(trail) for trail in found.active],
        "blocked_trails": [
            {
                "trail": str(trail),
                "blocked_by": [
                    {"variable": b.node, "meeting": b.meeting.value} for b in trail.blocks
                ],
            }
            for trail in found.blocked
        ],
        "more_trails": found.has_more,
        "irrelevant_to_first": sorted(found.irrelevant),
    }


def tell_in_context(
    model: LabelledDag, text: str, context: Sequence[str], *, check: bool, as_json: bool
) -> int:
    """What a labelled graph says in a context; “not implied” is not “dependent”."""
    from pgmstudio.core.languages.ldag.contexts import separation
    from pgmstudio.core.languages.ldag.session import information_in

    domain = model.domain
    one, other, given = separation_names(domain, text)
    findings = evidence_from(domain, list(context), [], [], [])
    where = {name: f.state for name, f in findings.items() if isinstance(f, Observed)}
    found = separation(model, [one], [other], given, where)
    trails = separation_of(found.graph, one, other, (*given, *where))
    known = f" given {', '.join(given)}" if given else ""
    known += f", where {', '.join(f'{n} = {s}' for n, s in where.items())}" if where else ""
    sentence = f"{one} ⟂ {other}{known}" + ("" if found.holds else ": not implied")
    bits = information_in(model, [one, other, *given], where) if check else None
    if as_json:
        told = {
            "kind": model.kind,
            "independent": found.holds,
            "sentence": sentence,
            **_trails_json(trails),
            "given": list(given),
            "context": where,
            "vanished_edges": [list(edge) for edge in found.vanished],
            "cases": list(found.cases),
        }
        if check:
            told["information_bits"] = bits
        print_json(told)
        return 0
    print(f"{sentence}.")
    for edge in found.vanished:
        print(f"  vanished {' → '.join(edge)}")
    if found.cases:
        print(f"  in every state of {' and '.join(found.cases)} on its own")
    _tell_trails(() if found.cases else trails.active, trails.blocked)
    if not found.holds:
        print("  It may still hold: the search is sound, not complete.")
    _tell_bits(one, other, given, bits)
    return 0


def told_bits(bits: float) -> str:
    """Below 10⁻¹² the rest is rounding."""
    return f"{bits:.4g}" if bits >= 1e-12 else "0"


def separation_names(domain: Domain, text: str) -> tuple[str, str, tuple[str, ...]]:
    """`A,B` or `A,B:Z,…`; names may hold “,” and “:” themselves, so known names are looked for."""
    pair, known = _split(domain, text, ":")
    names = _listed(domain, pair)
    if len(names) != 2:
        raise UsageError(f"{text!r} is not of the form --independent A,B or A,B:Z,….")
    return names[0], names[1], tuple(_listed(domain, known)) if known else ()


def _split(domain: Domain, text: str, sign: str) -> tuple[str, str]:
    """At the first sign that leaves two known names before it; at the first one otherwise."""
    places = [place for place, letter in enumerate(text) if letter == sign]
    for place in places:
        try:
            if len(_listed(domain, text[:place])) == 2:
                return text[:place], text[place + 1 :]
        except UnknownNameError:
            continue
    try:
        _listed(domain, text)
    except UnknownNameError:
        if places:
            return text[: places[0]], text[places[0] + 1 :]
    return text, ""


def _listed(domain: Domain, text: str) -> list[str]:
    """Names between commas, the longest known one first."""
    names, rest = [], text
    while rest:
        ends = [*(at for at, letter in enumerate(rest) if letter == ","), len(rest)]
        end = next((end for end in reversed(ends) if rest[:end].strip() in domain), None)
        if end is None:
            raise UnknownNameError("variable", rest.split(",")[0].strip(), domain.names)
        names.append(rest[:end].strip())
        rest = rest[end + 1 :]
    return names


def information_bits(network: BayesianNetwork, names: list[str]) -> float:
    """I(A;B|Z) in the model's distribution; TooLargeError says when the table would be too big."""
    from pgmstudio.core.inference.information_measures import conditional_information_bits
    from pgmstudio.core.languages.bayesian_network.pruned_query import joint_of

    places = [network.domain.index(name) for name in names]
    return conditional_information_bits(joint_of(network, places, {}))
