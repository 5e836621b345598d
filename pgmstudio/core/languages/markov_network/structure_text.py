"""A structure as text: one edge per line with the contexts in which it vanishes.

    2 -- 5 : 3=1
    A -- B : C=yes, D=no; C=no

Contexts stand between `;`, the states of one context between `,`. A common neighbour that is not
named, or has the state `*`, may be in any state. A line with one name is a variable without
neighbours; `#` begins a comment. Names with one of these signs stand in double quotes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import numpy as np

from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import DataError, PgmStudioError
from pgmstudio.core.languages.ldag.contexts import shortened
from pgmstudio.core.languages.markov_network.structure import Edge, MarkovStructure

ANY = "*"
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|(--|[:;,=#])|((?:(?!--)[^":;,=#])+)|(.))')
_QUOTED = re.compile(r'[":;,=#\\]|--|^\s|\s$|^-|-$|^$|^\*$')


def written_structure(structure: MarkovStructure) -> str:
    """The edges and contexts, one edge per line, then the variables without neighbours."""
    lines = [written_edge(structure, edge) for edge in sorted(structure.edges)]
    lines += [
        _quoted(name)
        for name, near in zip(structure.domain.names, structure.neighbours, strict=True)
        if not near
    ]
    return "\n".join(lines) + "\n"


def written_edge(structure: MarkovStructure, edge: Edge) -> str:
    """One line: `2 -- 5 : 3=1`."""
    text = " -- ".join(_quoted(structure.domain.names[v]) for v in edge)
    contexts = "; ".join(
        ", ".join(f"{_quoted(name)}={_quoted(state)}" for name, state in context)
        for context in short_contexts(structure, edge)
    )
    return f"{text} : {contexts}" if contexts else text


def short_contexts(structure: MarkovStructure, edge: Edge) -> list[list[tuple[str, str]]]:
    """The contexts of an edge as named states, without variables that may be in any state."""
    variables = structure.domain.variables
    return [
        [(variables[v].name, variables[v].states[s]) for v, s in row.items() if s is not None]
        for row in context_rows(structure, edge)
    ]


def context_rows(
    structure: MarkovStructure, edge: Edge, context: Mapping[int, int] | None = None
) -> list[dict[int, int | None]]:
    """The contexts of an edge in as few rows as a greedy search finds, None for any state; only
    those that agree with given states."""
    common = structure.common_neighbours(*edge)
    elements = structure.contexts.get(edge, frozenset())
    if not elements:
        return []
    label = np.zeros([structure.domain.cardinalities[v] for v in common], dtype=bool)
    for element in elements:
        label[element] = True
    fixed = {axis: context[v] for axis, v in enumerate(common) if context and v in context}
    for axis, state in fixed.items():
        label = label.take([state], axis)
    rows = []
    for row in shortened(label):
        found = dict(zip(common, row, strict=True))
        found.update({common[axis]: state for axis, state in fixed.items()})
        rows.append(found)
    return rows


def read_structure(text: str, domain: Domain) -> MarkovStructure:
    """The structure that a text describes; DataError names the line of the first problem."""
    edges: list[tuple[str, str]] = []
    contexts: dict[tuple[str, str], list[dict[str, str]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            tokens = list(_tokens(line))
            if not tokens:
                continue
            before, after = _split(tokens, ":", "An edge has one “:” before its contexts.")
            names = [_name(part) for part in _parts(before, "--")]
            if len(names) > 2:
                raise DataError("An edge joins two variables.")
            for name in names:
                domain.index(name)
            if len(names) == 1:
                continue
            edge = (names[0], names[1])
            edges.append(edge)
            if after is not None:
                contexts[edge] = [_context(part) for part in _parts(after, ";")]
        except PgmStudioError as problem:
            raise DataError(f"Line {number}: {problem}") from None
    return MarkovStructure.of_names(domain, edges, contexts)


Token = tuple[bool, str]  # whether it is a sign, and its text


def _tokens(line: str) -> Iterator[Token]:
    position, end = 0, len(line.rstrip())
    while position < end:
        match = _TOKEN.match(line, position, end)
        assert match is not None  # the last alternative takes any character
        quoted, sign, bare, odd = match.groups()
        position = match.end()
        if odd is not None:
            raise DataError(f"“{odd}” is not understood; a quote may be missing.")
        if sign == "#":
            return
        if sign is not None:
            yield True, sign
        elif quoted is not None:
            yield False, str(json.loads(quoted, strict=False))
        elif text := bare.strip():
            yield text == ANY, text


def _parts(tokens: list[Token], sign: str) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token == (True, sign):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _split(tokens: list[Token], sign: str, problem: str) -> tuple[list[Token], list[Token] | None]:
    parts = _parts(tokens, sign)
    if len(parts) > 2:
        raise DataError(problem)
    return parts[0], parts[1] if len(parts) == 2 else None


def _name(tokens: list[Token]) -> str:
    if len(tokens) != 1 or tokens[0][0]:
        found = "".join(text for _, text in tokens) or "nothing"
        raise DataError(f"A name is expected instead of “{found}”; use the form A -- B : C=yes.")
    return tokens[0][1]


def _context(tokens: list[Token]) -> dict[str, str]:
    result = {}
    for part in _parts(tokens, ","):
        variable, state = _split(part, "=", "A context has one “=” for each variable.")
        if state is None:
            raise DataError("A context needs a state for each variable, such as C=yes.")
        if state != [(True, ANY)]:
            result[_name(variable)] = _name(state)
    return result


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False) if _QUOTED.search(name) else name
