"""Names shortened so that no two of a list look the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

# Of longer lists the names are shortened one by one.
MAX_NAMES = 1000
_CACHED_WIDTHS = 64
_WORDS = re.compile(r"([-_ ./:,;]+)")
_MODES = (
    Qt.TextElideMode.ElideRight,
    Qt.TextElideMode.ElideMiddle,
    Qt.TextElideMode.ElideLeft,
)


class ShortNames:
    """The names of a list, shortened to a width: at the end where that keeps all apart, else in the
    middle, at the beginning, or without the words that many of them have."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._counts: Counter[str] = Counter()
        self._cached: dict[tuple[str, int], Mapping[str, str]] = {}
        if len(self.names) <= MAX_NAMES:
            self._counts = Counter(word for name in self.names for word in {*_WORDS.split(name)})

    def shorten(self, name: str, metrics: QFontMetrics, font: str, width: int) -> str:
        """`font` is a key of the metrics, such as its description."""
        if metrics.horizontalAdvance(name) <= width:
            return name
        if not self._counts or name not in self.names:
            return metrics.elidedText(name, _MODES[0], width)
        key = (font, width)
        if key not in self._cached:
            if len(self._cached) >= _CACHED_WIDTHS:
                self._cached.clear()
            self._cached[key] = self.all(metrics, width)
        return self._cached[key][name]

    def all(self, metrics: QFontMetrics, width: int) -> Mapping[str, str]:
        """Every name with its short form; all are different."""
        for mode in _MODES:
            shown = {name: metrics.elidedText(name, mode, width) for name in self.names}
            if len({*shown.values()}) == len(shown) and not self._seem_same(shown):
                return shown
        shown = {name: metrics.elidedText(name, _MODES[0], width) for name in self.names}
        used = {name for name in self.names if shown[name] == name}
        for name in self.names:
            if name in used:
                continue
            text = self._without_common_words(name, metrics, width)
            number = 1
            while text in used:  # nothing else is left to tell them apart
                number += 1
                mark = f" ·{number}"
                room = width - metrics.horizontalAdvance(mark)
                text = metrics.elidedText(name, _MODES[0], max(0, room)) + mark
            used.add(text)
            shown[name] = text
        return shown

    def _seem_same(self, shown: Mapping[str, str]) -> bool:
        """Whether “Spanning tr…” stands for “Spanning tree 2” beside a “Spanning tree”."""
        whole = [name for name in self.names if shown[name] == name]
        beginnings = [text[:-1] for text in shown.values() if text.endswith("…")]
        return any(name.startswith(text) for text in beginnings for name in whole)

    def _without_common_words(self, name: str, metrics: QFontMetrics, width: int) -> str:
        """Words that many names have give way to an ellipsis, those inside a name first."""
        parts = _WORDS.split(name)
        words = range(0, len(parts), 2)
        last = len(parts) - 1
        order = sorted(words, key=lambda i: (-self._counts[parts[i]], i in (0, last), i))
        dropped: set[int] = set()
        text = name
        for index in order[:-1]:
            dropped.add(index)
            text = _join(parts, dropped)
            if metrics.horizontalAdvance(text) <= width:
                return text
        return metrics.elidedText(text, _MODES[0], width)


def _join(parts: list[str], dropped: set[int]) -> str:
    """The parts, with one ellipsis for neighbours that are dropped and what separates them."""
    text = ""
    for index in range(0, len(parts), 2):
        if index in dropped:
            text = text if text.endswith("…") else f"{text}…"
        else:
            separator = parts[index - 1] if index and not text.endswith("…") else ""
            text += separator + parts[index]
    return text
