"""Independence tests answered by a table of statements instead of data, to replay an example."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pgmstudio.core.errors import UnknownNameError
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
