"""What a person knows about edges before learning: required, forbidden, tiers; one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pgmstudio.core.errors import CycleError, KnowledgeError, UnknownNameError
from pgmstudio.core.graphs.dag import Dag

Edge = tuple[str, str]


@dataclass(frozen=True)
class Knowledge:
    """Rules about directed edges.

    `required` edges must occur with that direction, `forbidden` ones must not. `tiers` are sets of
    variables from earlier to later; no edge may lead to an earlier tier. Within the tiers whose
    numbers are in `closed_tiers` no edge is allowed at all. Variables in no tier are free.
    """

    required: frozenset[Edge] = frozenset()
    forbidden: frozenset[Edge] = frozenset()
    tiers: tuple[tuple[str, ...], ...] = ()
    closed_tiers: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "required", frozenset(self.required))
        object.__setattr__(self, "forbidden", frozenset(self.forbidden))
        object.__setattr__(self, "tiers", tuple(tuple(tier) for tier in self.tiers))
        object.__setattr__(self, "closed_tiers", frozenset(self.closed_tiers))

    @cached_property
    def tier_of(self) -> dict[str, int]:
        return {name: number for number, tier in enumerate(self.tiers) for name in tier}

    @property
    def is_empty(self) -> bool:
        return not (self.required or self.forbidden or self.tiers)

    def why_forbidden(self, source: str, target: str) -> str | None:
        """The rule that forbids source → target, as text; None when none does."""
        if (source, target) in self.forbidden:
            return f"{source} → {target} is forbidden."
        before, after = self.tier_of.get(source), self.tier_of.get(target)
        if before is None or after is None:
            return None
        if before > after:
            return f"{source} is in tier {before + 1} and {target} in the earlier tier {after + 1}."
        if before == after and before in self.closed_tiers:
            return f"No edges are allowed within tier {before + 1} ({source}, {target})."
        return None

    def allows(self, source: str, target: str) -> bool:
        return self.why_forbidden(source, target) is None

    def contradictions(self, names: Iterable[str] | None = None) -> list[str]:
        """One message for each conflict of two rules, and for each rule on an unknown variable."""
        clashes: list[str] = []
        if names is not None:
            known = tuple(names)
            used = {end for edge in self.required | self.forbidden for end in edge}
            used |= {name for tier in self.tiers for name in tier}
            clashes += [
                str(UnknownNameError("variable", n, known)) for n in sorted(used - {*known})
            ]
        seen: dict[str, int] = {}
        for number, tier in enumerate(self.tiers):
            for name in tier:
                if name in seen:
                    clashes.append(f"{name} is in tier {seen[name] + 1} and in tier {number + 1}.")
                seen.setdefault(name, number)
        for source, target in sorted(self.required):
            why = self.why_forbidden(source, target)
            if why is not None:
                clashes.append(f"{source} → {target} is required, but: {why}")
            if source == target:
                clashes.append(f"{source} → {target} is required, but it is a loop.")
        try:
            Dag.from_edges(sorted({end for edge in self.required for end in edge}), self.required)
        except CycleError as cycle:
            ring = " → ".join((*cycle.path, cycle.path[0]))
            clashes.append(f"The required edges form a cycle: {ring}.")
        return clashes

    def check(self, names: Iterable[str]) -> None:
        """KnowledgeError with every contradiction; nothing when the rules can hold together."""
        clashes = self.contradictions(names)
        if clashes:
            raise KnowledgeError(clashes)

    def violations(self, edges: Iterable[Edge]) -> list[str]:
        """One message for each rule that the directed edges break: the independent check after a
        run."""
        present = set(edges)
        broken = [
            f"{source} → {target} is required but absent."
            for source, target in sorted(self.required - present)
        ]
        for source, target in sorted(present):
            why = self.why_forbidden(source, target)
            if why is not None:
                broken.append(f"{source} → {target} is present, but: {why}")
        return broken

    def undirected_violations(self, edges: Iterable[Edge]) -> list[str]:
        """The same for edges without direction: one is required by a rule for either direction,
        and forbidden where both directions are."""
        present = {frozenset(edge) for edge in edges}
        broken = [
            f"{a} – {b} is required but absent."
            for a, b in sorted(self.required)
            if frozenset((a, b)) not in present
        ]
        for a, b in sorted(tuple(sorted(edge)) for edge in present):
            reason = self.why_forbidden(a, b)
            if reason is not None and self.why_forbidden(b, a) is not None:
                broken.append(f"{a} – {b} is present, but: {reason}")
        return broken

    def among(self, names: Iterable[str]) -> Knowledge:
        """The rules that speak only of these variables; the tiers keep their numbers."""
        known = frozenset(names)
        return Knowledge(
            frozenset(edge for edge in self.required if known.issuperset(edge)),
            frozenset(edge for edge in self.forbidden if known.issuperset(edge)),
            tuple(tuple(name for name in tier if name in known) for tier in self.tiers),
            self.closed_tiers,
        )

    def rule_count(self) -> int:
        """As many as one would list: edges one by one, and each tier that holds a variable."""
        return len(self.required) + len(self.forbidden) + sum(map(bool, self.tiers))
