"""Cards of bars in a list."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from pgmstudio.gui.theme.theme import theme
from pgmstudio.gui.widgets.bar_cards import GAP, WIDTH, BarCard, BarCardList, BarGroup


def test_cards_fill_the_width_of_their_list(qtbot: QtBot) -> None:
    cards = BarCardList("cards", "Cards", "Cards")
    qtbot.addWidget(cards)
    blue = (theme().color("accent"), theme().color("text"))
    group = BarGroup("A", (0.5, 0.5), lambda: blue)
    cards.show_cards([BarCard(name, ("no", "yes"), (group,), name) for name in "abcdef"])
    cards.resize(700, 400)
    cards.show()
    model = cards.model()

    def columns_and_right_end() -> tuple[int, int]:
        cells = [cards.visualRect(model.index(row, 0)) for row in range(6)]
        return sum(cell.top() == cells[0].top() for cell in cells), max(c.right() for c in cells)

    def is_filled(columns: int) -> bool:
        area = cards.maximumViewportSize().width() - cards.verticalScrollBar().sizeHint().width()
        count, right = columns_and_right_end()
        return count == columns and area - columns - 1 <= right < area

    qtbot.waitUntil(lambda: is_filled(3))
    cards.resize(2 * (WIDTH + GAP) + 40, 400)
    qtbot.waitUntil(lambda: is_filled(2))
