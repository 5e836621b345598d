"""When a node of a decision graph is reached: a paragraph for each rule, its states bold."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QLabel

from pgmstudio.core.models.decision_graph_reach import ReachRule, ReachRules
from pgmstudio.gui.style.numbers import grouped
from pgmstudio.gui.style.theme import theme


class RuleLines(QLabel):
    """Its text is without marks, a rule in each line."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWordWrap(True)
        self.setProperty("rich", True)
        self._lines: tuple[str, ...] = ()
        theme().changed.connect(self._restyle)
        self._restyle()

    def show_rules(self, found: ReachRules) -> None:
        rest = found.count - len(found.rules)
        more = [f"{grouped(rest)} more"] if rest else []
        starts = ["" if number == 0 else "or " for number in range(len(found.rules))]
        pairs = list(zip(starts, found.rules, strict=True))
        self._lines = (*(start + rule.words for start, rule in pairs), *more)
        marked = [*(start + _marked(rule) for start, rule in pairs), *more]
        style = f"margin: 0 0 {theme().space(2)}px 0"
        self.setText("".join(f"<p style='{style}'>{words}</p>" for words in marked))
        self.setAccessibleName(", ".join(self._lines))

    def text(self) -> str:
        return "\n".join(self._lines)

    def _restyle(self) -> None:
        self.setFont(theme().font("dense"))


def _marked(rule: ReachRule) -> str:
    parts = [
        f"{escape(name)} = <b>{escape(' or '.join(states))}</b>" for name, states in rule.parts
    ]
    return ", ".join(parts) or rule.words
