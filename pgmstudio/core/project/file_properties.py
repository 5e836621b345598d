"""File properties: entries of a network file that are not interpreted and are written back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Properties:
    """Lines of a file that mean nothing here and are written back: of the whole network, of its
    variables, of their tables."""

    network: tuple[str, ...] = ()
    variables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.network or self.variables or self.tables)

    def without_variable(self, name: str) -> Properties:
        """Without the entries of the variable and its table."""
        variables = {other: lines for other, lines in self.variables.items() if other != name}
        return Properties(self.network, variables, _without(self.tables, (name,)))

    def with_renamed(self, old: str, new: str) -> Properties:
        """With the entries of `old` under the name `new`."""
        variables, tables = (
            {new if name == old else name: lines for name, lines in entries.items()}
            for entries in (self.variables, self.tables)
        )
        return Properties(self.network, variables, tables)

    def without_tables(self, names: tuple[str, ...]) -> Properties:
        """Without the entries of these tables: they may depend on the number of rows."""
        return Properties(self.network, self.variables, _without(self.tables, names))


def _without(
    entries: Mapping[str, tuple[str, ...]], names: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    return {name: lines for name, lines in entries.items() if name not in names}
