"""Independence tests answered by a table of statements instead of data, to replay an example."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pgmstudio.core.errors import ParameterError, UnknownNameError
from pgmstudio.core.running import NEVER, CancelToken
from pgmstudio.core.scores.independence_tests import Outcome

Statement = tuple[str, str, Iterable[str]]

_YES = Outcome(0.0, 0, 1.0, 0.0, independent=True, reliable=True)
_NO = Outcome(0.0, 0, 0.0, 0.0, independent=False, reliable=True)


class StatedIndependencies:
    """Exactly the stated (a, b, given) are independent; all else depends."""

    def __init__(self, names: Iterable[str], statements: Iterable[Statement]) -> None:
        self.names = tuple(names)
        place = {name: i for i, name in enumerate(self.names)}

        def index(name: str) -> int:
            if name not in place:
                raise UnknownNameError("variable", name, self.names)
            return place[name]

        self._stated = {
            (frozenset({index(a), index(b)}), frozenset(map(index, given)))
            for a, b, given in statements
        }

    def test(self, a: int, b: int, given: Sequence[int], cancel: CancelToken = NEVER) -> Outcome:
        cancel.raise_if_cancelled()
        return _YES if (frozenset({a, b}), frozenset(given)) in self._stated else _NO


def stated_independences(text: str, names: Iterable[str]) -> StatedIndependencies:
    """Statements as they are typed, `A ⊥ B; A ⊥ D | C, E`; an error names all that is wrong."""
    known = tuple(names)
    statements: list[Statement] = []
    problems = []
    for item in filter(None, map(str.strip, re.split(r"[;\n]", text.replace("_||_", "⊥")))):
        pair, _, condition = item.partition("|")
        ends = [end.strip() for end in pair.split("⊥")]
        given = [name.strip() for name in condition.split(",") if name.strip()]
        strange = [name for name in (*ends, *given) if name not in known]
        if len(ends) != 2 or ends[0] == ends[1]:
            problems.append(f"“{item}” is no statement; write A ⊥ B or A _||_ B | C, D.")
        elif strange:
            problems.append(f"“{item}” names {', '.join(strange)}, which is no column.")
        else:
            statements.append((ends[0], ends[1], given))
    if problems:
        raise ParameterError({"stated": " ".join(problems)})
    return StatedIndependencies(known, statements)
