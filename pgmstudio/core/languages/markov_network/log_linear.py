"""The log-linear form of a Markov network: log p(x) = Σ_A φ_A(x_A) over complete sets A.

φ_A(x_A) is 0 where a variable of A is in its first state (corner-point identification). A context
x_cn of an edge {i, j} restricts the φ's linearly (Pensar, Nyman and Corander 2017, Proposition 2):
Σ_B φ_{i,j}∪B(x_i, x_j, x_B) = 0 for all x_i, x_j that are not the first state, where B ⊆ cn(i,j),
no x_b is the first state and {i,j}∪B is complete.

Restrictions are kept in reduced echelon form over the rational numbers, so ranks are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pgmstudio.core.arrays import Floats
from pgmstudio.core.data.variables import Domain
from pgmstudio.core.errors import TooLargeError
from pgmstudio.core.languages.markov_network.structure import (
    Configuration,
    Edge,
    MarkovStructure,
)

if TYPE_CHECKING:
    from scipy import sparse

# One φ: the variables of A in ascending order, and their states, none of them the first.
Parameter = tuple[tuple[int, ...], tuple[int, ...]]
Row = dict[Parameter, Fraction]

MAX_PARAMETERS = 1 << 18


class Restrictions:
    """Linear restrictions of φ's in reduced echelon form, one more at a time."""

    def __init__(self) -> None:
        # Each row by its pivot, which has the coefficient 1 and is in no other row.
        self.rows: dict[Parameter, Row] = {}
        self._users: dict[Parameter, set[Parameter]] = {}  # φ -> pivots of the rows that have it

    @property
    def rank(self) -> int:
        return len(self.rows)

    def uses(self, parameter: Parameter) -> bool:
        """Whether some restriction names this φ."""
        return bool(self._users.get(parameter))

    def reduced(self, row: Mapping[Parameter, Fraction]) -> Row:
        """What the row adds to the restrictions so far; empty if they imply it."""
        result = dict(row)
        for pivot in [parameter for parameter in row if parameter in self.rows]:
            factor = result[pivot]
            for parameter, coefficient in self.rows[pivot].items():
                _add(result, parameter, -factor * coefficient)
        return result

    def add(self, row: Mapping[Parameter, Fraction]) -> bool:
        """One more restriction; False if it was implied."""
        fresh = self.reduced(row)
        if not fresh:
            return False
        # Interactions of the highest order are expressed by the others.
        pivot = max(fresh, key=lambda parameter: (len(parameter[0]), parameter))
        scale = fresh[pivot]
        fresh = {parameter: coefficient / scale for parameter, coefficient in fresh.items()}
        for other in list(self._users.get(pivot, ())):
            old = self.rows[other]
            factor = old[pivot]
            for parameter, coefficient in fresh.items():
                _add(old, parameter, -factor * coefficient)
                users = self._users.setdefault(parameter, set())
                (users.add if parameter in old else users.discard)(other)
        self.rows[pivot] = fresh
        for parameter in fresh:
            self._users.setdefault(parameter, set()).add(pivot)
        return True


def _add(row: Row, parameter: Parameter, amount: Fraction) -> None:
    value = row.get(parameter, Fraction(0)) + amount
    if value:
        row[parameter] = value
    else:
        row.pop(parameter, None)


def element_rows(structure: MarkovStructure, edge: Edge, element: Configuration) -> Iterator[Row]:
    """The (r_i − 1)(r_j − 1) restrictions of one context of an edge."""
    common = structure.common_neighbours(*edge)
    active = {v: s for v, s in zip(common, element, strict=True) if s}
    sets = [(), *complete_sets(structure, active)]
    i, j = edge
    cards = structure.domain.cardinalities
    for x_i, x_j in product(range(1, cards[i]), range(1, cards[j])):
        states = {**active, i: x_i, j: x_j}
        row: Row = {}
        for chosen in sets:
            term = tuple(sorted((i, j, *chosen)))
            row[term, tuple(states[v] for v in term)] = Fraction(1)
        yield row


@lru_cache(maxsize=64)
def restrictions_of(structure: MarkovStructure) -> Restrictions:
    """All restrictions of a structure's contexts; not to be changed."""
    return _restrictions(structure)


def _restrictions(structure: MarkovStructure) -> Restrictions:
    result = Restrictions()
    for edge, elements in structure.contexts.items():
        for element in sorted(elements):
            for row in element_rows(structure, edge, element):
                result.add(row)
    return result


def complete_sets(
    structure: MarkovStructure, variables: Iterable[int] | None = None
) -> Iterator[tuple[int, ...]]:
    """Every complete set of one or more of the variables (all of them by default)."""
    near = structure.neighbours
    chosen = range(len(structure.domain)) if variables is None else sorted(variables)
    stack: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((v,), tuple(w for w in chosen if w > v and w in near[v])) for v in reversed(chosen)
    ]
    while stack:
        clique, candidates = stack.pop()
        yield clique
        stack += [
            ((*clique, v), tuple(w for w in candidates if w > v and w in near[v]))
            for v in reversed(candidates)
        ]


def parameter_count(structure: MarkovStructure) -> int:
    """Σ_A Π_{j∈A} (r_j − 1) over complete sets A: the φ's, contexts not considered."""
    near, cards = structure.neighbours, structure.domain.cardinalities

    def count(candidates: frozenset[int]) -> int:
        # Every subset of a complete set is complete: Σ Π (r − 1) = Π r − 1.
        if structure.is_complete(candidates):
            whole = 1
            for v in candidates:
                whole *= cards[v]
            return whole - 1
        total, left = 0, set(candidates)
        for v in sorted(candidates):
            left.discard(v)
            total += (cards[v] - 1) * (1 + count(near[v] & left))
        return total

    return count(frozenset(range(len(structure.domain))))


def free_parameters(structure: MarkovStructure) -> int:
    """The φ's less the rank of the restrictions by contexts."""
    return parameter_count(structure) - restrictions_of(structure).rank


def parameters_of(structure: MarkovStructure) -> tuple[Parameter, ...]:
    """Every φ: main effects first, then interactions by their order."""
    count = parameter_count(structure)
    if count > MAX_PARAMETERS:
        raise TooLargeError(
            f"The log-linear form has {count} parameters; at most {MAX_PARAMETERS} are computed."
        )
    cards = structure.domain.cardinalities
    return tuple(
        (term, states)
        for term in sorted(complete_sets(structure), key=lambda term: (len(term), term))
        for states in product(*(range(1, cards[v]) for v in term))
    )


def normalised(structure: MarkovStructure) -> MarkovStructure:
    """The same model with maximal and regular contexts.

    Maximal: every context is listed that adds no restriction to those of the others. Regular: an
    edge that vanishes in all contexts is left out.
    """
    while structure.contexts:
        restrictions = restrictions_of(structure)
        contexts, idle = dict(structure.contexts), []
        for edge in sorted(structure.edges):
            if not restrictions.uses((edge, (1, 1))):
                continue
            listed = structure.contexts.get(edge, frozenset())
            implied = frozenset(
                element
                for element in structure.completions(edge, {})
                if element in listed or is_implied(structure, restrictions, edge, element)
            )
            if len(implied) == structure.configuration_count(edge):
                idle.append(edge)
            elif implied:
                contexts[edge] = implied
        if not idle:
            return MarkovStructure(structure.domain, structure.edges, contexts)
        structure = _without_idle_edge(structure, contexts, idle[0])
    return structure


def is_implied(
    structure: MarkovStructure, restrictions: Restrictions, edge: Edge, element: Configuration
) -> bool:
    """Whether a context adds nothing to the restrictions."""
    return not any(restrictions.reduced(row) for row in element_rows(structure, edge, element))


def _without_idle_edge(
    structure: MarkovStructure, contexts: Mapping[Edge, frozenset[Configuration]], idle: Edge
) -> MarkovStructure:
    """The structure without an edge all of whose φ's are 0.

    A restriction of another edge then does not depend on the state of a common neighbour that is
    lost, so its contexts are projected. A projection that covers all states makes that edge idle
    too: it keeps no context here, and its own φ's are left out with it.
    """
    plain = MarkovStructure(structure.domain, structure.edges - {idle})
    gone: set[Edge] = set()
    kept: dict[Edge, frozenset[Configuration]] = {}
    for edge, elements in contexts.items():
        if edge == idle:
            continue
        before, after = structure.common_neighbours(*edge), plain.common_neighbours(*edge)
        positions = [position for position, v in enumerate(before) if v in after]
        projected = frozenset(tuple(element[p] for p in positions) for element in elements)
        if projected and len(projected) == plain.configuration_count(edge):
            gone.add(edge)
        else:
            kept[edge] = projected
    result = MarkovStructure(structure.domain, plain.edges, kept)
    for edge in sorted(gone):
        result = _without_idle_edge(result, result.contexts, edge)
    return result


def parameter_name(domain: Domain, parameter: Parameter) -> str:
    """`φ(A = yes, B = 2)`."""
    pairs = zip(*parameter, strict=True)
    return (
        f"φ({', '.join(f'{domain.names[v]} = {domain.variables[v].states[s]}' for v, s in pairs)})"
    )


_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def parameter_symbol(domain: Domain, parameter: Parameter) -> str:
    """`φ₂₃`, variables by their numbers from 1 on; with states where a variable has more than two:
    `φ₂₃(low, yes)`."""
    term, states = parameter
    numbers = [str(v + 1).translate(_LOW) for v in term]
    text = ("," if len(domain) > 9 else "").join(numbers)
    if all(domain.cardinalities[v] == 2 for v in term):
        return f"φ{text}"
    named = (domain.variables[v].states[s] for v, s in zip(term, states, strict=True))
    return f"φ{text}({', '.join(named)})"


def restriction_text(
    domain: Domain,
    row: Mapping[Parameter, Fraction],
    name: Callable[[Domain, Parameter], str] = parameter_name,
) -> str:
    """A restriction as an equation: `φ(2, 3) + φ(1, 2, 3) = 0`."""
    text = ""
    for parameter in sorted(row, key=lambda one: (len(one[0]), one)):
        factor = row[parameter]
        sign = ("− " if factor < 0 else "") if not text else (" − " if factor < 0 else " + ")
        size = "" if abs(factor) == 1 else f"{abs(factor)} "
        text += f"{sign}{size}{name(domain, parameter)}"
    return f"{text} = 0"


@dataclass(frozen=True, eq=False)
class LogLinearTables:
    """The φ's of a structure and the tables over its maximal cliques that hold them.

    A cell of a clique's table stands for the φ of the variables that are not in their first state.
    `numbers` has the index of that φ for every cell but the first, which has none. Every φ is at
    home in the first clique that has it.
    """

    structure: MarkovStructure
    parameters: tuple[Parameter, ...]
    numbers: tuple[NDArray[np.intp], ...]
    is_home: tuple[NDArray[np.bool_], ...]

    @staticmethod
    @lru_cache(maxsize=16)
    def of(structure: MarkovStructure) -> LogLinearTables:
        parameters = parameters_of(structure)
        index = {parameter: n for n, parameter in enumerate(parameters)}
        cards = structure.domain.cardinalities
        numbers, is_home = [], []
        placed = np.zeros(len(parameters), dtype=bool)
        for clique in structure.maximal_cliques:
            cells = []
            for states in product(*(range(cards[v]) for v in clique)):
                term = tuple(v for v, state in zip(clique, states, strict=True) if state)
                cells.append(index[term, tuple(filter(None, states))] if term else -1)
            numbers.append(np.array(cells[1:], dtype=np.intp))
            is_home.append(~placed[numbers[-1]])
            placed[numbers[-1]] = True
        return LogLinearTables(structure, parameters, tuple(numbers), tuple(is_home))

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of the table of every maximal clique."""
        cards = self.structure.domain.cardinalities
        return tuple(tuple(cards[v] for v in clique) for clique in self.structure.maximal_cliques)

    @cached_property
    def _alike(self) -> list[tuple[list[int], NDArray[np.intp], NDArray[np.bool_]]]:
        """Cliques whose tables have the same shape, computed at once, with their φ's."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for c, shape in enumerate(self.shapes):
            groups.setdefault(shape, []).append(c)
        return [
            (
                cliques,
                np.stack([self.numbers[c] for c in cliques]),
                np.stack([self.is_home[c] for c in cliques]),
            )
            for cliques in groups.values()
        ]

    def tables(self, values: Floats) -> list[Floats]:
        """Σ φ_A(x_A) over the sets A at home in each clique: log potentials."""
        result: list[Floats] = [np.zeros(0)] * len(self.shapes)
        for cliques, numbers, is_home in self._alike:
            tables = np.zeros((len(cliques), numbers.shape[1] + 1))
            tables[:, 1:] = np.where(is_home, values[numbers], 0.0)
            tables = summed_up(tables.reshape(-1, *self.shapes[cliques[0]]))
            for c, table in zip(cliques, tables, strict=True):
                result[c] = table
        return result

    def sums(self, tables: Sequence[Floats]) -> Floats:
        """Per φ, the sum of the table of its clique over all cells with its states: the transpose
        of `tables`."""
        result = np.zeros(len(self.parameters))
        for cliques, numbers, is_home in self._alike:
            sums = summed_out(np.stack([tables[c] for c in cliques]))
            result[numbers[is_home]] = sums.reshape(len(cliques), -1)[:, 1:][is_home]
        return result

    def values(self, log_potentials: Sequence[Floats]) -> Floats:
        """The φ's of log potentials over the maximal cliques (Möbius inversion)."""
        result = np.zeros(len(self.parameters))
        for table, numbers in zip(log_potentials, self.numbers, strict=True):
            differences = np.array(table)
            for axis in range(table.ndim):
                turned = np.moveaxis(differences, axis, 0)
                turned[1:] -= turned[0]
            result[numbers] += differences.ravel()[1:]
        return result

    @cached_property
    def basis(self) -> sparse.csr_array:
        """B of φ = Bβ, the columns in the order of `free`."""
        from scipy import sparse

        rows = restrictions_of(self.structure).rows
        index = {parameter: n for n, parameter in enumerate(self.parameters)}
        column = {int(n): k for k, n in enumerate(self.free)}
        entries = [(n, k, 1.0) for n, k in column.items()]
        for pivot, row in rows.items():
            entries += [
                (index[pivot], column[index[parameter]], -float(factor))
                for parameter, factor in row.items()
                if parameter != pivot
            ]
        at, to, numbers = zip(*entries, strict=True) if entries else ((), (), ())
        shape = (len(self.parameters), len(column))
        return sparse.csr_array((np.array(numbers, dtype=float), (at, to)), shape=shape)

    @cached_property
    def free(self) -> NDArray[np.intp]:
        """The φ's that no restriction expresses by others: the coordinates β."""
        rows = restrictions_of(self.structure).rows
        free = [n for n, parameter in enumerate(self.parameters) if parameter not in rows]
        return np.array(free, dtype=np.intp)

    def restricted(self, values: Floats) -> Floats:
        """The φ's with those expressed by others replaced, so that all restrictions hold."""
        return np.asarray(self.basis @ values[self.free])


def summed_up(tables: Floats) -> Floats:
    """Along every axis but the first, which numbers tables, the first slice added to the others."""
    tables = np.array(tables, order="C")
    for slices in _axes(tables):
        slices[:, 1:] += slices[:, :1]
    return tables


def summed_out(tables: Floats) -> Floats:
    """Along every axis but the first, the first slice replaced by the sum of all."""
    tables = np.array(tables, order="C")
    for slices in _axes(tables):
        slices[:, 0] += slices[:, 1:].sum(axis=1)
    return tables


def _axes(tables: Floats) -> Iterator[Floats]:
    """A view for every axis but the first: all before it, the axis, all after it."""
    after = tables.size // tables.shape[0]
    for length in tables.shape[1:]:
        after //= length
        yield tables.reshape(-1, length, after)
