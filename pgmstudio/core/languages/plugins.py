"""What other packages add to a registry by their entry points."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Plugins(Generic[T]):
    """The rows that the entry points of a group name, loaded on first use."""

    def __init__(
        self,
        group: str,
        taken: Callable[[], Container[str]],
        read: Callable[[Any], tuple[str, T]],
    ) -> None:
        """`taken` gives the keys of the program's own rows; `read` the key and the row of what an
        entry point names, or raises."""
        self.group = group
        self._taken, self._read = taken, read
        self._found: tuple[dict[str, T], tuple[str, ...]] | None = None

    @property
    def rows(self) -> Mapping[str, T]:
        """The rows by key."""
        return self._load()[0]

    @property
    def problems(self) -> tuple[str, ...]:
        """A message for each entry point that could not be used."""
        return self._load()[1]

    def reload(self) -> None:
        """Look for them again, after packages were installed or removed."""
        self._found = None

    def _load(self) -> tuple[dict[str, T], tuple[str, ...]]:
        if self._found is not None:
            return self._found
        # Here, not above: it loads many modules, and most commands need no plug-in.
        from importlib import metadata

        taken, rows, problems = self._taken(), dict[str, T](), list[str]()
        for entry in metadata.entry_points(group=self.group):
            try:
                key, row = self._read(entry.load())
            except Exception as problem:  # third-party code may fail in any way; it is reported
                problems.append(f"The plug-in {entry.name} did not load: {problem}")
                continue
            if key in taken or key in rows:
                problems.append(f"The plug-in {entry.name} is left out: {key} exists already.")
            else:
                rows[key] = row
        self._found = rows, tuple(problems)
        return self._found
