"""Variables and domains: the names that codes in a data set or axes of a table stand for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property

from pgmstudio.core.errors import DataError, UnknownNameError

# Control characters, and halves of characters: what no file, label or terminal shows as it is.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANK_CONTROL = re.compile("[\t-\r\x1c-\x1f\x85]+")

_are_names_checked = ContextVar("are_names_checked", default=True)


def is_fit_name(text: str) -> bool:
    """Whether a text can be shown and saved as a name."""
    return text.isprintable() or _UNFIT.search(text) is None


def clean_name(text: str) -> str:
    """The text as a name: blanks for line breaks and tabs, � for what cannot be shown."""
    if is_fit_name(text):
        return text
    return _UNFIT.sub("\ufffd", _BLANK_CONTROL.sub(" ", text)).strip() or "\ufffd"


@contextmanager
def unchecked_names() -> Iterator[None]:
    """Any text may be a name meanwhile; for readers whose caller cleans the names afterwards."""
    token = _are_names_checked.set(False)
    try:
        yield
    finally:
        _are_names_checked.reset(token)


@dataclass(frozen=True, slots=True)
class Variable:
    """A name and its states, in order; `is_ordinal`: their order is meaningful."""

    name: str
    states: tuple[str, ...]
    is_ordinal: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", tuple(self.states))
        if not self.name:
            raise DataError("A variable needs a name.")
        if _are_names_checked.get() and not is_fit_name("".join((self.name, *self.states))):
            unfit = next(text for text in (self.name, *self.states) if not is_fit_name(text))
            raise DataError(
                f"The name {unfit!a} holds a control character or half of a character. "
                "Choose another name."
            )
        if not self.states:
            raise DataError(f"{self.name} has no states; a variable needs at least one.")
        if len(set(self.states)) != len(self.states):
            twice, _ = Counter(self.states).most_common(1)[0]
            raise DataError(f"{self.name} has the state “{twice}” twice; states must differ.")

    @property
    def cardinality(self) -> int:
        return len(self.states)

    def code(self, state: str) -> int:
        """The index of `state`; UnknownNameError when there is none."""
        try:
            return self.states.index(state)
        except ValueError:
            raise UnknownNameError(f"state of {self.name}", state, self.states) from None


@dataclass(frozen=True)
class Domain:
    """Variables in order: `domain["rain"]`, `domain.index("rain")`, `len`, `iter`."""

    variables: tuple[Variable, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        if len(self._index) != len(self.variables):
            twice, _ = Counter(variable.name for variable in self.variables).most_common(1)[0]
            raise DataError(f"Two variables are called “{twice}”; names must differ.")

    @classmethod
    def of(cls, states: Mapping[str, Iterable[str]]) -> Domain:
        """A domain from names and their states."""
        return cls(tuple(Variable(name, tuple(values)) for name, values in states.items()))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {variable.name: index for index, variable in enumerate(self.variables)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        return tuple(len(variable.states) for variable in self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> Variable:
        return self.variables[self.index(name)]

    def index(self, name: str) -> int:
        """The index of `name`; UnknownNameError when there is none."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise UnknownNameError("variable", str(name), self.names) from None

    def restricted_to(self, names: Iterable[str]) -> Domain:
        return Domain(tuple(self[name] for name in names))

    def joint_states(self) -> int:
        """How many joint states there are; may be astronomically large."""
        return math.prod(self.cardinalities)
