"""Where the size of a model comes from: its tables and its cliques, the largest first."""

from __future__ import annotations

from collections.abc import Callable

from pgmstudio.core.models.sizes import SizeBreakdown
from pgmstudio.gui.panels.fact_rows import Fact, FactRows
from pgmstudio.gui.style.numbers import counted, grouped
from pgmstudio.gui.style.widgets import Section, Segments, button, row

MOST_SHOWN, MOST_LISTED = 5, 400
_PARTS = (
    ("families", "By variable", "Free parameters of every table"),
    ("cliques", "By clique", "Cells of every table beliefs are computed in"),
)


class SizeSection(Section):
    """Hidden for languages that have neither tables nor cliques."""

    def __init__(self) -> None:
        super().__init__("What the size is made of")
        self.setObjectName("inspectorSizes")
        self._sizes = SizeBreakdown()
        self._shows_all = False
        self._title: Callable[[str], str] = str
        self._parts = Segments(_PARTS, "sizePart")
        self._parts.chosen.connect(self._show)
        self.facts = FactRows("inspectorSizeFacts")
        self._more = button("", self._on_more, role="link", name="sizeMore")
        self.add(row(self._parts, None))
        self.add(self.facts)
        self.add(row(self._more, None))
        self.hide()

    def show_sizes(self, sizes: SizeBreakdown, title: Callable[[str], str]) -> None:
        """`title` gives what is written for a variable."""
        self._title = title
        if sizes is not self._sizes:
            self._sizes, self._shows_all = sizes, False
        self.setVisible(bool(sizes.families or sizes.cliques))
        self._show()

    def _on_more(self) -> None:
        self._shows_all = not self._shows_all
        self._show()

    def _show(self, *_: object) -> None:
        is_cliques = self._parts.current == "cliques"
        lines = self._cliques() if is_cliques else self._families()
        total = sum(number for number, _ in lines)
        ordered = sorted(lines, key=lambda line: -line[0])
        shown = ordered[: MOST_LISTED if self._shows_all else MOST_SHOWN]
        unit = "cells" if is_cliques else "free"
        facts: list[Fact] = [(f"{grouped(number)} {unit}", fact) for number, fact in shown]
        left = len(ordered) - len(shown)
        if left:
            rest = total - sum(number for number, _ in shown)
            facts.append((f"{grouped(rest)} {unit}", f"{left} more"))
        if is_cliques:
            tip = "The rule that found these cliques; another may find others."
            facts.append(("Triangulated by", self._sizes.triangulator, tip))
        self.facts.show_facts(facts)
        what = "cliques" if is_cliques else "variables"
        self.fact.setText(f"{grouped(total)} in all")
        self._more.setVisible(len(ordered) > MOST_SHOWN)
        words = "Show the largest only" if self._shows_all else f"Show all {len(ordered)} {what}"
        self._more.setText(words)
        self._more.setToolTip(words)
        self._more.setAccessibleName(words)

    def _families(self) -> list[tuple[int, str]]:
        found = []
        for family in self._sizes.families:
            words = self._title(family.variable)
            if family.parents:
                words += f" given {', '.join(map(self._title, family.parents))}"
                words += f", {counted(family.rows, 'row')}"
            found.append((family.free, words))
        return found

    def _cliques(self) -> list[tuple[int, str]]:
        return [
            (clique.cells, ", ".join(map(self._title, clique.variables)))
            for clique in self._sizes.cliques
        ]
