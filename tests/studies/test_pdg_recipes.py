"""The recipes of decision graphs on rows that are soon learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pgmstudio.core.execution.events import NEVER, Note
from pgmstudio.core.languages.pdg.model import DecisionGraph
from pgmstudio.core.params import parse_params
from pgmstudio.studies.nb_real import both_parts
from pgmstudio.studies.pdg_hybrid import Pair, compiled_table, stored_pairs
from pgmstudio.studies.recipe import Measured, table_csv, table_of
from pgmstudio.studies.recipe_task import RecipeTask
from pgmstudio.studies.registry import recipe_of
from pgmstudio.studies.sl_published import published_networks
from tests.strategies import random_network


def run(key: str, sources: dict[str, Any], **given: object) -> tuple[dict[str, float], list[Any]]:
    recipe = recipe_of(key)
    task = RecipeTask(key, parse_params(recipe.params_type, given), 0, sources)
    events = list(task(NEVER))
    rows = table_of(recipe, [event for event in events if isinstance(event, Measured)])
    return {r.quantity.key: r.obtained for r in rows if r.obtained is not None}, events


def test_a_pair_counts_when_it_is_smaller_and_no_training_bit_is_lost() -> None:
    """The first two rows of table A.1, and one that loses likelihood."""
    assert Pair(1000, 14.512, 14.607, 675, 14.363, 14.482).is_smaller
    assert not Pair(2500, 13.758, 13.927, 2600, 13.525, 13.637).is_smaller
    assert not Pair(1000, 14.512, 14.607, 675, 14.513, 14.482).is_smaller
    text = Pair(13_875, 13.239, 13.362, 8045, 12.502, 12.577).values("Page-blocks")
    assert text["Page-blocks, 13875 cells: smaller by"] == pytest.approx(0.42, abs=0.001)
    assert text["Page-blocks, 13875 cells: training bits better by"] == pytest.approx(
        0.056, abs=0.001
    )


def test_best_graphs_of_networks_lose_no_training_bits_and_the_share_is_theirs() -> None:
    given = {"only": "rnd15", "rows": 400, "test_rows": 200, "networks": 3, "restarts": 0}
    result, events = run("pdg-hybrid", {}, **given)
    gains = [v for key, v in result.items() if key.endswith("training bits better by")]
    smaller = [v for key, v in result.items() if key.endswith("smaller by")]
    assert result["rnd15_networks"] == len(smaller) <= 3
    assert min(gains) >= -1e-9
    assert result["rnd15_share"] == pytest.approx(np.mean([share > 0 for share in smaller]))
    assert "nb10_share" not in result
    recipe = recipe_of("pdg-hybrid")
    tables = [
        table_csv(table_of(recipe, [e for e in text if isinstance(e, Measured)]))
        for text in (events, run("pdg-hybrid", {}, **given)[1])
    ]
    assert tables[0] == tables[1]


def test_networks_with_too_many_cells_are_left_out_with_a_note() -> None:
    given = {"only": "rnd15", "rows": 500, "test_rows": 200, "networks": 2, "restarts": 0}
    result, events = run("pdg-hybrid", {}, most_cells=1, **given)
    assert sum("was left out" in e.message for e in events if isinstance(e, Note)) == 2
    assert "rnd15_share" not in result


def test_test_rows_choose_no_worse_than_held_out_rows() -> None:
    rng = np.random.default_rng(3)
    data = random_network(rng, 5, density=0.5).sample(1200, rng)
    given = {"only": "abalone", "population": 2, "models": 4}
    result, events = run("pdg-real", {"abalone": data}, **given)
    assert result["abalone_test"] <= result["abalone_held_test"]
    last = [event for event in events if isinstance(event, Measured)][-1]
    assert isinstance(last.model, DecisionGraph)
    assert last.model.effective_size() == result["abalone_held_size"]


def test_rows_for_learning_are_those_of_the_first_file_or_drawn() -> None:
    rng = np.random.default_rng(0)
    network = random_network(rng, 4)
    one, other = network.sample(100, rng), network.sample(30, rng)
    assert [part.row_count for part in both_parts("landsat", (one, other), rng)] == [100, 30]
    assert [part.row_count for part in both_parts("abalone", one, rng)] == [99, 1]


def test_a_published_row_stands_beside_the_network_nearest_in_size() -> None:
    rows = [
        {"quantity": f"Abalone, {cells} cells: {key}", "obtained": str(value)}
        for cells, size in ((180, 150), (4000, 5000))
        for key, value in Pair(cells, 10.0, 11.0, size, 9.9, 11.2).values("").items()
        for key in [key.partition(": ")[2]]
    ]
    pairs = stored_pairs([*rows, {"quantity": "Abalone, networks", "obtained": "2"}])
    assert pairs == {
        "Abalone": [
            Pair(180, 10.0, 11.0, 150, 9.9, 11.2),
            Pair(4000, 10.0, 11.0, 5000, 9.9, 11.2),
        ]
    }
    table = compiled_table("abalone", 2, pairs["Abalone"])
    assert len(table.rows) == 6
    first, last = table.rows[0], table.rows[-1]
    assert first[4:6] == ("−0.421", "+0.167")  # 190 → 270 cells published, 180 → 150 here
    assert first[-1] == "saves more, test worse"
    assert last[5] == "−0.250"
    assert table.note == "Smaller than its network: 5 of 6 published, 2 here."
    assert sum(map(len, published_networks().values())) == 214
